/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dominators of a directed graph: node D dominates V if all paths from node 0 to V pass through D.
 * The nearest such node is V's parent in a tree, whose root is node 0.
 *
 * Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
 */
#ifndef EFG_DOMINATORS_H
#define EFG_DOMINATORS_H

#include "loops.h"

struct efg_dominators {
    uint32_t *parent; /* per node: its nearest dominator; for node 0, itself; EFG_NONE: not
                         reachable from node 0 */
    uint32_t *number; /* per node: lower than those of all nodes that it dominates */
};

/* Find the dominators of GRAPH, which has at least one node. Returns 0, or -1 without memory. */
int efg_dominators_find(struct efg_dominators *dominators, const struct efg_digraph *graph);
void efg_dominators_fini(struct efg_dominators *dominators);

/* The nearest node that dominates both A and B, possibly one of them; both are reachable from node
 * 0. */
uint32_t efg_dominators_common(const struct efg_dominators *dominators, uint32_t a, uint32_t b);

#endif
