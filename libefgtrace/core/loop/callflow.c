/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds up the edges of the graph for each call site. An edge enters all sites from its target's
 * leaf up to the child of its function. So its count is added at the leaf and taken away at the
 * function; the sums over all that is below a site are then its entries. Sums are formed from the
 * last site to the first: a parent's id is lower than its children's.
 */
#include "callflow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_REPEATS 2 /* visits right after another one, of so many entries ... */
#define MOST_REPEATS_OF 5
#define MOSTLY_OF 2 /* rounds, in one of which a call comes mostly */
#define WORTH 0.05  /* of the time, of a function whose code is asked for */
#define STEADY_ENTRIES 4
#define STEADY 0.02 /* variance of the gaps, in squares of their mean */

void efg_callflow_fini(struct efg_callflow *flow)
{
    free(flow->flow);
    free(flow->steps);
    free(flow->first_step);
    *flow = (struct efg_callflow){0};
}

static int reserve(struct efg_callflow *flow, uint32_t sites, uint32_t steps)
{
    if (sites + 2 > flow->site_room) {
        free(flow->flow);
        free(flow->first_step);
        flow->site_room = sites + sites / 4 + 2;
        flow->flow = malloc(flow->site_room * sizeof *flow->flow);
        flow->first_step = malloc(flow->site_room * sizeof *flow->first_step);
    }
    if (steps > flow->step_room) {
        free(flow->steps);
        flow->step_room = steps + steps / 4;
        flow->steps = malloc(flow->step_room * sizeof *flow->steps);
    }
    if (flow->flow && flow->first_step && (flow->steps || !steps))
        return 0;
    efg_callflow_fini(flow);
    return -ENOMEM;
}

/* ---- places ---- */

/* All paths below it have the same frames down to it. */
static struct efg_position ask_for_position(const struct efg_callflow *flow, uint32_t site)
{
    const struct efg_calltree *tree = flow->tree;
    uint32_t leaf = site, depth = tree->sites[site].depth;

    while (tree->sites[leaf].first_child != EFG_NONE)
        leaf = tree->sites[leaf].first_child;
    uint32_t node = tree->sites[leaf].node;
    return tree->position && depth && node != EFG_NONE
               ? tree->position(flow->graph->nodes[node].signature.path, depth - 1)
               : (struct efg_position){0};
}

static efg_place known_place(const struct efg_callflow *flow, uint32_t site)
{
    struct efg_site *s = &flow->graph->tree->sites[site];

    if (s->place == EFG_PLACE_UNASKED) {
        struct efg_position position = ask_for_position(flow, site);
        s->place = position.place;
        s->order = position.order;
        s->leg = position.leg;
        s->firsts = position.firsts;
    }
    return s->place;
}

efg_place efg_callflow_place(const struct efg_callflow *flow, uint32_t site)
{
    return known_place(flow, site) & ~EFG_PLACE_FLAGS;
}

static bool is_several(const struct efg_callflow *flow, uint32_t site)
{
    return (known_place(flow, site) & EFG_PLACE_SEVERAL) != 0;
}

bool efg_callflow_is_always(const struct efg_callflow *flow, uint32_t site)
{
    return (known_place(flow, site) & EFG_PLACE_ALWAYS) != 0;
}

/* ---- entries, events, time ---- */

static void add_nodes(struct efg_callflow *flow, const struct efg_history *history, uint64_t now)
{
    const struct efg_snapshot *base = efg_history_base(history, now);
    const struct efg_graph *graph = flow->graph;

    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct efg_flow *leaf = &flow->flow[graph->nodes[i].leaf];
        leaf->events += graph->nodes[i].rhythm.visits;
        leaf->time += (double)efg_history_spent(history, base, i);
    }
    if (graph->first != EFG_NONE)
        flow->flow[graph->nodes[graph->first].leaf].entries++;
}

static void add_edges(struct efg_callflow *flow)
{
    const struct efg_graph *graph = flow->graph;

    for (uint32_t i = 0; i < graph->edge_count; i++) {
        const struct efg_edge *edge = &graph->edges[i];
        struct efg_flow *leaf = &flow->flow[graph->nodes[edge->to].leaf];
        if (edge->from == edge->to) {
            leaf->repeats += edge->visits;
        } else {
            leaf->entries += edge->visits;
            flow->flow[edge->function].entries -= edge->visits; /* made up for by what is below */
        }
    }
}

