/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an MPI call costs: the program that bench.py and instructions.py run, bare and under
 * tools. It prints what it measured of itself, one line of JSON a rank, after
 * MPI_Finalize.
 *
 *     calls KIND DEPTH NODES CALLS TURNS [WARM]
 *
 * KIND    which call, see kinds[]; "ring" needs other ranks, the others are among one
 * DEPTH   of the call path: functions from main to the one that calls MPI, both counted
 * NODES   call paths in turn: 1, 10, 100 ... 100000
 * CALLS   in a turn, at least; all of NODES are called equally often
 * TURNS   each is timed for itself: ns of CPU time and of wall time per call
 * WARM    milliseconds of turns before those that count (default 50; "ring": none)
 *
 * 10^k call paths are k functions of ten call sites each, so that no table says where the next
 * call comes from:
 *
 *     main -> dive -> ... -> dive -> level2 -> (10 sites) level1 -> (10 sites) KIND
 *
 * CPU time is the process's, so that threads of a tool count.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

/* A few instructions that mean something to valgrind only. */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT (void)0
#endif

#define NOIPA __attribute__((noipa)) /* a frame of its own, whatever the compiler finds out */
#define MOST_LEVELS 5
#define MOST_TURNS 1000

typedef void repeat(long times);

static MPI_Request never; /* a receive that nothing is sent to, until the end */
static int rank, ranks, sink;
static double from = 1, to;

/* --- kinds of calls: each repeats its call, or group of calls, so many times --- */

static NOIPA void comm_rank(long times)
{
    for (long i = 0; i < times; i++)
        MPI_Comm_rank(MPI_COMM_SELF, &sink);
}

static NOIPA void type_size(long times)
{
    for (long i = 0; i < times; i++)
        MPI_Type_size(MPI_DOUBLE, &sink);
}

static NOIPA void wtime(long times)
{
    for (long i = 0; i < times; i++)
        to = MPI_Wtime();
}

static NOIPA void test(long times)
{
    for (long i = 0; i < times; i++)
        MPI_Test(&never, &sink, MPI_STATUS_IGNORE);
}

static NOIPA void send_null(long times)
{
    for (long i = 0; i < times; i++)
        MPI_Send(&from, 1, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_SELF);
}

