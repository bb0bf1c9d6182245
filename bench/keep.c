/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop whose iterations grow by 30% over the run: a message to the right, 1 ms of sleep and up to 0.3 ms
 * more, Allreduce.
 *
 * usage: keep ITERATIONS [FILE]
 *
 * Rank 0 writes to FILE how many ns each iteration took, from the return of MPI_Allreduce to the next one's;
 * the last one is left out. So the numbers of its lines, from 0, are those that efgtrace has for iterations.
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

static long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000 * t.tv_sec + t.tv_nsec;
}

static void step(int i, int iterations, int rank, int size)
{
    int mine = i, theirs = -1, sum = 0;

    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 1, &theirs, 1, MPI_INT, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    rest(1000000 + 300000L * i / iterations);
    MPI_Allreduce(&theirs, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != i * size)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void say(const char *path, const long *ends, int iterations)
{
    FILE *file = fopen(path, "w");

    for (int i = 1; file && i < iterations; i++)
        fprintf(file, "%ld\n", ends[i] - ends[i - 1]);
    if (!file || fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    int rank, size, iterations;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    iterations = argc > 1 ? atoi(argv[1]) : 2000;
    long *ends = malloc((size_t)(iterations + 1) * sizeof *ends);
    for (int i = 0; i < iterations; i++) {
        step(i, iterations, rank, size);
        ends[i] = now();
    }
    MPI_Finalize();
    if (rank == 0 && argc > 2)
        say(argv[2], ends, iterations);
    free(ends);
    return 0;
}
