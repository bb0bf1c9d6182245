/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends otherwise than by MPI_Finalize: ending HOW [ITERATIONS], after so many (500).
 *
 *     exit    all ranks call exit(0)
 *     abort   rank 2 calls MPI_Abort with the code 7, in the middle of the others' work */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, sum, iterations = argc > 2 ? atoi(argv[2]) : 500;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < iterations; i++) {
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(1000);
    }
    if (!strcmp(argv[1], "abort") && rank == 2)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(argv[1], "abort"))
        MPI_Barrier(MPI_COMM_WORLD);
    exit(0);
}
