/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clock: the time stamps of events, in ticks, which are ns of CLOCK_MONOTONIC. All processes
 * of a node see the same ticks.
 *
 * Where the processor counts time at a constant rate and alike on all cores, its counter (on
 * x86-64 the TSC) is read instead, and converted, at a third of the cost. It follows
 * CLOCK_MONOTONIC at the rate measured in MPI_Init, so it may differ from it by about 10^-6;
 * this is a steady drift, like that between nodes.
 */
#ifndef EFG_CLOCK_H
#define EFG_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/hot.h"

#if defined(__x86_64__)
/* By name, as <x86intrin.h> has it: to read that header takes as long as to compile most of our files. */
#define EFG_CLOCK_COUNTER() __builtin_ia32_rdtsc()
#else
#define EFG_CLOCK_COUNTER() \
    UINT64_C(0) /* never read: efg_clock_begin says that there is none */
#endif

#define EFG_CLOCK_TICKS_PER_SECOND 1000000000ull

/* ns = zero + counter * rate / 2^32. */
struct efg_clock {
    uint64_t rate; /* 0: CLOCK_MONOTONIC is read */
    uint64_t zero; /* ns when the counter was 0, modulo 2^64 */
};

EFG_HOT_EXTERN struct efg_clock efg_clock; /* of this process; set once, in MPI_Init */

static inline uint64_t efg_clock_read(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t efg_clock_convert(uint64_t counter)
{
    return efg_clock.zero + (uint64_t)((unsigned __int128)counter * efg_clock.rate >> 32);
}

static inline uint64_t efg_clock_ticks(void)
{
    return efg_clock.rate ? efg_clock_convert(EFG_CLOCK_COUNTER())
                          : efg_clock_read(CLOCK_MONOTONIC);
}

/* ns of CPU that this thread has used. */
static inline uint64_t efg_clock_cpu(void)
{
    return efg_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

/* ns since 1970 at the present tick. */
static inline uint64_t efg_clock_realtime(void)
{
    return efg_clock_read(CLOCK_REALTIME);
}

/* The processor's counter can be a clock here, and from now on its rate is measured. Returns
 * NULL, or why it cannot (a static string). */
const char *efg_clock_begin(void);

/* How to convert the counter, measured since efg_clock_begin; waits until that is some
 * EFG_CLOCK_BASELINE ns ago. */
struct efg_clock efg_clock_measure(void);

#define EFG_CLOCK_BASELINE 20000000 /* 20 ms: to 10^-6 */

#endif
