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

#include <string.h>

#include "asked.h"
#include "base/hot.h"
#include "events.h"
#include "leader.h"
#include "live.h"
#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "runtime/record/regions.h"
#include "runtime/stack/expected.h"
#include "steer.h"
#include "threads.h"
#include "thrift.h"
#include "windows.h"

/* --- what the program says --- */

/* A region begins or ends in the function that has called the one with this FRAME. */
void efg_tracer_within(int level, const char *name, const uintptr_t *frame)
{
    struct efg_thread *t = efg_self;
    uint64_t hash;

    if (!efg_regions_control(efg_regions_own(), level, name) || !t)
        return;
    efg_thread_begin_work(t);
    if (t->recorder.is_on && !efg_threads_are_over())
        efg_recorder_regions(&t->recorder, efg_clock_ticks(), efg_callpath_find(frame, &hash));
    efg_thread_end_work(t);
}

void efg_tracer_part(uint32_t thread, uint64_t begin, uint64_t end)
{
    struct efg_thread *t = efg_self;

    if (!t)
        return;
    efg_thread_begin_work(t);
    if (t->recorder.is_on && !efg_threads_are_over())
        efg_recorder_part(&t->recorder, efg_clock_ticks(), thread, begin, end);
    efg_thread_end_work(t);
}

void efg_tracer_control(int level, const char *name, const uintptr_t *frame)
{
    if (efg_job.conf.pcontrol == EFG_PCONTROL_RECORD)
        efg_asked_level(level);
    else if (efg_job.conf.signature & EFG_DIM_REGION)
        efg_tracer_within(level, name, frame);
}

/* Who names regions wants to see them, unless `signature` says what tells calls apart. */
static void tell_regions_apart(void)
{
    if (!(efg_job.conf.signature & EFG_DIM_REGION)) {
        if (strcmp(efg_conf_source(&efg_job.conf, "signature"), "default") != 0)
            return;
        __atomic_or_fetch(&efg_job.conf.signature, EFG_DIM_REGION, __ATOMIC_RELAXED);
    }
    if (efg_self && !(efg_self->graph.dropped & EFG_DROP_REGION))
        efg_self->detail.dimensions |= EFG_DIM_REGION;
}

void efg_tracer_region(int level, const char *name, const uintptr_t *frame)
{
    if (level == 1)
        tell_regions_apart();
    efg_tracer_within(level, name, frame);
}

void efg_tracer_record(uint64_t iterations)
{
    efg_asked_record(iterations);
}

/* --- events --- */

static __attribute__((noinline, cold)) bool turn_back(struct efg_thread *t)
{
    efg_thread_end_work(t);
    return false;
}

/* Something is left out. Returns whether the call is not to be measured. */
static __attribute__((noinline)) bool spare(struct efg_thread *t, struct efg_call *call, bool *wants_leave)
{
    enum efg_spared spared = efg_thrift_enter(t, call);

    *wants_leave = spared == EFG_SPARED_EVENT;
    return spared != EFG_SPARED_NOTHING;
}

static inline void end_enter(struct efg_thread *t)
{
    if (t->cost.entered) {
        t->cost.inside = efg_clock_ticks() - t->cost.entered;
        t->cost.rare_then = t->cost.rare;
    }
    efg_thread_end_work(t);
}

/* Functions are analysed when a call of theirs has a new path. In its first moments a program would seem to
 * do little else, so this is no time between two calls of its graph. */
static __attribute__((noinline, cold)) void leave_out(struct efg_thread *t, uint64_t ns)
{
    efg_events_add(t, efg_clock_ticks(), false);
    t->graph.last_leave += ns;
    t->cost.rare += ns;
    if (t->cost.entered)
        t->cost.entered += ns;
}

/* The call path of CALL is E, or, without E, another one than the one that was expected. */
static void find_path(struct efg_thread *t, struct efg_call *call, struct efg_memo_entry *e)
{
    if (!e) {
        call->path = efg_callpath_find(call->frame, &call->hash);
        uint64_t spent = efg_callpath_spent();
        if (!spent)
            return;
        leave_out(t, spent);
        if (t->detail.depth) /* it may be longer than paths are by now */
            call->path = efg_callpath_cut(call->path, t->detail.depth, &call->hash);
        return;
    }
    efg_callpath_turn(t->mine, e);
    call->path = e->path;
    call->hash = e->hash;
}

/* T, which is at work, begins CALL. */
static __attribute__((noinline)) bool begin_other(struct efg_thread *t, struct efg_call *call,
                                                  struct efg_memo_entry *e, bool is_live)
{
    bool wants_leave;

