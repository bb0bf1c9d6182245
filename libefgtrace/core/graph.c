/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One step: the edge that was taken last from the current node is the one that is
 * taken next, most of the time. So the event's signature is first compared with that of
 * the predicted edge's target; only a miss asks the hash tables, one from
 * signature to node, one from (from, to) to edge.
 *
 * Tables: open addressing, linear probing, at most half full, nothing is
 * removed but all; a slot holds id + 1, 0 is free. Arrays and tables double, or
 * grow by a quarter when there is no room for that.
 *
 * Invariants:
 *   - the overflow node is in no table, and its signature equals no event's
 *   - unless the graph is full, there is room for one node and one edge more
 *   - there is always room for the overflow node
 *   - the sum of the visits of the edges into v is the visits of v, but for the first
 *     event of all and for lost edges
 *
 * Source: Fürlinger and Skinner (2010), see graph.h; the prediction is the "last
 * successor" of Aguilar, Fürlinger, Laure (2015).
 */
#include "graph.h"
#include "graph_parts.h"
#include "hot.h"

#include <stdlib.h>
#include <string.h>

static const struct efg_signature OVERFLOW_SIGNATURE = {.call = UINT32_MAX, .zero = UINT32_MAX};

int efg_graph_init(struct efg_graph *graph, struct efg_budget *budget, uint64_t start)
{
    memset(graph, 0, sizeof *graph);
    graph->budget = budget;
    graph->current = graph->edge = graph->overflow = graph->polled = EFG_NONE;
    graph->pivot_id = EFG_NONE;
    efg_graph_await(graph);
    graph->start = graph->last_leave = start;
    if (!efg_graph_size(graph, EFG_FIRST_NODES, EFG_FIRST_EDGES))
        return 0;
    efg_graph_fini(graph);
    return -1;
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
    return graph->node_count++;
}

static uint32_t overflow_node(struct efg_graph *graph)
{
    if (graph->overflow == EFG_NONE)
        graph->overflow =
            add_node(graph, &OVERFLOW_SIGNATURE, 0, EFG_NODE_OVERFLOW | EFG_NODE_UNORDERED);
    return graph->overflow;
}

static uint32_t find_node(struct efg_graph *graph, const struct efg_event *event)
{
    uint32_t *slot = efg_graph_node_slot(graph, &event->signature);

    if (*slot)
        return *slot - 1;
    if (!efg_graph_has_room(graph))
        return overflow_node(graph);
    uint32_t id = add_node(graph, &event->signature,
                           efg_signature_name(&event->signature, event->path_hash),
                           event->flags & (EFG_NODE_WORLD | EFG_NODE_UNORDERED));
    *slot = id + 1;
    efg_graph_make_room(graph);
    return id;
}

enum mark { COUNTS_NOT, COUNTS, COUNTS_FIRST };

/* How rarer edges into the target of the edge count, if it is the pivot. */
static enum mark mark_of_rarer(const struct efg_edge *pivot)
{
    return 10 * (uint64_t)pivot->rhythm.firsts >= 9 * pivot->rhythm.visits ? COUNTS_FIRST
                                                                           : COUNTS;
}

/* An edge that is made after the pivot was chosen is a rarer one than the pivot. */
static enum mark mark_of_new(const struct efg_graph *graph, uint32_t to)
{
    if (graph->pivot_kind != EFG_PIVOT_EDGE)
        return COUNTS_NOT;
    const struct efg_edge *pivot = &graph->edges[graph->pivot_id];
    return pivot->to == to && pivot->mark ? mark_of_rarer(pivot) : COUNTS_NOT;
}

