/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that go one way only, around no circle: in each iteration a rank receives what its
 * neighbour sent in the one before. Between them is all that is the same in each iteration
 * (receives and sends are from two places in turn), so that is where iterations are cut:
 * messages are under way then, and by their times alone the receiver's clock could as well be
 * late.
 *
 *     oneway ITERATIONS US WAY    WAY 1: from rank 0 up, -1: from the last one down
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline __attribute__((always_inline)) void receive(int from)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline __attribute__((always_inline)) void send(int to)
{
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int iterations = atoi(argv[1]), way = atoi(argv[3]);
    int from = rank - way, to = rank + way;
    from = from < 0 || from >= size ? MPI_PROC_NULL : from;
    to = to < 0 || to >= size ? MPI_PROC_NULL : to;
    for (int i = 0; i <= iterations; i++) {
        MPI_Barrier(MPI_COMM_SELF);
        if (i % 2)
            receive(from);
        else
            receive(i ? from : MPI_PROC_NULL);
        usleep((useconds_t)atoi(argv[2]));
        if (i % 2)
            send(i < iterations ? to : MPI_PROC_NULL);
        else
            send(i < iterations ? to : MPI_PROC_NULL);
    }
    if (rank == 0)
        printf("ok oneway: %d iterations\n", iterations);
    MPI_Finalize();
    return 0;
}
