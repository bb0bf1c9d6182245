/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds events to the graph. One step: the edge that was taken last from the current node is the
 * one that is taken next, most of the time. So the event's signature is first compared with that
 * of the predicted edge's target; only a miss asks the hash tables, one from signature to node,
 * one from (from, to) to edge.
 *
 * Tables: open addressing, linear probing, at most half full; nothing is
 * removed except everything; a slot holds id + 1, 0 is free. Arrays and tables double, or
 * grow by a quarter if there is no room for that.
 *
 * Invariants:
 *   - the overflow node is in no table, and its signature equals no event's
 *   - unless the graph is full, there is room for one node and one edge more
 *   - there is always room for the overflow node
 *   - the sum of the visits of the edges into v is the visits of v, except for the very
 *     first event and for lost edges
 *
 * Source: Fürlinger and Skinner (2010), see graph.h; the prediction is the "last
 * successor" of Aguilar, Fürlinger, Laure (2015).
 */
#include "base/hot.h"
#include "graph.h"
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct efg_signature OVERFLOW_SIGNATURE = {.call = UINT32_MAX, .zero = UINT32_MAX};

int efg_graph_init(struct efg_graph *graph, struct efg_budget *budget, uint64_t start)
{
    memset(graph, 0, sizeof *graph);
    graph->budget = budget;
    graph->first = graph->current = graph->edge = graph->overflow = graph->polled = EFG_NONE;
    graph->pivot_id = EFG_NONE;
    graph->start = graph->last_leave = start;
    if (!efg_graph_size(graph, EFG_FIRST_NODES, EFG_FIRST_EDGES))
        return 0;
    efg_graph_fini(graph);
    return -ENOMEM;
}

/* ---- nodes and edges ---- */

static uint32_t add_node(struct efg_graph *graph, const struct efg_signature *s, uint64_t hash,
                         uint32_t flags)
{
    struct efg_node *node = &graph->nodes[graph->node_count];

    memset(node, 0, sizeof *node);
    node->signature = *s;
    node->hash = hash;
    node->flags = flags;
    node->first_edge = node->predicted = EFG_NONE;
    if (graph->tree)
        node->leaf = efg_calltree_add(graph->tree, graph->node_count, s->path, hash);
    return graph->node_count++;
}

static uint32_t overflow_node(struct efg_graph *graph)
{
    if (graph->overflow == EFG_NONE)
        graph->overflow = add_node(graph, &OVERFLOW_SIGNATURE, 0, EFG_NODE_OVERFLOW | EFG_NODE_UNORDERED);
    return graph->overflow;
}

static uint32_t find_node(struct efg_graph *graph, const struct efg_event *event)
{
    uint32_t *slot = efg_graph_node_slot(graph, &event->signature);

    if (*slot)
        return *slot - 1;
    if (!efg_graph_has_room(graph))
        return overflow_node(graph);
    uint32_t id = add_node(graph, &event->signature, efg_signature_name(&event->signature, event->path_hash),
                           event->flags | (event->is_start ? EFG_NODE_STARTS : 0));
    *slot = id + 1;
    efg_graph_make_room(graph);
    return id;
}

/* Where EDGE is in the call tree. */
static void place_edge(const struct efg_graph *graph, struct efg_edge *edge)
{
    const struct efg_calltree *tree = graph->tree;
    uint32_t from = graph->nodes[edge->from].leaf, to = graph->nodes[edge->to].leaf;

    edge->function = efg_calltree_common(tree, from, to);
    edge->out = efg_calltree_child(tree, edge->function, from);
    edge->into = efg_calltree_child(tree, edge->function, to);
    edge->top = tree->sites[edge->into].depth;
}

/* Whether EDGE comes into SITE from outside. */
static bool is_entry(const struct efg_graph *graph, const struct efg_edge *edge, uint32_t site)
{
    return edge->from != edge->to && graph->tree->sites[site].depth >= edge->top &&
           efg_calltree_is_below(graph->tree, graph->nodes[edge->to].leaf, site);
}

