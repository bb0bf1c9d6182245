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

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/hot.h"
#include "runtime/stack/callpath.h"
#include "runtime/stack/code.h"
#include "runtime/base/clock.h"
#include "leader.h"
#include "mainloop.h"
#include "runtime/base/memory.h"
#include "save.h"
#include "runtime/base/signals.h"
#include "steer.h"
#include "windows.h"
#include "wish.h"

#define LINE 64                   /* bytes of a cache line */
#define FEW_EVENTS 16             /* are not worth two readings of the clock */
#define LOOK_PAUSE 50000          /* ns between looks whether a thread is still at work */
#define STOP_PATIENCE 1000000000u /* ns for all of them */

struct efg_process efg_process = {.lock = PTHREAD_MUTEX_INITIALIZER};
EFG_HOT_DATA uint32_t efg_epoch;

static __thread struct efg_thread *self __attribute__((tls_model("initial-exec")));

/* --- threads --- */

/* Who jumps out of a signal handler leaves no lock behind. */
static void take_lock(struct efg_signals *signals)
{
    efg_signals_defer(signals);
    pthread_mutex_lock(&efg_process.lock);
}

static void give_lock(const struct efg_signals *signals)
{
    pthread_mutex_unlock(&efg_process.lock);
    efg_signals_resume(signals);
}

/*
 * A thread says when it is at work, and who ends the tracer (efg_tracer_stop) says that it is
 * over: each before it looks at what the other says. The way of a call is to have no fence for
 * that, so who ends the tracer makes all threads have theirs.
 */
static int is_over(void)
{
    return __atomic_load_n(&efg_epoch, __ATOMIC_RELAXED) == EFG_EPOCH_OVER;
}

