/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds one graph to another. Nodes are looked up by signature, edges by their ends; new ones are
 * appended, so that ids remain in the order of first appearance. The overflow node is in no
 * table: those of both graphs become one.
 */
#include "unite.h"

#include "parts.h"

#include <errno.h>
#include <stdlib.h>

/* ---- what is summed up ---- */

void efg_node_unite(struct efg_node *to, const struct efg_node *from)
{
    to->flags =
        ((to->flags | from->flags) & ~(uint32_t)EFG_NODE_WORLD) | (to->flags & from->flags & EFG_NODE_WORLD);
    to->bytes += from->bytes;
    to->polls += from->polls;
    to->poll_time += from->poll_time;
    efg_stat_unite(&to->time, &from->time);
    to->rhythm.visits += from->rhythm.visits;
    to->rhythm.time += from->rhythm.time;
}

static void add_totals(struct efg_graph *to, const struct efg_graph *from)
{
    to->dropped |= from->dropped;
    to->events += from->events;
    to->node_time += from->node_time;
    to->lost_edges += from->lost_edges;
}

/* ---- where it goes ---- */

static uint32_t new_node(struct efg_graph *graph, const struct efg_signature *signature,
                         const struct efg_node *node)
{
    graph->nodes[graph->node_count] = (struct efg_node){
        .signature = *signature,
        .hash = node->hash,
        .flags = node->flags,
        .first_edge = EFG_NONE,
        .predicted = EFG_NONE,
    };
    return graph->node_count++;
}

static uint32_t place_node(struct efg_graph *graph, const struct efg_node *node, unsigned from, unsigned to)
{
    struct efg_signature signature = efg_detail_reduce(node->signature, from, to);

    if (node->flags & EFG_NODE_OVERFLOW) {
        if (graph->overflow == EFG_NONE)
            graph->overflow = new_node(graph, &node->signature, node);
        return graph->overflow;
    }
    uint32_t *slot = efg_graph_node_slot(graph, &signature);
    if (!*slot)
        *slot = new_node(graph, &signature, node) + 1;
    return *slot - 1;
}

static uint32_t place_edge(struct efg_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t *slot = efg_graph_edge_slot(graph, from, to);

    if (!*slot) {
        graph->edges[graph->edge_count] =
            (struct efg_edge){.from = from, .to = to, .next = graph->nodes[from].first_edge};
        graph->nodes[from].first_edge = graph->edge_count;
        *slot = ++graph->edge_count;
    }
    return *slot - 1;
}

/* ---- the whole ---- */

static int add_nodes(struct efg_graph *graph, const struct efg_graph *more, unsigned from, unsigned to,
                     uint32_t *id)
{
    for (uint32_t i = 0; i < more->node_count; i++) {
        if (graph->is_full)
            return -ENOMEM;
        id[i] = place_node(graph, &more->nodes[i], from, to);
        efg_node_unite(&graph->nodes[id[i]], &more->nodes[i]);
        efg_graph_make_room(graph);
    }
    return 0;
}

static int add_edges(struct efg_graph *graph, const struct efg_graph *more, const uint32_t *id,
                     uint32_t *new_edge)
{
    for (uint32_t i = 0; i < more->edge_count; i++) {
        if (graph->is_full)
            return -ENOMEM;
        const struct efg_edge *edge = &more->edges[i];
        uint32_t e = place_edge(graph, id[edge->from], id[edge->to]);
        efg_stat_unite(&graph->edges[e].time, &edge->time);
        graph->edges[e].visits += edge->visits;
        graph->edges[e].spent += edge->spent;
        if (new_edge)
            new_edge[i] = e;
        efg_graph_make_room(graph);
    }
    return 0;
}

int efg_graph_unite(struct efg_graph *graph, const struct efg_graph *more, unsigned from, unsigned to,
                    uint32_t *new_node_of, uint32_t *new_edge)
{
    uint32_t *id = new_node_of ? new_node_of : calloc((size_t)more->node_count + 1, sizeof *id);
    bool failed = !id || add_nodes(graph, more, from, to, id) || add_edges(graph, more, id, new_edge);

    add_totals(graph, more);
    if (id != new_node_of)
        free(id);
    return failed ? -ENOMEM : 0;
}
