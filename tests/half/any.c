/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whoever sends a message that is not the program's, or takes part in a collective in its
 * order, is found out: every receive is from anybody with any tag, on MPI_COMM_WORLD from the
 * first moment on, and what comes is added up.
 *
 *   any [STEPS [SECONDS [CODE]]]
 *
 * SECONDS: how long the last rank takes before its first call; CODE: the first one ends with it
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size;

/* From each other rank a message, with STEP in it and in its tag. Returns the sum. */
static long exchange(int step)
{
    long sum = 0;
    int in, out = step;
    MPI_Status status;
    for (int i = 1; i < size; i++)
        MPI_Send(&out, 1, MPI_INT, (rank + i) % size, step % 100, MPI_COMM_WORLD);
    for (int i = 1; i < size; i++) {
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        sum += in == step && status.MPI_TAG == step % 100 ? in : -1000000;
    }
    return sum;
}

static void work(void)
{
    usleep(300); /* not busy: there are more ranks than cores */
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 600, seconds = argc > 2 ? atoi(argv[2]) : 0;
    int code = argc > 3 ? atoi(argv[3]) : 0;
    long sum = 0, all = 0;
    MPI_Request barrier;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        sleep((unsigned)seconds);
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    for (int i = 0; i < steps; i++) {
        sum += exchange(i);
        work();
        MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    printf("rank %d of %d: %ld, all %ld\n", rank, size, sum, all);
    MPI_Finalize();
    return rank ? 0 : code;
}