    t->cost.entered = !t->is_pausing && --t->cost.countdown == 0 ? efg_clock_ticks() : 0;
    if (__builtin_expect(t->is_sparing, 0) && spare(t, call, &wants_leave)) {
        end_enter(t);
        return wants_leave;
    }
    find_path(t, call, e);
    efg_again_enter(&t->again, call);
    call->enter = efg_clock_ticks();
    if (t->epoch != __atomic_load_n(&efg_epoch, __ATOMIC_RELAXED) && efg_windows_join(t, call->enter) != 0)
        return turn_back(t);
    if (efg_recorder_wants_enter(&t->recorder, call))
        efg_recorder_enter(&t->recorder, call, efg_again_facts(&t->again, &t->recorder, call));
    if (is_live)
        efg_live_enter(t, call);
    end_enter(t);
    return true;
}

static __attribute__((noinline, cold)) bool begin_first(struct efg_call *call, bool is_live)
{
    struct efg_thread *t = call->thread = efg_threads_self();

    if (!t)
        return false;
    efg_thread_begin_work(t);
    return begin_other(t, call, NULL, is_live);
}

/* The recorder wants CALL. */
static __attribute__((noinline)) bool begin_wanted(struct efg_thread *t, struct efg_call *call)
{
    efg_recorder_enter(&t->recorder, call, NULL);
    efg_thread_end_work(t);
    return true;
}

/* The same of one that is known. */
static __attribute__((noinline)) bool begin_recorded(struct efg_thread *t, struct efg_call *call)
{
    efg_recorder_enter(&t->recorder, call, efg_again_facts(&t->again, &t->recorder, call));
    efg_thread_end_work(t);
    return true;
}

/* Whether nothing is to be done for the next call but what nearly all of them have. */
EFG_INLINE bool is_usual(const struct efg_thread *t)
{
    return !t->is_sparing && t->cost.countdown != 1 &&
           t->epoch == __atomic_load_n(&efg_epoch, __ATOMIC_RELAXED);
}

/* It calls nothing but as the last thing, and so keeps no registers. IS_LIVE: as efg_tracer_hooks has it, and
 * the processor's counter may be no clock. */
EFG_INLINE bool begin_call(struct efg_call *call, bool is_live)
{
    struct efg_thread *t = call->thread;

    if (__builtin_expect(!t, 0))
        return begin_first(call, is_live);
    struct efg_memo_entry *e = efg_callpath_expected(t->mine, call->frame);
    efg_thread_begin_work(t);
    if (__builtin_expect(is_live || !e || !is_usual(t), 0))
        return begin_other(t, call, e, is_live);
    find_path(t, call, e);
    t->cost.countdown--;
    t->cost.entered = 0;
    call->enter = efg_clock_convert(EFG_CLOCK_COUNTER());
    efg_again_enter(&t->again, call);
    if (efg_recorder_wants_enter(&t->recorder, call))
        return call->is_known ? begin_recorded(t, call) : begin_wanted(t, call);
    efg_thread_end_work(t);
    return true;
}

/* What is asked for besides function and path. A mark is one and the same in all regions. */
static __attribute__((noinline)) void add_dimensions(struct efg_signature *s, const struct efg_call *call,
                                                     struct efg_facts f)
{
    struct efg_thread *t = call->thread;
    s->region = call->shape == EFG_SHAPE_MARK ? 0 : efg_regions_current(efg_regions_own());
    if (t->detail.dimensions & ~(unsigned)(EFG_DIM_PATH | EFG_DIM_REGION)) {
        s->comm = efg_decode_comm(f.comm);
        s->partner = efg_decode_partner(call, f.comm);
        s->element = efg_decode_element(call, f);
        if (t->detail.dimensions & EFG_DIM_ADDRESS)
            s->buffer = efg_decode_buffer(call, &t->buffers);
    }
    s->size = f.sent + f.received;
    *s = efg_signature_reduce(*s, t->detail.dimensions);
}

/* The iteration begins with CALL, which has returned but counts as not yet made. */
static void visit_before(struct efg_thread *t, struct efg_call *call)
{
    efg_recorder_take_back(&t->recorder, call);
    efg_steer_visit(t, call->enter);
    call->is_defined = false; /* the log may be another one */
    efg_recorder_enter_again(&t->recorder, call, NULL);
    efg_recorder_count(&t->recorder, call);
}

/* Polls that were only counted since the last one that was measured: this one stands for them, too. */
EFG_INLINE uint64_t stand_for(struct efg_thread *t)
{
    uint64_t counted = t->polls_counted;

    t->polls_counted = 0;
    return counted;
}