static bool is_counted(const struct efg_graph *graph, const struct efg_edge *edge)
{
    if (graph->pivot_kind == EFG_PIVOT_SITE)
        return is_entry(graph, edge, graph->pivot_id);
    return graph->pivot_kind == EFG_PIVOT_NODE && edge->to == graph->pivot_id;
}

/* A visit of the pivot may end where EDGE does. */
static void await(struct efg_graph *graph, const struct efg_edge *edge)
{
    uint32_t path = graph->nodes[edge->to].signature.path;

    if (path < graph->awaited_room)
        graph->awaited[path] = 1;
}

static void mark_edge(struct efg_graph *graph, struct efg_edge *edge)
{
    edge->mark = (uint32_t)is_counted(graph, edge);
    if (edge->mark)
        await(graph, edge);
}

static uint32_t add_edge(struct efg_graph *graph, uint32_t from, uint32_t to)
{
    struct efg_edge *edge = &graph->edges[graph->edge_count];

    memset(edge, 0, sizeof *edge);
    edge->from = from;
    edge->to = to;
    edge->next = graph->nodes[from].first_edge;
    if (graph->tree)
        place_edge(graph, edge);
    mark_edge(graph, edge);
    graph->nodes[from].first_edge = graph->edge_count;
    return graph->edge_count++;
}

static uint32_t find_edge(struct efg_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t *slot = efg_graph_edge_slot(graph, from, to);

    if (*slot)
        return *slot - 1;
    if (graph->edge_count == graph->edge_room) {
        graph->lost_edges++;
        return EFG_NONE;
    }
    uint32_t id = add_edge(graph, from, to);
    *slot = id + 1;
    efg_graph_make_room(graph);
    return id;
}

/* ---- the event path ---- */

inline void efg_stat_add(struct efg_stat *stat, uint64_t ns)
{
    unsigned bin = 63 - (unsigned)__builtin_clzll(ns | 1);

    if (ns < stat->min || !stat->count)
        stat->min = ns;
    if (ns > stat->max)
        stat->max = ns;
    stat->count++;
    stat->sum += ns;
    stat->bin[bin < EFG_BINS ? bin : EFG_BINS - 1]++;
}

void efg_stat_unite(struct efg_stat *stat, const struct efg_stat *more)
{
    if (more->count && (!stat->count || more->min < stat->min))
        stat->min = more->min;
    if (more->max > stat->max)
        stat->max = more->max;
    stat->count += more->count;
    stat->sum += more->sum;
    for (int i = 0; i < EFG_BINS; i++)
        stat->bin[i] += more->bin[i];
}

/* Of the event that ends at TIME ns, number EVENT, after the one that ended at PREVIOUS ns. */
static inline void add_to_rhythm(struct efg_rhythm *rhythm, uint64_t event, uint64_t time, uint64_t previous)
{
    uint64_t spent = time > previous ? time - previous : 0;

    if (rhythm->last) {
        double gap = (double)(int64_t)(event - rhythm->last); /* signed: one instruction */
        rhythm->gap1 += gap;
        rhythm->gap2 += gap * gap;
    } else {
        rhythm->first = spent;
    }
    rhythm->visits++;
    rhythm->time += spent;
    rhythm->last = event;
    rhythm->last_time = time;
}

static inline void merge_flags(struct efg_node *node, uint32_t flags)
{
    node->flags = (node->flags & (flags | ~(uint32_t)EFG_NODE_WORLD)) | (flags & EFG_NODE_UNORDERED);
}

static inline uint64_t duration(const struct efg_event *event)
{
    return event->leave > event->enter ? event->leave - event->enter : 0;
}

/* ns between the last event and this one, without the polls. */
static inline uint64_t compute_time(const struct efg_graph *graph, const struct efg_event *event)
{
    uint64_t before = graph->last_leave + graph->poll_time;

    return event->enter > before ? event->enter - before : 0;
}

