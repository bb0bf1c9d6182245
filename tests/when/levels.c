/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring of PHASES times 1000 iterations, or as many as fit into SECONDS, if that is given. The program
 * switches recording off in each first half of a phase, and on in each second half, by MPI_Pcontrol; before
 * that it has what it knows saved. The tags of its messages say which iteration it is: 1 to 500 in a first
 * half, from 1000 on in a second one.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LATE 64 /* the element that says how many ranks find that it is time to end */

static int rank, ranks;
static double until;

static void step(int tag, double *a)
{
    double got[64];

    MPI_Sendrecv(a, 64, MPI_DOUBLE, (rank + 1) % ranks, tag, got, 64, MPI_DOUBLE, (rank + ranks - 1) % ranks,
                 tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(150); /* not busy: there are more ranks than cores */
    a[0] = 0.5 * (a[0] + got[0]);
    a[LATE] = MPI_Wtime() > until;
    MPI_Allreduce(MPI_IN_PLACE, a, LATE + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double a[LATE + 1] = {1};
    int phases = argc > 1 ? atoi(argv[1]) : 3;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    until = MPI_Wtime() + (argc > 2 ? atof(argv[2]) : 1e9);
    for (int i = 0; i < 1000 * phases && a[LATE] == 0; i++) {
        if (i % 1000 == 0)
            MPI_Pcontrol(0);
        if (i % 1000 == 500) {
            MPI_Pcontrol(2);
            MPI_Pcontrol(1);
        }
        step(i % 1000 < 500 ? 1 + i % 1000 : 500 + i % 1000, a);
    }
    MPI_Finalize();
    if (rank == 0)
        printf("done %d\n", phases);
    return 0;
}
