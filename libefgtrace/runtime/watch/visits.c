/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks the pivot of this rank, counts its visits, and notices when the loop is over. A window ends with its
 * loop. An iteration that has far more calls than all before it is none: the program has gone on to something
 * else. Calls are counted, not time, since a slow iteration is still one. A window also ends when the rule
 * has moved on to another loop and the pivot has been silent for more calls than any iteration had.
 *
 * One iteration may have a hundred times the calls of all others, as where a rank polls. As many calls of the
 * next loop may take minutes. So another loop is looked for sooner: when the pivot has been silent for more
 * calls than most iterations have, and far longer than any, in a run of this length. That is no end: it may
 * come again. If it does, and again before there were enough visits for a window, it comes in short bursts,
 * like an inner loop of a few rounds in each time step: what lies between is part of an iteration, too.
 */
#include "visits.h"

#include <string.h>

#include "enough.h"
#include "iterations.h"
#include "phases.h"
#include "runtime/process/job.h"
#include "steering.h"

#define UNLIKE 4                /* times the calls of the largest iteration so far ... */
#define UNLIKE_MORE 64          /* ... and so many more */
#define SILENT_MORE 1000000000u /* ns, beside UNLIKE times the slowest iteration ... */
#define SILENT_PART 20          /* ... and one of so many parts of the time in all of them */
#define BURSTS 2                /* so many short ones in a row are no accident */

static struct efg_steering *const s = &efg_steering;

/* From one visit of the pivot to the next. */
static struct {
    uint64_t last_event; /* number of the event of the last visit; 0: none since it is marked */
    uint64_t longest;    /* most events from one to the next */
    uint64_t intervals;
    uint64_t events; /* in these */
    uint64_t marked; /* number of the event when it was marked, and ... */
    uint64_t mean;   /* ... events for each visit until then */
    uint64_t burst;  /* visits since it was last silent */
    uint32_t bursts; /* short ones in a row */
} visits;

/* What there was at the last visit of the pivot, and when the loop before was over: its last one. */
static struct there {
    uint64_t events;
    uint32_t nodes, sites;
} last, before;
static struct efg_pivot counted; /* that was marked last */
static bool is_replaced;         /* the loop of the pivot was that of this rank, and no longer is */

/* --- the end of the loop --- */

/* Calls from one visit to the next, at most, as far as is known: until there are some, those
 * before the last visit are taken for such. */
static uint64_t most_calls(const struct efg_thread *t)
{
    uint64_t mean = t->tally.visits ? visits.last_event / t->tally.visits : visits.last_event;

    return visits.intervals > 1 || mean < visits.longest ? visits.longest : mean;
}

bool efg_visits_are_over(const struct efg_thread *t)
{
    uint64_t most = is_replaced ? most_calls(t) : UNLIKE * most_calls(t) + UNLIKE_MORE;

    return s->pivot.kind != EFG_PIVOT_NONE && visits.last_event && t->graph.events - visits.last_event > most;
}

/* Its loop was over when it was marked: it has not been visited since, for far more calls than it takes. */
static bool never_came(const struct efg_thread *t)
{
    return s->pivot.kind != EFG_PIVOT_NONE && !visits.last_event &&
           t->graph.events - visits.marked > UNLIKE * visits.mean + UNLIKE_MORE;
}

/* It has been, for more calls than most iterations have, and longer than any. */
static bool is_late(const struct efg_thread *t, uint64_t now)
{
    uint64_t mean = visits.intervals ? visits.events / visits.intervals : visits.mean;
    const struct efg_stat *took = &t->iterations.all;

    return s->pivot.kind != EFG_PIVOT_NONE && visits.last_event && t->last_visit &&
           t->graph.events - visits.last_event > UNLIKE * mean + UNLIKE_MORE &&
           now - t->last_visit > UNLIKE * took->max + SILENT_MORE + took->sum / SILENT_PART;
}

bool efg_visits_are_silent(const struct efg_thread *t)
{
    return efg_visits_are_over(t) || never_came(t);
}

bool efg_visits_seem_over(const struct efg_thread *t, uint64_t now)
{
    return efg_visits_are_silent(t) || is_late(t, now);
}

static struct there present(const struct efg_thread *t)
{
    return (struct there){t->graph.events, t->graph.node_count, t->graph.tree->count};
}

void efg_visits_begin_phase(const struct efg_thread *t)
{
    before = last.events ? last : present(t);
}

/* Events for each visit of the pivot so far; of one that is new, since the loop before was over. */
static uint64_t mean_calls(const struct efg_thread *t)
{
    bool is_new = s->pivot.id >= (s->pivot.kind == EFG_PIVOT_NODE ? before.nodes : before.sites);
    uint64_t events = t->graph.events - (is_new ? before.events : 0);

    return t->tally.visits ? events / t->tally.visits : events;
}

/* A burst is over; the visit that is now is the first one of the next. */
static void end_burst(void)
{
    visits.bursts = visits.burst <= efg_job.conf.iterations ? visits.bursts + 1 : 0;
    visits.burst = 0;
}

void efg_visits_count(struct efg_thread *t, uint64_t now)
{
    uint64_t calls = t->graph.events - visits.last_event;
    bool was_over = efg_visits_are_over(t);

    if (was_over)
        end_burst();
    visits.burst++;
    if (visits.last_event && calls > visits.longest && (!was_over || visits.bursts >= BURSTS))
        visits.longest = calls;
    if (visits.last_event) {
        visits.intervals++;
        visits.events += calls;
    }
    visits.last_event = t->graph.events;
    last = present(t);
    efg_iterations_count(t, efg_steering_number(t), now);
    efg_enough_visit(t, now);
}

/* --- the pivot --- */

bool efg_visits_have(const struct efg_pivot *pivot)
{
    return pivot->kind == s->pivot.kind && pivot->id == s->pivot.id;
}

void efg_visits_replaced(bool no_longer)
{
    is_replaced = no_longer;
}

const struct efg_pivot *efg_visits_counted(void)
{
    return s->pivot.kind != EFG_PIVOT_NONE ? &s->pivot : &counted;
}

void efg_visits_forget(struct efg_thread *t)
{
    s->pivot.kind = EFG_PIVOT_NONE;
    efg_graph_mark_pivot(&t->graph, EFG_PIVOT_NONE, 0);
}

void efg_visits_adopt(struct efg_thread *t, const struct efg_pivot *pivot)
{
    is_replaced = false;
    if (efg_visits_have(pivot))
        return;
    efg_phases_keep(t, efg_visits_counted());
    s->pivot = counted = *pivot;
    s->control.offset = 0;
    memset(&visits, 0, sizeof visits);
    efg_graph_mark_pivot(&t->graph, pivot->kind, pivot->id);
    efg_tally_mark(&t->tally, efg_graph_visits(&t->graph, pivot->kind, pivot->id));
    visits.marked = t->graph.events;
    visits.mean = mean_calls(t);
    efg_iterations_restart(t);
    efg_phases_adopt();
    efg_enough_restart();
}
