/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands in front of the tracer:
 *
 *     enter    read;  the tracer takes the time
 *     leave    read, if the call is recorded, or an iteration may begin with it;
 *              the tracer takes the time;  the event is added to the graph;  read
 *
 * So what efgtrace does counts as done in calls, and what is between calls is the program's, but for a part
 * of the reading itself. Only what recording takes, and what is done where iterations begin and end, counts
 * for nobody: a window would seem to take more than other iterations. So sums are made of what counts for
 * somebody, and the trace has these. Counts between calls wait for the next event. Polls make none, unless
 * they are a spin, in which the time from one to the next is time in MPI, and so are the counts.
 *
 * Invariant: a thread's files count the thread that reads them. The state of a thread that has ended is taken
 * over by another one, which opens its own files first.
 */
#define _GNU_SOURCE /* gettid */
#include "count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/counters.h"
#include "files/perf/perf.h"
#include "runtime/base/clock.h"
#include "runtime/base/memory.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/watch/events.h"
#include "runtime/watch/known.h"
#include "runtime/watch/ring.h"
#include "runtime/watch/steering.h"
#include "runtime/watch/tracer.h"

#define KEPT 1024  /* iterations */
#define TRIALS 64  /* readings that are timed */
#define WHOLE 0.99 /* of the time that has to be counted, else it is said */

struct values {
    uint64_t v[EFG_COUNTERS];
};

struct kept {        /* an iteration */
    uint32_t pivot;  /* number of it */
    uint64_t middle; /* its time, ns since the start of the run */
    struct values values;
};

struct count { /* of a thread that is counted */
    struct efg_thread *thread;
    long owner; /* id of the thread that the files count; 0: it has none */
    struct efg_perf perf;
    struct efg_perf_reading reading;     /* the last one */
    struct values so_far;                /* counted for the program, and its calls */
    struct values entered;               /* when the present call began */
    struct values gap;                   /* counted since the last call */
    struct efg_recorded_counts recorded; /* what the log has of it */
    struct values pending;               /* ... since the last event */
    struct values begun;                 /* at the last visit of the pivot */
    bool is_known;                       /* the last reading is from the end of the last call */
    bool is_begun, was_on;               /* an iteration has; its calls go to the log */
    bool is_over;                        /* nothing can be read any more */
    uint64_t cost;                       /* ns of readings since the last call */
    uint64_t events, poll_leave;         /* of the graph, after the last call */
    uint64_t visit, iterations;          /* of the thread, likewise */
    uint32_t pivot;                      /* number of the present one */
    struct kept *kept;                   /* the last KEPT iterations that may have been recorded, a ring */
    uint64_t kept_count;                 /* ever */
    struct count *next;
};

static struct efg_counter_list wanted;                     /* what can be counted */
static char wanted_names[EFG_COUNTERS * EFG_COUNTER_NAME]; /* of these, with commas in between */
static struct count *counts;                               /* grows at its head; atomic */
static uint64_t read_time[2]; /* ns that a reading takes: from pages, by a call */
static __thread struct count *own __attribute__((tls_model("initial-exec")));

static long thread_id(void)
{
    return syscall(SYS_gettid);
}

/* --- readings --- */

static void lose(struct count *c)
{
    static bool is_said;

    c->is_over = true;
    if (!__atomic_exchange_n(&is_said, true, __ATOMIC_RELAXED))
        efg_note(
            "counters cannot be read any more, as if the program had closed their files: from here on there "
            "are none");
}

/* Now; and in SINCE, if not NULL, what was counted since the last one. Returns whether that is known. */
static bool read_now(struct count *c, struct values *since)
{
    struct efg_perf_reading last = c->reading;
    int saved = errno;

    if (efg_perf_read(&c->perf, &c->reading) != 0) {
        lose(c);
        errno = saved;
        return false;
    }
    c->cost += read_time[c->reading.is_by_call];
    for (unsigned k = 0; since && k < wanted.count; k++)
        since->v[k] = c->reading.value[k] - last.value[k];
    return true;
}

static void add(struct values *to, const struct values *more)
{
    for (unsigned k = 0; k < wanted.count; k++)
        to->v[k] += more->v[k];
}

/* --- the state of a thread --- */

static bool is_same(const struct efg_counter_list *a, const struct efg_counter_list *b)
{
    return a->count == b->count && memcmp(a->id, b->id, a->count) == 0;
}

