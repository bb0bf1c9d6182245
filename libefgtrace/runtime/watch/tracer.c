/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The path of an event.
 *
 *   enter   call path; time stamp; if recording: a record
 *   leave   time stamp; what the call means; an event for the graph; if recording: records;
 *           the pivot? then a step of the trigger; a sample due?
 *
 * Events are added to the graph and to their order in batches (core/graph/backlog.h). Visits of the
 * pivot are also counted in batches, except while something may begin or end with one.
 *
 * Invariant: between enter and leave of one call no other call of the thread comes here (the
 * wrappers see to that), so that scratch state of the thread is the call's.
 */
#include "tracer.h"

#include "base/hot.h"
#include "events.h"
#include "leader.h"
#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "runtime/stack/callpath.h"
#include "steer.h"
#include "threads.h"
#include "windows.h"

/* --- user regions --- */

void efg_tracer_control(int level, const char *name)
{
    struct efg_thread *t = efg_threads_self();
    if (t && efg_job.conf.signature & EFG_DIM_REGION)
        efg_regions_control(&t->regions, level, name);
}

/* --- events --- */

static __attribute__((noinline, cold)) bool turn_back(struct efg_thread *t)
{
    efg_thread_end_work(t);
    return false;
}

EFG_HOT bool efg_tracer_enter(struct efg_call *call)
{
    struct efg_thread *t = efg_self ? efg_self : efg_threads_self();
    call->thread = t;
    if (!t)
        return false;
    efg_thread_begin_work(t);
    t->cost.entered = --t->cost.countdown == 0 ? efg_clock_ticks() : 0;
    call->path = efg_callpath_find(call->frame, &call->hash);
    call->enter = efg_clock_ticks();
    if (t->epoch != __atomic_load_n(&efg_epoch, __ATOMIC_RELAXED) && efg_windows_join(t, call->enter) != 0)
        return turn_back(t);
    if (efg_recorder_wants_enter(&t->recorder, call))
        efg_recorder_enter(&t->recorder, call);
    if (t->cost.entered) {
        t->cost.inside = efg_clock_ticks() - t->cost.entered;
        t->cost.rare_then = t->cost.rare;
    }
    efg_thread_end_work(t);
    return true;
}

/* What is asked for besides function and path. */
static __attribute__((noinline)) void add_dimensions(struct efg_signature *s, const struct efg_call *call,
                                                     struct efg_facts f)
{
    const struct efg_thread *t = call->thread;
    s->region = efg_regions_current(&t->regions);
    s->comm = efg_decode_comm(f.comm);
    s->partner = efg_decode_partner(call, f.comm);
    s->size = f.sent + f.received;
    *s = efg_signature_reduce(*s, t->detail.dimensions);
}

/* The iteration begins with CALL, which has returned but counts as not yet made. */
static void visit_before(struct efg_thread *t, struct efg_call *call)
{
    efg_recorder_take_back(&t->recorder, call);
    efg_steer_visit(t, call->enter);
    efg_recorder_enter_again(&t->recorder, call);
}

/* Of CALL, which has returned at LEAVE. Returns whether it counts for the pivot. */
static inline bool add_event(struct efg_thread *t, const struct efg_call *call, struct efg_facts facts,
                             uint64_t leave)
{
    uint32_t waiting = t->backlog.count;
    struct efg_event *event = &t->backlog.event[waiting++];

    efg_backlog_set(&t->backlog, waiting);
    *event = (struct efg_event){
        .signature = {.call = call->id, .path = call->path},
        .path_hash = call->hash,
        .enter = call->enter,
        .leave = leave,
        .bytes = facts.sent + facts.received,
        .flags = facts.flags,
        .is_start = efg_shape_is_in(call, EFG_SHAPES_STARTING),
        .is_poll = facts.is_poll != 0,
    };
    if (t->detail.dimensions != EFG_DIM_PATH)
        add_dimensions(&event->signature, call, facts);
    bool is_awaited = efg_graph_may_count(&t->graph, event) && t->is_awaiting;
    return (is_awaited || waiting >= EFG_BACKLOG) && efg_events_add(t, leave, is_awaited) && is_awaited;
}

EFG_HOT void efg_tracer_leave(struct efg_call *call, int result)
{
    struct efg_thread *t = call->thread;
    efg_thread_begin_work(t);
    if (__builtin_expect(efg_threads_are_over(), 0)) {
        turn_back(t);
        return;
    }
    uint64_t leave = efg_clock_ticks();
    struct efg_facts facts = efg_decode(call, result);
    bool is_pivot = add_event(t, call, facts, leave) && efg_leader_is(t);
    bool is_cut_before = is_pivot && efg_shape_is_in(call, EFG_SHAPES_STARTING);

    if (is_cut_before)
        visit_before(t, call);
    if (result == MPI_SUCCESS && efg_shape_is_in(call, EFG_SHAPES_FOLLOWED))
        efg_recorder_follow(&t->recorder, call, facts.comm, facts.sent, facts.received);
    if (efg_recorder_wants_leave(&t->recorder, call)) {
        struct efg_facts lent = facts; /* these stay in registers */
        efg_recorder_leave(&t->recorder, call, &lent, leave, result);
    }
    if (is_pivot && !is_cut_before)
        efg_steer_visit(t, leave);
    if (leave >= t->next_sample)
        efg_steer_sample(t, leave);
    if (t->cost.entered)
        efg_cost_sample(&t->cost, efg_clock_ticks() - leave);
    efg_thread_end_work(t);
}
