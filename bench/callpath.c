/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call path costs: ns per look-up, at several depths, of efg_callpath_find and of
 * unw_backtrace alone, one after the other in turns; medians.
 *
 *     make && make build/tests/bench_callpath && build/tests/bench_callpath
 *     valgrind --tool=callgrind build/tests/bench_callpath
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/callpath.h"

#define TURNS 31
#define CALLS 20000

typedef double measure(void);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double with_memo(void)
{
    uint64_t hash, sum = 0;
    double start = now();
    for (int i = 0; i < CALLS; i++) {
        efg_callpath_find(&hash);
        sum += hash;
    }
    double end = now();
    return sum ? (end - start) / CALLS : 0;
}

/* Two places in turn, as one call after the other in a program. */
static double with_two(void)
{
    uint64_t hash, sum = 0;
    double start = now();
    for (int i = 0; i < CALLS; i += 2) {
        efg_callpath_find(&hash);
        sum += hash;
        efg_callpath_find(&hash);
        sum ^= hash;
    }
    double end = now();
    return sum ? (end - start) / CALLS : 0;
}

static double with_libunwind(void)
{
    void *address[EFG_CALLPATH_DEPTH + 8];
    double start = now();
    for (int i = 0; i < CALLS; i++)
        unw_backtrace(address, EFG_CALLPATH_DEPTH + 8);
    return (now() - start) / CALLS;
}

/* FUNCTION, called from DEPTH functions that call each other. */
static __attribute__((noinline)) double call_from(int depth, measure *function)
{
    double result = depth > 0 ? call_from(depth - 1, function) : function();
    __asm__ volatile("" ::: "memory");
    return result;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, TURNS, sizeof *values, compare);
    return values[TURNS / 2];
}

static double count_frames(void)
{
    void *address[EFG_CALLPATH_DEPTH];
    return unw_backtrace(address, EFG_CALLPATH_DEPTH);
}

int main(void)
{
    static measure *const functions[] = {with_memo, with_two, with_libunwind};
    int least = (int)call_from(0, count_frames);

    if (efg_callpath_init(EFG_CALLPATH_DEPTH) != 0)
        return 1;
    printf("ns per look-up, median of %d turns of %d calls\n", TURNS, CALLS);
    printf("frames   memo   two places   unw_backtrace\n");
    for (int depth = 2; depth <= 32; depth = depth < least ? least
                                             : depth < 8   ? 8
                                                           : 2 * depth) {
        double ns[3][TURNS];
        if (depth < least)
            continue;
        for (int i = 0; i < TURNS; i++)
            for (int k = 0; k < 3; k++)
                ns[k][i] = call_from(depth - least, functions[k]);
        printf("%6d  %5.1f  %11.1f  %14.1f\n", depth, median(ns[0]), median(ns[1]),
               median(ns[2]));
    }
    return 0;
}
