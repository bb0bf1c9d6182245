/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clock: the time stamps of events, in ticks of CLOCK_MONOTONIC, which are ns. All
 * processes of a node see the same ticks.
 */
#ifndef EFG_CLOCK_H
#define EFG_CLOCK_H

#include <stdint.h>
#include <time.h>

#define EFG_CLOCK_TICKS_PER_SECOND 1000000000ull

static inline uint64_t efg_clock_ticks(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ns of CPU that this thread has used. */
static inline uint64_t efg_clock_cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ns since 1970 at the present tick. */
static inline uint64_t efg_clock_realtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
