/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths of walks (walk.h) by what the walks depend on. One for each thread. Bounded: when it is
 * full, it forgets all and starts again.
 */
#ifndef EFG_MEMO_H
#define EFG_MEMO_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/walk.h"

#define EFG_MEMO_BUCKETS 256
#define EFG_MEMO_BLOCK ((size_t)32 << 10) /* bytes */
#define EFG_MEMO_BLOCKS 32                /* 1 MiB: some 3000 paths of depth 16 */

struct efg_memo_entry {
    struct efg_memo_entry *next;  /* in the bucket */
    struct efg_memo_entry *after; /* what was found after it the last time, or NULL */
    const uintptr_t *frame;
    uint64_t hash;
    uint32_t path;
    uint32_t word_count;
    struct efg_word word[];
};

struct efg_memo {
    struct efg_memo_entry **expected; /* where the prediction is: mostly an entry's AFTER */
    struct efg_memo_entry *bucket[EFG_MEMO_BUCKETS];
    struct efg_memo_entry *first;
    char *block[EFG_MEMO_BLOCKS];
    uint32_t block_count; /* as many are allocated */
    uint32_t used_blocks; /* as many are in use, the last one up to USED */
    size_t used;
};

void efg_memo_init(struct efg_memo *memo);
void efg_memo_fini(struct efg_memo *memo);

/* The entry of a walk from FRAME that would be the same now; NULL if there is none. */
const struct efg_memo_entry *efg_memo_find(struct efg_memo *memo, const uintptr_t *frame);

/* Keep that WALK, from FRAME, was that of PATH with HASH. Without memory it is not kept. */
void efg_memo_add(struct efg_memo *memo, const uintptr_t *frame, const struct efg_walk *walk,
                  uint32_t path, uint64_t hash);

/* Forget all entries. */
void efg_memo_clear(struct efg_memo *memo);

/* Bytes held beside the structure. */
size_t efg_memo_memory(const struct efg_memo *memo);

#endif
