/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring of ITERATIONS iterations, in which the program asks for some to be recorded:
 *
 *     asks ITERATIONS [WHO AT COUNT]...
 *
 * In iteration AT, counted from 1, or before the loop if AT is 0, it asks for COUNT iterations. WHO is "all"
 * for all ranks, "one" for the last rank only, "uneven" for all, where each rank does so an iteration after
 * the one before it, and wants one more.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "efgtrace.h"

static int rank, ranks;

static void ask(char **argv, int step)
{
    for (; argv[0]; argv += 3) {
        int is_uneven = strcmp(argv[0], "uneven") == 0, at = atoi(argv[1]) + (is_uneven ? rank : 0);
        if (step == at && (strcmp(argv[0], "one") != 0 || rank == ranks - 1))
            efgtrace_record((unsigned long)(atoi(argv[2]) + (is_uneven ? rank : 0)));
    }
}

static void step(double *a)
{
    double got[64];
    MPI_Sendrecv(a, 64, MPI_DOUBLE, (rank + 1) % ranks, 1, got, 64, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(50); /* not busy: there are more ranks than cores */
    a[0] = 0.5 * (a[0] + got[0]);
    MPI_Allreduce(MPI_IN_PLACE, a, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double a[64] = {1};
    int steps = argc > 1 ? atoi(argv[1]) : 3000;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i <= steps; i++) {
        ask(argv + 2, i);
        if (i)
            step(a);
    }
    if (rank == 0)
        printf("done %d\n", steps);
    MPI_Finalize();
    return 0;
}
