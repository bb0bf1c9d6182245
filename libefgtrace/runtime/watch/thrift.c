/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pause is counted in calls, since nobody else would end it: after CHUNK of them that pass, one comes here
 * and looks at the clock. Where calls go past us (bypass.h) they are not counted, but taken to be as many in
 * that time as in the one before. What is known of times leaves pauses out: the next event follows the last
 * one as if the pause had not been.
 */
#include "thrift.h"

#include <string.h>

#include "bypass.h"
#include "core/window/limit.h"
#include "events.h"
#include "live.h"
#include "runtime/base/clock.h"
#include "runtime/base/signals.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/process/processor.h"
#include "runtime/stack/callpath.h"
#include "steering.h"

#define CHUNK 4096
#define WRITING 60 /* ns that MPI_Finalize takes for a byte of the log */

/* ns that a call takes longer which passes: 1 of two arguments, 7 of twelve. And a poll of which only what it
 * finds is seen: where the rank has a processor; and where it takes turns with others, that is, has to wait
 * for one for one of so many parts of the time, or more. */
#define PASSING 3
#define PASSING_ALONE 10
#define PASSING_IN_TURNS 37
#define IN_TURNS 10

/* One of so many polls is measured: primes, so that those of several sites have their turns. Of more of them
 * where that many take less time than OFTEN (ns). */
static const uint32_t steps[] = {EFG_THRIFT_POLLS_LEAST, 127, 251, EFG_THRIFT_POLLS_MOST};
#define STEPS (sizeof steps / sizeof *steps)
#define OFTEN 500000

/* A bypass is for pauses that go on for so long (ns), where passing takes more than one of so many parts of
 * the limit; before it begins, calls are counted for a while (ns), to know how many there are meanwhile. */
#define BYPASS_LEAST 50000000
#define BYPASS_PART 4
#define COUNTING 20000000

static const struct efg_job *const job = &efg_job;
static struct efg_steering *const s = &efg_steering;

static struct {
    struct efg_limit limit;
    bool has_begun;
    uint64_t waited;  /* ns for a processor, before it had begun */
    uint64_t passing; /* ns that a poll takes longer of which only what it finds is seen */
    uint32_t limited; /* set of enum efg_limited; atomic, as other threads save it */
} thrift;

static bool is_limited(uint32_t what)
{
    return __atomic_load_n(&thrift.limited, __ATOMIC_RELAXED) & what;
}

static void limit(uint32_t what)
{
    if (!is_limited(what))
        __atomic_fetch_or(&thrift.limited, what, __ATOMIC_RELAXED);
}

/* --- what may be left out --- */

bool efg_thrift_would_pause(void)
{
    return thrift.limit.thrift == EFG_THRIFT_PAUSE && !is_limited(EFG_LIMITED_EXCEEDED);
}

bool efg_thrift_has_paused(void)
{
    return is_limited(EFG_LIMITED_PAUSES);
}

uint32_t efg_thrift_step(void)
{
    return efg_limit_step(thrift.limit.thrift);
}

static bool is_given(const char *key)
{
    return strcmp(efg_conf_source(&job->conf, key), "default") != 0;
}

static bool has_limit(void)
{
    return job->conf.overhead && (job->conf.mode != EFG_MODE_FULL || is_given("overhead"));
}

/* Something was asked for that pauses would spoil: the order of calls; or iterations of the whole run, but no
 * limit. */
static bool is_barred(void)
{
    bool wants_order = job->conf.sequence && is_given("sequence");
    bool wants_windows = !is_given("overhead") && (is_given("select") || is_given("accuracy") ||
                                                   is_given("when") || is_given("windows"));

    return wants_order || wants_windows || job->conf.mode == EFG_MODE_FULL ||
           __atomic_load_n(&efg_threads.count, __ATOMIC_RELAXED) > 1;
}

