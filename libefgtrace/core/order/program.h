/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Program: the whole order of a thread's calls, read with its loop tree, as a program that
 * would make them: loops whose iterations have one of a few forms.
 *
 *     order         a b b c d  b b c d  b b d  b b c d  e
 *     loop tree     loop 0 = {b, c, d}, entered at b
 *     program       a  loop 0 [4 iterations]: 3 x (b[2] c d)  1 x (b[2] d)  e
 *
 * A form is a sequence of items. An item is a call, or an inner loop; it has repetitions, which
 * may differ from one time to the next: they make no other form. So a program is as large as
 * the graph, or a few times that, however long the run was; it leaves out the order in which
 * the forms come. Several ranks of one graph may have one program.
 *
 * An iteration of a loop begins where the loop's header comes again: the node, or the inner
 * loop that the header is in. Where a loop is entered elsewhere, what is before the header is
 * part of the first iteration, which then is another form: so there are as many iterations as
 * the header comes.
 *
 * Invariant: each event is in exactly one item, and each iteration has exactly one form or
 * is counted with those left out. So sums over the program are sums over the run.
 */
#ifndef EFG_PROGRAM_H
#define EFG_PROGRAM_H

#include <stdbool.h>

#include "core/graph/graph.h"
#include "core/loop/looptree.h"

#define EFG_PROGRAM_ITEMS (1u << 20) /* of all forms, at most: 48 MB */

struct efg_program_item {
    uint32_t node;                     /* EFG_NONE: an inner loop */
    uint32_t loop;                     /* of an inner loop: its index in the tree */
    uint64_t repetitions, least, most; /* calls one after the other, or iterations: summed over
                                          the form's iterations, of one of them */
    double before; /* ns between the calls and those before them, summed; 0 for a loop */
};

struct efg_program_form {
    uint32_t loop;        /* whose iterations; tree->count: the whole */
    uint32_t next;        /* form of the same loop, or EFG_NONE */
    uint32_t first, size; /* into the items; not empty */
    uint64_t count;       /* iterations */
};

/* What has no form, as there are too many. */
struct efg_program_rest {
    uint64_t iterations; /* of a loop; 0 for a node */
    uint64_t repetitions;
    double before;
};

struct efg_program {
    const struct efg_graph *graph;
    const struct efg_looptree *tree;
    struct efg_program_form *forms;
    struct efg_program_item *items;
    uint32_t form_count, item_count, item_limit;
    uint32_t *first_form;             /* per loop, the whole behind them; EFG_NONE: none */
    struct efg_program_rest *of_node; /* per node */
    struct efg_program_rest *of_loop; /* per loop, and the whole */
    uint64_t weight;                  /* of the order at hand */
    uint64_t events;
    bool failed;         /* no memory: what there is is of no use */
    struct parse *parse; /* program.c; while events come */
};

/* Begin a program of GRAPH, whose edges all have a first_edge list, and its loop TREE; both
 * outlive it. ITEM_LIMIT: EFG_PROGRAM_ITEMS, or less. Returns 0, or -ENOMEM. */
int efg_program_init(struct efg_program *program, const struct efg_graph *graph,
                     const struct efg_looptree *tree, uint32_t item_limit);
void efg_program_fini(struct efg_program *program);

/* Another order begins, which counts WEIGHT times: that of WEIGHT ranks.
 * The whole has an iteration for each; without this call, there is one order. */
void efg_program_begin(struct efg_program *program, uint64_t weight);

/* The next COUNT events, > 0, are of NODE. */
void efg_program_add(struct efg_program *program, uint32_t node, uint64_t count);

/* There are no more. Forms are then sorted by descending count. Returns 0, or
 * -ENOMEM if `failed`. */
int efg_program_close(struct efg_program *program);

/* The loop that NODE's calls are items of: the innermost that has more than this node, or
 * tree->count. */
uint32_t efg_program_loop_of(const struct efg_program *program, uint32_t node);

#endif
