/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drops detail (core/graph/detail.h) when a graph finds no room in the memory, for all graphs of the process:
 * by this thread now, by the others at their next sample. Other ranks hear of it when they next agree on a
 * pivot, since pivots have names that detail is a part of; in the end they all know.
 *
 * It does not matter when a graph follows: what it merges later comes to the same (see
 * core/graph/coarsen.h). So call paths may be cut at any moment, by whichever thread finds no
 * room for one.
 */
#include "coarse.h"

#include <stdlib.h>

#include "leader.h"
#include "mainloop.h"
#include "runtime/base/clock.h"
#include "runtime/base/memory.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/stack/callpath.h"
#include "threads.h"

static const struct efg_job *const job = &efg_job;

static struct efg_detail asked(void)
{
    return (struct efg_detail){job->conf.signature, (unsigned)job->conf.depth};
}

static uint32_t dropped_by_all; /* atomic */

uint32_t efg_coarse_dropped(void)
{
    return __atomic_load_n(&dropped_by_all, __ATOMIC_RELAXED);
}

void efg_coarse_hear(uint32_t dropped)
{
    __atomic_fetch_or(&dropped_by_all, dropped, __ATOMIC_RELAXED);
}

static void say_once(void)
{
    static bool is_said;
    if (!__atomic_exchange_n(&is_said, true, __ATOMIC_RELAXED))
        efg_note("the memory of %lluM is used up: calls are told apart less finely "
                 "(EFGTRACE_MEMORY)",
                 (unsigned long long)(job->conf.memory >> 20));
}

/* The call paths first: they may have room for shorter ones only. */
static uint32_t cut_paths(uint32_t dropped)
{
    unsigned depth = efg_detail_without(asked(), dropped).depth;
    unsigned possible = efg_callpath_limit(depth);

    return possible < depth ? efg_detail_shorten(asked(), dropped, possible) : dropped;
}

/* What has been dropped, for the process and so for the graph of THREAD. */
static void reduce(struct efg_thread *t, uint64_t now)
{
    uint32_t dropped = cut_paths(efg_coarse_dropped());
    struct efg_detail to = efg_detail_without(asked(), dropped);
    uint32_t nodes = t->graph.node_count, *new_id = malloc((nodes + 1) * sizeof *new_id);

    if (!new_id)
        return; /* the next sample tries again */
    enum efg_coarsened done = efg_graph_coarsen(&t->graph, t->detail, to, efg_callpath_cut, new_id);
    if (done != EFG_COARSENED_NOTHING)
        efg_order_rename(&t->order, new_id, nodes);
    if (done != EFG_COARSENED_NOTHING && t->counts)
        efg_counts_coarsen(t->counts, &t->graph, new_id);
    free(new_id);
    efg_backlog_coarsen(&t->backlog, t->detail, to, efg_callpath_cut);
    efg_coarse_hear(dropped);
    t->detail = to;
    t->graph.dropped = dropped;
    int claim = efg_leader_claim(t);
    if (claim)
        efg_mainloop_rename(t, done, now);
    else if (t->finder && done != EFG_COARSENED_NOTHING)
        (void)efg_finder_renew(t->finder, now);
    efg_leader_release(claim);
}

/* With DROPPED, the next thing to drop; of call paths so much that there are shorter ones. */
static uint32_t next_to_drop(uint32_t dropped)
{
    uint32_t next = efg_detail_next(asked(), dropped);
    unsigned longest = efg_callpath_longest();

    return next & ~dropped & EFG_DROP_ALL_FRAMES && longest > 1
               ? efg_detail_shorten(asked(), next, longest - 1)
               : next;
}

void efg_coarse_make_room(struct efg_thread *t, uint64_t now)
{
    uint64_t begin = efg_clock_cpu();
    while (t->graph.is_full) {
        uint32_t dropped = t->graph.dropped | efg_coarse_dropped();
        uint32_t next = dropped == t->graph.dropped ? next_to_drop(dropped) : dropped;
        if (next == t->graph.dropped)
            break; /* there is nothing left to drop */
        say_once();
        efg_coarse_hear(next);
        reduce(t, now);
        if (t->graph.dropped != (t->graph.dropped | next))
            break; /* no memory to work with */
    }
    t->graph.is_full = false; /* not again for every event */
    t->cost.rare += efg_clock_cpu() - begin;
}

void efg_coarse_follow(struct efg_thread *t, uint64_t now)
{
    uint32_t dropped = efg_coarse_dropped();
    unsigned depth = efg_callpath_depth();

    if (efg_detail_without(asked(), dropped).depth > depth) {
        say_once();
        efg_coarse_hear(efg_detail_shorten(asked(), dropped, depth));
    }
    if (efg_coarse_dropped() != t->graph.dropped)
        reduce(t, now);
}
