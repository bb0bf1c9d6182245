/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI_Init and MPI_Finalize take, and what of it is calls of MPI that the tracer makes: it calls PMPI_X,
 * and those of this program come first. Prints a line of JSON a rank: calls, wall and CPU time in ms, by
 * function. life.py runs it. Link it with -rdynamic.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

#define BARRIERS 10

/* parameters, arguments */
#define FUNCTIONS(F)                                                                                        \
    F(Allreduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f), (a, b, c, d, e, f)) \
    F(Barrier, (MPI_Comm a), (a))                                                                           \
    F(Bcast, (void *a, int b, MPI_Datatype c, int d, MPI_Comm e), (a, b, c, d, e))                          \
    F(Comm_dup, (MPI_Comm a, MPI_Comm * b), (a, b))                                                         \
    F(Comm_free, (MPI_Comm * a), (a))                                                                       \
    F(Comm_split, (MPI_Comm a, int b, int c, MPI_Comm *d), (a, b, c, d))                                    \
    F(Exscan, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f), (a, b, c, d, e, f))    \
    F(Gather, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h),    \
      (a, b, c, d, e, f, g, h))                                                                             \
    F(Gatherv,                                                                                              \
      (const void *a, int b, MPI_Datatype c, void *d, const int *e, const int *f, MPI_Datatype g, int h,    \
       MPI_Comm i),                                                                                         \
      (a, b, c, d, e, f, g, h, i))                                                                          \
    F(Iallreduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request *g),    \
      (a, b, c, d, e, f, g))                                                                                \
    F(Recv, (void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Status *g),                      \
      (a, b, c, d, e, f, g))                                                                                \
    F(Reduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, int f, MPI_Comm g),                 \
      (a, b, c, d, e, f, g))                                                                                \
    F(Scatter, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h),   \
      (a, b, c, d, e, f, g, h))                                                                             \
    F(Scatterv,                                                                                             \
      (const void *a, const int *b, const int *c, MPI_Datatype d, void *e, int f, MPI_Datatype g, int h,    \
       MPI_Comm i),                                                                                         \
      (a, b, c, d, e, f, g, h, i))                                                                          \
    F(Send, (const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f), (a, b, c, d, e, f))           \
    F(Test, (MPI_Request * a, int *b, MPI_Status *c), (a, b, c))                                            \
    F(Wait, (MPI_Request * a, MPI_Status * b), (a, b))

enum {
#define NUMBER(name, parameters, arguments) NUMBER_##name,
    FUNCTIONS(NUMBER) COUNT
};

struct time {
    double wall, cpu; /* ns */
};

static const char *const names[] = {
#define NAME(name, parameters, arguments) #name,
    FUNCTIONS(NAME)};
static struct part {
    long calls;
    struct time time;
} called[COUNT], in_init[COUNT];
static int depth;

static struct time now(void)
{
    return (struct time){measure_time(CLOCK_MONOTONIC), measure_time(CLOCK_PROCESS_CPUTIME_ID)};
}

static struct time since(struct time begin)
{
    struct time end = now();
    return (struct time){end.wall - begin.wall, end.cpu - begin.cpu};
}

static void add(int number, struct time time)
{
    called[number].calls++;
    called[number].time.wall += time.wall;
    called[number].time.cpu += time.cpu;
}

#define DEFINE(name, parameters, arguments)                    \
    int PMPI_##name parameters                                 \
    {                                                          \
        static int(*next) parameters;                          \
        if (!next)                                             \
            *(void **)&next = dlsym(RTLD_NEXT, "PMPI_" #name); \
        struct time begin = now();                             \
        depth++;                                               \
        int result = next arguments;                           \
        if (--depth == 0)                                      \
            add(NUMBER_##name, since(begin));                  \
        return result;                                         \
    }
FUNCTIONS(DEFINE)

static void take_init(void)
{
    memcpy(in_init, called, sizeof called);
    memset(called, 0, sizeof called);
}

/* Without what there is none of: launchers cut lines of some kB. */
static size_t print_part(char *line, size_t used, const char *end, int number, const struct part *part)
{
    if (!part->calls)
        return used;
    return used + (size_t)sprintf(line + used, "\"%s%s\": [%ld, %.3f, %.3f], ", end,
                                  number < 0 ? "" : names[number], part->calls, part->time.wall / 1e6,
                                  part->time.cpu / 1e6);
}

int main(int argc, char **argv)
{
    static char line[8192];
    int rank;

    struct time begin = now();
    MPI_Init(&argc, &argv);
    struct part init = {1, since(begin)};
    take_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin = now();
    for (int i = 0; i < BARRIERS; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    struct part barrier = {1, since(begin)};
    barrier.time = (struct time){barrier.time.wall / BARRIERS, barrier.time.cpu / BARRIERS};
    begin = now();
    MPI_Finalize();
    struct part finalize = {1, since(begin)};

    size_t used = (size_t)sprintf(line, "{");
    used = print_part(line, used, "MPI_Init", -1, &init);
    used = print_part(line, used, "a barrier", -1, &barrier);
    used = print_part(line, used, "MPI_Finalize", -1, &finalize);
    for (int i = 0; i < COUNT; i++) {
        used = print_part(line, used, "init ", i, &in_init[i]);
        used = print_part(line, used, "end ", i, &called[i]);
    }
    used += (size_t)sprintf(line + used, "\"rank\": [%d, 0, 0]}\n", rank);
    return write(STDOUT_FILENO, line, used) < 0; /* in one write, so that the lines of ranks do not mix */
}
