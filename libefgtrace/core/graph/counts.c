/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums beside a graph. The arrays double; an id that is new has sums of 0, and so have those before it that
 * were not asked for yet.
 */
#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "parts.h"

#define FIRST 64 /* nodes, edges */

struct efg_counts *efg_counts_new(unsigned width, struct efg_budget *budget)
{
    struct efg_counts *counts = calloc(1, sizeof *counts);

    if (!counts)
        return NULL;
    counts->width = width;
    counts->budget = budget;
    return counts;
}

void efg_counts_free(struct efg_counts *counts)
{
    if (!counts)
        return;
    free(counts->nodes);
    free(counts->edges);
    free(counts->ends);
    free(counts);
}

static void add(const struct efg_counts *counts, uint64_t *to, const uint64_t *values)
{
    for (unsigned k = 0; k < counts->width; k++)
        to[k] += values[k];
}

/* --- room --- */

/* *ARRAY has COUNT items of SIZE bytes, and is to have ROOM; new ones are 0. */
static bool enlarge(void *array, uint32_t count, uint32_t room, size_t size)
{
    char *more = realloc(*(void **)array, room * size);

    if (!more)
        return false;
    memset(more + count * size, 0, (room - count) * size);
    *(void **)array = more;
    return true;
}

static uint32_t room_for(uint32_t count, uint32_t id)
{
    uint32_t room = count ? count : FIRST;

    while (room <= id)
        room *= 2;
    return room;
}

static bool has_node(struct efg_counts *c, uint32_t id)
{
    uint32_t room = room_for(c->node_count, id);
    size_t size = c->width * sizeof *c->nodes;

    if (id < c->node_count)
        return true;
    if (!efg_budget_take(c->budget, (room - c->node_count) * size, 0) ||
        !enlarge(&c->nodes, c->node_count, room, size))
        return false;
    c->node_count = room;
    return true;
}

static bool has_edge(struct efg_counts *c, uint32_t id)
{
    uint32_t room = room_for(c->edge_count, id);
    size_t size = c->width * sizeof *c->edges;

    if (id < c->edge_count)
        return true;
    if (!efg_budget_take(c->budget, (room - c->edge_count) * (size + sizeof *c->ends), 0) ||
        !enlarge(&c->edges, c->edge_count, room, size) ||
        !enlarge(&c->ends, c->edge_count, room, sizeof *c->ends))
        return false;
    c->edge_count = room;
    return true;
}

/* --- adding --- */

void efg_counts_add_node(struct efg_counts *counts, uint32_t node, const uint64_t *values)
{
    if (node != EFG_NONE && has_node(counts, node))
        add(counts, &counts->nodes[(size_t)node * counts->width], values);
}

static void add_ends(struct efg_counts *counts, uint32_t edge, uint32_t from, uint32_t to,
                     const uint64_t *values)
{
    if (edge == EFG_NONE || !has_edge(counts, edge)) {
        add(counts, counts->rest, values);
        return;
    }
    counts->ends[edge][0] = from;
    counts->ends[edge][1] = to;
    add(counts, &counts->edges[(size_t)edge * counts->width], values);
}

void efg_counts_add_edge(struct efg_counts *counts, const struct efg_graph *graph, uint32_t edge,
                         const uint64_t *values)
{
    if (edge == EFG_NONE)
        add(counts, counts->rest, values);
    else
        add_ends(counts, edge, graph->edges[edge].from, graph->edges[edge].to, values);
}

void efg_counts_add_iteration(struct efg_counts_iterations *to, unsigned width, const uint64_t *values)
{
    to->count++;
    for (unsigned k = 0; k < width; k++)
        to->sum[k] += values[k];
}

/* --- coarser --- */

static bool is_zero(const struct efg_counts *counts, const uint64_t *sums)
{
    for (unsigned k = 0; k < counts->width; k++)
        if (sums[k])
            return false;
    return true;
}

void efg_counts_coarsen(struct efg_counts *counts, const struct efg_graph *graph, const uint32_t *new_id)
{
    struct efg_counts old = *counts;
    unsigned width = counts->width;

    counts->nodes = counts->edges = NULL;
    counts->ends = NULL;
    counts->node_count = counts->edge_count = 0;
    for (uint32_t i = 0; i < old.node_count; i++)
        if (!is_zero(&old, &old.nodes[(size_t)i * width]))
            efg_counts_add_node(counts, new_id[i], &old.nodes[(size_t)i * width]);
    for (uint32_t i = 0; i < old.edge_count; i++) {
        if (is_zero(&old, &old.edges[(size_t)i * width]))
            continue;
        uint32_t from = new_id[old.ends[i][0]], to = new_id[old.ends[i][1]];
        uint32_t edge = *efg_graph_edge_slot(graph, from, to); /* its id + 1; 0: EFG_NONE */
        add_ends(counts, edge - 1, from, to, &old.edges[(size_t)i * width]);
    }
    efg_budget_give(counts->budget, (old.node_count + old.edge_count) * width * sizeof *old.nodes +
                                        old.edge_count * sizeof *old.ends);
    free(old.nodes);
    free(old.edges);
    free(old.ends);
}

/* --- sums --- */

uint64_t efg_counts_in_calls(const struct efg_counts *counts, unsigned k)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < counts->node_count; i++)
        sum += counts->nodes[(size_t)i * counts->width + k];
    return sum;
}

uint64_t efg_counts_between(const struct efg_counts *counts, unsigned k)
{
    uint64_t sum = counts->rest[k];

    for (uint32_t i = 0; i < counts->edge_count; i++)
        sum += counts->edges[(size_t)i * counts->width + k];
    return sum;
}
