/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop whose iterations grow by 30% over the run: a message to the right, 1 ms of sleep and up to 0.3 ms
 * more, Allreduce.
 *
 * usage: keep ITERATIONS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void rest(long ns)
{
    struct timespec left = {0, ns};

    while (nanosleep(&left, &left) != 0)
        ;
}

int main(int argc, char **argv)
{
    int rank, size, iterations;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    iterations = argc > 1 ? atoi(argv[1]) : 2000;
    for (int i = 0; i < iterations; i++) {
        int mine = i, theirs = -1, sum = 0;
        MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 1, &theirs, 1, MPI_INT, (rank + size - 1) % size,
                     1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        rest(1000000 + 300000L * i / iterations);
        MPI_Allreduce(&theirs, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (sum != i * size)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
