/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose library (library.c) ends MPI, and may have begun it. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

void serve(void);

int main(void)
{
    int sum = 0, is_begun;

    serve();
    MPI_Initialized(&is_begun);
    if (!is_begun)
        MPI_Init(NULL, NULL);
    for (int i = 0; i < 500; i++) {
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(1000);
    }
    printf("sum %d\n", sum);
    return 0;
}
