/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 100 steps of 30 sweeps each; which of the two loops has the mark, the argument says:
 *
 *     step     the steps, in the loop itself
 *     sweep    the sweeps, by way of a function that does nothing else
 *     none
 *
 * Without a mark, the steps are the main loop.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "efgtrace.h"

static int rank, ranks;

static __attribute__((noinline)) void tick(void)
{
    efgtrace_iteration();
}

static __attribute__((noinline)) void sweep(double *a)
{
    double got[64];
    MPI_Sendrecv(a, 64, MPI_DOUBLE, (rank + 1) % ranks, 1, got, 64, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(100); /* not busy: there are more ranks than cores */
    a[0] = 0.5 * (a[0] + got[0]);
}

int main(int argc, char **argv)
{
    const char *mark = argc > 1 ? argv[1] : "none";
    double a[64] = {1}, sum = 0;

    efgtrace_iteration(); /* too early: nothing comes of it */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < 100; step++) {
        if (strcmp(mark, "step") == 0)
            efgtrace_iteration();
        efgtrace_begin("sweeps");
        for (int k = 0; k < 30; k++) {
            if (strcmp(mark, "sweep") == 0)
                tick();
            sweep(a);
        }
        efgtrace_end("sweeps");
        MPI_Allreduce(a, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    efgtrace_iteration();
    if (rank == 0)
        printf("sum %.6f\n", sum);
    return 0;
}
