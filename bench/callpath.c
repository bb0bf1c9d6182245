/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call path costs, in ns per look-up; medians of turns.
 *
 *     make && make build/tests/bench_callpath && build/tests/bench_callpath
 *     build/tests/bench_callpath PATHS ORDER      only so many paths, in order (0) or at random
 * (1) valgrind --tool=callgrind --toggle-collect=efg_callpath_find build/tests/bench_callpath
 * ...
 *
 * By depth: of efg_callpath_find and of unw_backtrace alone, one after the other. By number of
 * paths, in the same 16 stack frames: functions of ten call sites each that call each other,
 * and what the same calls take without a look-up is subtracted.
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "../tests/unit/levels.h"
#include "runtime/stack/callpath.h"

#define TURNS 31
#define CALLS 20000

#define FRAMES 16     /* where paths are many */
#define MOST_LEVELS 5 /* of functions with ten call sites */

typedef double measure(void);
typedef void visit(unsigned number);

/* The path of its caller, as a wrapper finds it. */
static __attribute__((noinline)) uint32_t find(uint64_t *hash)
{
    uint32_t id = efg_callpath_find(__builtin_frame_address(0), hash);
    __asm__ volatile("" ::: "memory"); /* no tail call */
    return id;
}

static double with_memo(void)
{
    uint64_t hash, sum = 0;
    double start = measure_time(CLOCK_MONOTONIC);
    for (int i = 0; i < CALLS; i++) {
        find(&hash);
        sum += hash;
    }
    double end = measure_time(CLOCK_MONOTONIC);
    return sum ? (end - start) / CALLS : 0;
}

/* Two places in turn, as one call after the other in a program. */
static double with_two(void)
{
    uint64_t hash, sum = 0;
    double start = measure_time(CLOCK_MONOTONIC);
    for (int i = 0; i < CALLS; i += 2) {
        find(&hash);
        sum += hash;
        find(&hash);
        sum ^= hash;
    }
    double end = measure_time(CLOCK_MONOTONIC);
    return sum ? (end - start) / CALLS : 0;
}

static double with_libunwind(void)
{
    void *address[EFG_CALLPATH_DEPTH + 8];
    double start = measure_time(CLOCK_MONOTONIC);
    for (int i = 0; i < CALLS; i++)
        unw_backtrace(address, EFG_CALLPATH_DEPTH + 8);
    return (measure_time(CLOCK_MONOTONIC) - start) / CALLS;
}

/* FUNCTION, called from DEPTH functions that call each other. */
static __attribute__((noinline)) double call_from(int depth, measure *function)
{
    double result = depth > 0 ? call_from(depth - 1, function) : function();
    __asm__ volatile("" ::: "memory");
    return result;
}

/* --- Many paths --- */

static uint64_t sum;

static __attribute__((noinline)) void look_up(unsigned number)
{
    uint64_t hash;
    find(&hash);
    sum += hash + number;
}

static __attribute__((noinline)) void pass(unsigned number)
{
    sum += number;
}

static visit *last; /* of the above */

EFG_LEVEL(level1, *last, 1)
EFG_LEVEL(level2, level1, 10)
EFG_LEVEL(level3, level2, 100)
EFG_LEVEL(level4, level3, 1000)
EFG_LEVEL(level5, level4, 10000)
static visit *const levels[] = {NULL, level1, level2, level3, level4, level5};

static unsigned paths, levels_used, is_random;

static double visit_all(void)
{
    static unsigned state = 1, number;
    unsigned calls = paths > CALLS ? paths : CALLS;
    double start = measure_time(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < calls; i++) {
        state = state * 1103515245u + 12345u;
        number = is_random ? (state >> 8) % paths : (number + 1) % paths;
        levels[levels_used](number);
    }
    return (measure_time(CLOCK_MONOTONIC) - start) / calls;
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

static void by_depth(int least)
{
    static measure *const functions[] = {with_memo, with_two, with_libunwind};
    printf("frames   memo   two places   unw_backtrace\n");
    for (int depth = 2; depth <= 32; depth = depth < least ? least : depth < 8 ? 8 : 2 * depth) {
        double ns[3][TURNS];
        if (depth < least)
            continue;
        for (int i = 0; i < TURNS; i++)
            for (int k = 0; k < 3; k++)
                ns[k][i] = call_from(depth - least, functions[k]);
        printf("%6d  %5.1f  %11.1f  %14.1f\n", depth, median(ns[0]), median(ns[1]), median(ns[2]));
    }
}

/* ns per look-up, when PATHS are known. */
static double with_paths(int least)
{
    int dives = FRAMES - least - (int)levels_used - 1; /* -1: look_up */
    double bare[TURNS], ns[TURNS];

    last = look_up;
    for (unsigned number = 0; number < (is_random ? 10 : 2); number++)
        call_from(dives, visit_all);
    for (int i = 0; i < TURNS; i++) {
        last = pass;
        bare[i] = call_from(dives, visit_all);
        last = look_up;
        ns[i] = call_from(dives, visit_all);
    }
    return median(ns) - median(bare);
}

static void by_paths(int least)
{
    printf("\n paths   in order   at random\n");
    for (paths = 10, levels_used = 1; levels_used <= MOST_LEVELS; paths *= 10, levels_used++) {
        printf("%6u", paths);
        for (is_random = 0; is_random < 2; is_random++)
            printf("  %9.1f", with_paths(least));
        printf("\n");
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    int least = (int)call_from(0, count_frames);

    if (efg_callpath_init(EFG_CALLPATH_DEPTH, false, NULL) != 0)
        return 1;
    if (argc == 3) {
        unsigned wanted = (unsigned)atoi(argv[1]);
        for (paths = 10, levels_used = 1; paths < wanted; paths *= 10)
            levels_used++;
        is_random = argv[2][0] != '0';
        printf("%.1f ns per look-up\n", levels_used <= MOST_LEVELS ? with_paths(least) : 0);
        return 0;
    }
    printf("ns per look-up, median of %d turns of %d calls or more\n", TURNS, CALLS);
    by_depth(least);
    by_paths(least);
    return 0;
}