static uint32_t add_edge(struct efg_graph *graph, uint32_t from, uint32_t to)
{
    struct efg_edge *edge = &graph->edges[graph->edge_count];

    memset(edge, 0, sizeof *edge);
    edge->from = from;
    edge->to = to;
    edge->next = graph->nodes[from].first_edge;
    edge->mark = mark_of_new(graph, to);
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

static inline void change_gap(struct efg_rhythm *rhythm, uint64_t gap)
{
    if (rhythm->last_gap) {
        double g = (double)(int64_t)gap, before = (double)rhythm->last_gap;
        double change = (g - before) / (g + before);
        rhythm->variation += 3 * change * change;
    }
    rhythm->last_gap = gap < UINT32_MAX ? (uint32_t)gap : UINT32_MAX;
}

static inline void add_gap(struct efg_rhythm *rhythm, uint64_t gap, uint64_t pause)
{
    double g = (double)(int64_t)gap; /* signed: one instruction */

    rhythm->gap1 += g;
    rhythm->gap2 += g * g;
    if (gap != rhythm->last_gap)
        change_gap(rhythm, gap);
    if (pause > rhythm->recent) {
        rhythm->recent = pause;
        if (pause > rhythm->longest)
            rhythm->longest = pause;
    }
}

inline void efg_rhythm_add(struct efg_rhythm *rhythm, uint64_t event, uint64_t time,
                           uint64_t previous)
{
    if (rhythm->last)
        add_gap(rhythm, event - rhythm->last,
                time > rhythm->last_time ? time - rhythm->last_time : 0);
    rhythm->visits++;
    rhythm->time += time > previous ? time - previous : 0;
    rhythm->last = event;
    rhythm->last_time = time;
}

/* The visit that was just added is the very first one, or came after 1.5 mean gaps. */
static inline int is_first_of_round(const struct efg_rhythm *rhythm)
{
    double gap = (double)rhythm->last_gap, gaps = (double)(int64_t)(rhythm->visits - 1);

    return gap * gaps >= 1.5 * rhythm->gap1;
}

static inline void merge_flags(struct efg_node *node, uint32_t flags)
{
    node->flags =
        (node->flags & (flags | ~(uint32_t)EFG_NODE_WORLD)) | (flags & EFG_NODE_UNORDERED);
}

static inline uint64_t duration(const struct efg_event *event)
{
    return event->leave > event->enter ? event->leave - event->enter : 0;
}

/* ns between the last event and this one, without the polls. */
static inline uint64_t compute_time(const struct efg_graph *graph,
                                    const struct efg_event *event)
{
    uint64_t before = graph->last_leave + graph->poll_time;

    return event->enter > before ? event->enter - before : 0;
}

static inline uint32_t predicted_edge(const struct efg_graph *graph,
                                      const struct efg_signature *s)
{
    if (graph->current == EFG_NONE)
        return EFG_NONE;
    uint32_t edge = graph->nodes[graph->current].predicted;
    if (edge == EFG_NONE)
        return EFG_NONE;
    return efg_signature_is_equal(&graph->nodes[graph->edges[edge].to].signature, s) ? edge
                                                                                     : EFG_NONE;
}

/* Names node and edge of the event in graph->current and graph->edge. */
static inline void locate(struct efg_graph *graph, const struct efg_event *event)
{
    uint32_t edge = predicted_edge(graph, &event->signature);
    uint32_t from = graph->current;

    if (edge != EFG_NONE) {
        graph->current = graph->edges[edge].to;
    } else {
        graph->current = find_node(graph, event);
        edge = from == EFG_NONE ? EFG_NONE : find_edge(graph, from, graph->current);
        if (edge != EFG_NONE)
            graph->nodes[from].predicted = edge;
    }
    graph->edge = edge;
}

EFG_HOT int efg_graph_step(struct efg_graph *graph, const struct efg_event *event)
{
    locate(graph, event);

    struct efg_node *node = &graph->nodes[graph->current];
    uint64_t inside = duration(event);
    uint64_t previous = graph->last_leave;
    uint64_t number = ++graph->events;
    uint32_t counts = node->mark;

    merge_flags(node, event->flags);
    node->bytes += event->bytes;
    efg_stat_add(&node->time, inside);
    efg_rhythm_add(&node->rhythm, number, event->leave, previous);
    if (graph->edge != EFG_NONE) {
        struct efg_edge *edge = &graph->edges[graph->edge];
        efg_stat_add(&edge->time, compute_time(graph, event));
        efg_rhythm_add(&edge->rhythm, number, event->leave, previous);
        uint32_t is_first = (uint32_t)is_first_of_round(&node->rhythm);
        edge->rhythm.firsts += is_first;
        counts |= edge->mark == COUNTS || (edge->mark == COUNTS_FIRST && is_first);
    }
    graph->node_time += inside;
    graph->last_leave = event->leave;
    graph->poll_time = 0;
    return (int)counts;
}

EFG_HOT void efg_graph_poll(struct efg_graph *graph, const struct efg_event *event)
{
    if (graph->polled == EFG_NONE ||
        !efg_signature_is_equal(&graph->nodes[graph->polled].signature, &event->signature))
        graph->polled = find_node(graph, event);

    struct efg_node *node = &graph->nodes[graph->polled];
    uint64_t inside = duration(event);

    merge_flags(node, event->flags);
    node->polls++;
    node->poll_time += inside;
    graph->poll_time += inside;
    graph->node_time += inside;
}

/* ---- the pivot ---- */

static void clear_marks(struct efg_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        graph->nodes[i].mark = 0;
    for (uint32_t i = 0; i < graph->edge_count; i++)
        graph->edges[i].mark = 0;
}

static uint64_t visits_as(const struct efg_edge *edge, enum mark mark)
{
    return mark == COUNTS_FIRST ? edge->rhythm.firsts : edge->rhythm.visits;
}

/* Taken at most half as often. Edges that are about as frequent are no variants of the same way
 * in, they are other ways. */
static int is_rarer(const struct efg_edge *edge, const struct efg_edge *pivot, enum mark mark)
{
    return edge->to == pivot->to && 2 * visits_as(edge, mark) <= visits_as(pivot, mark);
}

static void mark_entries(struct efg_graph *graph, uint32_t id)
{
    const struct efg_edge *pivot = &graph->edges[id];
    enum mark mark = mark_of_rarer(pivot);

    for (uint32_t i = 0; i < graph->edge_count; i++)
        if (is_rarer(&graph->edges[i], pivot, mark))
            graph->edges[i].mark = mark;
    graph->edges[id].mark = COUNTS;
}

uint64_t efg_graph_count_edge(const struct efg_graph *graph, uint32_t id)
{
    const struct efg_edge *pivot = &graph->edges[id];
    enum mark mark = mark_of_rarer(pivot);
    uint64_t visits = pivot->rhythm.visits;

    for (uint32_t i = 0; i < graph->edge_count; i++)
        if (i != id && is_rarer(&graph->edges[i], pivot, mark))
            visits += visits_as(&graph->edges[i], mark);
    return visits;
}

/* No event has the call that is awaited where there is no pivot. */
void efg_graph_await(struct efg_graph *graph)
{
    struct efg_signature s = OVERFLOW_SIGNATURE;

    if (graph->pivot_kind == EFG_PIVOT_NODE)
        s = graph->nodes[graph->pivot_id].signature;
    else if (graph->pivot_kind == EFG_PIVOT_EDGE)
        s = graph->nodes[graph->edges[graph->pivot_id].to].signature;
    graph->awaited_call = s.call;
    graph->awaited_path = s.path;
}

void efg_graph_mark_pivot(struct efg_graph *graph, uint32_t kind, uint32_t id)
{
    clear_marks(graph);
    graph->pivot_kind = kind;
    graph->pivot_id = kind == EFG_PIVOT_NONE ? EFG_NONE : id;
    if (kind == EFG_PIVOT_NODE)
        graph->nodes[id].mark = 1;
    else if (kind == EFG_PIVOT_EDGE)
        mark_entries(graph, id);
    efg_graph_await(graph);
}
