/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Removes loops that repeat nothing by themselves: first those whose calls are mostly made once, then those
 * that are the loop around them. What is removed becomes its parent. Parents come before their children: so
 * where a loop goes is known when its inner loops are looked at, and none is moved to a place that is still
 * needed.
 */
#include "dissolve.h"

#include "base/none.h"

#include <errno.h>
#include <stdlib.h>

#define FEW 2      /* rounds, of ... */
#define FEW_OF 10  /* so many each, or ... */
#define ONE_OF 200 /* one in so many */
#define NEARLY 0.9 /* of the rounds: a call comes in nearly all of them */

struct look { /* at a loop */
    bool is_gone;
    uint32_t place; /* then */
    int64_t once;   /* so many more of its own calls, in no inner loop, were made once than again */
    uint32_t inner; /* loop in it, with the call that is made most; EFG_NONE: it is in none of these ... */
    uint64_t most, others; /* ... how often, and the most that another one is which is not in INNER */
};

/* How often each node of GRAPH was visited, but for visits right after another one of it. */
static void count_entries(const struct efg_graph *graph, uint64_t *entries)
{
    for (uint32_t v = 0; v < graph->node_count; v++)
        entries[v] = graph->nodes[v].rhythm.visits;
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct efg_edge *edge = &graph->edges[e];
        if (edge->from == edge->to)
            entries[edge->to] -= edge->visits < entries[edge->to] ? edge->visits : entries[edge->to];
    }
}

static void count_once(const struct efg_looptree *tree, const struct efg_graph *graph, struct look *looks)
{
    for (uint32_t v = 0; v < graph->node_count; v++)
        if (tree->loop_of[v] != EFG_NONE)
            looks[tree->loop_of[v]].once += graph->nodes[v].rhythm.visits == 1 ? 1 : -1;
}

/* A call in LOOK's loop, and there in INNER, is made so often. */
static void note(struct look *look, uint32_t inner, uint64_t visits)
{
    if (inner == look->inner) {
        look->most = visits > look->most ? visits : look->most;
    } else if (visits > look->most) {
        look->others = look->most;
        look->most = visits;
        look->inner = inner;
    } else if (visits > look->others) {
        look->others = visits;
    }
}

static void count_most(const struct efg_looptree *tree, const struct efg_graph *graph,
                       const uint64_t *entries, struct look *looks)
{
    for (uint32_t l = 0; l < tree->count; l++)
        looks[l] = (struct look){.inner = EFG_NONE};
    for (uint32_t v = 0; v < graph->node_count; v++)
        for (uint32_t l = tree->loop_of[v], inner = EFG_NONE; l != EFG_NONE; l = tree->loops[l].parent) {
            note(&looks[l], inner, entries[v]);
            inner = l;
        }
}

/* Each round of the loop around LOOP has one of it, but for a few; and no call besides is made in nearly
 * all of them, so that rounds of the one are steps from a call of the other to the next. */
static bool is_twin(const struct efg_looptree *tree, uint32_t loop, const struct look *looks)
{
    uint32_t parent = tree->loops[loop].parent;

    if (parent == EFG_NONE)
        return false;
    uint64_t a = tree->loops[loop].repetitions, b = tree->loops[parent].repetitions;
    uint64_t apart = a > b ? a - b : b - a;
    uint64_t beside = looks[parent].inner == loop ? looks[parent].others : looks[parent].most;
    return (apart <= b / ONE_OF || (apart <= FEW && apart <= b / FEW_OF)) &&
           (double)beside < NEARLY * (double)b;
}

/* LOOP is the one AROUND it; if it is the main one, that is known by its function from now on. */
static void unite(struct efg_looptree *tree, uint32_t around, uint32_t loop)
{
    struct efg_loop *to = &tree->loops[around], *from = &tree->loops[loop];

    to->twin = from->function;
    if (loop == tree->main) {
        to->twin = to->function;
        to->function = from->function;
        to->repetitions = from->repetitions;
        tree->main = around;
    }
}

static void unite_twins(struct efg_looptree *tree, struct look *looks)
{
    for (uint32_t l = 0; l < tree->count; l++) {
        uint32_t around = tree->loops[l].parent;
        looks[l].is_gone = is_twin(tree, l, looks);
        if (!looks[l].is_gone)
            continue;
        while (looks[around].is_gone)
            around = tree->loops[around].parent;
        unite(tree, around, l);
    }
}

static void remove_gone(struct efg_looptree *tree, const struct efg_graph *graph, struct look *looks)
{
    uint32_t kept = 0;

    for (uint32_t l = 0; l < tree->count; l++) {
        struct efg_loop loop = tree->loops[l];
        loop.parent = loop.parent == EFG_NONE ? EFG_NONE : looks[loop.parent].place;
        loop.depth = loop.parent == EFG_NONE ? 0 : tree->loops[loop.parent].depth + 1;
        if (looks[l].is_gone) {
            looks[l].place = loop.parent;
        } else {
            tree->loops[kept] = loop;
            looks[l].place = kept++;
        }
    }
    for (uint32_t v = 0; v < graph->node_count; v++)
        if (tree->loop_of[v] != EFG_NONE)
            tree->loop_of[v] = looks[tree->loop_of[v]].place;
    tree->main = tree->main == EFG_NONE ? EFG_NONE : looks[tree->main].place;
    tree->count = kept;
}

int efg_loops_dissolve(struct efg_looptree *tree, const struct efg_graph *graph)
{
    struct look *looks = calloc((size_t)tree->count + 1, sizeof *looks);
    uint64_t *entries = calloc((size_t)graph->node_count + 1, sizeof *entries);
    int error = looks && entries ? 0 : -ENOMEM;

    if (!error) {
        count_once(tree, graph, looks);
        for (uint32_t l = 0; l < tree->count; l++)
            looks[l].is_gone = looks[l].once > 0 && l != tree->main;
        remove_gone(tree, graph, looks);
        count_entries(graph, entries);
        count_most(tree, graph, entries, looks);
        unite_twins(tree, looks);
        remove_gone(tree, graph, looks);
    }
    free(looks);
    free(entries);
    return error;
}
