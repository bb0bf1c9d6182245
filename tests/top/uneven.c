/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps in which the others wait for rank 3, until a file "stop" is there or 60 s are over. Rank 0 says in
 * the file "step" in which step it is.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void say(FILE *file, int step)
{
    rewind(file);
    fprintf(file, "%08d\n", step);
    fflush(file);
}

int main(int argc, char **argv)
{
    int rank, step = 0, is_over = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *file = fopen(rank ? "/dev/null" : "step", "w");
    for (double end = MPI_Wtime() + 60; !is_over; step++) {
        int is_mine = MPI_Wtime() > end || (rank == 0 && access("stop", F_OK) == 0);
        usleep(rank == 3 ? 30000 : 1000);
        MPI_Allreduce(&is_mine, &is_over, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        say(file, step);
    }
    fclose(file);
    MPI_Finalize();
    if (rank == 0)
        puts("over");
    return 0;
}