/* No window follows, nor is one under way. */
static bool is_free(const struct efg_thread *t)
{
    const struct efg_agree *agree = &s->control.agree;

    return !t->recorder.is_on && !t->recorder.is_skipping && !t->recorder.is_draining &&
           !efg_comms_are_expected() &&
           (job->conf.mode != EFG_MODE_ADAPTIVE || agree->round == EFG_ROUND_OVER ||
            agree->role == EFG_ALONE);
}

static bool is_searching(void)
{
    const struct efg_agree *agree = &s->control.agree;

    return job->conf.mode == EFG_MODE_ADAPTIVE && !agree->made && agree->loop_count < 2 &&
           agree->round != EFG_ROUND_OVER && agree->role != EFG_ALONE;
}

static struct efg_limit_state state(const struct efg_thread *t, uint64_t now)
{
    const struct efg_log_header *log = t->recorder.log.header;
    uint64_t time = now - job->start, waited = efg_processor_waited() - thrift.waited;

    return (struct efg_limit_state){.time = time > waited ? time - waited : 0,
                                    .cost = efg_cost_so_far(&t->cost),
                                    .later = log ? WRITING * sizeof(uint32_t) * log->used : 0,
                                    .has_ring = s->control.agree.slow.is_on,
                                    .is_searching = is_searching()};
}

/* --- pauses --- */

/* For NS, or longer, until that is the time with a processor. */
static void begin_pause(struct efg_thread *t, uint64_t now, uint64_t ns)
{
    if (!efg_thrift_has_paused())
        efg_tell(now, "watching pauses now and then: it took more than its share of the time");
    limit(EFG_LIMITED_PAUSES);
    efg_events_add(t, now, false);
    t->order.is_cut = true;
    t->is_pausing = true;
    efg_live_blind(t, true);
    t->pause.from = now;
    t->pause.until = now + ns;
    t->pause.bypass = 0;
    t->pause.waited = efg_processor_waited();
    t->pause.used = efg_clock_cpu();
    job->passing()->calls = CHUNK;
}

/* ns of TIME, in which the thread has WAITED for a processor. */
static double with_processor(uint64_t time, uint64_t waited)
{
    return time > waited ? (double)(time - waited) : 1;
}

/* Calls have passed for a while; from now on most of them go past us, if that is worth it. */
static void consider_bypass(struct efg_thread *t, uint64_t now)
{
    struct efg_pause *p = &t->pause;
    uint64_t calls = p->calls - p->calls_known, time = now - p->from, passing = calls * PASSING;
    struct efg_signals signals;

    if (p->bypass || time < COUNTING || p->until - now < BYPASS_LEAST || !job->conf.bypass)
        return;
    efg_signals_defer(&signals);
    uint64_t begin = efg_clock_cpu(), waited = efg_processor_waited();
    double ran = with_processor(time, waited - p->waited);
    bool is_worth_it = begin > p->used + passing &&
                       (double)(passing * EFG_LIMIT_WHOLE * BYPASS_PART) >= ran * (double)job->conf.overhead;
    if (is_worth_it && efg_bypass_begin(p->until)) {
        /* PASSING is rather too much. */
        p->calls_each = (double)calls / (double)(begin - p->used - passing / 2);
        p->calls_seen = 0;
        p->bypass = now;
        p->used_before = begin;
    }
    t->cost.rare += efg_clock_cpu() - begin;
    efg_signals_resume(&signals);
}

/* They come here again, and have done so for some time until NOW. Those that did not are as many for a ns of
 * processor time as before. Time with a processor does not tell: of a rank that waits for its turn most of
 * the time, it is the small difference of two large numbers that are not of the same moment. */
static void end_bypass(struct efg_thread *t, uint64_t now)
{
    struct efg_pause *p = &t->pause;
    uint64_t cost, time = efg_bypass_end(&cost) - p->bypass, whole = now - p->bypass;
    double part = time < whole ? (double)time / (double)whole : 1;
    uint64_t calls = (uint64_t)(p->calls_each * (double)(efg_clock_cpu() - p->used_before) * part);

    t->cost.rare += cost;
    if (calls <= p->calls_seen)
        return;
    limit(EFG_LIMITED_ESTIMATED);
    p->calls += calls - p->calls_seen;
}

