/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop of a tree that is known from elsewhere: what a rank took for its main loop, in the tree of all.
 */
#ifndef EFG_LOOP_RECOGNISE_H
#define EFG_LOOP_RECOGNISE_H

#include "looptree.h"

/* The loop KNOWN in the tree of GRAPH and KEYS; if its function has several, the one whose
 * number of repetitions is closest, of several of these the one around its node. EFG_NONE if there is
 * none. */
uint32_t efg_looptree_find(const struct efg_looptree *tree, const struct efg_graph *graph,
                           efg_path_keys *keys, const struct efg_loop_known *known);

/* The same, where FUNCTION is as in struct efg_loop. */
uint32_t efg_looptree_nearest(const struct efg_looptree *tree, uint64_t function,
                              uint64_t iterations);
/* The same; of several with about as many, that of INNER and of the loops around it (EFG_NONE: none). */
uint32_t efg_looptree_around(const struct efg_looptree *tree, uint64_t function, uint64_t iterations,
                             uint32_t inner);

#endif
