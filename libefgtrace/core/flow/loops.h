/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops of a directed graph: one depth-first search labels every node with the
 * header of its innermost loop. Loops with several entries (irreducible) are
 * found too; the tower of nested loops that such a loop makes is collapsed into
 * one loop, marked as irreducible.
 *
 * Source: Wei, Mao, Zou, Chen, "A New Algorithm for Identifying Loops in
 * Decompilation" (SAS 2007).
 */
#ifndef EFG_LOOPS_H
#define EFG_LOOPS_H

#include <stdint.h>

/* A graph in compressed rows: the successors of node v are
 * targets[first[v]] ... targets[first[v + 1] - 1]. */
struct efg_digraph {
    uint32_t nodes;
    const uint32_t *first;   /* nodes + 1 entries */
    const uint32_t *targets; /* first[nodes] entries */
};

enum efg_loop_flag {
    EFG_LOOP_HEADER = 1 << 0,      /* the node is the header of a loop */
    EFG_LOOP_IRREDUCIBLE = 1 << 1, /* ... that has other entries, too */
    EFG_LOOP_SELF = 1 << 2,        /* the node has an edge to itself */
};

/*
 * Find the loops of GRAPH, searched from node 0, then from each node not yet
 * reached, in order. For each node v (arrays of graph->nodes entries):
 *   header[v]  the header of the innermost loop that v is in, other than v
 *              itself, or EFG_NONE; for a header this is the enclosing loop
 *   flags[v]   enum efg_loop_flag
 * Uses an explicit stack: O(nodes) memory, almost linear time.
 * Returns 0, or -ENOMEM.
 */
int efg_loops_find(const struct efg_digraph *graph, uint32_t *header, uint8_t *flags);

#endif