static void end_pause(struct efg_thread *t, uint64_t now)
{
    uint64_t calls = t->pause.calls - t->pause.calls_known;

    if (t->pause.bypass)
        end_bypass(t, now);
    t->is_pausing = false;
    efg_live_blind(t, false);
    t->pause.time += now - t->pause.from;
    t->pause.calls_known = t->pause.calls;
    t->cost.rare += calls * PASSING;
    t->graph.last_leave = now;
    t->graph.poll_time = t->graph.poll_leave = 0;
    t->last_visit = 0;
    if (!efg_requests_are_shared()) /* another thread may have begun meanwhile */
        efg_requests_forget(&t->recorder.table);
    t->next_sample = t->next_full_sample = now + EFG_LIMIT_BURST;
    struct efg_limit_state at = state(t, now);
    efg_limit_resume(&thrift.limit, &at);
}

/* CHUNK calls have passed. */
static bool goes_on(struct efg_thread *t)
{
    uint64_t now = efg_clock_ticks();

    t->pause.calls += CHUNK;
    if (now >= t->pause.until) {
        end_pause(t, now);
        return false;
    }
    if (t->pause.bypass && efg_bypass_is_on())
        t->pause.calls_seen += CHUNK;
    consider_bypass(t, now);
    job->passing()->calls = CHUNK;
    return true;
}

static void consider_pause(struct efg_thread *t, uint64_t now, const struct efg_limit_state *at)
{
    uint64_t until;

    if (is_barred())
        limit(EFG_LIMITED_EXCEEDED);
    if (!efg_thrift_would_pause() || !is_free(t))
        return;
    until = efg_limit_pause(&thrift.limit, at);
    if (until > at->time)
        begin_pause(t, now, until - at->time);
    else if (efg_thrift_has_paused())
        t->next_sample = t->next_full_sample = now + EFG_LIMIT_BURST;
}

/* --- samples --- */

static void note_limited(const struct efg_agree *agree)
{
    const struct efg_slow *slow = &agree->slow;

    if (slow->is_dear || (agree->is_last && slow->wanted))
        limit(EFG_LIMITED_NO_RING);
    else if (slow->step > 1)
        limit(EFG_LIMITED_RING);
}

/* Of a run of LASTED ns, in which no processor was waited for in HAD of them. */
static uint64_t passing_of(uint64_t lasted, uint64_t had)
{
    return had < lasted - lasted / IN_TURNS ? PASSING_IN_TURNS : PASSING_ALONE;
}

void efg_thrift_look(struct efg_thread *t, uint64_t now)
{
    if (!has_limit())
        return;
    if (!thrift.has_begun) {
        efg_limit_init(&thrift.limit, job->conf.overhead, job->init, is_given("overhead"));
        thrift.waited = efg_processor_waited();
    }
    thrift.has_begun = true;
    struct efg_limit_state at = state(t, now);
    efg_limit_look(&thrift.limit, &at);
    note_limited(&s->control.agree);
    t->is_sparing = thrift.limit.thins_polls;
    thrift.passing = passing_of(now - job->start, at.time);
    if (thrift.limit.thrift == EFG_THRIFT_PAUSE)
        consider_pause(t, now, &at);
}

/* --- calls --- */

/* One that may have to be known of later, in a pause. */
static enum efg_spared enter_in_pause(struct efg_thread *t, struct efg_call *c)
{
    if (job->passing()->calls == 0 && !goes_on(t))
        return EFG_SPARED_NOTHING;
    t->pause.calls += c->shape != EFG_SHAPE_MARK; /* that is none of MPI */
    if (!efg_shape_is_in(c, EFG_SHAPES_KEPT))
        return EFG_SPARED_ALL;
    c->enter = efg_clock_ticks();
    efg_recorder_enter(&t->recorder, c, NULL);
    c->is_spared = true;
    return EFG_SPARED_EVENT;
}

