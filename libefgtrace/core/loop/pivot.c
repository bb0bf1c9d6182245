/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists the calls and call sites that may delimit iterations, best first. Candidates are the
 * sites of the loop that were entered once in each iteration, and the calls at and below them.
 * Those that have come as often only so far are told from those that always do by the machine
 * code, where it is known (place.h).
 */
#include "pivot.h"

#include <stdlib.h>

#define TIMED 2  /* times as often, of what is a matter of timing */
#define SELDOM 4 /* what fewer than one visit in so many does, the others do not */

struct choice {
    const struct efg_judge *judge;
    const struct efg_loop_found *loop;
    uint8_t *is_separating; /* per node; NULL: not known */
    struct efg_pivot *pivots;
    uint32_t count, room;
    double least, most; /* visits */
    bool is_timed;      /* how often a call comes is a matter of timing */
    bool has_world;     /* some collective of all ranks, whether it is kept or not */
};

static bool is_better(const struct efg_pivot *a, const struct efg_pivot *b)
{
    return a->class != b->class ? a->class < b->class : a->hash < b->hash;
}

static bool is_wanted(const struct choice *c, uint64_t visits)
{
    return (double)visits >= c->least && (double)visits <= c->most;
}

/* Into the best ones so far, in order. */
static void keep(struct choice *c, struct efg_pivot pivot)
{
    if (!is_wanted(c, pivot.visits) || (c->count == c->room && !is_better(&pivot, &c->pivots[c->count - 1])))
        return;
    uint32_t i = c->count < c->room ? c->count++ : c->count - 1;
    for (; i > 0 && is_better(&pivot, &c->pivots[i - 1]); i--)
        c->pivots[i] = c->pivots[i - 1];
    c->pivots[i] = pivot;
}

static void keep_entry(struct choice *c, uint32_t site)
{
    if (c->is_timed)
        return;
    keep(c, (struct efg_pivot){EFG_PIVOT_SITE, site, EFG_PIVOT_ENTRY,
                               efg_callflow_site(c->judge->flow, site)->hash,
                               c->judge->flow->flow[site].entries});
}

/* The code says that each iteration gets to LEAF: all ways through the loop lead to TOP, and
 * all ways through each function to the next. Behind a call in the first round of another loop, the others
 * follow: an iteration had better begin elsewhere. */
static bool is_sure(const struct choice *c, uint32_t top, uint32_t leaf)
{
    const struct efg_callflow *flow = c->judge->flow;

    if (leaf == top || !c->loop->loop.place || efg_callflow_place(flow, top) != c->loop->loop.place ||
        !efg_callflow_is_always(flow, top) || efg_callflow_site(flow, top)->firsts)
        return false;
    for (uint32_t x = efg_callflow_site(flow, leaf)->parent; x != top; x = efg_callflow_site(flow, x)->parent)
        if (!efg_callflow_is_always(flow, x) || efg_callflow_site(flow, x)->firsts ||
            efg_place_loop(efg_callflow_place(flow, x)) != EFG_PLACE_NO_LOOP)
            return false;
    return true;
}

/* An iteration begins before a pivot that starts something, and behind another one. */
static bool separates(const struct efg_node *pivot, const struct efg_node *before,
                      const struct efg_node *behind)
{
    if (pivot->flags & EFG_NODE_STARTS)
        return pivot == behind && before->flags & EFG_NODE_STARTS;
    return pivot == before && !(behind->flags & (EFG_NODE_STARTS | EFG_NODE_WORLD));
}

/* Per node: 1 if an iteration that it delimits would begin between what is started and its
 * completion, as far as neighbours in the graph tell. NULL without memory. */
static uint8_t *find_separating(const struct efg_graph *graph)
{
    uint8_t *is_separating = calloc(graph->node_count + 1ul, 1);

    for (uint32_t i = 0; is_separating && i < graph->edge_count; i++) {
        const struct efg_edge *e = &graph->edges[i];
        const struct efg_node *from = &graph->nodes[e->from], *to = &graph->nodes[e->to];
        if (e->visits * SELDOM < to->rhythm.visits)
            continue;
        is_separating[e->from] |= separates(from, from, to);
        is_separating[e->to] |= separates(to, from, to);
    }
    return is_separating;
}

static enum efg_pivot_class class_of(const struct choice *c, uint32_t top, uint32_t leaf)
{
    uint32_t id = efg_callflow_site(c->judge->flow, leaf)->node;
    uint32_t flags = c->judge->flow->graph->nodes[id].flags;