/* Count this thread, which has the state C. */
static void take_over(struct count *c)
{
    static bool is_said;
    struct efg_perf_refused refused;

    efg_perf_close(&c->perf);
    efg_perf_open(&c->perf, &wanted, &refused);
    c->is_known = c->is_begun = false;
    c->owner = is_same(&c->perf.list, &wanted) ? thread_id() : 0;
    if (c->owner)
        return;
    efg_perf_close(&c->perf);
    if (!__atomic_exchange_n(&is_said, true, __ATOMIC_RELAXED))
        efg_note("thread %u and perhaps others are not counted: %s", c->thread->number,
                 refused.count ? refused.why[0] : "?");
}

static struct efg_counts *new_counts(void)
{
    struct efg_counts *counts_of_thread = efg_counts_new(wanted.count, &efg_memory);

    for (unsigned k = 0; counts_of_thread && k < wanted.count; k++)
        strncpy(counts_of_thread->name[k], efg_counter(wanted.id[k])->name, EFG_COUNTER_NAME - 1);
    return counts_of_thread;
}

static struct count *add_count(struct efg_thread *thread)
{
    struct count *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->thread = thread;
    c->recorded = (struct efg_recorded_counts){.names = wanted_names, .count = wanted.count};
    thread->recorder.counts = &c->recorded;
    thread->counts = new_counts();
    c->is_over = !thread->counts;
    c->next = __atomic_load_n(&counts, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&counts, &c->next, c, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
        ;
    return c;
}

static struct count *find_count(struct efg_thread *thread)
{
    struct count *c = __atomic_load_n(&counts, __ATOMIC_ACQUIRE);

