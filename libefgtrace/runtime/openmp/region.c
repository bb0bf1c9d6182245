/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of the region at hand. There is one at a time, as only the main thread begins some. Each thread adds
 * to them when it stops, so that at the join nothing is missing, even of threads that still are in the last
 * barrier: those go on when the next region begins, which they see by its number.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "region.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/calls/openmp.h"

struct part { /* of a thread: in the region of this number */
    atomic_uint_fast64_t number, begin, end;
};

struct efg_region {
    atomic_uint_fast64_t number; /* of the region at hand, from 1; changes at fork and join */
    uint64_t begin;
    atomic_uint_fast64_t threads, busy, most, waited;
    atomic_uint_fast64_t ends, last; /* since the fork: sum of when each thread last stopped; the latest */
    struct part parts[EFG_OPENMP_PARTS + 1]; /* by number in the team; that of the main thread is not used */
};

static struct efg_region region;
__attribute__((visibility("default"))) int efgtrace_openmp_present = 1;

static __thread struct {
    struct efg_region *in;
    uint64_t number;    /* of the region */
    uint64_t since;     /* it goes, or waits */
    uint64_t busy, end; /* in this region; since the fork: when it last stopped */
    bool waits;
    struct part *part; /* NULL: it is told of in the sums only */
} self __attribute__((tls_model("initial-exec")));

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void *efg_region_next(const char *symbol)
{
    return dlsym(RTLD_NEXT, symbol);
}

static void tell(int what, const struct efg_openmp_sums *sums, const uintptr_t *frame)
{
    static _Atomic(efg_openmp_tell *) known;
    efg_openmp_tell *to = atomic_load_explicit(&known, memory_order_relaxed);
    if (!to) {
        *(void **)&to = dlsym(RTLD_DEFAULT, EFG_OPENMP_TELL);
        atomic_store_explicit(&known, to, memory_order_relaxed);
    }
    if (to)
        to(what, sums, frame);
}

static bool is_main_thread(void)
{
    static __thread int is_it __attribute__((tls_model("initial-exec"))); /* 1: yes, -1: no */
    if (!is_it)
        is_it = syscall(SYS_gettid) == getpid() ? 1 : -1;
    return is_it > 0;
}

bool efg_region_is_inside(void)
{
    return self.in != NULL;
}

struct efg_region *efg_region_fork(const uintptr_t *frame)
{
    struct efg_region *r = &region;
    if (self.in || !is_main_thread() || atomic_load(&r->number) % 2) /* odd: it is told of already */
        return NULL;
    tell(EFG_OPENMP_FORK, NULL, frame);
    atomic_store(&r->threads, 0);
    atomic_store(&r->busy, 0);
    atomic_store(&r->most, 0);
    atomic_store(&r->waited, 0);
    atomic_store(&r->ends, 0);
    atomic_store(&r->last, 0);
    r->begin = now();
    atomic_fetch_add(&r->number, 1);
    return r;
}

static void raise_to(atomic_uint_fast64_t *most, uint64_t value)
{
    uint_fast64_t is = atomic_load_explicit(most, memory_order_relaxed);
    while (is < value && !atomic_compare_exchange_weak(most, &is, value))
        ;
}

/* Of all threads that took part in the region of this NUMBER; one region at a time is told of. */
static uint32_t collect_parts(struct efg_region *r, uint64_t number, const struct efg_openmp_part **parts)
{
    static struct efg_openmp_part found[EFG_OPENMP_PARTS];
    uint32_t count = 0;
    for (uint32_t i = 1; i <= EFG_OPENMP_PARTS; i++)
        if (atomic_load(&r->parts[i].number) == number)
            found[count++] =
                (struct efg_openmp_part){i, atomic_load(&r->parts[i].begin), atomic_load(&r->parts[i].end)};
    *parts = found;
    return count;
}

void efg_region_join(struct efg_region *r, const uintptr_t *frame)
{
    uint64_t end = now(),
             number = atomic_fetch_add(&r->number, 1); /* who still waits in it no longer counts */
    struct efg_openmp_sums sums = {.time = end - r->begin,
                                   .threads = atomic_load(&r->threads),
                                   .busy = atomic_load(&r->busy),
                                   .most = atomic_load(&r->most),
                                   .waited = atomic_load(&r->waited)};
    uint64_t all = sums.threads * atomic_load(&r->last), ends = atomic_load(&r->ends);
    sums.waited += all > ends ? all - ends : 0;
    sums.part_count = collect_parts(r, number, &sums.parts);
    tell(EFG_OPENMP_JOIN, &sums, frame);
}

void efg_region_enter(struct efg_region *r, unsigned index)
{
    self.in = r;
    self.number = atomic_load(&r->number);
    self.busy = self.end = 0;
    self.waits = false;
    self.since = now();
    self.part = index > 0 && index <= EFG_OPENMP_PARTS ? &r->parts[index] : NULL;
    if (self.part) {
        atomic_store(&self.part->begin, self.since);
        atomic_store(&self.part->end, self.since);
        atomic_store(&self.part->number, self.number);
    }
    atomic_fetch_add(&r->threads, 1);
}

static bool is_over(void)
{
    return !self.in || atomic_load(&self.in->number) != self.number;
}

void efg_region_stop(bool is_shown, const uintptr_t *frame)
{
    if (is_over() || self.waits)
        return;
    struct efg_region *r = self.in;
    uint64_t then = now(), end = then - r->begin;
    self.busy += then - self.since;
    atomic_fetch_add(&r->busy, then - self.since);
    atomic_fetch_add(&r->ends, end - self.end);
    raise_to(&r->most, self.busy);
    raise_to(&r->last, end);
    self.end = end;
    if (self.part)
        atomic_store(&self.part->end, then);
    self.since = then;
    self.waits = true;
    if (is_shown && is_main_thread())
        tell(EFG_OPENMP_BARRIER, NULL, frame);
}

void efg_region_go(bool is_shown, const uintptr_t *frame)
{
    if (is_over() || !self.waits)
        return;
    uint64_t then = now();
    struct efg_openmp_sums sums = {.time = then - self.since};
    atomic_fetch_add(&self.in->waited, sums.time);
    self.waits = false;
    self.since = then;
    if (is_shown && is_main_thread())
        tell(EFG_OPENMP_BARRIER_OVER, &sums, frame);
}

void efg_region_leave(void)
{
    efg_region_stop(false, NULL);
    self.in = NULL;
}