static void begin_work(struct efg_thread *t)
{
    __atomic_store_n(&t->is_inside, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the compiler at least keeps the order */
}

static void end_work(struct efg_thread *t)
{
    __asm__("" : "+r"(t)); /* else gcc saves a register for the address of the field */
    __atomic_store_n(&t->is_inside, 0, __ATOMIC_RELEASE);
}

void efg_tracer_log_path(uint32_t thread, char *path, size_t size)
{
    snprintf(path, size, "%.4000s/logs/%d.%u.log", efg_process.folder, efg_process.rank,
             thread);
}

static void open_log(struct efg_thread *t)
{
    struct efg_process *p = &efg_process;
    struct efg_log_header header = {
        .rank = (uint32_t)p->rank,
        .ranks = (uint32_t)p->size,
        .thread = t->number,
        .ticks_per_second = EFG_CLOCK_TICKS_PER_SECOND,
        .sync = {p->sync.sync},
        .clock_error = p->sync.error,
        .package = p->place.package + 1, /* EFG_NONE + 1 is 0 */
        .numa = p->place.numa + 1,
        .core = p->place.core + 1,
        .full = p->conf.mode == EFG_MODE_FULL,
    };
    char path[EFG_PATH];

    if (!p->folder[0])
        return;
    memcpy(header.host, p->host, sizeof header.host);
    memcpy(header.application, p->application, sizeof header.application);
    efg_tracer_log_path(t->number, path, sizeof path);
    int error = efg_recorder_open(&t->recorder, path, &header, p->conf.log_limit);
    if (error)
        efg_tracer_note("cannot make %s: %s; this rank records nothing", path,
                        strerror(-error));
}

static void begin_order(struct efg_thread *t)
{
    char path[EFG_PATH];

    snprintf(path, sizeof path, "%.4000s/logs/%d.%u.order", efg_process.folder,
             efg_process.rank, t->number);
    efg_order_begin(&t->order, t->number, efg_process.folder[0] ? path : NULL);
}

struct efg_thread *efg_tracer_new(struct efg_budget *budget, uint64_t now)
{
    struct efg_thread *t = aligned_alloc(LINE, (sizeof *t + LINE - 1) / LINE * LINE);

    if (!t)
        return NULL;
    *t = (struct efg_thread){
        .detail = {efg_process.conf.signature, (unsigned)efg_process.conf.depth},
        .cost.countdown = EFG_COST_EVERY,
    };
    if (efg_graph_init(&t->graph, budget, now) == 0 && efg_backlog_init(&t->backlog) == 0)
        return t;
    efg_tracer_free(t);
    return NULL;
}

void efg_tracer_free(struct efg_thread *t)
{
    efg_graph_fini(&t->graph);
    efg_backlog_fini(&t->backlog);
    free(t);
}

/* Another thread may go on where THREAD, which ends here, has got to: those that come and go
 * take the memory of as many as there are at once. */
static void retire(void *thread)
{
    struct efg_process *p = &efg_process;
    struct efg_thread *t = thread;
    struct efg_signals signals;

    self = NULL;
    efg_leader_retire(t);
    end_work(t);
    take_lock(&signals);
    t->next_idle = p->idle;
    p->idle = t;
    give_lock(&signals);
}

static struct efg_thread *take_idle(void)
{
    struct efg_process *p = &efg_process;

    pthread_mutex_lock(&p->lock);
    struct efg_thread *t = p->idle;
    if (t)
        p->idle = t->next_idle;
    pthread_mutex_unlock(&p->lock);
    return t;
}

/* T is at work until all of it is there. Returns -1 if it comes too late. */
static int add_thread(struct efg_thread *t, struct efg_traffic *traffic)
{
    struct efg_process *p = &efg_process;

    begin_work(t);
    pthread_mutex_lock(&p->lock);
    int is_late = is_over();
    if (!is_late) {
        t->number = p->thread_count++;
        efg_recorder_init(&t->recorder, t->number, traffic);
        efg_requests_init(&t->recorder.table, t->recorder.thread);
        t->next = p->threads;
        p->threads = t;
        if (!p->leader) /* the first one: others come later */
            p->leader = t;
    }
    pthread_mutex_unlock(&p->lock);
    return is_late ? -1 : 0;
}

static struct efg_thread *new_thread(void)
{
    struct efg_process *p = &efg_process;
    uint64_t now = efg_clock_ticks();
    struct efg_traffic *traffic = efg_traffic_new((uint32_t)p->size);
    struct efg_thread *t = traffic ? efg_tracer_new(&efg_memory, now) : NULL;

    if (!t) {
        efg_traffic_free(traffic);
        return NULL;
    }
    efg_budget_add(&efg_memory, sizeof *t + EFG_BACKLOG * sizeof *t->backlog.event +
                                    efg_traffic_memory(traffic));
    efg_stability_init(&t->stability, (uint32_t)p->conf.stable);
    if (efg_graph_follow_calls(&t->graph, efg_callpath_keys, efg_code_place) == 0)
        t->finder = efg_finder_new(&t->graph, efg_wish_begin());
    t->next_sample = t->next_full_sample = now + p->conf.interval;
    t->next_save = efg_save_first(now);
    if (add_thread(t, traffic) != 0)
        return NULL; /* what it takes goes with the process */
    if (p->conf.mode == EFG_MODE_ADAPTIVE || p->conf.mode == EFG_MODE_FULL)
        open_log(t);
    if (p->conf.sequence)
        begin_order(t);
    end_work(t);
    return t;
}

static struct efg_thread *find_thread(void)
{
    struct efg_signals signals;

    efg_signals_defer(&signals);
    struct efg_thread *t = take_idle();
    if (!t)
        t = new_thread();
    efg_signals_resume(&signals);
    return t;
}

static void tell_untraced(void)
{
    static int is_told;
    if (!__atomic_exchange_n(&is_told, 1, __ATOMIC_RELAXED))
        efg_tracer_note("no memory for another thread: some are not traced (EFGTRACE_MEMORY)");
}

struct efg_thread *efg_tracer_thread(void)
{
    static __thread int failed __attribute__((tls_model("initial-exec")));
    if (!self && !failed && !is_over()) {
        self = find_thread();
        failed = !self;
        if (self && efg_process.has_thread_key)
            pthread_setspecific(efg_process.thread_key, self);
        if (failed)
            tell_untraced();
    }
    return self;
}

/* A thread that is held up within its work is not waited for any longer. */
static void await_end_of_work(const struct efg_thread *t, uint64_t *patience)
{
    static const struct timespec pause = {0, LOOK_PAUSE};

    while (__atomic_load_n(&t->is_inside, __ATOMIC_ACQUIRE) && *patience > 0) {
        nanosleep(&pause, NULL);
        *patience -= LOOK_PAUSE;
    }
}

static void fence_all_threads(void)
{
    static const struct timespec pause = {0, LOOK_PAUSE};

    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) != 0 ||
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0) != 0)
        nanosleep(&pause, NULL); /* what is stored has been seen by then */
}

void efg_tracer_stop(void)
{
    struct efg_process *p = &efg_process;
    struct efg_signals signals;
    uint64_t patience = STOP_PATIENCE;

    take_lock(&signals);
    __atomic_store_n(&efg_epoch, EFG_EPOCH_OVER, __ATOMIC_RELAXED);
    give_lock(&signals);
    if (p->thread_count < 2)
        return;
    int saved = errno;
    fence_all_threads();
    for (const struct efg_thread *t = p->threads; t; t = t->next)
        if (t != self)
            await_end_of_work(t, &patience);
    errno = saved;
}

struct efg_thread *efg_tracer_become(struct efg_thread *other)
{
    struct efg_thread *was = self;
    self = other;
    return was;
}

