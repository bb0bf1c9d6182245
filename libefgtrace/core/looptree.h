/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loop tree: the loops of an event flow graph as people see them, with nesting,
 * repetitions and time.
 *
 * A loop header of Wei's algorithm is not an iteration boundary: loops that
 * share a header merge, a branch that is taken every 20th time may become the
 * header. What tells nested loops apart in a graph of MPI calls is how often
 * their edges are taken. So the tree is made by frequency:
 *
 *   loops(edges)        = the outermost loops of the graph of these edges (loops.h)
 *   bottleneck(loop)    = the largest count x such that the loop's nodes still are
 *                         one loop when edges taken less than x times are removed
 *   children(loop)      = loops(the loop's edges taken more than 1.5 x bottleneck times)
 *   repetitions(loop)   = bottleneck + number of entries from outside, where loops are
 *                         nested in the plain way; see repetitions.c for the others
 *
 * For loops nested in the plain way this gives the same tree as the search
 * for headers; a rare branch (I/O every 100th step, a neighbour list rebuilt every
 * 20th) comes out as the outer loop around the steps that it delimits. A loop of whose own
 * nodes (in no inner loop) at least half were visited once repeats nothing, and is left out.
 */
#ifndef EFG_LOOPTREE_H
#define EFG_LOOPTREE_H

#include "graph.h"

struct efg_loop {
    uint32_t parent;       /* index of the enclosing loop, EFG_NONE for an outermost one */
    uint32_t first_child;  /* EFG_NONE for none; children by falling time */
    uint32_t next_sibling;
    uint32_t header;       /* node: where the loop was entered first in the run */
    uint32_t depth;        /* 0 for an outermost loop */
    uint32_t node_count;   /* nodes of the loop, inner loops included */
    int irreducible;       /* 1: entered from outside beside its header, too */
    uint64_t entries;      /* transitions into the loop from outside */
    uint64_t repetitions;  /* how often its body ran, over the run */
    uint64_t events;       /* visits of its nodes, inner loops included */
    uint64_t time;         /* ns in its calls and between them, inner loops included */
    uint64_t mpi_time;     /* ns in its calls, inner loops included */
};

struct efg_looptree {
    struct efg_loop *loops; /* parents before children, siblings by falling time */
    uint32_t count;
    uint32_t *loop_of; /* per node: its innermost loop, or EFG_NONE */
    uint32_t first;    /* the outermost loop with the most time, siblings by next_sibling */
};

/* Build the tree of GRAPH. Returns 0, or -1 without memory (the tree is then empty). */
int efg_looptree_build(struct efg_looptree *tree, const struct efg_graph *graph);
void efg_looptree_fini(struct efg_looptree *tree);

/* 1 if LOOP is OUTER or lies inside it. */
int efg_looptree_is_inside(const struct efg_looptree *tree, uint32_t loop, uint32_t outer);

/* The loop after LOOP, depth first, siblings by falling time: the first one after EFG_NONE;
 * EFG_NONE after the last. */
uint32_t efg_looptree_next(const struct efg_looptree *tree, uint32_t loop);

/* The innermost loop that holds both nodes A and B, or EFG_NONE. */
uint32_t efg_looptree_common(const struct efg_looptree *tree, uint32_t a, uint32_t b);

#endif
