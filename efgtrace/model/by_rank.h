/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time each rank spent in the loops of the merged graph and in its contexts: one number for
 * each rank and each of them, from the parts that the merged graph has kept.
 *
 * In MPI: in calls, including polls that found nothing. All: with the computation between two
 * calls of a loop or a context. Times of loops are defined as in looptree.h, so that the sums over
 * the ranks are the times of the merged tree.
 */
#ifndef EFG_BY_RANK_H
#define EFG_BY_RANK_H

#include "contexts.h"

struct efg_by_rank {
    uint32_t ranks, loops, contexts;         /* how many */
    uint64_t *loop_time, *loop_mpi;          /* ns: [loop * ranks + index of the rank] */
    uint64_t *context_time, *context_mpi;    /* ns: the same; contexts below included */
    uint64_t *context_calls, *context_bytes; /* of all ranks: [context] */
};

/* The times of RANKS ranks, whose graph is MERGED, with their parts. CONTEXTS: NULL for loops
 * only. Returns 0 or -ENOMEM. FINI in any case. */
int efg_by_rank_make(struct efg_by_rank *by, uint32_t ranks, const struct efg_merged *merged,
                     const struct efg_contexts *contexts);
void efg_by_rank_fini(struct efg_by_rank *by);

#endif
