/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds up the calls of recorded iterations by loop. A call site is in the innermost loop that has all of its
 * nodes, and in those around that. What a location has of a loop is added up first; the one with the most
 * stands for the loop, as for an iteration.
 */
#include "inside.h"

#include <stdlib.h>

struct share { /* of a location in a loop: ns */
    uint64_t computation, mpi, ideal;
};

struct adding {
    const struct efg_looptree *tree;
    const struct efg_waits *waits;
    uint32_t *loop_of;    /* by site; EFG_NONE: in none, not known */
    struct share *shares; /* of a location, by loop */
    struct efg_waits_iteration *loops;
};

static uint64_t key_of(const struct efg_node *node)
{
    return (uint64_t)node->signature.call << 32 | node->signature.path;
}

static uint32_t around(const struct efg_looptree *tree, uint32_t loop, uint32_t other)
{
    while (loop != EFG_NONE && (other == EFG_NONE || !efg_looptree_is_inside(tree, other, loop)))
        loop = tree->loops[loop].parent;
    return loop;
}

/* The innermost loop of all nodes of each call and call path, by key. Returns 0 or -1. */
static int find_loops(struct efg_map *loops, const struct efg_merged *merged)
{
    for (uint32_t v = 0; v < merged->graph.node_count; v++) {
        uint64_t key = key_of(&merged->graph.nodes[v]);
        const uint64_t *known = efg_map_find(loops, key);
        uint32_t loop = merged->tree.loop_of[v];
        if (known)
            loop = around(&merged->tree, (uint32_t)*known, loop);
        uint64_t *at = efg_map_put(loops, key);
        if (!at)
            return -1;
        *at = loop;
    }
    return 0;
}

static int place_sites(struct adding *a, const struct efg_model *model, const struct efg_report_waiting *w)
{
    struct efg_map loops = {0};
    struct efg_node node;
    int error = find_loops(&loops, &model->merged);
    for (uint32_t i = 0; i < a->waits->site_count && !error; i++) {
        const uint64_t *loop = efg_recorded_node(&w->names, &w->recorded->sites[i], &node)
                                   ? NULL
                                   : efg_map_find(&loops, key_of(&node));
        a->loop_of[i] = loop ? (uint32_t)*loop : EFG_NONE;
    }
    efg_map_fini(&loops);
    return error;
}

static void add_place(struct adding *a, const struct efg_waits_place *place)
{
    uint32_t l = place->site == EFG_NONE ? EFG_NONE : a->loop_of[place->site];
    for (; l != EFG_NONE; l = a->tree->loops[l].parent) {
        a->shares[l].computation += place->sum.computation;
        a->shares[l].mpi += place->sum.mpi;
        a->shares[l].ideal += place->sum.computation + place->ideal;
    }
}

static void keep_most(uint64_t *most, uint64_t value)
{
    *most = value > *most ? value : *most;
}

static void end_location(struct adding *a)
{
    for (uint32_t l = 0; l < a->tree->count; l++) {
        struct share *s = &a->shares[l];
        struct efg_waits_iteration *loop = &a->loops[l];
        if (!s->computation && !s->mpi)
            continue;
        loop->locations++;
        loop->sum.computation += s->computation;
        loop->sum.mpi += s->mpi;
        keep_most(&loop->longest, s->computation + s->mpi);
        keep_most(&loop->useful, s->computation);
        keep_most(&loop->ideal, s->ideal);
        *s = (struct share){0};
    }
}

/* Places are by location. */
static void add_places(struct adding *a)
{
    for (uint32_t i = 0; i < a->waits->place_count; i++) {
        add_place(a, &a->waits->places[i]);
        if (i + 1 == a->waits->place_count ||
            a->waits->places[i + 1].location != a->waits->places[i].location)
            end_location(a);
    }
}

struct efg_waits_iteration *efg_report_inside(const struct efg_model *model,
                                              const struct efg_report_waiting *w)
{
    const struct efg_looptree *tree = &model->merged.tree;
    size_t count = (size_t)tree->count + 1;
    struct adding a = {tree, &w->waits, calloc((size_t)w->waits.site_count + 1, sizeof *a.loop_of),
                       calloc(count, sizeof *a.shares), calloc(count, sizeof *a.loops)};
    if (a.loop_of && a.shares && a.loops && !place_sites(&a, model, w)) {
        add_places(&a);
    } else {
        free(a.loops);
        a.loops = NULL;
    }
    free(a.loop_of);
    free(a.shares);
    return a.loops;
}
