/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which loops a loop tree has, and how they are nested (looptree.h says what a loop is).
 */
#ifndef EFG_NESTING_H
#define EFG_NESTING_H

#include "looptree.h"

/* Find the loops of GRAPH: into the empty TREE, parents before children, with parent, depth,
 * header and number of nodes, and the bottleneck as repetitions; and loop_of. Returns 0, or -1
 * without memory. */
int efg_nesting_find(struct efg_looptree *tree, const struct efg_graph *graph);

#endif
