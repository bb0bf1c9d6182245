// SPDX-License-Identifier: BSD-3-Clause
// Two std::threads beside the main one, with ten messages around the ring each.
#include <mpi.h>
#include <cstdio>
#include <thread>

static void exchange(int tag, int rank, int size)
{
    for (int i = 0; i < 10; i++) {
        int out = i, in = -1;
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, tag, &in, 1, MPI_INT,
                     (rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (in != i)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::thread one(exchange, 1, rank, size), two(exchange, 2, rank, size);
    exchange(0, rank, size);
    one.join();
    two.join();
    if (rank == 0)
        std::puts("ok");
    MPI_Finalize();
}
