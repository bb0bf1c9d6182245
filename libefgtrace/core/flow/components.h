/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strongly connected components of a directed graph: sets of nodes that can all be reached from
 * one another. Explicit stack: O(nodes) memory, O(nodes + edges) time.
 *
 * Source: Tarjan, "Depth-first search and linear graph algorithms" (1972).
 */
#ifndef EFG_COMPONENTS_H
#define EFG_COMPONENTS_H

#include "loops.h"

/* Number the components of GRAPH from 0: component[v] for each node v. Returns how many there are,
 * or -ENOMEM. */
int64_t efg_components_find(const struct efg_digraph *graph, uint32_t *component);

#endif
