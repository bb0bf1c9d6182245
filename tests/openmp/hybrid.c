/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time steps in OpenMP: hybrid [STEPS [MICROSECONDS [mpi]]].
 *
 * Each step: a parallel region in which thread t computes (sleeps) t + 1 times so many MICROSECONDS, then all
 * meet at a barrier, and compute once more; then a parallel loop, whose threads compute alike; then the main
 * thread computes twice. With "mpi" there is an Allreduce, too; else MPI is not called between MPI_Init and
 * the sum at the end. Prints what it has computed.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long total;

static void uneven(useconds_t time)
{
#pragma omp parallel
    {
        usleep(time * (useconds_t)(1 + omp_get_thread_num()));
#pragma omp barrier
        usleep(time);
#pragma omp atomic
        total += 1 + omp_get_thread_num();
    }
}

static void even(useconds_t time)
{
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (int i = 0; i < omp_get_max_threads(); i++) {
        usleep(time);
        total += i;
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 100, rank, level;
    useconds_t time = argc > 2 ? (useconds_t)atoi(argv[2]) : 1000;
    int has_mpi = argc > 3 && strcmp(argv[3], "mpi") == 0;
    long all = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        uneven(time);
        even(time);
        usleep(2 * time);
        if (has_mpi)
            MPI_Allreduce(&total, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Allreduce(&total, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (!rank)
        printf("hybrid: %ld\n", all);
    MPI_Finalize();
    return 0;
}