static void sum_up(struct efg_callflow *flow)
{
    for (uint32_t x = flow->sites - 1; x > 0; x--) {
        struct efg_flow *above = &flow->flow[flow->tree->sites[x].parent];
        above->entries += flow->flow[x].entries;
        above->events += flow->flow[x].events;
        above->time += flow->flow[x].time;
    }
}

static void sum_all(struct efg_callflow *flow, const struct efg_history *history, uint64_t now)
{
    memset(flow->flow, 0, flow->sites * sizeof *flow->flow);
    add_nodes(flow, history, now);
    add_edges(flow);
    sum_up(flow);
}

/* ---- functions that are called again ---- */

/* Taken more than once, it is one of a loop, or of a function that was called again; in one that takes next
 * to no time it does not matter, and the code is not asked for. */
static bool is_worth_settling(const struct efg_callflow *flow, const struct efg_edge *edge)
{
    return !edge->is_settled && edge->visits > 1 && edge->from != edge->to &&
           flow->flow[edge->function].time >= WORTH * flow->flow[EFG_CALLTREE_ROOT].time;
}

/* SITE, or one above it, may be in a loop of its function. */
static bool may_come_again(const struct efg_callflow *flow, uint32_t site)
{
    while (site != EFG_CALLTREE_ROOT && efg_place_loop(efg_callflow_place(flow, site)) == EFG_PLACE_NO_LOOP)
        site = flow->tree->sites[site].parent;
    return site != EFG_CALLTREE_ROOT;
}

/* In each round of its loop, X comes behind OUT; in between the loop may be left, and not behind X.
 * Most often it makes calls: one that seldom does, as for output, is passed without being seen. */
static bool is_missed(const struct efg_callflow *flow, uint32_t x, uint32_t out)
{
    uint32_t leg = flow->tree->sites[x].leg;

    return efg_leg_exits_before(flow->tree->sites[out].leg) < efg_leg_exits_before(leg) &&
           efg_leg_exits_behind(leg) == 0 &&
           MOSTLY_OF * efg_callflow_visits(flow, x) + 1 >= efg_callflow_visits(flow, out);
}

/* Whether EDGE is no round of the loop of its function, which was left in the middle: between OUT and a
 * call that would have come. Where it may be left elsewhere, too, or there are other calls in the
 * function, that would not tell of each new call. */
static bool is_left(const struct efg_callflow *flow, const struct efg_edge *edge)
{
    const struct efg_site *sites = flow->tree->sites;
    const struct efg_site *into = &sites[edge->into], *out = &sites[edge->out];
    bool is_any = false;

    if (!into->leg || into->leg > out->leg || efg_leg_exits_before(into->leg) ||
        edge->function == EFG_CALLTREE_ROOT)
        return false;
    for (uint32_t x = sites[edge->function].first_child; x != EFG_NONE; x = sites[x].next_sibling) {
        if (x >= flow->sites || !known_place(flow, x) || sites[x].order != into->order)
            return false;
        is_any = is_any || is_missed(flow, x, edge->out);
    }
    return is_any && may_come_again(flow, edge->function);
}

/* Whether an edge is elsewhere now. */
static bool settle_edges(const struct efg_callflow *flow)
{
    const struct efg_graph *graph = flow->graph;
    bool is_any = false;

    for (uint32_t i = 0; i < graph->edge_count; i++) {
        struct efg_edge *edge = &graph->edges[i];
        if (!is_worth_settling(flow, edge))
            continue;
        edge->is_settled = true;
        known_place(flow, edge->out);
        known_place(flow, edge->into);
        while (is_left(flow, edge) || efg_graph_is_called_again(graph, edge)) {
            efg_graph_lift(graph, edge);
            known_place(flow, edge->into);
            is_any = true;
        }
    }
    return is_any;
}

/* ---- steps ---- */

/* From one site of the function to another. A call of which the tree has no memory for a leaf is at the
 * function itself: what was called there is not known. */
static bool is_step(const struct efg_edge *edge)
{
    return edge->from != edge->to && edge->out != edge->function && edge->into != edge->function;
}

