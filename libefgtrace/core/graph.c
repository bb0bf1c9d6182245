/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One step: the edge that was taken last from the current node is the one that is
 * taken next, most of the time. So the event's signature is first compared with that of
 * the predicted edge's target; only a miss asks the hash tables, one from
 * signature to node, one from (from, to) to edge.
 *
 * Tables: open addressing, linear probing, at most half full, nothing is ever
 * removed; a slot holds id + 1, 0 is free. Arrays and tables double.
 *
 * Invariants:
 *   - the overflow node is in no table, and its signature equals no event's
 *   - there is always room for one node more, so that the overflow node can be
 *     made when memory is out
 *   - the sum of the visits of the edges into v is the visits of v, but for the first
 *     event of all and for lost edges
 *
 * Source: Fürlinger and Skinner (2010), see graph.h; the prediction is the "last
 * successor" of Aguilar, Fürlinger, Laure (2015).
 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#define LINE 64 /* bytes of a cache line */
#define FIRST_NODES 64
#define FIRST_EDGES 128

static const struct efg_signature OVERFLOW_SIGNATURE = {.call = UINT32_MAX, .zero = UINT32_MAX};

static int grow(void **array, uint32_t *room, uint32_t used, size_t size)
{
    uint32_t more = *room * 2;
    void *bigger = more > *room ? aligned_alloc(LINE, more * size) : NULL;

    if (!bigger)
        return -1;
    memcpy(bigger, *array, used * size);
    free(*array);
    *array = bigger;
    *room = more;
    return 0;
}

_Static_assert(sizeof(struct efg_node) % LINE == 0, "nodes begin at cache lines");
_Static_assert(sizeof(struct efg_edge) % LINE == 0, "edges begin at cache lines");

int efg_graph_init(struct efg_graph *graph, uint32_t node_limit, uint64_t start)
{
    memset(graph, 0, sizeof *graph);
    graph->node_limit = node_limit < 2 ? 2 : node_limit;
    graph->current = graph->edge = graph->overflow = graph->polled = EFG_NONE;
    graph->pivot_id = EFG_NONE;
    graph->start = graph->last_leave = start;
    graph->node_room = FIRST_NODES;
    graph->edge_room = FIRST_EDGES;
    graph->node_slots = 4 * FIRST_NODES;
    graph->edge_slots = 4 * FIRST_EDGES;
    graph->nodes = aligned_alloc(LINE, graph->node_room * sizeof *graph->nodes);
    graph->edges = aligned_alloc(LINE, graph->edge_room * sizeof *graph->edges);
    graph->node_table = calloc(graph->node_slots, sizeof *graph->node_table);
    graph->edge_table = calloc(graph->edge_slots, sizeof *graph->edge_table);
    if (graph->nodes && graph->edges && graph->node_table && graph->edge_table)
        return 0;
    efg_graph_fini(graph);
    return -1;
}

void efg_graph_fini(struct efg_graph *graph)
{
    free(graph->nodes);
    free(graph->edges);
    free(graph->node_table);
    free(graph->edge_table);
    memset(graph, 0, sizeof *graph);
}

/* ---- the tables ---- */

static uint64_t edge_hash(uint32_t from, uint32_t to)
{
    return efg_hash_mix(0, (uint64_t)from << 32 | to);
}

/* Slot of the node with signature S, or the free slot where it belongs. */
static uint32_t *node_slot(const struct efg_graph *graph, const struct efg_signature *s)
{
    uint32_t mask = graph->node_slots - 1;

    for (uint64_t h = efg_signature_hash(s);; h++) {
        uint32_t *slot = &graph->node_table[h & mask];
        if (!*slot || efg_signature_is_equal(&graph->nodes[*slot - 1].signature, s))
            return slot;
    }
}

/* Slot of the edge FROM -> TO, or the free slot where it belongs. */
static uint32_t *edge_slot(const struct efg_graph *graph, uint32_t from, uint32_t to)
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

/* Room for one node more, and for the overflow node after it. */
static int reserve_node(struct efg_graph *graph)
{
    if (graph->node_count + 2 > graph->node_room &&
        grow((void **)&graph->nodes, &graph->node_room, graph->node_count,
             sizeof *graph->nodes))
        return -1;
    if (2 * (graph->node_count + 1) <= graph->node_slots)
        return 0;
    uint32_t *bigger = calloc(2 * (size_t)graph->node_slots, sizeof *bigger);
    if (!bigger)
        return -1;
    free(graph->node_table);
    graph->node_table = bigger;
    graph->node_slots *= 2;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (i != graph->overflow)
            *node_slot(graph, &graph->nodes[i].signature) = i + 1;
    }
    return 0;
}

