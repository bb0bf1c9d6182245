/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops of one rank by itself, among those of the merged graph. Where ranks come into a loop on different
 * ways, the merged graph has the times of all ways together, more than any rank has: what one rank counts by
 * itself is a number that there is. A loop of its own is the one of the merged graph that is in the same
 * function and has the same ones of the rank's calls.
 */
#ifndef EFG_OWN_H
#define EFG_OWN_H

#include "core/loop/looptree.h"
#include "files/run/runfile.h"

struct efg_own {
    struct efg_looptree tree; /* as the table of loops in the summary has them */
    uint32_t *node;           /* by node of the rank: that of the merged graph */
    uint32_t node_count;
};

/* Those of THREAD of RUN; its nodes are still its own. Returns 0 or -ENOMEM. FINI in any case, also of what
 * is all zero. */
int efg_own_make(struct efg_own *own, const struct efg_run *run, const struct efg_run_thread *thread);
void efg_own_fini(struct efg_own *own);

/* Nodes have become others: NODE says which. */
void efg_own_follow(struct efg_own *own, const uint32_t *node);

/* For each loop of TREE, that of a graph with NODE_COUNT nodes: how often the rank repeated it, 0 if it is
 * none of its own. Returns 0 or -ENOMEM. */
int efg_own_repetitions(const struct efg_own *own, const struct efg_looptree *tree, uint32_t node_count,
                        uint64_t *repetitions);

#endif
