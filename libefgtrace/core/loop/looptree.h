/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loop tree: the loops of an event flow graph as people see them, with nesting,
 * repetitions and time.
 *
 * A loop belongs to a function, as in the rule for the main loop (judge.h): call sites of
 * the function that come again, one after the other. Sites that come in only some iterations
 * (output, rebuilding a neighbour list) are part of the loop. So the loops and their
 * numbers are those of the rule, with three differences: the tree has all loops, not only those
 * on the path to most of the time; the whole run counts; and loops of one function that follow
 * one another, or are nested, are told apart by how often one leads to the other (nesting.c).
 */
#ifndef EFG_LOOPTREE_H
#define EFG_LOOPTREE_H

#include <stdbool.h>

#include "core/graph/graph.h"

struct efg_loop {
    uint32_t parent;      /* index of the enclosing loop, EFG_NONE for an outermost one */
    uint32_t first_child; /* EFG_NONE for none; children by descending time */
    uint32_t next_sibling;
    uint32_t header; /* node where iterations begin: it, or the inner loop that it is in, comes
                        once in each; the first of these to appear, or if none, of all */
    uint64_t function;    /* hash of the site of the call tree that the loop is in */
    uint64_t twin;        /* of another one, which has a step of it in each round; 0: none */
    uint32_t depth;       /* 0 for an outermost loop */
    uint32_t node_count;  /* nodes of the loop, inner loops included */
    uint32_t entered;     /* node: where the loop was entered first in the run */
    bool irreducible;     /* 1: entered elsewhere, too */
    uint64_t entries;     /* transitions into the loop from outside */
    uint64_t repetitions; /* how often its body ran, over the run */
    uint64_t events;      /* visits of its nodes, inner loops included */
    uint64_t time;        /* ns in its calls and between them, inner loops included */
    uint64_t mpi_time;    /* ns in its calls, inner loops included */
};

struct efg_looptree {
    struct efg_loop *loops; /* parents before children, siblings by descending time */
    uint32_t count;
    uint32_t *loop_of; /* per node: its innermost loop, or EFG_NONE */
    uint32_t first;    /* the outermost loop with the most time, siblings by next_sibling */
    uint32_t main;     /* the main loop, or EFG_NONE */
    uint64_t root;     /* the hash of the root of the call tree */
    char **labels;     /* by loop: NULL, or what people call it, as files/summary/looplabels.c has it */
};

/* A loop known from elsewhere: it is in the function of frame number DEPTH, counted from the
 * outermost one, of the call path of NODE; if there is no such frame, the call itself is
 * repeated. */
struct efg_loop_known {
    uint32_t node, depth;
    uint64_t iterations;
};

/* Build the tree of GRAPH. This gives its nodes and edges places in a new call tree, so it
 * must not have one of its own. KEYS and POSITION (NULL: not known) are as in calltree.h. The main loop is
 * MAIN (NULL: none), which the tree then has. Returns 0, or -ENOMEM (the tree is then
 * empty). */
int efg_looptree_build(struct efg_looptree *tree, const struct efg_graph *graph, efg_path_keys *keys,
                       efg_path_position *position, const struct efg_loop_known *main);

void efg_looptree_fini(struct efg_looptree *tree);

/* Whether LOOP is OUTER or lies inside it. */
bool efg_looptree_is_inside(const struct efg_looptree *tree, uint32_t loop, uint32_t outer);

/* The loop after LOOP, depth first, siblings by descending time. After EFG_NONE comes the first
 * one, after the last one EFG_NONE. */
uint32_t efg_looptree_next(const struct efg_looptree *tree, uint32_t loop);

/* The innermost loop that holds both nodes A and B, or EFG_NONE. */
uint32_t efg_looptree_common(const struct efg_looptree *tree, uint32_t a, uint32_t b);

#endif
