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

static const struct efg_signature OVERFLOW_SIGNATURE = {.call = UINT16_MAX, .element = UINT32_MAX};

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

/* Of the event that ends at TIME ns, number EVENT, SPENT ns after the one before. */
static inline void add_to_rhythm(struct efg_rhythm *rhythm, uint64_t event, uint64_t time, uint64_t spent)
{
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
    if ((node->flags ^ flags) & (EFG_NODE_WORLD | EFG_NODE_UNORDERED))
        node->flags = (node->flags & (flags | ~(uint32_t)EFG_NODE_WORLD)) | (flags & EFG_NODE_UNORDERED);
}

static inline uint64_t duration(const struct efg_event *event)
{
    return event->leave > event->enter ? event->leave - event->enter : 0;
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

/* Where a graph has come to: its fields of these names. */
struct hand {
    uint64_t events, last_leave, node_time;
    uint64_t begin; /* ns: when what comes next may begin, polls left out */
};

EFG_INLINE struct hand take_hand(const struct efg_graph *graph)
{
    return (struct hand){graph->events, graph->last_leave, graph->node_time,
                         graph->last_leave + graph->poll_time};
}

EFG_INLINE void give_back(struct efg_graph *graph, const struct hand *hand)
{
    graph->events = hand->events;
    graph->last_leave = hand->last_leave;
    graph->node_time = hand->node_time;
    graph->poll_time = graph->poll_leave = 0;
}

static inline void pass_edge(struct efg_edge *edge, const struct hand *hand, const struct efg_event *event,
                             uint64_t spent)
{
    efg_stat_add(&edge->time, event->enter > hand->begin ? event->enter - hand->begin : 0);
    edge->visits++;
    edge->spent += spent;
}

/* EVENT is at NODE, by EDGE, if there is one. */
EFG_INLINE void visit(struct hand *hand, struct efg_node *node, struct efg_edge *edge,
                      const struct efg_event *event)
{
    uint64_t inside = duration(event), leave = event->leave;
    uint64_t spent = leave > hand->last_leave ? leave - hand->last_leave : 0;

    merge_flags(node, event->flags);
    node->bytes += event->bytes;
    efg_stat_add(&node->time, inside);
    add_to_rhythm(&node->rhythm, ++hand->events, leave, spent);
    if (edge)
        pass_edge(edge, hand, event, spent);
    hand->node_time += inside;
    hand->last_leave = hand->begin = leave;
}

/* The call tree goes to NODE by EDGE, if there is one, or by the first event; it is number EVENT. */
static __attribute__((noinline)) void enter_sites(struct efg_graph *graph, const struct efg_node *node,
                                                  const struct efg_edge *edge, uint64_t event)
{
    if (graph->tree && !(edge && edge->from == edge->to))
        efg_calltree_enter(graph->tree, node->leaf, edge ? edge->top : 1, event);
}

bool efg_graph_step(struct efg_graph *graph, const struct efg_event *event)
{
    uint32_t from = graph->current, edge = predicted_edge(graph, &event->signature);

    if (edge != EFG_NONE) {
        graph->current = graph->edges[edge].to;
    } else {
        graph->current = find_node(graph, event);
        if (from == EFG_NONE)
            graph->first = graph->current;
        edge = from == EFG_NONE ? EFG_NONE : find_edge(graph, from, graph->current);
        if (edge != EFG_NONE)
            graph->nodes[from].predicted = edge;
    }
    graph->edge = edge;
    struct efg_edge *way = edge == EFG_NONE ? NULL : &graph->edges[edge];
    struct hand hand = take_hand(graph);
    visit(&hand, &graph->nodes[graph->current], way, event);
    give_back(graph, &hand);
    enter_sites(graph, &graph->nodes[graph->current], way, graph->events);
    return way && way->mark;
}

/* Whether EVENT may pass by EDGE to NODE. */
static inline bool may_pass(const struct efg_event *event, const struct efg_edge *edge,
                            const struct efg_node *node)
{
    return !edge->mark && !event->is_poll && efg_signature_is_equal(&node->signature, &event->signature);
}

/* The same as efg_graph_step for each, with all that they share asked for once. */
EFG_HOT uint32_t efg_graph_pass(struct efg_graph *graph, const struct efg_event *event, uint32_t count,
                                uint32_t *nodes)
{
    const struct efg_event *first = event, *end = event + count;
    uint32_t current = graph->current, way = graph->edge;
    struct hand hand = take_hand(graph);

    while (event < end && current != EFG_NONE) {
        struct efg_node *from = &graph->nodes[current];
        if (from->predicted == EFG_NONE)
            break;
        struct efg_edge *edge = &graph->edges[from->predicted];
        struct efg_node *to = &graph->nodes[edge->to];
        if (!may_pass(event, edge, to))
            break;
        way = from->predicted;
        current = *nodes++ = edge->to;
        visit(&hand, to, edge, event++);
        if (to != from)
            enter_sites(graph, to, edge, hand.events);
    }
    if (event == first)
        return 0;
    give_back(graph, &hand);
    graph->current = current;
    graph->edge = way;
    return (uint32_t)(event - first);
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
