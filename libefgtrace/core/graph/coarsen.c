/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a graph coarser, in place. Nodes are visited in the order of their ids. A node whose
 * coarser signature is new moves down to the next free place; one whose signature already exists
 * is added to that node. Edges then do the same, with the new ids of their ends. So new ids are
 * also in the order of first appearance.
 *
 * The pivot counts the same visits as before if no node was added to the one that it ends in,
 * and no edge that counts was merged with one that does not.
 */
#include "coarsen.h"

#include "parts.h"
#include "unite.h"

#include <stdlib.h>
#include <string.h>

#define ROOMY 4 /* arrays shrink if they are filled to less than one part in so many */

/* ---- two become one ---- */

static uint64_t larger(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* The first visit that gaps are counted from. */
static uint64_t first_visit(const struct efg_rhythm *r)
{
    return r->last - (uint64_t)r->gap1;
}

/* Gaps add up to the distance of the first and the last visit, however many are between. */
static void add_gaps(struct efg_rhythm *to, const struct efg_rhythm *from)
{
    const struct efg_rhythm *late = from->last > to->last ? from : to, *early = late == to ? from : to;
    if (early->last) { /* else it has no visit to count from */
        bool is_first = first_visit(to) < first_visit(from);
        to->gap1 = (double)(late->last - first_visit(is_first ? to : from));
        to->first = is_first ? to->first : from->first;
    } else {
        to->gap1 += from->gap1;
        to->first = late->first;
    }
    to->last = late->last;
}

static void add_node(struct efg_node *to, const struct efg_node *from)
{
    add_gaps(&to->rhythm, &from->rhythm);
    to->rhythm.gap2 += from->rhythm.gap2;
    to->rhythm.last_time = larger(to->rhythm.last_time, from->rhythm.last_time);
    efg_node_unite(to, from);
}

static void add_edge(struct efg_edge *to, const struct efg_edge *from)
{
    efg_stat_unite(&to->time, &from->time);
    to->visits += from->visits;
    to->spent += from->spent;
}

/* ---- the way down ---- */

struct coarsening {
    struct efg_graph *graph;
    struct efg_detail from, to;
    efg_cut_path *cut;
    uint32_t *new_id;    /* of each node */
    uint32_t pivot_node; /* its old id; EFG_NONE without one, or if it is a site above nodes */
    uint64_t pivot_site; /* its hash, if it is a site */
    bool is_pivot_lost;
};

struct efg_signature efg_coarsen_signature(struct efg_signature s, struct efg_detail from,
                                           struct efg_detail to, efg_cut_path *cut, uint64_t *path_hash)
{
    s = efg_detail_reduce(s, from.dimensions, to.dimensions);
    *path_hash = 0;
    if (to.dimensions & EFG_DIM_PATH)
        s.path = cut(s.path, to.depth, path_hash);
    return s;
}

static void rename_node(const struct coarsening *c, struct efg_node *node)
{
    uint64_t path_hash;

    node->signature = efg_coarsen_signature(node->signature, c->from, c->to, c->cut, &path_hash);
    node->hash = efg_signature_name(&node->signature, path_hash);
}

/* The overflow node is in no table, and stays by itself. */
static uint32_t place_node(struct coarsening *c, const struct efg_node *node, uint32_t count)
{
    struct efg_graph *graph = c->graph;

    if (!(node->flags & EFG_NODE_OVERFLOW)) {
        uint32_t *slot = efg_graph_node_slot(graph, &node->signature);
        if (*slot)
            return *slot - 1;
        *slot = count + 1;
    }
    if (node != &graph->nodes[count])
        graph->nodes[count] = *node;
    return count;
}

static void merge_nodes(struct coarsening *c)
{
    struct efg_graph *graph = c->graph;
    uint32_t count = 0;

    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct efg_node *node = &graph->nodes[i];
        if (!(node->flags & EFG_NODE_OVERFLOW))
            rename_node(c, node);
        node->first_edge = node->predicted = EFG_NONE;
        uint32_t id = c->new_id[i] = place_node(c, node, count);
        if (id == count) {
            count++;
            continue;
        }
        add_node(&graph->nodes[id], node);
        if (c->pivot_node != EFG_NONE)
            c->is_pivot_lost |= i == c->pivot_node || (i > c->pivot_node && id == c->new_id[c->pivot_node]);
    }
    graph->node_count = count;
}

static void merge_edges(struct coarsening *c)
{
    struct efg_graph *graph = c->graph;
    uint32_t count = 0;

    for (uint32_t i = 0; i < graph->edge_count; i++) {
        struct efg_edge edge = graph->edges[i];
        edge.from = c->new_id[edge.from];
        edge.to = c->new_id[edge.to];
        uint32_t *slot = efg_graph_edge_slot(graph, edge.from, edge.to);
        if (*slot) {
            add_edge(&graph->edges[*slot - 1], &edge);
            continue;
        }
        edge.next = graph->nodes[edge.from].first_edge;
        graph->nodes[edge.from].first_edge = count;
        graph->edges[count++] = edge;
        *slot = count;
    }
    graph->edge_count = count;
}

