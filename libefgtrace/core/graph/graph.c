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
/* gcc would make vectors of pairs of neighbouring sums: more instructions than it saves. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

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
    if (graph->tree)
        graph->tree->born = event->enter;
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
    edge->is_settled = false;
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
static void await(const struct efg_graph *graph, const struct efg_edge *edge)
{
    uint32_t path = graph->nodes[edge->to].signature.path;

    if (path < graph->awaited_room)
        graph->awaited[path] = 1;
}

static void mark_edge(const struct efg_graph *graph, struct efg_edge *edge)
{
    edge->mark = (uint32_t)is_counted(graph, edge);
    if (edge->mark)
        await(graph, edge);
}

/* Nothing in EDGE's function leads back: what is entered is in a loop before that which is left; or it is
 * the same call, which is in none. Where it is left out now and then, such steps would not tell of each new
 * call of the function, and of others on each rank. */
bool efg_graph_is_called_again(const struct efg_graph *graph, const struct efg_edge *edge)
{
    const struct efg_calltree *tree = graph->tree;
    const struct efg_site *out = &tree->sites[edge->out], *into = &tree->sites[edge->into];

    if (edge->function == EFG_CALLTREE_ROOT || edge->from == edge->to)
        return false;
    return out == into ? efg_place_loop(into->place) == EFG_PLACE_NO_LOOP
                       : into->place & EFG_PLACE_ALWAYS && efg_order_is_before(into->order, out->order);
}

