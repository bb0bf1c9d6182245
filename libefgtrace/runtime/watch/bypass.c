/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread and the leader share a lock, under which the state changes. While slots are changed another one
 * is held, which fork waits for: a child is not to begin while the loader's lock is held for us (slots.c) by
 * a thread that it does not have.
 */
#include "bypass.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "runtime/base/clock.h"
#include "runtime/process/job.h"

#define STACK (256 << 10)   /* bytes, of which some of the libraries' own variables are taken */
#define RETRY 10000000      /* ns */
#define PATIENCE 1000000000 /* ns: how long the end, and fork, may wait */

extern char __libc_single_threaded __attribute__((weak));

static struct {
    pthread_mutex_t lock;
    pthread_cond_t news;
    pthread_t waiter;
    bool is_on, is_to_end, has_waiter;
    bool is_off;           /* for good: it does not work here */
    uint64_t until, ended; /* ticks */
    uint64_t cost;         /* ns */
} bypass = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static bool holds_fork; /* of the thread that forks */

static bool change(bool on)
{
    pthread_mutex_lock(&changing);
    bool is_done = efg_job.bypass(on);
    pthread_mutex_unlock(&changing);
    return is_done;
}

/* --- fork --- */

static struct timespec after(clockid_t clock, uint64_t ns)
{
    uint64_t then = efg_clock_read(clock) + ns;

    return (struct timespec){(time_t)(then / EFG_CLOCK_TICKS_PER_SECOND),
                             (long)(then % EFG_CLOCK_TICKS_PER_SECOND)};
}

static void before_fork(void)
{
    struct timespec until = after(CLOCK_REALTIME, PATIENCE);

    holds_fork = pthread_mutex_timedlock(&changing, &until) == 0;
}

static void after_fork(void)
{
    if (holds_fork)
        pthread_mutex_unlock(&changing);
}

/* The thread is the parent's. */
static void in_child(void)
{
    after_fork();
    bypass.is_off = true;
    bypass.has_waiter = bypass.is_on = false;
}

/* --- the thread --- */

static void wait_for_end(void)
{
    pthread_mutex_lock(&bypass.lock);
    for (uint64_t now; !bypass.is_to_end && (now = efg_clock_ticks()) < bypass.until;) {
        struct timespec until = after(CLOCK_MONOTONIC, bypass.until - now);
        pthread_cond_timedwait(&bypass.news, &bypass.lock, &until);
    }
    pthread_mutex_unlock(&bypass.lock);
}

static void *wait_and_end(void *nothing)
{
    static const struct timespec pause = {0, RETRY};

    wait_for_end();
    while (!change(false))
        nanosleep(&pause, NULL);
    pthread_mutex_lock(&bypass.lock);
    bypass.ended = efg_clock_ticks();
    bypass.cost = efg_clock_cpu();
    __atomic_store_n(&bypass.is_on, false, __ATOMIC_RELEASE);
    pthread_cond_signal(&bypass.news);
    pthread_mutex_unlock(&bypass.lock);
    return nothing;
}

static bool make_waiter(void)
{
    pthread_attr_t attributes;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK);
    bypass.has_waiter = pthread_create(&bypass.waiter, &attributes, wait_and_end, NULL) == 0;
    pthread_attr_destroy(&attributes);
    return bypass.has_waiter;
}

/* --- the leader --- */

/* Once. */
static bool prepare(void)
{
    static bool is_done;
    pthread_condattr_t attributes;

    if (is_done)
        return true;
    if ((&__libc_single_threaded && __libc_single_threaded) || pthread_condattr_init(&attributes) != 0)
        return false;
    is_done = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&bypass.news, &attributes) == 0 &&
              pthread_atfork(before_fork, after_fork, in_child) == 0;
    pthread_condattr_destroy(&attributes);
    return is_done;
}

bool efg_bypass_begin(uint64_t until)
{
    if (bypass.is_off || bypass.has_waiter)
        return false;
    bypass.is_off = !prepare();
    if (bypass.is_off)
        return false;
    bypass.until = until;
    bypass.is_to_end = false;
    if (!change(true)) {
        bypass.is_off = true;
        return false;
    }
    __atomic_store_n(&bypass.is_on, true, __ATOMIC_RELEASE);
    if (make_waiter())
        return true;
    bypass.is_off = true;
    bypass.is_on = !change(false);
    return false;
}

bool efg_bypass_is_on(void)
{
    return __atomic_load_n(&bypass.is_on, __ATOMIC_ACQUIRE);
}

uint64_t efg_bypass_end(uint64_t *cost)
{
    struct timespec until = after(CLOCK_MONOTONIC, PATIENCE);

    *cost = 0;
    if (!bypass.has_waiter)
        return efg_clock_ticks();
    pthread_mutex_lock(&bypass.lock);
    bypass.is_to_end = true;
    pthread_cond_signal(&bypass.news);
    while (bypass.is_on && pthread_cond_timedwait(&bypass.news, &bypass.lock, &until) != ETIMEDOUT)
        ;
    bool is_over = !bypass.is_on;
    pthread_mutex_unlock(&bypass.lock);
    if (!is_over)
        return efg_clock_ticks(); /* it will be, and there is no other one until then */
    pthread_join(bypass.waiter, NULL);
    bypass.has_waiter = false;
    *cost = bypass.cost;
    return bypass.ended;
}
