/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds the events that wait to the graph of their thread, to the order of its calls and to its counts.
 */
#include "events.h"

#include "base/hot.h"
#include "coarse.h"
#include "leader.h"
#include "runtime/base/clock.h"
#include "visits.h"

#define FEW_EVENTS 16 /* are not worth two readings of the clock */
#define AT_ONCE 32    /* events */

/* The EVENT that was just added to the graph is a visit of the pivot. */
static void count_visit(struct efg_thread *t, const struct efg_event *event)
{
    if (efg_leader_is(t))
        efg_visits_count(t, event->is_start ? event->enter : event->leave);
}

static bool add_to_graph(struct efg_thread *t, const struct efg_event *event)
{
    bool is_pivot = efg_graph_step(&t->graph, event);

    efg_order_add(&t->order, t->graph.current);
    if (event->flags & EFG_NODE_WORLD)
        efg_tally_world(&t->tally);
    if (is_pivot)
        efg_tally_visit(&t->tally);
    return is_pivot;
}

/* Add as many of the COUNT events from EVENT on as come as predicted, up to a limit; returns how many. */
static inline uint32_t pass(struct efg_thread *t, const struct efg_event *event, uint32_t count)
{
    bool is_kept = efg_order_goes_on(&t->order);
    uint32_t scratch[AT_ONCE], room = AT_ONCE;
    uint32_t *nodes = is_kept ? efg_sequence_room(&t->order.sequence, &room) : scratch;
    uint64_t worlds = 0;
    uint32_t passed = efg_graph_pass(&t->graph, event, count < room ? count : room, nodes, &worlds,
                                     t->detail.dimensions == EFG_DIM_PATH);

    if (is_kept)
        efg_sequence_advance(&t->order.sequence, passed);
    for (; worlds; worlds--)
        efg_tally_world(&t->tally);
    return passed;
}

/* Add EVENT, which no other one foretold. Returns whether it counts for the pivot. */
static __attribute__((noinline)) bool add(struct efg_thread *t, const struct efg_event *event,
                                          bool is_awaited)
{
    bool is_pivot = add_to_graph(t, event);

    if (is_pivot && !is_awaited)
        count_visit(t, event);
    return is_pivot;
}

/* Since RARE was what is done rarely, so many NS have passed, with what else was done meanwhile; or more than
 * all this can take: then the thread had no processor for some of it. */
static void add_cost(struct efg_cost *cost, uint64_t rare, uint64_t ns)
{
    uint64_t most = cost->rare - rare + EFG_COST_MOST;

    cost->rare = rare + (ns < most ? ns : most);
}

/* Too rare for samples of calls to say what it takes, so it is measured itself, unless there is
 * little to do. */
EFG_HOT bool efg_events_add(struct efg_thread *t, uint64_t now, bool is_last_awaited)
{
    uint32_t count = t->backlog.count;
    uint64_t begin = count > FEW_EVENTS ? efg_clock_ticks() : 0;
    uint64_t rare = t->cost.rare;
    bool is_pivot = false;

    efg_backlog_set(&t->backlog, 0); /* first: a signal handler may jump out of here */
    for (uint32_t i = 0; i < count;) {
        const struct efg_event *event = &t->backlog.event[i];
        uint32_t passed = 1;
        if (event->is_poll) {
            efg_graph_poll(&t->graph, event);
        } else {
            passed = pass(t, event, count - i);
            is_pivot = !passed && add(t, event, is_last_awaited && i + 1 == count);
        }
        i += passed ? passed : 1;
        if (__builtin_expect(t->graph.is_full, 0)) {
            efg_backlog_set(&t->backlog, count); /* what is left of it is coarsened, too */
            efg_coarse_make_room(t, now);
            efg_backlog_set(&t->backlog, 0);
        }
    }
    __atomic_store_n(&t->settled, t->graph.events, __ATOMIC_RELAXED);
    if (begin)
        add_cost(&t->cost, rare, efg_clock_ticks() - begin);
    return is_pivot;
}
