/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 3000 steps with regions of every kind: around the whole loop (all), around calls of MPI (exchange), with
 * none in it (compute), in a function of its own (inner, within compute), from one function to another
 * (between), from one step to the next one (across). With an argument, the ranks are killed then.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "efgtrace.h"

static int rank, ranks;

static __attribute__((noinline)) void compute(double *a)
{
    efgtrace_begin("inner");
    usleep(100); /* not busy: there are more ranks than cores */
    a[0] = 0.5 * (a[0] + 1);
    efgtrace_end("inner");
}

static __attribute__((noinline)) void exchange(double *a)
{
    MPI_Sendrecv_replace(a, 64, MPI_DOUBLE, (rank + 1) % ranks, 1, (rank + ranks - 1) % ranks, 1,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void open_it(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    efgtrace_begin("between");
}

static __attribute__((noinline)) void close_it(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    efgtrace_end("between");
}

static void step(double *a)
{
    double sum;

    MPI_Allreduce(a, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    efgtrace_end("across");
    efgtrace_begin("compute");
    compute(a);
    efgtrace_end("compute");
    efgtrace_begin("exchange");
    exchange(a);
    exchange(a);
    efgtrace_end("exchange");
    open_it();
    exchange(a);
    close_it();
    efgtrace_begin("across");
}

int main(int argc, char **argv)
{
    double a[64] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    efgtrace_begin("all");
    for (int i = 0; i < 3000; i++)
        step(a);
    efgtrace_end("all");
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1)
        raise(SIGKILL);
    MPI_Finalize();
    if (rank == 0)
        printf("%.3f\n", a[0]);
    return 0;
}