/* ---- what points into the graph ---- */

struct ends {
    uint32_t from, to;
};

static struct ends ends_of(const struct efg_graph *graph, uint32_t edge)
{
    if (edge == EFG_NONE)
        return (struct ends){EFG_NONE, EFG_NONE};
    return (struct ends){graph->edges[edge].from, graph->edges[edge].to};
}

static uint32_t new_edge(const struct coarsening *c, struct ends ends)
{
    return ends.to == EFG_NONE ? EFG_NONE
                               : *efg_graph_edge_slot(c->graph, c->new_id[ends.from], c->new_id[ends.to]) - 1;
}

static uint32_t new_node(const struct coarsening *c, uint32_t id)
{
    return id == EFG_NONE ? EFG_NONE : c->new_id[id];
}

static void merge(struct coarsening *c)
{
    struct efg_graph *graph = c->graph;
    struct ends current = ends_of(graph, graph->edge);

    c->pivot_node = graph->pivot_kind == EFG_PIVOT_NODE ? graph->pivot_id : EFG_NONE;
    if (graph->pivot_kind == EFG_PIVOT_SITE) {
        c->pivot_node = graph->tree->sites[graph->pivot_id].node;
        c->pivot_site = graph->tree->sites[graph->pivot_id].hash;
    }
    memset(graph->node_table, 0, graph->node_slots * sizeof *graph->node_table);
    memset(graph->edge_table, 0, graph->edge_slots * sizeof *graph->edge_table);
    merge_nodes(c);
    merge_edges(c);
    graph->first = new_node(c, graph->first);
    graph->current = new_node(c, graph->current);
    graph->polled = new_node(c, graph->polled);
    graph->overflow = new_node(c, graph->overflow);
    graph->edge = new_edge(c, current);
}

/* Paths have other frames now, CUT at most if some were cut: all sites are new. Those that branch begin to
 * count their gaps anew. Without memory there is no call tree from now on. */
static void plant(struct efg_graph *graph, unsigned cut)
{
    struct efg_calltree *tree = graph->tree;

    if (!tree)
        return;
    efg_calltree_fini(tree);
    if (efg_calltree_init(tree, tree->keys, tree->budget)) {
        free(tree);
        graph->tree = NULL;
        return;
    }
    tree->cut = cut;
    efg_graph_place_all(graph);
}

/* The id of the site that the pivot was before there was a new tree; EFG_NONE if it is not told apart any
 * longer. */
static uint32_t new_site(const struct coarsening *c)
{
    const struct efg_calltree *tree = c->graph->tree;
    uint32_t site = tree ? efg_calltree_find(tree, c->pivot_site) : EFG_NONE;

    return site != EFG_NONE && efg_calltree_is_cut(tree, site) ? EFG_NONE : site;
}

/* Marks go by the new ids. */
static void mark(struct coarsening *c, bool is_new_tree)
{
    struct efg_graph *graph = c->graph;
    uint32_t kind = graph->pivot_kind, id = EFG_NONE;

    if (!is_new_tree)
        return;
    if (kind == EFG_PIVOT_SITE) {
        id = new_site(c);
        c->is_pivot_lost |= id == EFG_NONE;
    } else if (kind == EFG_PIVOT_NODE) {
        id = new_node(c, graph->pivot_id);
    }
    efg_graph_mark_pivot(graph, c->is_pivot_lost ? EFG_PIVOT_NONE : kind, id);
}

/* Without memory to move to, they stay as large as they are. */
static void shrink(struct efg_graph *graph)
{
    uint32_t nodes = graph->node_room, edges = graph->edge_room;

    while (nodes / 2 >= EFG_FIRST_NODES && ROOMY * graph->node_count <= nodes)
        nodes /= 2;
    while (edges / 2 >= EFG_FIRST_EDGES && ROOMY * graph->edge_count <= edges)
        edges /= 2;
    efg_graph_size(graph, nodes, edges);
}

static bool has_same_paths(struct efg_detail from, struct efg_detail to)
{
    return (from.dimensions & EFG_DIM_PATH) == (to.dimensions & EFG_DIM_PATH) && from.depth == to.depth;
}

enum efg_coarsened efg_graph_coarsen(struct efg_graph *graph, struct efg_detail from, struct efg_detail to,
                                     efg_cut_path *cut, uint32_t *new_id)
{
    struct coarsening c = {.graph = graph, .from = from, .to = to, .cut = cut, .new_id = new_id};
    uint32_t nodes = graph->node_count;
    bool is_new;

    merge(&c);
    is_new = graph->node_count != nodes || !has_same_paths(from, to);
    if (is_new)
        plant(graph, to.depth < from.depth ? to.depth : graph->tree ? graph->tree->cut : 0);
    mark(&c, is_new);
    shrink(graph);
    efg_graph_make_room(graph);
    if (!is_new)
        return EFG_COARSENED_NOTHING;
    return c.is_pivot_lost ? EFG_COARSENED_PIVOT : EFG_COARSENED;
}