static NOIPA void sendrecv(long times)
{
    for (long i = 0; i < times; i++)
        MPI_Sendrecv(&from, 1, MPI_DOUBLE, 0, 1, &to, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* Sendrecv by a program that fills the caches in between, also with code, which callgrind does not count. */
static NOIPA void cold(long times)
{
    static volatile char memory[4 << 20];
    for (long i = 0; i < times; i++) {
        CALLGRIND_TOGGLE_COLLECT;
        for (size_t k = 0; k < sizeof memory; k += 64)
            memory[k]++;
        __asm__ volatile(".rept 1 << 16\n\tnop\n\t.endr");
        CALLGRIND_TOGGLE_COLLECT;
        sendrecv(1);
    }
}

static NOIPA void waitall(long times)
{
    MPI_Request requests[2];
    for (long i = 0; i < times; i++) {
        MPI_Irecv(&to, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(&from, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static NOIPA void allreduce(long times)
{
    for (long i = 0; i < times; i++)
        MPI_Allreduce(&from, &to, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

/* A step of a simulation: both neighbours, then a sum over all. */
static NOIPA void ring(long times)
{
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Request requests[2];
    for (long i = 0; i < times; i++) {
        MPI_Irecv(&to, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&from, 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&from, &to, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        usleep(1000); /* ranks may be more than cores */
    }
}

static const struct kind {
    const char *name;
    repeat *repeat;
    int calls; /* that it makes each time */
} kinds[] = {
    {"Comm_rank", comm_rank, 1}, {"Type_size", type_size, 1}, {"Wtime", wtime, 1}, {"Test", test, 1},
    {"Send_null", send_null, 1}, {"Sendrecv", sendrecv, 1},   {"cold", cold, 1},   {"Waitall", waitall, 3},
    {"Allreduce", allreduce, 1}, {"ring", ring, 4},
};

/* --- where they are called from --- */

static repeat *operation;

#define TEN(call) call, call, call, call, call, call, call, call, call, call
#define LEVEL(name, next)                \
    static NOIPA void name(long times)   \
    {                                    \
        for (long i = 0; i < times; i++) \
            TEN(next(1));                \
    }
LEVEL(level1, operation)
LEVEL(level2, level1)
LEVEL(level3, level2)
LEVEL(level4, level3)
LEVEL(level5, level4)
static repeat *const levels[] = {NULL, level1, level2, level3, level4, level5};

static NOIPA void dive(int frames, repeat *bottom, long times)
{
    if (frames > 1)
        dive(frames - 1, bottom, times);
    else
        bottom(times);
    __asm__ volatile("" ::: "memory"); /* no tail call */
}

/* --- the measurement --- */

struct plan {
    const struct kind *kind;
    int dives, turns, warm;
    repeat *bottom;
    long rounds, calls; /* in a turn */
    long warm_rounds;
};

static inline __attribute__((always_inline)) void call(const struct plan *p, long rounds)
{
    if (p->dives > 0)
        dive(p->dives, p->bottom, rounds);
    else
        p->bottom(rounds);
}

struct results {
    double cpu[MOST_TURNS], wall[MOST_TURNS], init, finalize;
};

/* Main itself calls what is measured, as DEPTH says, and from one place: a loop that a tool has
 * seen while it got warm is still the same one. Under callgrind, what is between the two marks
 * is counted. */
static inline __attribute__((always_inline)) void measure(const struct plan *p, struct results *r)
{
    double warm = measure_time(CLOCK_MONOTONIC) + p->warm * 1e6;
    for (int i = 0, is_warm = p->warm == 0; i < p->turns;) {
        double wall = measure_time(CLOCK_MONOTONIC);
        double cpu = measure_time(CLOCK_PROCESS_CPUTIME_ID);
        if (is_warm)
            CALLGRIND_TOGGLE_COLLECT;
        call(p, is_warm ? p->rounds : p->warm_rounds);
        if (is_warm)
            CALLGRIND_TOGGLE_COLLECT;
        r->cpu[i] = (measure_time(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (double)p->calls;
        r->wall[i] = (measure_time(CLOCK_MONOTONIC) - wall) / (double)p->calls;
        i += is_warm;
        if (!is_warm) {
            is_warm = measure_time(CLOCK_MONOTONIC) >= warm;
            usleep(1000); /* what a tool does by the clock takes fewer calls */
        }
    }
}

static size_t print_array(char *line, size_t used, size_t size, const char *name, const double *value,
                          int count)
{
    used += (size_t)snprintf(line + used, size - used, "\"%s\": [", name);
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(line + used, size - used, "%s%.2f", i ? ", " : "", value[i]);
    return used + (size_t)snprintf(line + used, size - used, "], ");
}

/* In one write, so that the lines of ranks do not mix. */
static void print(const struct plan *p, const struct results *r)
{
    static char line[64 * MOST_TURNS];
    size_t used = (size_t)snprintf(line, sizeof line, "{\"rank\": %d, \"calls\": %ld, ", rank, p->calls);
    used = print_array(line, used, sizeof line, "cpu_ns", r->cpu, p->turns);
    used = print_array(line, used, sizeof line, "wall_ns", r->wall, p->turns);
    used += (size_t)snprintf(line + used, sizeof line - used,
                             "\"init_ms\": %.3f, \"finalize_ms\": %.3f, \"peak_kb\": %ld}\n", r->init / 1e6,
                             r->finalize / 1e6, measure_status("VmHWM"));
    if (write(STDOUT_FILENO, line, used) < 0)
        exit(1);
}

static int parse(int argc, char **argv, struct plan *p)
{
    if (argc < 6 || argc > 7)
        return -1;
    int depth = atoi(argv[2]), level = 0;
    long nodes = 1, calls = atol(argv[4]);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            p->kind = &kinds[i];
    for (; level < MOST_LEVELS && nodes < atol(argv[3]); level++)
        nodes *= 10;
    p->dives = depth - 2 - level;
    p->turns = atoi(argv[5]);
    /* all ranks of a ring must make as many calls */
    p->warm = p->kind && p->kind->repeat == ring ? 0 : argc > 6 ? atoi(argv[6]) : 50;
    if (!p->kind || nodes != atol(argv[3]) || p->dives < 0 || p->turns < 1 || p->turns > MOST_TURNS ||
        calls < 1)
        return -1;
    operation = p->kind->repeat;
    p->bottom = level ? levels[level] : operation;
    p->rounds = (calls + nodes * p->kind->calls - 1) / (nodes * p->kind->calls);
    p->warm_rounds = p->rounds < 10 ? p->rounds : p->rounds / 10;
    p->calls = p->rounds * nodes * p->kind->calls;
    return 0;
}

int main(int argc, char **argv)
{
    static struct plan plan;
    static struct results r;

    if (parse(argc, argv, &plan) != 0) {
        fprintf(stderr, "usage: calls KIND DEPTH NODES CALLS TURNS [WARM]\nkinds:");
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            fprintf(stderr, " %s", kinds[i].name);
        fprintf(stderr, "\nDEPTH: 2 + log10(NODES) or more; TURNS: up to %d\n", MOST_TURNS);
        return 2;
    }
    double begin = measure_time(CLOCK_MONOTONIC);
    MPI_Init(&argc, &argv);
    r.init = measure_time(CLOCK_MONOTONIC) - begin;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Irecv(&to, 1, MPI_DOUBLE, 0, 4, MPI_COMM_SELF, &never);
    measure(&plan, &r);
    MPI_Send(&from, 1, MPI_DOUBLE, 0, 4, MPI_COMM_SELF);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = measure_time(CLOCK_MONOTONIC);
    MPI_Finalize();
    r.finalize = measure_time(CLOCK_MONOTONIC) - begin;
    print(&plan, &r);
    return 0;
}