EFG_INLINE struct efg_event *next_event(struct efg_thread *t)
{
    uint32_t waiting = t->backlog.count;

    efg_backlog_set(&t->backlog, waiting + 1);
    return &t->backlog.event[waiting];
}

/* Of CALL, which has returned at LEAVE. Returns whether it counts for the pivot. */
EFG_INLINE bool add_event(struct efg_thread *t, const struct efg_call *call, struct efg_facts facts,
                          uint64_t leave)
{
    struct efg_event *event = next_event(t);

    *event = (struct efg_event){
        .signature = {.call_only = call->id, .path = call->path},
        .path_hash = call->hash,
        .enter = call->enter,
        .leave = leave,
        .bytes = facts.is_poll ? stand_for(t) : facts.sent + facts.received,
        .flags = facts.flags,
        .is_start = efg_shape_is_in(call, EFG_SHAPES_STARTING),
        .is_poll = facts.is_poll != 0,
    };
    if (t->detail.dimensions != EFG_DIM_PATH)
        add_dimensions(&event->signature, call, facts);
    bool is_awaited = efg_graph_may_count(&t->graph, event) && t->is_awaiting;
    return (is_awaited || t->backlog.count >= EFG_BACKLOG) && efg_events_add(t, leave, is_awaited) &&
           is_awaited;
}

static __attribute__((noinline)) void end_measured(struct efg_thread *t, uint64_t now)
{
    efg_cost_sample(&t->cost, efg_clock_ticks() - now);
    efg_thread_end_work(t);
}

EFG_INLINE void end_leave(struct efg_thread *t, uint64_t now)
{
    if (__builtin_expect(t->cost.entered != 0, 0))
        end_measured(t, now);
    else
        efg_thread_end_work(t);
}

/* Without a look at the clock, unless it is measured what this costs. Returns whether that was all. */
static bool leave_spared(struct efg_thread *t, struct efg_call *call, int result)
{
    uint64_t begin = t->cost.entered ? efg_clock_ticks() : 0;

    if (!efg_thrift_leave(t, call, result))
        return false;
    if (begin)
        efg_cost_sample(&t->cost, efg_clock_ticks() - begin);
    efg_thread_end_work(t);
    return true;
}

/* CALL was successful, and is like no other that is known; IS_NEW: the next one like it may be. */
static __attribute__((noinline)) void follow_new(struct efg_thread *t, const struct efg_call *call,
                                                 struct efg_facts facts, bool is_new)
{
    struct efg_flight *flight = &t->recorder.flight, before = *flight;

    if (efg_shape_is_in(call, EFG_SHAPES_FOLLOWED))
        efg_recorder_follow(&t->recorder, call, facts.comm, facts.sent, facts.received);
    if (is_new)
        efg_again_learn(&t->again, &t->recorder, call, &facts,
                        (struct efg_flight){flight->sum - before.sum, flight->count - before.count});
}

/* T, which is at work, ends CALL, which has returned at NOW with RESULT; IS_KNOWN: what it means. */
static __attribute__((noinline)) void end_other(struct efg_call *call, int result, uint64_t now, bool is_live,
                                                bool is_known)
{
    struct efg_thread *t = call->thread;
    struct efg_again_place *known = is_known ? efg_again_place(&t->again, call) : NULL;
    bool is_new = !known && efg_again_begin(&t->again, call);
    struct efg_facts facts = known ? t->again.facts[call->path % EFG_AGAIN] : efg_decode(call, result);
    if (is_live)
        efg_live_leave(t, now);
    bool is_pivot = add_event(t, call, facts, now) && efg_leader_is(t);
    bool is_cut_before = is_pivot && efg_shape_is_in(call, EFG_SHAPES_STARTING);

    if (is_cut_before)
        visit_before(t, call);
    if (known)
        efg_again_follow(&t->recorder, known);
    else if (result == MPI_SUCCESS && efg_shape_is_in(call, EFG_SHAPES_FOLLOWED | EFG_SHAPES_AGAIN))
        follow_new(t, call, facts, is_new);
    if (efg_recorder_wants_leave(&t->recorder, call)) {
        struct efg_facts lent = facts; /* these stay in registers */
        efg_recorder_leave(&t->recorder, call, &lent, now, result);
    }
    if (is_pivot && !is_cut_before)
        efg_steer_visit(t, now);
    if (now >= t->next_sample)
        efg_steer_sample(t, now);
    end_leave(t, now);
}

static __attribute__((noinline)) void end_spared(struct efg_call *call, int result, bool is_live)
{
    if (!call->is_spared || !leave_spared(call->thread, call, result))
        end_other(call, result, efg_clock_ticks(), is_live, false);
}