/* Counted, then put in their places. */
static void sort_steps(struct efg_callflow *flow)
{
    const struct efg_graph *graph = flow->graph;
    uint32_t *first = flow->first_step;

    memset(first, 0, (flow->sites + 2) * sizeof *first);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        first[graph->edges[i].function + 2] += is_step(&graph->edges[i]);
    for (uint32_t x = 2; x < flow->sites + 2; x++)
        first[x] += first[x - 1];
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        const struct efg_edge *edge = &graph->edges[i];
        if (is_step(edge))
            flow->steps[first[edge->function + 1]++] =
                (struct efg_step_between){edge->out, edge->into, edge->visits};
    }
}

int efg_callflow_fill(struct efg_callflow *flow, const struct efg_history *history, uint64_t now)
{
    const struct efg_graph *graph = history->graph;

    if (!graph->tree || reserve(flow, graph->tree->count, graph->edge_count))
        return -ENOMEM;
    flow->graph = graph;
    flow->tree = graph->tree;
    flow->sites = graph->tree->count;
    sum_all(flow, history, now);
    if (settle_edges(flow))
        sum_all(flow, history, now);
    sort_steps(flow);
    return 0;
}

static bool leads_to(const struct efg_callflow *flow, uint32_t function, uint32_t from, uint32_t to)
{
    uint8_t *is_reached = calloc(flow->sites + 1, 1);
    bool is_more = is_reached && from < flow->sites;

    if (is_more)
        is_reached[from] = 1;
    while (is_more) {
        is_more = false;
        for (uint32_t i = flow->first_step[function]; i < flow->first_step[function + 1]; i++) {
            const struct efg_step_between *step = &flow->steps[i];
            is_more |= is_reached[step->from] && !is_reached[step->to];
            is_reached[step->to] |= is_reached[step->from];
        }
    }
    bool is = is_reached && to < flow->sites && is_reached[to];
    free(is_reached);
    return is;
}

bool efg_callflow_is_cycle(const struct efg_callflow *flow, uint32_t function, uint32_t from, uint32_t to)
{
    return leads_to(flow, function, from, to) && leads_to(flow, function, to, from);
}

uint64_t efg_callflow_whole(const struct efg_callflow *flow, uint32_t function, uint32_t site,
                            uint64_t rounds)
{
    uint32_t x = efg_calltree_child(flow->tree, function, site);
    uint64_t into = 0, out = 0;

    if (x >= flow->sites || x == function || flow->flow[x].entries != rounds)
        return rounds;
    for (uint32_t i = flow->first_step[function]; i < flow->first_step[function + 1]; i++) {
        const struct efg_step_between *step = &flow->steps[i];
        if (step->from == x && step->to == x)
            return rounds;
        into += step->to == x && efg_callflow_is_cycle(flow, function, step->from, x) ? step->count : 0;
        out += step->from == x && efg_callflow_is_cycle(flow, function, x, step->to) ? step->count : 0;
    }
    return into && into + 1 == rounds && out + 1 == rounds ? rounds - 1 : rounds;
}

/* ---- turns and gaps ---- */

bool efg_callflow_is_straight(const struct efg_callflow *flow, uint32_t site)
{
    return efg_place_is_straight(known_place(flow, site));
}

/* Whether it is known that END, which is below SITE, comes at most once each time. */
static bool is_once(const struct efg_callflow *flow, uint32_t end, uint32_t site)
{
    for (uint32_t x = end; x != site; x = flow->tree->sites[x].parent)
        if (!efg_callflow_is_straight(flow, x))
            return false;
    return true;
}

bool efg_callflow_is_once(const struct efg_callflow *flow, uint32_t leaf, uint32_t site)
{
    return leaf != site && is_once(flow, flow->tree->sites[leaf].parent, site);
}

/* How often SITE comes, which does so at most once in each call of its function. Where it leads to nothing
 * but one call, each of these is one, right after another or not. */
static uint64_t visits_of(const struct efg_callflow *flow, uint32_t site)
{
    uint32_t end = efg_calltree_gaps(flow->tree, site);
    uint64_t visits = efg_callflow_visits(flow, site);

    return visits +
           (end < flow->sites && efg_callflow_is_once(flow, end, site) ? flow->flow[end].repeats : 0);
}

