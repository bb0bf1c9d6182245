/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps a state for each thread. Invariant: a state is in the list from when it is made until the process
 * ends; at most one thread works on it.
 */
#include "threads.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/hot.h"
#include "leader.h"
#include "live.h"
#include "runtime/base/clock.h"
#include "runtime/base/memory.h"
#include "runtime/base/roomy.h"
#include "runtime/base/signals.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/stack/callpath.h"
#include "runtime/stack/code.h"
#include "save.h"
#include "wish.h"

#define LINE 64                   /* bytes of a cache line */
#define LOOK_PAUSE 50000          /* ns between looks whether a thread is still at work */
#define STOP_PATIENCE 1000000000u /* ns for all of them */

struct efg_threads efg_threads = {.lock = PTHREAD_MUTEX_INITIALIZER};
EFG_HOT_DATA uint32_t efg_epoch;
__thread struct efg_thread *efg_self;

static const struct efg_job *const job = &efg_job;
static struct efg_threads *const all = &efg_threads;
static pthread_key_t key; /* tells when a thread ends */
static bool has_key;

static void open_log(struct efg_thread *t)
{
    struct efg_log_header header = {
        .rank = (uint32_t)job->rank,
        .ranks = (uint32_t)job->size,
        .thread = t->number,
        .pid = (uint32_t)getpid(),
        .ticks_per_second = EFG_CLOCK_TICKS_PER_SECOND,
        .sync = {job->sync.sync},
        .clock_error = job->sync.error,
        .package = job->place.package + 1, /* EFG_NONE + 1 is 0 */
        .numa = job->place.numa + 1,
        .core = job->place.core + 1,
        .full = job->conf.mode == EFG_MODE_FULL,
    };
    char path[EFG_PATH];

    if (!job->folder[0])
        return;
    memcpy(header.host, job->host, sizeof header.host);
    memcpy(header.application, job->application, sizeof header.application);
    efg_job_path(t->number, EFG_JOB_LOG, path);
    int error = efg_recorder_open(&t->recorder, path, &header, job->conf.log_limit);
    if (error)
        efg_note("cannot make %s: %s; this rank records nothing", path, strerror(-error));
}

static void begin_order(struct efg_thread *t)
{
    char path[EFG_PATH];

    efg_job_path(t->number, EFG_JOB_ORDER, path);
    efg_order_begin(&t->order, t->number, job->folder[0] ? path : NULL);
}

static void thread_free(struct efg_thread *t)
{
    efg_graph_fini(&t->graph);
    efg_backlog_fini(&t->backlog);
    free(t);
}

/* A state that has a graph within BUDGET, and nothing else yet; NULL without memory. */
static struct efg_thread *thread_new(struct efg_budget *budget, uint64_t now)
{
    struct efg_thread *t = aligned_alloc(LINE, (sizeof *t + LINE - 1) / LINE * LINE);

    if (!t)
        return NULL;
    *t = (struct efg_thread){
        .detail = {job->conf.signature, (unsigned)job->conf.depth},
        .cost.countdown = EFG_COST_EVERY,
    };
    if (efg_graph_init(&t->graph, budget, now) == 0 && efg_backlog_init(&t->backlog) == 0)
        return t;
    thread_free(t);
    return NULL;
}

/* This thread has the state T, or none. */
static void set_self(struct efg_thread *t)
{
    efg_self = t;
    if (t)
        t->mine = efg_callpath_mine();
    if (job->at_hand)
        job->at_hand()->thread = t;
}

/* Another thread may go on where THREAD, which ends here, has got to: those that come and go
 * take the memory of as many as there are at once. */
static void retire(void *thread)
{
    struct efg_thread *t = thread;
    struct efg_signals signals;

    set_self(NULL);
    efg_leader_retire(t);
    efg_live_thread_end(t);
    efg_thread_end_work(t);
    efg_signals_lock(&signals, &all->lock);
    t->next_idle = all->idle;
    all->idle = t;
    efg_signals_unlock(&signals, &all->lock);
}

static struct efg_thread *take_idle(void)
{
    pthread_mutex_lock(&all->lock);
    struct efg_thread *t = all->idle;
    if (t)
        all->idle = t->next_idle;
    pthread_mutex_unlock(&all->lock);
    return t;
}

