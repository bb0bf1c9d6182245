/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of three OpenMP threads, each of which sends to its own kind; five times. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; i++) {
#pragma omp parallel num_threads(3)
        {
            int tag = omp_get_thread_num(), out = i, in = -1;
            MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, tag, &in, 1, MPI_INT, (rank + size - 1) % size,
                         tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (in != i)
                MPI_Abort(MPI_COMM_WORLD, 1);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        puts("ok");
    return MPI_Finalize();
}
