/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays and tables of a graph. A table has four times as many slots as the array has room, to
 * the next power of two below: it is at most half full.
 *
 * What is taken from the budget, always: the room for nodes and edges, each with the finder's
 * share (EFG_ITEM_BYTES), and the slots. While an array is moved, the old one is there too.
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define LINE 64 /* bytes of a cache line */

_Static_assert(sizeof(struct efg_node) % LINE == 0, "nodes begin at cache lines");
_Static_assert(sizeof(struct efg_edge) % LINE == 0, "edges begin at cache lines");

/* ---- tables ---- */

static uint64_t edge_hash(uint32_t from, uint32_t to)
{
    return efg_hash_mix(0, (uint64_t)from << 32 | to);
}

uint32_t *efg_graph_node_slot(const struct efg_graph *graph, const struct efg_signature *s)
{
    uint32_t mask = graph->node_slots - 1;

    for (uint64_t h = efg_signature_hash(s);; h++) {
        uint32_t *slot = &graph->node_table[h & mask];
        if (!*slot || efg_signature_is_equal(&graph->nodes[*slot - 1].signature, s))
            return slot;
    }
}

uint32_t *efg_graph_edge_slot(const struct efg_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t mask = graph->edge_slots - 1;

    for (uint64_t h = edge_hash(from, to);; h++) {
        uint32_t *slot = &graph->edge_table[h & mask];
        if (!*slot)
            return slot;
        const struct efg_edge *edge = &graph->edges[*slot - 1];
        if (edge->from == from && edge->to == to)
            return slot;
    }
}

static uint32_t slots_for(uint32_t room)
{
    return UINT32_C(1) << (33 - __builtin_clz(room)); /* more than twice the room */
}

/* A table for ROOM items in place of the one that is there; it is empty. */
static int new_table(struct efg_graph *graph, uint32_t **table, uint32_t *slots, uint32_t room)
{
    uint32_t more = slots_for(room);

    if (!efg_budget_take(graph->budget, more * sizeof **table, 0))
        return -ENOMEM;
    uint32_t *new = calloc(more, sizeof *new);
    if (!new) {
        efg_budget_give(graph->budget, more * sizeof **table);
        return -ENOMEM;
    }
    free(*table);
    efg_budget_give(graph->budget, *slots * sizeof **table);
    *table = new;
    *slots = more;
    return 0;
}

/* ---- arrays ---- */

/* COUNT of SIZE bytes in ARRAY are kept. */
static int move_array(struct efg_graph *graph, void *array, uint32_t *room, uint32_t new_room, uint32_t count,
                      size_t size)
{
    uint64_t new_bytes = (uint64_t)new_room * size, old_bytes = (uint64_t)*room * size;
    uint64_t more = new_room > *room ? (uint64_t)(new_room - *room) * EFG_ITEM_BYTES : 0;
    uint64_t less = new_room < *room ? (uint64_t)(*room - new_room) * EFG_ITEM_BYTES : 0;
    void *old, *new;

    if (!efg_budget_take(graph->budget, new_bytes + more,
                         *room < new_room ? efg_budget_spare(graph->budget) : 0))
        return -ENOMEM;
    new = aligned_alloc(LINE, new_bytes);
    if (!new) {
        efg_budget_give(graph->budget, new_bytes + more);
        return -ENOMEM;
    }
    memcpy(&old, array, sizeof old);
    if (count)
        memcpy(new, old, count * size);
    free(old);
    memcpy(array, &new, sizeof new);
    *room = new_room;
    efg_budget_give(graph->budget, old_bytes + less);
    return 0;
}

static int fit_node_table(struct efg_graph *graph, uint32_t room)
{
    if (slots_for(room) == graph->node_slots)
        return 0;
    if (new_table(graph, &graph->node_table, &graph->node_slots, room))
        return -ENOMEM;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (i != graph->overflow)
            *efg_graph_node_slot(graph, &graph->nodes[i].signature) = i + 1;
    return 0;
}

static int fit_edge_table(struct efg_graph *graph, uint32_t room)
{
    if (slots_for(room) == graph->edge_slots)
        return 0;
    if (new_table(graph, &graph->edge_table, &graph->edge_slots, room))
        return -ENOMEM;
    for (uint32_t i = 0; i < graph->edge_count; i++)
        *efg_graph_edge_slot(graph, graph->edges[i].from, graph->edges[i].to) = i + 1;
    return 0;
}

/* A table that is too large does no harm, one that is too small would: so growing begins with
 * the table, and shrinking ends with it. */
static int size_nodes(struct efg_graph *graph, uint32_t room)
{
    if (room > graph->node_room && fit_node_table(graph, room))
        return -ENOMEM;
    if (move_array(graph, &graph->nodes, &graph->node_room, room, graph->node_count, sizeof *graph->nodes))
        return -ENOMEM;
    fit_node_table(graph, room);
    return 0;
}

static int size_edges(struct efg_graph *graph, uint32_t room)
{
    if (room > graph->edge_room && fit_edge_table(graph, room))
        return -ENOMEM;
    if (move_array(graph, &graph->edges, &graph->edge_room, room, graph->edge_count, sizeof *graph->edges))
        return -ENOMEM;
    fit_edge_table(graph, room);
    return 0;
}

int efg_graph_size(struct efg_graph *graph, uint32_t nodes, uint32_t edges)
{
    return (nodes != graph->node_room && size_nodes(graph, nodes)) ||
                   (edges != graph->edge_room && size_edges(graph, edges))
               ? -ENOMEM
               : 0;
}

/* Twice as much, or a quarter more. */
static bool grow(struct efg_graph *graph, int (*size)(struct efg_graph *, uint32_t), uint32_t room)
{
    bool is_ample = efg_budget_is_ample(graph->budget);
    return room > UINT32_MAX / 8 || ((!is_ample || size(graph, 2 * room)) && size(graph, room + room / 4));
}

void efg_graph_make_room(struct efg_graph *graph)
{
    bool no_nodes = !efg_graph_has_room(graph) && grow(graph, size_nodes, graph->node_room);
    bool no_edges = graph->edge_count == graph->edge_room && grow(graph, size_edges, graph->edge_room);

    graph->is_full = no_nodes || no_edges || (graph->tree && graph->tree->is_full);
}

/* ---- the end ---- */

void efg_graph_fini(struct efg_graph *graph)
{
    uint64_t items = (uint64_t)graph->node_room + graph->edge_room;
    uint64_t slots = (uint64_t)graph->node_slots + graph->edge_slots;

    efg_budget_give(graph->budget, items * EFG_ITEM_BYTES + slots * sizeof *graph->node_table +
                                       graph->node_room * sizeof *graph->nodes +
                                       graph->edge_room * sizeof *graph->edges);
    if (graph->tree)
        efg_calltree_fini(graph->tree);
    free(graph->tree);
    free(graph->awaited);
    free(graph->nodes);
    free(graph->edges);
    free(graph->node_table);
    free(graph->edge_table);
    memset(graph, 0, sizeof *graph);
}