    while (c && c->thread != thread)
        c = c->next;
    return c ? c : add_count(thread);
}

/* That of this thread, whose state is THREAD; NULL if it is not counted. */
static struct count *count_of(struct efg_thread *thread)
{
    if (!own) {
        int saved = errno;
        own = find_count(thread);
        if (own && !own->is_over)
            take_over(own);
        errno = saved;
    }
    return own && own->owner && !own->is_over ? own : NULL;
}

/* --- what is counted, and where it goes --- */

/* Which iterations are recorded is known in the end: those in windows. */
static void keep_iteration(struct count *c, uint64_t begin, uint64_t end, const struct values *values)
{
    if (!c->kept && !(c->kept = calloc(KEPT, sizeof *c->kept)))
        return;
    if (!c->kept_count)
        efg_budget_add(&efg_memory, KEPT * sizeof *c->kept);
    c->kept[c->kept_count++ % KEPT] = (struct kept){c->pivot, begin / 2 + end / 2 - efg_job.start, *values};
}

static void end_iteration(struct count *c, uint64_t begin, const struct values *now)
{
    struct efg_counts *to = c->thread->counts;
    struct values passed;

    for (unsigned k = 0; k < wanted.count; k++)
        passed.v[k] = now->v[k] - c->begun.v[k];
    efg_counts_add_iteration(&to->all, to->width, passed.v);
    if (c->was_on)
        keep_iteration(c, begin, c->visit, &passed);
}

/* A visit of the pivot begins an iteration, and ends the one before, if that was of the same pivot. */
static void follow_iterations(struct count *c, const struct efg_call *call)
{
    struct efg_thread *t = c->thread;
    uint64_t before = c->iterations, begin = c->visit;
    bool is_other = t->pivots != c->pivot;

    if (t->last_visit == c->visit && !is_other)
        return;
    struct values now = efg_shape_is_in(call, EFG_SHAPES_STARTING) ? c->entered : c->so_far;
    c->visit = t->last_visit;
    c->iterations = t->iterations.all.count;
    c->pivot = t->pivots;
    if (c->is_begun && !is_other && c->iterations == before + 1)
        end_iteration(c, begin, &now);
    c->begun = now;
    c->is_begun = c->visit != 0; /* 0: there is another pivot, or a pause was */
    c->was_on = t->recorder.is_on;
}

/* The call has added an event to the graph. */
static void add_event(struct count *c, const struct values *inside)
{
    struct efg_thread *t = c->thread;

    efg_counts_add_edge(t->counts, &t->graph, t->graph.edge, c->pending.v);
    efg_counts_add_node(t->counts, t->graph.current, inside->v);
    c->pending = (struct values){0};
}

/* CALL has ended. INSIDE was counted in it. */
static void settle(struct count *c, const struct efg_call *call, struct values *inside)
{
    struct efg_thread *t = c->thread;
    bool is_poll = t->graph.poll_leave && t->graph.poll_leave != c->poll_leave;
    bool is_spin = is_poll && c->poll_leave && call->enter - c->poll_leave <= EFG_SPIN;

    add(is_spin ? inside : &c->pending, &c->gap);
    if (t->graph.events != c->events)
        add_event(c, inside);
    else if (is_poll)
        efg_counts_add_node(t->counts, t->graph.polled, inside->v);
    else
        add(&c->pending, inside);
    follow_iterations(c, call);
}

static void remember(struct count *c)
{
    c->events = c->thread->graph.events;
    c->poll_leave = c->thread->graph.poll_leave;
    c->thread->cost.rare += c->cost;
    c->cost = 0;
}

/* --- the hooks --- */

/* In a pause of watching, nothing is read either. */
static void enter(struct count *c)
{
    bool was_known = c->is_known;

    c->is_known = !c->thread->is_pausing && read_now(c, &c->gap);
    if (!was_known)
        c->gap = (struct values){0};
    add(&c->so_far, &c->gap);
    c->entered = c->so_far;
}

static bool count_enter(struct efg_call *call)
{
    struct efg_thread *t = efg_self ? efg_self : efg_threads_self();
    struct count *c = t ? count_of(t) : NULL;

    if (c)
        enter(c);
    return efg_tracer_enter(call);
}

/* Whether the call that ends now is recorded, or an iteration may begin or end with it. */
static bool is_exact(const struct efg_thread *t)
{
    return t->recorder.is_on || t->recorder.is_draining || t->is_awaiting;
}

/* Before the tracer has CALL: what was counted INSIDE, to the log, too. Returns whether that is known. */
static bool end_exactly(struct count *c, struct efg_call *call, struct values *inside)
{
    struct efg_recorded_counts *to = &c->recorded;

    if (!c->is_known || c->thread->is_pausing || !is_exact(c->thread) || !read_now(c, inside))
        return false;
    memcpy(to->began, c->entered.v, sizeof to->began);
    memcpy(to->passed, inside->v, sizeof to->passed);
    memcpy(to->boundary, c->entered.v, sizeof to->boundary);
    for (unsigned k = 0; k < wanted.count && !efg_shape_is_in(call, EFG_SHAPES_STARTING); k++)
        to->boundary[k] += inside->v[k];
    to->is_present = true;
    efg_recorder_count(&c->thread->recorder, call);
    return true;
}

/* INSIDE the call was counted. */
static void end_counted(struct count *c, const struct efg_call *call, struct values *inside)
{
    add(&c->so_far, inside);
    settle(c, call, inside);
}

/* INSIDE the call was counted, if it IS_EXACT: then what is done here counts for nobody, either. */
static void leave(struct count *c, const struct efg_call *call, struct values *inside, bool is_exact)
{
    bool was_known = c->is_known && !c->thread->is_pausing;

    if (c->thread->backlog.count)
        efg_events_add(c->thread, efg_clock_ticks(), false);
    if (is_exact && was_known)
        end_counted(c, call, inside);
    c->is_known = !c->thread->is_pausing && read_now(c, is_exact ? NULL : inside);
    if (!was_known || !c->is_known)
        c->is_begun = false;
    else if (!is_exact)
        end_counted(c, call, inside);
    remember(c);
}

static void count_leave(struct efg_call *call, int result)
{
    struct efg_thread *t = efg_self;
    struct count *c = t ? count_of(t) : NULL;
    struct values inside;
    bool is_exact = false;

    if (c) {
        efg_thread_begin_work(t);
        is_exact = !efg_threads_are_over() && end_exactly(c, call, &inside);
        efg_thread_end_work(t);
    }
    efg_tracer_leave(call, result);
    t = efg_self;
    c = t ? count_of(t) : NULL;
    if (!c)
        return;
    c->recorded.is_present = false;
    efg_thread_begin_work(t);
    if (!efg_threads_are_over())
        leave(c, call, &inside, is_exact);
    efg_thread_end_work(t);
}

/* --- all --- */

static void refuse(const char *names, const char *why)
{
    (efg_job_is_first() ? efg_note : efg_note_silently)("counters %s: %s", names, why);
}

static uint64_t time_readings(struct efg_perf *perf)
{
    struct efg_perf_reading reading;
    uint64_t begin = efg_clock_ticks();

    for (int i = 0; i < TRIALS; i++)
        efg_perf_read(perf, &reading);
    return (efg_clock_ticks() - begin) / TRIALS;
}

/* What is ASKED for, but the kernel does not let us count, is not asked for again. Returns whether there is
 * anything left. */
static bool try_all(const struct efg_counter_list *asked)
{
    struct efg_perf_refused refused;
    struct efg_perf perf;

    efg_perf_open(&perf, asked, &refused);
    efg_perf_explain(&refused, refuse);
    wanted = perf.list;
    if (perf.is_user_only)
        refuse("of the processor", "what the kernel does for the program is left out "
                                   "(kernel.perf_event_paranoid)");
    if (wanted.count) {
        read_time[0] = time_readings(&perf);
        efg_perf_leave_pages(&perf);
        read_time[1] = time_readings(&perf);
    }
    efg_tell(efg_clock_ticks(), "%u counters; to read them takes %llu ns, by a system call %llu ns",
             wanted.count, (unsigned long long)read_time[0], (unsigned long long)read_time[1]);
    efg_perf_close(&perf);
    return wanted.count > 0;
}

/* What was counted in this thread until now. */
static bool read_so_far(uint64_t *values)
{
    struct efg_perf_reading reading;
    struct count *c = efg_self ? count_of(efg_self) : NULL;
    int saved = errno;

    if (!c || efg_perf_read(&c->perf, &reading) != 0) {
        errno = saved;
        return false;
    }
    memcpy(values, reading.value, wanted.count * sizeof *values);
    return true;
}

static void name_wanted(void)
{
    size_t used = 0;

    for (unsigned k = 0; k < wanted.count; k++)
        used += (size_t)snprintf(wanted_names + used, sizeof wanted_names - used, "%s%s", k ? "," : "",
                                 efg_counter(wanted.id[k])->name);
}

/* Conditions on counters (key when) can be judged, if there are all that they need. */
static void begin_conditions(void)
{
    const struct efg_when *when = &efg_job.conf.when;
    struct efg_counter_list all = wanted;

    if (!when->count_count)
        return;
    if (efg_when_add_counters(when, &all) && is_same(&all, &wanted))
        efg_ring_count(&wanted, read_so_far);
    else
        refuse(when->text, "not all that this needs can be counted: it holds for no iteration");
}

const struct efg_hooks *efg_count_begin(const struct efg_hooks *hooks)
{
    static const struct efg_hooks ours = {.enter = count_enter, .leave = count_leave};
    struct efg_counter_list asked = efg_job.conf.counters;

    if (efg_job.conf.mode == EFG_MODE_ADAPTIVE)
        efg_when_add_counters(&efg_job.conf.when, &asked);
    bool is_any = asked.count && try_all(&asked);
    begin_conditions();
    if (!is_any)
        return hooks;
    name_wanted();
    count_of(efg_self);
    return &ours;
}

/* Counters of the processor may have been lent to others for some of the time. */
static void note_lent(const struct efg_perf_reading *reading)
{
    static bool is_said;
    double share = reading->enabled ? (double)reading->running / (double)reading->enabled : 1;

    if (share >= WHOLE || is_said)
        return;
    is_said = true;
    efg_note("counters were used by others for %.0f%% of the time: counts are too small by as much",
             100 - 100 * share);
}

/* What an iteration stands for, as its window has WEIGHT. */
static double weigh(const struct kept *kept, const double *weight)
{
    for (uint32_t i = 0; i < efg_steering.window_count; i++)
        if (kept->middle >= efg_steering.windows[i].start && kept->middle < efg_steering.windows[i].end)
            return weight[i];
    return 0;
}

static void add_recorded(struct efg_counts *to, const struct values *values, double weight)
{
    struct values weighed;

    for (unsigned k = 0; k < to->width; k++)
        weighed.v[k] = (uint64_t)((double)values->v[k] * weight + 0.5);
    efg_counts_add_iteration(&to->recorded, to->width, weighed.v);
}

/* Those of PIVOT that stand for the run, as their times do. */
static void sum_recorded(struct count *c, uint32_t pivot, const double *weight)
{
    for (uint64_t i = 0; i < c->kept_count && i < KEPT; i++) {
        double stands = c->kept[i].pivot == pivot ? weigh(&c->kept[i], weight) : 0;
        if (stands > 0)
            add_recorded(c->thread->counts, &c->kept[i].values, stands);
    }
}

void efg_count_end(void)
{
    double *weight = calloc(efg_steering.window_count + 1, sizeof *weight);

    if (weight && efg_threads.leader)
        efg_known_weigh(efg_threads.leader, weight);
    for (struct count *c = counts; c; c = c->next) {
        uint32_t pivot;
        note_lent(&c->reading);
        if (!c->thread->counts)
            continue;
        c->thread->counts->all = efg_known_counted(c->thread, &pivot);
        if (weight)
            sum_recorded(c, pivot, weight);
    }
    free(weight);
}
