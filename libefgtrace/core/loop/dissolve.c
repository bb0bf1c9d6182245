/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Removes loops that repeat nothing. Parents come before their children: so where a loop goes is
 * known when its inner loops are looked at, and none is moved to a place that is still needed.
 */
#include "dissolve.h"

#include <errno.h>
#include <stdlib.h>

/* More of the LOOP's own nodes, in no inner loop, were visited once than again: OWN[l] is how
 * many more. */
static void count_once(const struct efg_looptree *tree, const struct efg_graph *graph, int64_t *own)
{
    for (uint32_t v = 0; v < graph->node_count; v++)
        if (tree->loop_of[v] != EFG_NONE)
            own[tree->loop_of[v]] += graph->nodes[v].rhythm.visits == 1 ? 1 : -1;
}

/* A loop is what its parent is if it is dissolved, and goes to its new place if not. */
static void move_loops(struct efg_looptree *tree, const int64_t *own, uint32_t *place)
{
    uint32_t kept = 0;

    for (uint32_t l = 0; l < tree->count; l++) {
        struct efg_loop loop = tree->loops[l];
        loop.parent = loop.parent == EFG_NONE ? EFG_NONE : place[loop.parent];
        loop.depth = loop.parent == EFG_NONE ? 0 : tree->loops[loop.parent].depth + 1;
        if (own[l] > 0 && l != tree->main) {
            place[l] = loop.parent;
        } else {
            tree->loops[kept] = loop;
            place[l] = kept++;
        }
    }
    tree->main = tree->main == EFG_NONE ? EFG_NONE : place[tree->main];
    tree->count = kept;
}

int efg_loops_dissolve(struct efg_looptree *tree, const struct efg_graph *graph)
{
    int64_t *own = calloc((size_t)tree->count + 1, sizeof *own);
    uint32_t *place = calloc((size_t)tree->count + 1, sizeof *place);
    bool failed = !own || !place;

    if (!failed) {
        count_once(tree, graph, own);
        move_loops(tree, own, place);
        for (uint32_t v = 0; v < graph->node_count; v++)
            if (tree->loop_of[v] != EFG_NONE)
                tree->loop_of[v] = place[tree->loop_of[v]];
    }
    free(own);
    free(place);
    return failed ? -ENOMEM : 0;
}