void efg_graph_lift(const struct efg_graph *graph, struct efg_edge *edge)
{
    const struct efg_calltree *tree = graph->tree;

    edge->out = edge->into = edge->function;
    edge->function = tree->sites[edge->into].parent;
    edge->top = tree->sites[edge->into].depth;
    mark_edge(graph, edge);
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
    while (graph->tree && efg_graph_is_called_again(graph, edge))
        efg_graph_lift(graph, edge);
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

/* It is not the first one; BIN is where NS belong. */
EFG_INLINE void add_another(struct efg_stat *stat, uint64_t ns, unsigned bin)
{
    if (ns < stat->min)
        stat->min = ns;
    if (ns > stat->max)
        stat->max = ns;
    stat->count++;
    stat->sum += ns;
    stat->bin[bin]++;
}

void efg_stat_add(struct efg_stat *stat, uint64_t ns)
{
    unsigned bin = 63 - (unsigned)__builtin_clzll(ns | 1);

    if (!stat->count)
        stat->min = ns;
    add_another(stat, ns, bin < EFG_BINS ? bin : EFG_BINS - 1);
}

/* The same for less than 2^32 ns, and not the first one. */
EFG_INLINE void add_short(struct efg_stat *stat, uint64_t ns)
{
    _Static_assert(EFG_BINS == 32, "each bit has a bin");
    add_another(stat, ns, 31 - (unsigned)__builtin_clz((uint32_t)ns | 1));
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

/* Event number EVENT ends at TIME ns, SPENT ns after the one before: not the first visit. */
EFG_INLINE void add_visit(struct efg_rhythm *rhythm, uint64_t event, uint64_t time, uint64_t spent)
{
    double gap = (double)(int64_t)(event - rhythm->last); /* signed: one instruction */

    rhythm->gap1 += gap;
    rhythm->gap2 += gap * gap;
    rhythm->visits++;
    rhythm->time += spent;
    rhythm->last = event;
    rhythm->last_time = time;
}

/* The same, if it may be the first one. */
static void add_to_rhythm(struct efg_rhythm *rhythm, uint64_t event, uint64_t time, uint64_t spent)
{
    if (!rhythm->last) {
        rhythm->first = spent;
        rhythm->last = event; /* no gap */
    }
    add_visit(rhythm, event, time, spent);
}

static inline void merge_flags(struct efg_node *node, uint32_t flags)
{
    if ((node->flags ^ flags) & (EFG_NODE_WORLD | EFG_NODE_UNORDERED))
        node->flags = (node->flags & (flags | ~(uint32_t)EFG_NODE_WORLD)) | (flags & EFG_NODE_UNORDERED);
}

static inline uint64_t since(uint64_t begin, uint64_t end)
{
    return end > begin ? end - begin : 0;
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

/* The call tree goes to NODE by EDGE, if there is one, or by the first event; it is number EVENT. */
static __attribute__((noinline)) void enter_sites(struct efg_graph *graph, const struct efg_node *node,
                                                  const struct efg_edge *edge, uint64_t event)
{
    if (graph->tree && !(edge && edge->from == edge->to))
        efg_calltree_enter(graph->tree, node->leaf, edge ? edge->top : 1, event);
}

/* EVENT is at NODE, by EDGE, if there is one. */
static void visit(struct efg_graph *graph, struct efg_node *node, struct efg_edge *edge,
                  const struct efg_event *event)
{
    uint64_t inside = since(event->enter, event->leave), spent = since(graph->last_leave, event->leave);

    merge_flags(node, event->flags);
    node->bytes += event->bytes;
    efg_stat_add(&node->time, inside);
    add_to_rhythm(&node->rhythm, ++graph->events, event->leave, spent);
    if (edge) {
        efg_stat_add(&edge->time, since(graph->last_leave + graph->poll_time, event->enter));
        edge->visits++;
        edge->spent += spent;
    }
    graph->node_time += inside;
    graph->last_leave = event->leave;
    graph->poll_time = graph->poll_leave = 0;
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
    visit(graph, &graph->nodes[graph->current], way, event);
    enter_sites(graph, &graph->nodes[graph->current], way, graph->events);
    return way && way->mark;
}

/* ---- events that come as predicted ---- */

/* Whether MORE, of an event, is as it was before at NODE, whose flags have no place for is_poll: one
 * comparison. */
EFG_INLINE bool is_alike(uint64_t more, const struct efg_node *node)
{
    static const struct efg_event asked = {.flags = EFG_NODE_WORLD | EFG_NODE_UNORDERED, .is_poll = 1};

    return !((more ^ node->flags) & asked.more);
}

EFG_INLINE bool is_at(const struct efg_event *event, const struct efg_node *node, bool is_plain)
{
    return is_plain ? efg_signature_word(&event->signature, 0) == efg_signature_word(&node->signature, 0)
                    : efg_signature_is_equal(&event->signature, &node->signature);
}

/* Whether EVENT, which has BETWEEN ns before it and INSIDE, may pass by EDGE to NODE. */
EFG_INLINE bool may_pass(const struct efg_event *event, const struct efg_edge *edge, struct efg_node *node,
                         uint64_t between, uint64_t inside, bool is_plain)
{
    if (!is_at(event, node, is_plain) || (edge->marked | between | inside) > UINT32_MAX)
        return false;
    if (__builtin_expect(!is_alike(event->more, node), 0)) {
        if (event->is_poll)
            return false;
        merge_flags(node, event->flags);
    }
    return true;
}

/* The same as efg_graph_step for each, with all that they share asked for once. Times that are too long for
 * 32 bits, or negative, are none of it. */
EFG_INLINE uint32_t pass(struct efg_graph *graph, const struct efg_event *event, uint32_t count,
                         uint32_t *nodes, uint64_t *worlds, bool is_plain)
{
    const struct efg_event *first = event, *end = event + count;
    struct efg_node *from = &graph->nodes[graph->current];
    struct efg_edge *way = NULL;
    uint64_t number = graph->events, last = graph->last_leave;

    while (event < end && from->predicted != EFG_NONE) {
        uint64_t between = event->enter - last, inside = event->leave - event->enter;
        struct efg_edge *edge = &graph->edges[from->predicted];
        struct efg_node *to = &graph->nodes[edge->to];
        if (!may_pass(event, edge, to, between, inside, is_plain))
            break;
        struct efg_event seen = {.more = event->more};
        *nodes++ = edge->to;
        EFG_KEEP(nodes);
        *worlds += seen.flags & EFG_NODE_WORLD;
        to->bytes += seen.bytes;
        graph->node_time += inside;
        add_short(&to->time, inside);
        add_visit(&to->rhythm, ++number, event->leave, between + inside);
        add_short(&edge->time, between);
        edge->visits++;
        edge->spent += between + inside;
        last = event++->leave;
        if (to != from)
            enter_sites(graph, to, edge, number);
        from = to;
        way = edge;
    }
    if (!way)
        return 0;
    graph->events = number;
    graph->last_leave = last;
    graph->current = way->to;
    graph->edge = (uint32_t)(way - graph->edges);
    return (uint32_t)(event - first);
}

EFG_HOT uint32_t efg_graph_pass(struct efg_graph *graph, const struct efg_event *event, uint32_t count,
                                uint32_t *nodes, uint64_t *worlds, bool is_plain)
{
    if (graph->current == EFG_NONE || graph->poll_time | graph->poll_leave)
        return 0;
    return is_plain ? pass(graph, event, count, nodes, worlds, true)
                    : pass(graph, event, count, nodes, worlds, false);
}

/* INSIDE, what some polls may have taken until NOW, but for what there was no time for: since polls stood for
 * others the last time, all that was in no call. One that lost its processor would stand for ones that did
 * not, and a rank be in MPI for longer than it ran. */
static uint64_t bound_polls(struct efg_graph *graph, uint64_t inside, uint64_t now)
{
    uint64_t begin = graph->poll_bound ? graph->poll_bound : graph->last_leave;
    uint64_t called = graph->poll_bound ? graph->node_time - graph->bound_time : graph->poll_time;
    uint64_t room = since(called, since(begin, now));

    inside = inside < room ? inside : room;
    graph->poll_bound = now > begin ? now : begin;
    graph->bound_time = graph->node_time + inside;
    return inside;
}

/* Of a poll with those that it stands for: in a spin, since the one before. */
static inline uint64_t poll_duration(struct efg_graph *graph, const struct efg_event *event)
{
    uint64_t polls = 1 + event->bytes, own = since(event->enter, event->leave);

    if (graph->poll_leave && event->enter - graph->poll_leave <= polls * EFG_SPIN)
        return event->leave - graph->poll_leave;
    return polls == 1 ? own : bound_polls(graph, own * polls, event->leave);
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

bool efg_graph_poll_again(struct efg_graph *graph, uint64_t count, uint64_t now)
{
    struct efg_node *node = graph->polled == EFG_NONE ? NULL : &graph->nodes[graph->polled];

    if (!node || !node->polls)
        return false;
    uint64_t inside = count ? bound_polls(graph, count * (node->poll_time / node->polls), now) : 0;
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

int efg_graph_follow_calls(struct efg_graph *graph, efg_path_keys *keys, efg_path_position *position)
{
    struct efg_calltree *tree = malloc(sizeof *tree);

    if (!tree || efg_calltree_init(tree, keys, graph->budget)) {
        free(tree);
        return -ENOMEM;
    }
    tree->position = position;
    graph->tree = tree;
    return 0;
}

void efg_graph_place_all(struct efg_graph *graph)
{
    graph->tree->born = 0;
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