/* The edge that was taken last from the current node, if it leads to that of signature S. */
static inline uint32_t predicted_edge(const struct efg_graph *graph, const struct efg_signature *s)
{
    if (graph->current == EFG_NONE)
        return EFG_NONE;
    uint32_t edge = graph->nodes[graph->current].predicted;
    if (edge == EFG_NONE)
        return EFG_NONE;
    return efg_signature_is_equal(&graph->nodes[graph->edges[edge].to].signature, s) ? edge : EFG_NONE;
}

/* The call tree follows graph->edge, or the first event. Returns whether that counts for the pivot. */
static __attribute__((noinline)) bool enter_sites(struct efg_graph *graph)
{
    const struct efg_edge *edge = graph->edge == EFG_NONE ? NULL : &graph->edges[graph->edge];

    if (graph->tree && !(edge && edge->from == edge->to))
        efg_calltree_enter(graph->tree, graph->nodes[graph->current].leaf, edge ? edge->top : 1,
                           graph->events);
    return edge && edge->mark;
}

static inline void pass_edge(const struct efg_graph *graph, struct efg_edge *edge,
                             const struct efg_event *event)
{
    efg_stat_add(&edge->time, compute_time(graph, event));
    edge->visits++;
    edge->spent += event->leave > graph->last_leave ? event->leave - graph->last_leave : 0;
}

/* Goes to the node graph->current by graph->edge, if there is one. The last thing here is a call, if any:
 * then the path of every event keeps no registers. */
EFG_INLINE bool visit(struct efg_graph *graph, const struct efg_event *event)
{
    struct efg_node *node = &graph->nodes[graph->current];
    struct efg_edge *edge = graph->edge == EFG_NONE ? NULL : &graph->edges[graph->edge];
    uint64_t inside = duration(event);
    uint64_t number = ++graph->events;

    merge_flags(node, event->flags);
    node->bytes += event->bytes;
    efg_stat_add(&node->time, inside);
    add_to_rhythm(&node->rhythm, number, event->leave, graph->last_leave);
    if (edge)
        pass_edge(graph, edge, event);
    graph->node_time += inside;
    graph->last_leave = event->leave;
    graph->poll_time = graph->poll_leave = 0;
    return edge && edge->from == edge->to ? edge->mark : enter_sites(graph);
}

/* Names node and edge of an event that is not the predicted one. */
static __attribute__((noinline)) bool visit_other(struct efg_graph *graph, const struct efg_event *event)
{
    uint32_t from = graph->current;

    graph->current = find_node(graph, event);
    if (from == EFG_NONE)
        graph->first = graph->current;
    graph->edge = from == EFG_NONE ? EFG_NONE : find_edge(graph, from, graph->current);
    if (graph->edge != EFG_NONE)
        graph->nodes[from].predicted = graph->edge;
    return visit(graph, event);
}

EFG_HOT bool efg_graph_step(struct efg_graph *graph, const struct efg_event *event)
{
    uint32_t edge = predicted_edge(graph, &event->signature);

    if (edge == EFG_NONE)
        return visit_other(graph, event);
    graph->current = graph->edges[edge].to;
    graph->edge = edge;
    return visit(graph, event);
}

/* Of a poll with those that it stands for: in a spin, since the one before. */
static inline uint64_t poll_duration(const struct efg_graph *graph, const struct efg_event *event)
{
    uint64_t polls = 1 + event->bytes;

    if (graph->poll_leave && event->enter - graph->poll_leave <= polls * EFG_SPIN)
        return event->leave - graph->poll_leave;
    return duration(event) * polls;
}

EFG_HOT void efg_graph_poll(struct efg_graph *graph, const struct efg_event *event)
{
    if (graph->polled == EFG_NONE ||
        !efg_signature_is_equal(&graph->nodes[graph->polled].signature, &event->signature))
        graph->polled = find_node(graph, event);

    struct efg_node *node = &graph->nodes[graph->polled];
    uint64_t inside = poll_duration(graph, event);

    merge_flags(node, event->flags);
    node->polls += 1 + event->bytes;
    node->poll_time += inside;
    graph->poll_time += inside;
    graph->poll_leave = event->leave;
    graph->node_time += inside;
}