static int reserve_edge(struct efg_graph *graph)
{
    if (graph->edge_count == graph->edge_room && grow((void **)&graph->edges, &graph->edge_room,
                                                      graph->edge_count, sizeof *graph->edges))
        return -1;
    if (2 * (graph->edge_count + 1) <= graph->edge_slots)
        return 0;
    uint32_t *bigger = calloc(2 * (size_t)graph->edge_slots, sizeof *bigger);
    if (!bigger)
        return -1;
    free(graph->edge_table);
    graph->edge_table = bigger;
    graph->edge_slots *= 2;
    for (uint32_t i = 0; i < graph->edge_count; i++)
        *edge_slot(graph, graph->edges[i].from, graph->edges[i].to) = i + 1;
    return 0;
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

/* The path stands for itself by its hash: ids of paths are those of a process. */
static uint64_t shared_hash(const struct efg_signature *s, uint64_t path_hash)
{
    uint64_t hash = efg_hash_mix(s->call, s->path ? path_hash : 0);

    if (efg_signature_word(s, 1) | efg_signature_word(s, 2) | efg_signature_word(s, 3)) {
        hash = efg_hash_mix(hash, (uint64_t)s->region << 32 | s->comm);
        hash = efg_hash_mix(hash, (uint64_t)(uint32_t)s->partner);
        hash = efg_hash_mix(hash, s->size);
    }
    return hash;
}

static uint32_t find_node(struct efg_graph *graph, const struct efg_event *event)
{
    uint32_t *slot = node_slot(graph, &event->signature);

    if (*slot)
        return *slot - 1;
    if (graph->failed || graph->node_count + 1 >= graph->node_limit)
        return overflow_node(graph);
    if (reserve_node(graph)) {
        graph->failed = 1;
        return overflow_node(graph);
    }
    slot = node_slot(graph, &event->signature); /* the table may have moved */
    *slot = add_node(graph, &event->signature, shared_hash(&event->signature, event->path_hash),
                     event->flags & (EFG_NODE_WORLD | EFG_NODE_UNORDERED)) +
            1;
    return *slot - 1;
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
    if (graph->pivot_kind != EFG_PIVOT_EDGE || graph->edges[graph->pivot_id].to != to)
        return COUNTS_NOT;
    return mark_of_rarer(&graph->edges[graph->pivot_id]);
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
    uint32_t *slot = edge_slot(graph, from, to);

    if (*slot)
        return *slot - 1;
    if (graph->failed || graph->edge_count / EFG_EDGES_PER_NODE >= graph->node_limit) {
        graph->lost_edges++;
        return EFG_NONE;
    }
    if (reserve_edge(graph)) {
        graph->failed = 1;
        graph->lost_edges++;
        return EFG_NONE;
    }
    slot = edge_slot(graph, from, to);
    *slot = add_edge(graph, from, to) + 1;
    return *slot - 1;
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

static inline void add_gap(struct efg_rhythm *rhythm, uint64_t gap, uint64_t pause)
{
    double g = (double)(int64_t)gap; /* signed: one instruction */

    rhythm->gap1 += g;
    rhythm->gap2 += g * g;
    if (gap != rhythm->last_gap && rhythm->last_gap) {
        double before = (double)rhythm->last_gap;
        double change = (g - before) / (g + before);
        rhythm->variation += 3 * change * change;
    }
    rhythm->last_gap = gap < UINT32_MAX ? (uint32_t)gap : UINT32_MAX;
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

int efg_graph_step(struct efg_graph *graph, const struct efg_event *event)
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

void efg_graph_poll(struct efg_graph *graph, const struct efg_event *event)
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

void efg_graph_mark_pivot(struct efg_graph *graph, uint32_t kind, uint32_t id)
{
    clear_marks(graph);
    graph->pivot_kind = kind;
    graph->pivot_id = kind == EFG_PIVOT_NONE ? EFG_NONE : id;
    if (kind == EFG_PIVOT_NODE)
        graph->nodes[id].mark = 1;
    else if (kind == EFG_PIVOT_EDGE)
        mark_entries(graph, id);
}