/* Whether an event that ends at NOW may wait, and nothing else is to be done. */
EFG_INLINE bool may_wait(const struct efg_thread *t, uint64_t now)
{
    return !t->is_awaiting && t->detail.dimensions == EFG_DIM_PATH && now < t->next_sample &&
           t->backlog.count + 1 < EFG_BACKLOG;
}

/* CALL has been put into the backlog, as one that is known. The recorder wants it, too. */
static __attribute__((noinline)) void end_recorded(struct efg_call *call, int result, uint64_t now,
                                                   bool is_live)
{
    struct efg_thread *t = call->thread;

    efg_recorder_leave(&t->recorder, call, &t->again.facts[call->path % EFG_AGAIN], now, result);
    if (is_live)
        efg_live_leave(t, now);
    end_leave(t, now);
}

/* Whether CALL has asked and found nothing, which the recorder need not hear. Its communicator is known. */
EFG_INLINE bool is_idle(const struct efg_thread *t, const struct efg_call *call, int result, uint64_t now)
{
    return efg_shape_is_in(call, EFG_SHAPES_ASKING) && result == MPI_SUCCESS && call->flag && !*call->flag &&
           (!call->comm || call->comm == efg_comms_last.handle) && may_wait(t, now) &&
           efg_recorder_is_idle(&t->recorder);
}

/* MORE: what it is, see core/graph/graph.h. */
EFG_INLINE void put_event(struct efg_thread *t, const struct efg_call *call, uint64_t leave, uint64_t more)
{
    *next_event(t) = (struct efg_event){
        .signature = {.call_only = call->id, .path = call->path},
        .path_hash = call->hash,
        .enter = call->enter,
        .leave = leave,
        .more = more,
    };
}

/* As begin_call. */
EFG_INLINE void end_call(struct efg_call *call, int result, bool is_live)
{
    struct efg_thread *t = call->thread;
    efg_thread_begin_work(t);
    if (__builtin_expect(efg_threads_are_over(), 0)) {
        turn_back(t);
        return;
    }
    if (__builtin_expect(call->is_spared || (is_live && !efg_clock.rate), 0)) {
        end_spared(call, result, is_live);
        return;
    }
    uint64_t now = efg_clock_convert(EFG_CLOCK_COUNTER());
    struct efg_again_place *place = efg_again_place(&t->again, call);
    EFG_KEEP(place);
    bool is_known = efg_again_knows(place, call, result);
    if (is_known && may_wait(t, now)) {
        efg_again_follow(&t->recorder, place);
        put_event(t, call, now, place->event);
        if (efg_recorder_wants_leave(&t->recorder, call)) {
            end_recorded(call, result, now, is_live);
            return;
        }
    } else if (is_idle(t, call, result, now)) {
        struct efg_event poll = {.flags = EFG_NODE_UNORDERED, .is_poll = 1, .bytes = stand_for(t)};
        put_event(t, call, now, poll.more);
    } else {
        end_other(call, result, now, is_live, is_known);
        return;
    }
    if (is_live)
        efg_live_leave(t, now);
    end_leave(t, now);
}

/* A poll that was to pass unseen is as one that was spared. */
static void end_found(struct efg_call *call, int result, bool is_live)
{
    struct efg_thread *t = call->thread = efg_self;

    efg_thread_begin_work(t);
    if (efg_threads_are_over()) {
        turn_back(t);
        return;
    }
    efg_thrift_count_passed(t);
    efg_recorder_enter_found(&t->recorder);
    call->is_spared = true;
    end_spared(call, result, is_live);
}

EFG_HOT bool efg_tracer_enter(struct efg_call *call)
{
    return begin_call(call, true);
}

EFG_HOT void efg_tracer_leave(struct efg_call *call, int result)
{
    end_call(call, result, true);
}

EFG_HOT static bool enter_unshown(struct efg_call *call)
{
    return begin_call(call, false);
}

EFG_HOT static void leave_unshown(struct efg_call *call, int result)
{
    end_call(call, result, false);
}

static void found(struct efg_call *call, int result)
{
    end_found(call, result, true);
}

static void found_unshown(struct efg_call *call, int result)
{
    end_found(call, result, false);
}

const struct efg_hooks *efg_tracer_hooks(bool is_live)
{
    static const struct efg_hooks shown = {efg_tracer_enter, efg_tracer_leave, found};
    static const struct efg_hooks unshown = {enter_unshown, leave_unshown, found_unshown};

    return is_live || !efg_clock.rate ? &shown : &unshown;
}
