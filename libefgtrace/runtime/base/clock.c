/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the clock. Whether the processor's counter is a clock, and how fast it is.
 *
 * The kernel has to find out the same for itself, on all sockets, and goes on watching: where
 * its own clock is the TSC, so can ours be. Virtual machines that move between hosts, and
 * machines whose counters differ, have another one.
 *
 * A moment is one reading of the counter and CLOCK_MONOTONIC together: the closest of some, so
 * that it is good to some 20 ns; two of them 20 ms apart give the rate to 10^-6.
 */
#include "clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/hot.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/prctl.h>
#endif

#define TRIES 20
#define KERNEL_CLOCK "/sys/devices/system/clocksource/clocksource0/current_clocksource"

EFG_HOT_DATA struct efg_clock efg_clock __attribute__((aligned(64)));

struct moment {
    uint64_t count, ns;
};

static struct moment begin;

static struct moment now(void)
{
    struct moment best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = EFG_CLOCK_COUNTER();
        uint64_t ns = efg_clock_read(CLOCK_MONOTONIC);
        uint64_t took = EFG_CLOCK_COUNTER() - before;
        if (took < least) {
            least = took;
            best = (struct moment){before + took / 2, ns};
        }
    }
    return best;
}

#if defined(__x86_64__)
static bool kernel_uses_counter(void)
{
    char name[16] = "";
    FILE *file = fopen(KERNEL_CLOCK, "re");
    if (!file)
        return false;
    if (!fgets(name, sizeof name, file))
        name[0] = '\0';
    fclose(file);
    return strcmp(name, "tsc\n") == 0;
}

static bool is_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

static bool is_allowed(void)
{
    int how = PR_TSC_ENABLE;
    return prctl(PR_GET_TSC, &how) != 0 || how == PR_TSC_ENABLE;
}

static const char *why_not(void)
{
    return !is_allowed()            ? "this process may not read the TSC"
           : !is_invariant()        ? "the TSC does not count at a constant rate"
           : !kernel_uses_counter() ? "the kernel's own clock is not the TSC (" KERNEL_CLOCK ")"
                                    : NULL;
}
#else
static const char *why_not(void)
{
    return "no counter of this processor is known";
}
#endif

const char *efg_clock_begin(void)
{
    const char *why = why_not();
    if (!why)
        begin = now();
    return why;
}

struct efg_clock efg_clock_measure(void)
{
    uint64_t since = efg_clock_read(CLOCK_MONOTONIC) - begin.ns;
    if (since < EFG_CLOCK_BASELINE)
        nanosleep(&(struct timespec){.tv_nsec = (long)(EFG_CLOCK_BASELINE - since)}, NULL);
    struct moment end = now();
    unsigned __int128 ns = end.ns - begin.ns;
    uint64_t counts = end.count - begin.count;
    uint64_t rate = counts ? (uint64_t)((ns << 32) / counts) : 0;
    uint64_t since_zero = (uint64_t)((unsigned __int128)end.count * rate >> 32);
    return (struct efg_clock){rate, end.ns - since_zero};
}
