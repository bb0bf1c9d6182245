/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memo: the paths of walks (walk.h), found by what the walks depend on, for walks that come in the
 * same order again and again, as in a loop. One for each thread.
 *
 * Bounded: when it is full, walks that it does not know are counted, and when these are
 * many more than it holds, it forgets everything and starts again. So a program with too many paths
 * is not slowed by a memo that does not help it, and paths that become hot later get their turn.
 */
#ifndef EFG_MEMO_H
#define EFG_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "walk.h"

#define EFG_MEMO_STEP 4  /* words that are compared at once */
#define EFG_MEMO_LINE 64 /* bytes of a cache line */
#define EFG_MEMO_BUCKETS 2048
#define EFG_MEMO_BLOCK ((size_t)32 << 10) /* bytes */
#define EFG_MEMO_BLOCKS 32                /* 1 MiB: some 3000 paths of depth 16 */

/* What was found after an entry, or NULL: two, since a loop goes on or ends. */
struct efg_memo_after {
    struct efg_memo_entry *last, *other; /* the last time; before, when it was not LAST */
};

typedef uintptr_t efg_memo_pair __attribute__((vector_size(2 * sizeof(uintptr_t))));

struct efg_memo_step { /* the last word is there again and again, up to a whole step */
    const uintptr_t *at[EFG_MEMO_STEP];
    efg_memo_pair value[EFG_MEMO_STEP / 2];
};

struct efg_memo_entry { /* begins with a cache line */
    struct efg_memo_after after;
    const uintptr_t *frame;
    uint64_t hash;
    struct efg_memo_entry *next; /* in the bucket */
    uint64_t key;
    uint32_t path;
    uint16_t word_count; /* of the walk */
    uint8_t step_count;
    uint8_t round_count;    /* behind the steps; these are not compared */
    const uintptr_t *whole; /* the frame, if all words are in the stack of the thread above it, and there
                               are no rounds; else NULL */
    struct efg_memo_step step[];
};
_Static_assert(EFG_WALK_WORDS + EFG_WALK_MORE <= EFG_MEMO_STEP * UINT8_MAX, "steps are counted in 8 bits");

/* Where the round of a loop is counted, and by how much that is more than OTHER in the first one. */
struct efg_memo_round {
    const void *at, *other; /* 32 bits; AT NULL: not known; OTHER NULL: 0 */
    uint32_t first;
};

/* Where the thread is in its memo. */
struct efg_memo_hand {
    struct efg_memo_after expected; /* what comes next, if nothing changed */
    struct efg_memo_after *noted;   /* where that is noted: mostly in an entry */
};

struct efg_memo {
    struct efg_memo_hand *hand;         /* kept by the owner: it is touched by each call */
    const uintptr_t *stack, *stack_end; /* of the thread */
    struct efg_memo_entry *bucket[EFG_MEMO_BUCKETS];
    struct efg_memo_after first;
    char *block[EFG_MEMO_BLOCKS];
    uint32_t block_count; /* allocated */
    uint32_t used_blocks; /* in use, the last one up to USED */
    size_t used;
    uint32_t entries;
    uint32_t missed; /* walks that were not kept for lack of room */
};

/* For the calling thread. */
void efg_memo_init(struct efg_memo *memo, struct efg_memo_hand *hand);
void efg_memo_fini(struct efg_memo *memo);

/* Reads stack slots of other functions, which a sanitizer takes for its own. */
#define EFG_MEMO_READS __attribute__((no_sanitize("address"))) static inline

/* What S has other values for: not 0. */
EFG_MEMO_READS efg_memo_pair efg_memo_differs(const struct efg_memo_step *s)
{
    efg_memo_pair low = {*s->at[0], *s->at[1]}, high = {*s->at[2], *s->at[3]};
    return (low ^ s->value[0]) | (high ^ s->value[1]);
}

/* Whether a walk from FRAME would be the same now; not asked of those whose words are elsewhere. */
EFG_MEMO_READS bool efg_memo_is_whole(const struct efg_memo_entry *e, const uintptr_t *frame)
{
    if (e->whole != frame)
        return false;
    const struct efg_memo_step *s = e->step, *end = s + e->step_count;
    efg_memo_pair differs = {0};
    do
        differs |= efg_memo_differs(s++);
    while (s < end);
    return !(differs[0] | differs[1]);
}

/* The same of all. */
bool efg_memo_is_now(const struct efg_memo_entry *e, const uintptr_t *frame);

/* E is found: what comes next is what came after it. */
static inline const struct efg_memo_entry *efg_memo_turn(struct efg_memo_hand *hand, struct efg_memo_entry *e)
{
    *hand = (struct efg_memo_hand){e->after, &e->after};
    return e;
}

/* efg_memo_predict, if what comes is not what came the last time. */
const struct efg_memo_entry *efg_memo_predict_other(struct efg_memo_hand *hand, const uintptr_t *frame);

/* The entry that was found after the last one before, if a walk from FRAME would be the same
 * now; else NULL. Inline: it is on the path of every call. */
static inline const struct efg_memo_entry *efg_memo_predict(struct efg_memo_hand *hand,
                                                            const uintptr_t *frame)
{
    struct efg_memo_entry *e = hand->expected.last;
    if (__builtin_expect(e && efg_memo_is_now(e, frame), 1))
        return efg_memo_turn(hand, e);
    return efg_memo_predict_other(hand, frame);
}

/* The entry of the WALK that was just made, from FRAME, or NULL. KEY is a hash of its words. */
const struct efg_memo_entry *efg_memo_recall(struct efg_memo *memo, const uintptr_t *frame,
                                             const struct efg_walk *walk, uint64_t key);

/* Keep that WALK, from FRAME, with this KEY, was that of PATH with HASH, and COUNT ROUNDS with it. Returns
 * the entry; NULL: without room or memory it is not kept. */
const struct efg_memo_entry *efg_memo_add(struct efg_memo *memo, const uintptr_t *frame,
                                          const struct efg_walk *walk, uint64_t key, uint32_t path,
                                          uint64_t hash, const struct efg_memo_round *rounds, uint32_t count);

static inline const struct efg_memo_round *efg_memo_rounds(const struct efg_memo_entry *e)
{
    return (const struct efg_memo_round *)(e->step + e->step_count);
}

/* Forget all entries. */
void efg_memo_clear(struct efg_memo *memo);

/* Bytes held beside the structure. */
size_t efg_memo_memory(const struct efg_memo *memo);

#endif
