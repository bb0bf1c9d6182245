/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Remembers call paths, so that the stack need not be walked again. Entries are found by prediction: the
 * one that came after the last one before, or the one that came there when it was another one. Where this
 * fails, the walk is made, and its entry is found by the walk's hash, so that the prediction is right the
 * next time.
 *
 * Invariant: the words of an entry are compared in their order, and no further than to the
 * first that differs. They may lie in a stack that is no longer mapped, but each is in a frame
 * that the words before it have shown to be there (walk.c). The stack that a thread was made with is there as
 * long as the thread, and what is above the frame of a call in it is in use: if all words are there, they are
 * compared together.
 */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "memo.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hot.h"
#include "runtime/base/memory.h"

#define MOST_MISSED 8 /* times as many as there are entries, before all is forgotten */

static void find_stack(struct efg_memo *memo)
{
    pthread_attr_t attributes;
    void *stack;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &stack, &size) == 0) {
        memo->stack = stack;
        memo->stack_end = stack + size;
    }
    pthread_attr_destroy(&attributes);
}

void efg_memo_init(struct efg_memo *memo, struct efg_memo_hand *hand)
{
    *memo = (struct efg_memo){.hand = hand};
    find_stack(memo);
    efg_memo_clear(memo);
}

void efg_memo_fini(struct efg_memo *memo)
{
    for (uint32_t i = 0; i < memo->block_count; i++)
        free(memo->block[i]);
}

void efg_memo_clear(struct efg_memo *memo)
{
    memset(memo->bucket, 0, sizeof memo->bucket);
    memo->first = (struct efg_memo_after){NULL, NULL};
    *memo->hand = (struct efg_memo_hand){.noted = &memo->first};
    memo->used_blocks = 0;
    memo->entries = memo->missed = 0;
    memo->used = EFG_MEMO_BLOCK;
}

static struct efg_memo_entry **bucket_of(struct efg_memo *memo, uint64_t key)
{
    return &memo->bucket[key >> 32 & (EFG_MEMO_BUCKETS - 1)];
}

/* It was E that came. */
static const struct efg_memo_entry *note(struct efg_memo_hand *hand, struct efg_memo_entry *e)
{
    *hand->noted = (struct efg_memo_after){e, hand->expected.last};
    return efg_memo_turn(hand, e);
}

EFG_HOT const struct efg_memo_entry *efg_memo_predict_other(struct efg_memo_hand *hand,
                                                            const uintptr_t *frame)
{
    struct efg_memo_entry *e = hand->expected.other;
    return e && efg_memo_is_now(e, frame) ? note(hand, e) : NULL;
}

EFG_MEMO_READS bool is_value(const struct efg_memo_step *s, unsigned i)
{
    return *s->at[i] == s->value[i / 2][i % 2];
}

EFG_HOT bool efg_memo_is_now(const struct efg_memo_entry *e, const uintptr_t *frame)
{
    if (e->frame != frame || e->whole)
        return efg_memo_is_whole(e, frame);
    for (const struct efg_memo_step *s = e->step; s < e->step + e->step_count; s++)
        if (!is_value(s, 0) || !is_value(s, 1) || !is_value(s, 2) || !is_value(s, 3))
            return false;
    return true;
}

static bool is_of(const struct efg_memo_entry *e, const uintptr_t *frame, const struct efg_walk *walk,
                  uint64_t key)
{
    return e->key == key && e->frame == frame && e->word_count == walk->word_count;
}

const struct efg_memo_entry *efg_memo_recall(struct efg_memo *memo, const uintptr_t *frame,
                                             const struct efg_walk *walk, uint64_t key)
{
    struct efg_memo_entry *e = *bucket_of(memo, key);
    while (e && !is_of(e, frame, walk, key))
        e = e->next;
    return e ? note(memo->hand, e) : NULL;
}

static bool may_grow(const struct efg_memo *memo)
{
    return memo->block_count == 0 ||
           (memo->block_count < EFG_MEMO_BLOCKS && efg_memory_may_remember(EFG_MEMO_BLOCK));
}

/* Another block. Returns 0; -ENOMEM, or -EAGAIN if there is none for now. */
static int open_block(struct efg_memo *memo)
{
    if (memo->used_blocks == memo->block_count && !may_grow(memo)) {
        if (++memo->missed <= MOST_MISSED * memo->entries)
            return -EAGAIN;
        efg_memo_clear(memo);
    }
    if (memo->used_blocks == memo->block_count) {
        char *block = aligned_alloc(EFG_MEMO_LINE, EFG_MEMO_BLOCK);
        if (!block)
            return -ENOMEM;
        memo->block[memo->block_count++] = block;
    }
    memo->used_blocks++;
    memo->used = 0;
    return 0;
}

/* SIZE bytes, which last until all is forgotten; NULL without room. */
static void *take(struct efg_memo *memo, size_t size)
{
    if (memo->used + size > EFG_MEMO_BLOCK && open_block(memo) != 0)
        return NULL;
    void *taken = memo->block[memo->used_blocks - 1] + memo->used;
    memo->used += (size + EFG_MEMO_LINE - 1) / EFG_MEMO_LINE * EFG_MEMO_LINE;
    memo->entries++;
    return taken;
}

static bool is_in_stack(const struct efg_memo *memo, const uintptr_t *frame, const struct efg_walk *walk)
{
    bool is_inside = walk->word_count && frame >= memo->stack;

    for (uint32_t i = 0; i < walk->word_count; i++)
        is_inside &= walk->word[i].at >= frame && walk->word[i].at < memo->stack_end;
    return is_inside;
}

const struct efg_memo_entry *efg_memo_add(struct efg_memo *memo, const uintptr_t *frame,
                                          const struct efg_walk *walk, uint64_t key, uint32_t path,
                                          uint64_t hash, const struct efg_memo_round *rounds,
                                          uint32_t round_count)
{
    uint32_t count = walk->word_count, steps = (count + EFG_MEMO_STEP - 1) / EFG_MEMO_STEP;
    struct efg_memo_entry *e = take(memo, sizeof *e + steps * sizeof *e->step + round_count * sizeof *rounds);
    if (!e)
        return NULL;
    struct efg_memo_entry **first = bucket_of(memo, key);
    *e = (struct efg_memo_entry){.frame = frame,
                                 .hash = hash,
                                 .next = *first,
                                 .key = key,
                                 .path = path,
                                 .word_count = (uint16_t)count,
                                 .step_count = (uint8_t)steps,
                                 .round_count = (uint8_t)round_count,
                                 .whole = !round_count && is_in_stack(memo, frame, walk) ? frame : NULL};
    if (round_count)
        memcpy(e->step + steps, rounds, round_count * sizeof *rounds);
    for (uint32_t i = 0; i < steps * EFG_MEMO_STEP; i++) {
        const struct efg_word *word = &walk->word[i < count ? i : count - 1];
        struct efg_memo_step *s = &e->step[i / EFG_MEMO_STEP];
        s->at[i % EFG_MEMO_STEP] = word->at;
        s->value[i % EFG_MEMO_STEP / 2][i % 2] = word->value;
    }
    *first = e;
    return note(memo->hand, e);
}

size_t efg_memo_memory(const struct efg_memo *memo)
{
    return memo->block_count * EFG_MEMO_BLOCK;
}