/* Of polls. While something is recorded, they are seen. */
static void let_pass(struct efg_thread *t)
{
    if (t->polls_left && job->may_pass_polls && efg_recorder_lend(&t->recorder, job->passing()))
        t->polls_passing = job->passing()->polls = t->polls_left;
}

void efg_thrift_count_passed(struct efg_thread *t)
{
    if (!t->polls_passing)
        return;
    struct efg_passing *passing = job->passing();
    uint64_t passed = t->polls_passing - passing->polls;
    t->polls_passing = passing->polls = 0;
    t->polls_passed += passed;
    t->polls_left -= (uint32_t)passed;
    t->polls_counted += passed;
    t->cost.rare += passed * thrift.passing;
}

static bool is_due(struct efg_thread *t)
{
    if (t->polls_left) {
        t->polls_left--;
        return false;
    }
    uint64_t now = efg_clock_ticks(), took = now - t->polls_measured;
    if (took < OFTEN && t->polls_step + 1 < STEPS)
        t->polls_step++;
    else if (took > 2 * OFTEN && t->polls_step)
        t->polls_step--;
    t->polls_measured = now;
    t->polls_left = steps[t->polls_step] - 1;
    return true;
}

/* While something is recorded, all of them are. */
static bool is_measured(struct efg_thread *t, const struct efg_call *c)
{
    return t->recorder.is_on || t->recorder.is_draining || !efg_shape_is_in(c, EFG_SHAPES_POLL) || is_due(t);
}

enum efg_spared efg_thrift_enter(struct efg_thread *t, struct efg_call *c)
{
    efg_thrift_count_passed(t);
    if (t->is_pausing)
        return enter_in_pause(t, c);
    if (is_measured(t, c))
        return EFG_SPARED_NOTHING;
    if (efg_recorder_wants_enter(&t->recorder, c))
        efg_recorder_enter(&t->recorder, c, NULL);
    c->is_spared = true;
    return EFG_SPARED_EVENT;
}

static void leave_in_pause(struct efg_thread *t, struct efg_call *c, int result)
{
    uint64_t leave = efg_clock_ticks();
    struct efg_facts facts = efg_decode(c, result);

    if (efg_recorder_wants_leave(&t->recorder, c))
        efg_recorder_leave(&t->recorder, c, &facts, leave, result);
}

bool efg_thrift_leave(struct efg_thread *t, struct efg_call *c, int result)
{
    if (t->is_pausing) {
        leave_in_pause(t, c, result);
        return true;
    }
    if (efg_decode(c, result).is_poll) {
        t->polls_counted++;
        limit(EFG_LIMITED_POLLS);
        efg_recorder_release_requests(&t->recorder);
        let_pass(t);
        return true;
    }
    c->path = efg_callpath_find(c->frame, &c->hash);
    c->enter = efg_clock_ticks();
    return false;
}

/* --- the end --- */

void efg_thrift_end(uint64_t now)
{
    struct efg_thread *t = efg_self;

    if (!t)
        return;
    efg_thrift_count_passed(t);
    if (!t->is_pausing)
        return;
    t->pause.calls += CHUNK - job->passing()->calls;
    job->passing()->calls = 0;
    end_pause(t, now);
}

/* Polls that were counted since the last one that was measured are like that one. */
static void settle_polls(struct efg_thread *t)
{
    if (efg_graph_poll_again(&t->graph, t->polls_counted, efg_clock_ticks()))
        t->polls_counted = 0;
}

void efg_thrift_known(struct efg_run_rank *rank, struct efg_thread *only)
{
    rank->limited = __atomic_load_n(&thrift.limited, __ATOMIC_RELAXED);
    rank->limit = has_limit() ? job->conf.overhead : 0;
    rank->grace = has_limit() ? efg_limit_grace(is_given("overhead")) : 0;
    for (struct efg_thread *t = only ? only : efg_threads.list; t; t = only ? NULL : t->next) {
        settle_polls(t);
        rank->paused += t->pause.time;
        rank->unwatched += t->pause.calls + t->polls_counted;
    }
}
