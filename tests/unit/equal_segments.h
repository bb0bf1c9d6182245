/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether two segments hold the same. As nothing is left to chance, sequences of equal events in sequences
 * of equal limits are equal, segment by segment; what is equal here has equal events.
 */
#ifndef EFG_EQUAL_SEGMENTS_H
#define EFG_EQUAL_SEGMENTS_H

#include <stdbool.h>
#include <string.h>

#include "core/order/sequence.h"

static inline bool is_run_equal(const struct efg_sequence_run *a, const struct efg_sequence_run *b)
{
    return a->node == b->node && a->count == b->count && a->next == b->next && a->branch == b->branch;
}

static inline bool are_equal_segments(const struct efg_sequence_segment *a,
                                      const struct efg_sequence_segment *b)
{
    if (a->start != b->start || a->length != b->length || a->table != b->table ||
        a->run_count != b->run_count || a->block_count != b->block_count || a->pair_count != b->pair_count)
        return false;
    for (uint32_t r = 0; r < a->run_count; r++) {
        if (!is_run_equal(&a->runs[r], &b->runs[r]))
            return false;
    }
    for (uint32_t block = 0; block < a->block_count; block++) {
        if (a->first[block + 1] != b->first[block + 1])
            return false;
    }
    return !a->pair_count || memcmp(a->pairs, b->pairs, a->pair_count * sizeof *a->pairs) == 0;
}

#endif