void efg_tracer_init_threads(void)
{
    struct efg_process *p = &efg_process;
    p->has_thread_key = pthread_key_create(&p->thread_key, retire) == 0;
}

/* --- user regions --- */

void efg_tracer_control(int level, const char *name)
{
    struct efg_thread *t = efg_tracer_thread();
    if (t && efg_process.conf.signature & EFG_DIM_REGION)
        efg_regions_control(&t->regions, level, name);
}

/* --- events --- */

static __attribute__((noinline, cold)) int turn_back(struct efg_thread *t)
{
    end_work(t);
    return 0;
}

EFG_HOT int efg_tracer_enter(struct efg_call *call)
{
    struct efg_thread *t = self ? self : efg_tracer_thread();
    call->thread = t;
    if (!t)
        return 0;
    begin_work(t);
    t->cost.entered = --t->cost.countdown == 0 ? efg_clock_ticks() : 0;
    call->path = efg_callpath_find(call->frame, &call->hash);
    call->enter = efg_clock_ticks();
    if (t->epoch != __atomic_load_n(&efg_epoch, __ATOMIC_RELAXED) &&
        efg_windows_join(t, call->enter) != 0)
        return turn_back(t);
    if (efg_recorder_wants_enter(&t->recorder, call))
        efg_recorder_enter(&t->recorder, call);
    if (t->cost.entered) {
        t->cost.inside = efg_clock_ticks() - t->cost.entered;
        t->cost.rare_then = t->cost.rare;
    }
    end_work(t);
    return 1;
}

/* What is asked for besides function and path. */
static __attribute__((noinline)) void
add_dimensions(struct efg_signature *s, const struct efg_call *call, struct efg_facts f)
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

/* The EVENT that was just added to the graph is a visit of the pivot. */
static void count_visit(struct efg_thread *t, const struct efg_event *event)
{
    if (efg_leader_is(t))
        efg_mainloop_count(t, event->is_start ? event->enter : event->leave);
}

static int add_to_graph(struct efg_thread *t, const struct efg_event *event)
{
    int is_pivot = efg_graph_step(&t->graph, event);

    efg_order_add(&t->order, t->graph.current);
    if (event->flags & EFG_NODE_WORLD)
        efg_tally_world(&t->tally);
    if (is_pivot)
        efg_tally_visit(&t->tally);
    return is_pivot;
}

/* Too rare for samples of calls to say what it takes, so it is measured itself, unless there is
 * little to do. */
static EFG_HOT int settle(struct efg_thread *t, uint64_t now, int is_last_awaited)
{
    uint32_t count = t->backlog.count;
    uint64_t begin = count > FEW_EVENTS ? efg_clock_ticks() : 0;
    uint64_t rare = t->cost.rare;
    int is_pivot = 0;

    efg_backlog_set(&t->backlog, 0); /* first: a signal handler may jump out of here */
    for (uint32_t i = 0; i < count; i++) {
        const struct efg_event *event = &t->backlog.event[i];
        if (event->is_poll) {
            efg_graph_poll(&t->graph, event);
        } else {
            is_pivot = add_to_graph(t, event);
            if (is_pivot && !(is_last_awaited && i + 1 == count))
                count_visit(t, event);
        }
        if (__builtin_expect(t->graph.is_full, 0)) {
            efg_backlog_set(&t->backlog, count); /* what is left of it is coarsened, too */
            efg_coarse_make_room(t, now);
            efg_backlog_set(&t->backlog, 0);
        }
    }
    __atomic_store_n(&t->settled, t->graph.events, __ATOMIC_RELAXED);
    if (begin)
        t->cost.rare = rare + (efg_clock_ticks() - begin); /* with what else was done here */
    return is_pivot;
}

void efg_tracer_settle(struct efg_thread *t, uint64_t now)
{
    settle(t, now, 0);
}

/* Of CALL, which has returned at LEAVE. Returns 1 if it counts for the pivot, else 0. */
static inline int add_event(struct efg_thread *t, const struct efg_call *call,
                            struct efg_facts facts, uint64_t leave)
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
    int is_awaited = efg_graph_may_count(&t->graph, event) && t->is_awaiting;
    return (is_awaited || waiting >= EFG_BACKLOG) && settle(t, leave, is_awaited) && is_awaited;
}

EFG_HOT void efg_tracer_leave(struct efg_call *call, int result)
{
    struct efg_thread *t = call->thread;
    begin_work(t);
    if (__builtin_expect(is_over(), 0)) {
        turn_back(t);
        return;
    }
    uint64_t leave = efg_clock_ticks();
    struct efg_facts facts = efg_decode(call, result);
    int is_pivot = add_event(t, call, facts, leave) && efg_leader_is(t);
    int is_cut_before = is_pivot && efg_shape_is_in(call, EFG_SHAPES_STARTING);

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
    end_work(t);
}
