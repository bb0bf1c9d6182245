/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a reading of the counters takes, beside a system call that does nothing (getppid): medians of
 * rounds in which the two follow each other, processor time. Columns: counters, ns of both, their ratio
 * and its quartiles, and how many of 100 readings took a system call or PAPI.
 */
#define _GNU_SOURCE /* syscall */
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/counters.h"
#include "files/perf/perf.h"
#include "measure.h"

#define ROUNDS 101
#define CALLS 2000

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double read_all(struct efg_perf *perf, unsigned *by_call)
{
    struct efg_perf_reading reading;
    double begin = measure_time(CLOCK_THREAD_CPUTIME_ID);

    for (int i = 0; i < CALLS; i++) {
        efg_perf_read(perf, &reading);
        *by_call += reading.is_by_call;
    }
    return (measure_time(CLOCK_THREAD_CPUTIME_ID) - begin) / CALLS;
}

static double call_nothing(void)
{
    double begin = measure_time(CLOCK_THREAD_CPUTIME_ID);

    for (int i = 0; i < CALLS; i++)
        syscall(SYS_getppid);
    return (measure_time(CLOCK_THREAD_CPUTIME_ID) - begin) / CALLS;
}

static void measure(struct efg_perf *perf)
{
    unsigned by_call = 0;
    double reading[ROUNDS], nothing[ROUNDS], ratio[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        reading[i] = read_all(perf, &by_call);
        nothing[i] = call_nothing();
        ratio[i] = reading[i] / nothing[i];
    }
    qsort(reading, ROUNDS, sizeof *reading, compare);
    qsort(nothing, ROUNDS, sizeof *nothing, compare);
    qsort(ratio, ROUNDS, sizeof *ratio, compare);
    printf("%8u %7.0f %7.0f %7.2f   %.2f to %.2f %5.1f%%%s\n", perf->list.count, reading[ROUNDS / 2],
           nothing[ROUNDS / 2], ratio[ROUNDS / 2], ratio[ROUNDS / 4], ratio[3 * ROUNDS / 4],
           100.0 * by_call / (ROUNDS * CALLS), perf->papi.count ? "   by PAPI" : "");
}

/* From pages, if they can be, and then by system calls. */
static void measure_both(struct efg_perf *perf)
{
    if (perf->pages.count)
        measure(perf);
    efg_perf_leave_pages(perf);
    measure(perf);
}

static void say(const char *names, const char *why)
{
    printf("%s: %s\n", names, why);
}

int main(void)
{
    static const char *const lists[] = {"task-clock",
                                        "task-clock, context-switches, cpu-migrations",
                                        "task-clock, page-faults",
                                        "task-clock, page-faults, context-switches, cpu-migrations",
                                        "perf::TASK-CLOCK",
                                        "perf::TASK-CLOCK, perf::PAGE-FAULTS",
                                        "cycles, instructions",
                                        "PAPI_TOT_CYC, PAPI_TOT_INS",
                                        "cycles, instructions, task-clock, page-faults"};

    printf("counters reading nothing   ratio (ns)        by call\n");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct efg_counter_list wanted;
        struct efg_perf perf;
        struct efg_perf_refused refused;
        efg_counters_parse(lists[i], &wanted);
        efg_perf_open(&perf, &wanted, &refused);
        if (refused.count)
            efg_perf_explain(&refused, say);
        else
            measure_both(&perf);
        efg_perf_close(&perf);
    }
    return 0;
}