/* T is at work until all of it is there. Returns -ECANCELED if it comes too late. */
static int add_thread(struct efg_thread *t, struct efg_traffic *traffic)
{
    efg_thread_begin_work(t);
    pthread_mutex_lock(&all->lock);
    bool is_late = efg_threads_are_over();
    if (!is_late) {
        t->number = __atomic_fetch_add(&all->count, 1, __ATOMIC_RELAXED);
        efg_recorder_init(&t->recorder, t->number, traffic);
        efg_requests_init(&t->recorder.table, t->recorder.thread);
        t->next = all->list;
        all->list = t;
        if (!all->leader) /* the first one: others come later */
            all->leader = t;
    }
    pthread_mutex_unlock(&all->lock);
    return is_late ? -ECANCELED : 0;
}

static struct efg_thread *new_thread(void)
{
    uint64_t now = efg_clock_ticks();
    struct efg_traffic *traffic = efg_traffic_new((uint32_t)job->size);
    struct efg_thread *t = traffic ? thread_new(&efg_memory, now) : NULL;

    if (!t) {
        efg_traffic_free(traffic);
        return NULL;
    }
    efg_budget_add(&efg_memory,
                   sizeof *t + EFG_BACKLOG * sizeof *t->backlog.event + efg_traffic_memory(traffic));
    efg_again_init(&t->again, traffic);
    efg_stability_init(&t->stability, (uint32_t)job->conf.stable);
    if (efg_graph_follow_calls(&t->graph, efg_callpath_keys, efg_callpath_position) == 0)
        t->finder = efg_finder_new(&t->graph, efg_wish_present());
    t->next_sample = t->next_full_sample = now + job->conf.interval;
    t->next_save = efg_save_first(now);
    if (add_thread(t, traffic) != 0)
        return NULL; /* what it takes goes with the process */
    if (job->conf.mode == EFG_MODE_ADAPTIVE || job->conf.mode == EFG_MODE_FULL)
        open_log(t);
    if (job->conf.sequence)
        begin_order(t);
    efg_thread_end_work(t);
    return t;
}

/* *FOUND: as new_thread. */
static void make_thread(void *found)
{
    *(struct efg_thread **)found = new_thread();
}

static struct efg_thread *find_thread(void)
{
    struct efg_signals signals;

    efg_signals_defer(&signals);
    struct efg_thread *t = take_idle();
    if (!t)
        efg_roomy(make_thread, &t);
    efg_signals_resume(&signals);
    return t;
}

static void tell_untraced(void)
{
    static bool is_told;
    if (!__atomic_exchange_n(&is_told, true, __ATOMIC_RELAXED))
        efg_note("no memory for another thread: some are not traced (EFGTRACE_MEMORY)");
}

struct efg_thread *efg_threads_self(void)
{
    static __thread bool failed __attribute__((tls_model("initial-exec")));
    if (!efg_self && !failed && !efg_threads_are_over()) {
        set_self(find_thread());
        failed = !efg_self;
        if (efg_self)
            efg_live_thread_begin(efg_self);
        if (efg_self && has_key)
            pthread_setspecific(key, efg_self);
        if (failed)
            tell_untraced();
    }
    return efg_self;
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

void efg_threads_stop(void)
{
    struct efg_signals signals;
    uint64_t patience = STOP_PATIENCE;

    efg_signals_lock(&signals, &all->lock);
    __atomic_store_n(&efg_epoch, EFG_EPOCH_OVER, __ATOMIC_RELAXED);
    efg_signals_unlock(&signals, &all->lock);
    if (all->count < 2)
        return;
    int saved = errno;
    fence_all_threads();
    for (const struct efg_thread *t = all->list; t; t = t->next)
        if (t != efg_self)
            await_end_of_work(t, &patience);
    errno = saved;
}

void efg_threads_begin(void)
{
    has_key = pthread_key_create(&key, retire) == 0;
}

struct efg_thread *efg_threads_become(struct efg_thread *other)
{
    struct efg_thread *was = efg_self;
    set_self(other);
    return was;
}

/* With a thread that is in no list, leads nothing, takes no samples and records nothing. */
void efg_threads_calibrate(const struct efg_hooks *hooks)
{
    struct efg_thread *scratch = thread_new(NULL, efg_clock_ticks());

    if (!scratch)
        return;
    scratch->live = efg_live_spare();
    scratch->next_sample = UINT64_MAX;
    scratch->epoch = efg_epoch;
    efg_recorder_init(&scratch->recorder, 0, NULL);
    struct efg_thread *self = efg_threads_become(scratch);
    efg_cost_measure(&scratch->cost, hooks);
    efg_threads_become(self);
    thread_free(scratch);
}