bool efg_graph_poll_again(struct efg_graph *graph, uint64_t count)
{
    struct efg_node *node = graph->polled == EFG_NONE ? NULL : &graph->nodes[graph->polled];

    if (!node || !node->polls)
        return false;
    uint64_t inside = count * (node->poll_time / node->polls);
    node->polls += count;
    node->poll_time += inside;
    graph->poll_time += inside;
    graph->node_time += inside;
    return true;
}

static bool has_polls(const struct efg_graph *graph)
{
    for (uint32_t v = 0; v < graph->node_count; v++)
        if (graph->nodes[v].polls)
            return true;
    return false;
}

/* An edge has the time from the event before to the end of the visit, and that between them: what is left are
 * polls and the visits. Of the visits of a node, those that came by the edge count as long as the others. */
void efg_graph_polled(const struct efg_graph *graph, uint64_t *polled)
{
    memset(polled, 0, graph->node_count * sizeof *polled);
    if (!has_polls(graph))
        return;
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct efg_edge *edge = &graph->edges[e];
        const struct efg_stat *visits = &graph->nodes[edge->to].time;
        double share = visits->count ? (double)edge->time.count / (double)visits->count : 0;
        polled[edge->to] += edge->spent - edge->time.sum - (uint64_t)(share * (double)visits->sum);
    }
    for (uint32_t v = 0; v < graph->node_count; v++)
        if ((int64_t)polled[v] < 0)
            polled[v] = 0;
}

/* ---- the call tree ---- */

int efg_graph_follow_calls(struct efg_graph *graph, efg_path_keys *keys, efg_path_place *place)
{
    struct efg_calltree *tree = malloc(sizeof *tree);

    if (!tree || efg_calltree_init(tree, keys, graph->budget)) {
        free(tree);
        return -ENOMEM;
    }
    tree->place = place;
    graph->tree = tree;
    return 0;
}

void efg_graph_place_all(struct efg_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct efg_node *node = &graph->nodes[i];
        node->leaf = efg_calltree_add(graph->tree, i, node->signature.path, node->hash);
    }
    for (uint32_t i = 0; i < graph->edge_count; i++)
        place_edge(graph, &graph->edges[i]);
}

/* ---- the pivot ---- */

/* Room to tell of all paths there are; without memory it is not known of any. */
static void clear_awaited(struct efg_graph *graph)
{
    uint32_t room = 0;

    for (uint32_t i = 0; i < graph->node_count; i++)
        if (i != graph->overflow && graph->nodes[i].signature.path >= room)
            room = graph->nodes[i].signature.path + 1;
    free(graph->awaited);
    graph->awaited = calloc(room + 1, sizeof *graph->awaited);
    graph->awaited_room = graph->awaited ? room : 0;
}

void efg_graph_mark_pivot(struct efg_graph *graph, uint32_t kind, uint32_t id)
{
    graph->pivot_kind = kind;
    graph->pivot_id = kind == EFG_PIVOT_NONE ? EFG_NONE : id;
    clear_awaited(graph);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        mark_edge(graph, &graph->edges[i]);
}

/* The first event came by no edge. */
static uint64_t entries(const struct efg_graph *graph, uint32_t site)
{
    uint64_t visits =
        graph->first != EFG_NONE && efg_calltree_is_below(graph->tree, graph->nodes[graph->first].leaf, site);

    for (uint32_t i = 0; i < graph->edge_count; i++)
        if (is_entry(graph, &graph->edges[i], site))
            visits += graph->edges[i].visits;
    return visits;
}

uint64_t efg_graph_visits(const struct efg_graph *graph, uint32_t kind, uint32_t id)
{
    if (kind == EFG_PIVOT_NODE && id < graph->node_count)
        return graph->nodes[id].rhythm.visits;
    return kind == EFG_PIVOT_SITE && graph->tree && id < graph->tree->count ? entries(graph, id) : 0;
}

uint64_t efg_graph_name(const struct efg_graph *graph, uint32_t kind, uint32_t id)
{
    return kind == EFG_PIVOT_NODE ? graph->nodes[id].hash : graph->tree->sites[id].hash;
}