/* A function that is called again with nothing between is not entered again, as edges have it. But what is
 * in no loop of it comes at most once in each call, nor does what that calls in this way. Returns how often
 * the most frequent such site within END comes, if that is more than LEAST; END is SITE, or the first one
 * below it that branches. */
static uint64_t calls_of(const struct efg_callflow *flow, uint32_t site, uint32_t end, uint64_t least)
{
    const struct efg_calltree *tree = flow->tree;
    uint64_t most = least;

    if (!is_once(flow, end, site))
        return most;
    for (uint32_t x = efg_calltree_next(tree, end, end); x != EFG_NONE;) {
        bool is_known = x < flow->sites && efg_callflow_is_straight(flow, x);
        uint64_t visits = is_known ? visits_of(flow, x) : 0;
        most = visits > most ? visits : most;
        x = is_known ? efg_calltree_next(tree, x, end) : efg_calltree_behind(tree, x, end);
    }
    return most;
}

/* SITE is in the outermost of the loops of its function that go round. */
static bool is_outermost(const struct efg_callflow *flow, uint32_t site)
{
    const struct efg_site *sites = flow->tree->sites;
    efg_place place = efg_callflow_place(flow, site);

    for (uint32_t x = sites[sites[site].parent].first_child; place && x != EFG_NONE;
         x = sites[x].next_sibling)
        if (x < flow->sites && flow->flow[x].entries > 1 && efg_callflow_place(flow, x) != place &&
            efg_place_is_in(place, efg_callflow_place(flow, x)))
            return false;
    return place;
}

/* Whether visits of the call END, right after another one, are turns of SITE, too. */
static bool is_turn(const struct efg_callflow *flow, uint32_t site, uint32_t end)
{
    const struct efg_flow *f = &flow->flow[end];

    return MOST_REPEATS_OF * f->repeats <= MOST_REPEATS * f->entries ||
           (efg_callflow_is_once(flow, end, site) && !is_several(flow, site) && is_outermost(flow, site));
}

uint64_t efg_callflow_turns(const struct efg_callflow *flow, uint32_t site)
{
    uint32_t end = efg_calltree_gaps(flow->tree, site);
    const struct efg_flow *f = &flow->flow[end < flow->sites ? end : site];

    return calls_of(flow, site, end, f->entries + (f->repeats && is_turn(flow, site, end) ? f->repeats : 0));
}

bool efg_callflow_is_timed(const struct efg_callflow *flow, uint32_t site)
{
    uint32_t node = flow->tree->sites[efg_calltree_gaps(flow->tree, site)].node;

    return node != EFG_NONE && flow->graph->nodes[node].flags & EFG_NODE_UNORDERED;
}

/* The gaps between the entries of SITE; of a leaf with repeats, between all its visits. */
static struct efg_gaps gaps_of(const struct efg_callflow *flow, uint32_t site)
{
    const struct efg_site *s = &flow->tree->sites[efg_calltree_gaps(flow->tree, site)];

    if (s->node == EFG_NONE || !flow->flow[site].repeats)
        return s->gaps;
    const struct efg_rhythm *rhythm = &flow->graph->nodes[s->node].rhythm;
    return (struct efg_gaps){rhythm->last, rhythm->visits - !!rhythm->visits, rhythm->gap1, rhythm->gap2};
}

double efg_callflow_rounds(const struct efg_callflow *flow, uint32_t site)
{
    struct efg_gaps gaps = gaps_of(flow, site);
    double open = (double)(flow->graph->events - gaps.last);
    double sum = gaps.gap1 + open, squares = gaps.gap2 + open * open;

    return gaps.last && squares > 0 ? sum * sum / squares : 0;
}

double efg_callflow_span(const struct efg_callflow *flow, uint32_t site)
{
    struct efg_gaps gaps = gaps_of(flow, site);
    double open = (double)(flow->graph->events - gaps.last);

    return gaps.count ? open + gaps.gap1 + gaps.gap1 / (double)gaps.count : 0;
}

bool efg_callflow_is_steady(const struct efg_callflow *flow, uint32_t site)
{
    struct efg_gaps gaps = gaps_of(flow, site);
    double n = (double)gaps.count;

    return gaps.count + 1 >= STEADY_ENTRIES && n * gaps.gap2 / (gaps.gap1 * gaps.gap1) - 1 <= STEADY;
}
