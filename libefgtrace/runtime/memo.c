/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries are found by prediction first: the one that came after the last one before; then in
 * the bucket of their frame address, where all calls from one function have theirs. The one
 * that is found moves to the front of its bucket.
 *
 * Invariant: the words of an entry are compared in their order, and no further than to the
 * first that differs. They may lie in a stack that is no longer mapped, but each is in a frame
 * that the words before it have shown to be there (walk.c).
 */
#include "runtime/memo.h"

#include <stdlib.h>
#include <string.h>

#include "core/hot.h"
#include "runtime/memory.h"

#define MOST_TRIES 64 /* in a bucket: a new walk takes no longer */

void efg_memo_init(struct efg_memo *memo)
{
    *memo = (struct efg_memo){0};
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
    memo->first = NULL;
    memo->expected = &memo->first;
    memo->used_blocks = 0;
    memo->used = EFG_MEMO_BLOCK;
}

static struct efg_memo_entry **bucket_of(struct efg_memo *memo, const uintptr_t *frame)
{
    uint64_t key = (uintptr_t)frame * 0x9e3779b97f4a7c15ull;
    _Static_assert(EFG_MEMO_BUCKETS == 256, "eight bits of the key");
    return &memo->bucket[key >> 56];
}

/* Stack slots of other functions, which a sanitizer takes for its own. */
__attribute__((no_sanitize("address"))) static inline int
is_entry_of(const struct efg_memo_entry *e, const uintptr_t *frame)
{
    if (e->frame != frame)
        return 0;
    const struct efg_word *w = e->word;
    uint32_t count = e->word_count;
    for (; count >= 4; count -= 4, w += 4) /* two thirds of the time of one by one */
        if (*w[0].at != w[0].value || *w[1].at != w[1].value || *w[2].at != w[2].value ||
            *w[3].at != w[3].value)
            return 0;
    for (; count; count--, w++)
        if (*w->at != w->value)
            return 0;
    return 1;
}

static __attribute__((noinline)) struct efg_memo_entry *search(struct efg_memo *memo,
                                                               const uintptr_t *frame)
{
    struct efg_memo_entry **first = bucket_of(memo, frame), **at = first;
    for (int i = 0; *at && i < MOST_TRIES; i++, at = &(*at)->next) {
        struct efg_memo_entry *e = *at;
        if (!is_entry_of(e, frame))
            continue;
        *at = e->next;
        e->next = *first;
        return *first = e;
    }
    return NULL;
}

EFG_HOT const struct efg_memo_entry *efg_memo_find(struct efg_memo *memo,
                                                   const uintptr_t *frame)
{
    struct efg_memo_entry *e = *memo->expected;
    if (!e || !is_entry_of(e, frame)) {
        e = search(memo, frame);
        if (!e)
            return NULL;
        *memo->expected = e;
    }
    memo->expected = &e->after;
    return e;
}

/* Half of the budget is for what cannot be found again. */
static int may_not_grow(const struct efg_memo *memo)
{
    return memo->block_count && memo->used_blocks == memo->block_count &&
           !efg_budget_has(&efg_memory, efg_memory.limit / 2 + EFG_MEMO_BLOCK);
}

/* SIZE bytes, which last until all is forgotten; NULL without memory. */
static void *take(struct efg_memo *memo, size_t size)
{
    if (memo->used + size > EFG_MEMO_BLOCK) {
        if (memo->used_blocks == EFG_MEMO_BLOCKS || may_not_grow(memo))
            efg_memo_clear(memo);
        if (memo->used_blocks == memo->block_count) {
            char *block = malloc(EFG_MEMO_BLOCK);
            if (!block)
                return NULL;
            memo->block[memo->block_count++] = block;
        }
        memo->used_blocks++;
        memo->used = 0;
    }
    void *taken = memo->block[memo->used_blocks - 1] + memo->used;
    memo->used += size;
    return taken;
}

void efg_memo_add(struct efg_memo *memo, const uintptr_t *frame, const struct efg_walk *walk,
                  uint32_t path, uint64_t hash)
{
    size_t words = walk->word_count * sizeof *walk->word;
    struct efg_memo_entry *e = take(memo, sizeof *e + words);
    if (!e)
        return;
    struct efg_memo_entry **first = bucket_of(memo, frame);
    *e = (struct efg_memo_entry){*first, NULL, frame, hash, path, walk->word_count};
    memcpy(e->word, walk->word, words);
    *first = *memo->expected = e;
    memo->expected = &e->after;
}

size_t efg_memo_memory(const struct efg_memo *memo)
{
    return memo->block_count * EFG_MEMO_BLOCK;
}