    if (flags & EFG_NODE_MARK)
        return EFG_PIVOT_MARK;
    if (flags & EFG_NODE_UNORDERED || c->is_timed)
        return EFG_PIVOT_UNORDERED;
    if (flags & EFG_NODE_WORLD)
        return is_sure(c, top, leaf) ? EFG_PIVOT_SURE_WORLD : EFG_PIVOT_WORLD;
    if (c->is_separating && !c->is_separating[id])
        return is_sure(c, top, leaf) ? EFG_PIVOT_SURE_CLEAN : EFG_PIVOT_CLEAN;
    return is_sure(c, top, leaf) ? EFG_PIVOT_SURE_CALL : EFG_PIVOT_CALL;
}

static bool is_kept(const struct choice *c, uint64_t hash)
{
    uint32_t i = 0;

    while (i < c->count && c->pivots[i].hash != hash)
        i++;
    return i < c->count;
}

/* LEAF is at or below TOP, a site of the loop. What counts are its visits up to the last sample, as those of
 * the loop do: the graph may have gone on since. */
static void keep_call(struct choice *c, uint32_t top, uint32_t leaf)
{
    const struct efg_callflow *flow = c->judge->flow;
    uint32_t id = efg_callflow_site(flow, leaf)->node;
    const struct efg_node *node = &flow->graph->nodes[id];
    uint64_t visits = efg_callflow_visits(flow, leaf);

    if (node->flags & EFG_NODE_OVERFLOW || !is_wanted(c, visits) || (c->is_timed && is_kept(c, node->hash)))
        return;
    enum efg_pivot_class class = class_of(c, top, leaf);
    c->has_world |= class == EFG_PIVOT_WORLD || class == EFG_PIVOT_SURE_WORLD;
    keep(c, (struct efg_pivot){EFG_PIVOT_NODE, id, class, node->hash, visits});
}

/* Whether the call at LEAF, at or below TOP, does not repeat; or only as efg_callflow_turns has it, or as the
 * loop of TOP does. */
static bool is_single(const struct efg_callflow *flow, uint32_t top, uint32_t leaf)
{
    uint32_t site = leaf == efg_calltree_gaps(flow->tree, top) ? top : leaf;

    return efg_callflow_turns(flow, site) == efg_callflow_visits(flow, leaf) ||
           efg_callflow_is_once(flow, leaf, top);
}

static void keep_calls(struct choice *c, uint32_t top)
{
    const struct efg_callflow *flow = c->judge->flow;

    for (uint32_t x = top; x != EFG_NONE; x = efg_calltree_next(flow->tree, x, top))
        if (x < flow->sites && efg_callflow_site(flow, x)->node != EFG_NONE && is_single(flow, top, x))
            keep_call(c, top, x);
}

static void keep_all(struct choice *c)
{
    const struct efg_loop_found *loop = c->loop;

    if (loop->is_call) {
        keep_call(c, loop->site, loop->site);
    } else if (loop->parts > 1) {
        keep_calls(c, loop->part);
        keep_entry(c, loop->part);
    } else {
        for (uint32_t i = 0; i < loop->site_count; i++) {
            uint32_t site = c->judge->sites[loop->first_site + i];
            double entries = (double)efg_callflow_turns(c->judge->flow, site);
            if (entries < c->least || entries > c->most)
                continue;
            keep_entry(c, site);
            keep_calls(c, site);
        }
    }
}

/* The loop asks for something that may not be there yet. */
static bool asks(const struct choice *c)
{
    for (uint32_t i = 0; i < c->loop->site_count; i++)
        if (efg_callflow_is_timed(c->judge->flow, c->judge->sites[c->loop->first_site + i]))
            return true;
    return false;
}

/* Where a loop asks, what it receives and what it sends come equally often in the end only, and each rank
 * takes one or the other for its iterations: each is better than none in common. */
static void add_timed(struct choice *c)
{
    double iterations = (double)c->loop->loop.iterations;

    c->least = iterations / TIMED;
    c->most = iterations * TIMED;
    c->is_timed = true;
    keep_all(c);
}

static void list_pivots(struct choice *c)
{
    double iterations = (double)c->loop->loop.iterations;

    c->least = iterations - 1.5;
    c->most = c->loop->parts > 1 ? iterations + 2 : iterations + 0.5;
    keep_all(c);
    if (!c->count) { /* a call may be left out now and then */
        c->least = 0.98 * iterations - 1.5;
        keep_all(c);
    }
    if (c->count && asks(c))
        add_timed(c);
}

bool efg_pivot_is_world(const struct efg_judge *judge, const struct efg_loop_found *loop)
{
    struct efg_pivot best;
    struct choice c = {.judge = judge, .loop = loop, .pivots = &best, .room = 1};

    list_pivots(&c);
    return c.has_world;
}

uint32_t efg_pivot_list(const struct efg_judge *judge, const struct efg_loop_found *loop,
                        struct efg_pivot *pivots, uint32_t room)
{
    struct choice c = {.judge = judge,
                       .loop = loop,
                       .is_separating = find_separating(judge->flow->graph),
                       .pivots = pivots,
                       .room = room};

    list_pivots(&c);
    free(c.is_separating);
    return c.count;
}
