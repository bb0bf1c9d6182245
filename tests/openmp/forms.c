/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All sorts of parallel regions: loops of each schedule, sections, tasks, single, critical, ordered, nested
 * regions, one thread only, MPI calls of the main thread in a region, regions of a thread that is not the
 * main one, a child process. Prints the sum of each; 50 times.
 */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 100 };
static long sum;

static void add(long value)
{
#pragma omp atomic
    sum += value;
}

static void loops(void)
{
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++)
        add(i);
#pragma omp parallel for schedule(guided, 2)
    for (int i = 0; i < N; i++)
        add(i);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < N; i++)
        add(i);
#pragma omp parallel for ordered schedule(static, 1)
    for (int i = 0; i < N; i++) {
#pragma omp ordered
        add(i);
    }
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < N; i++)
            add(i);
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            add(i);
    }
}

static void work(void)
{
#pragma omp parallel sections
    {
#pragma omp section
        add(1);
#pragma omp section
        add(2);
    }
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
        add(i);
    }
#pragma omp parallel
    {
#pragma omp critical
        sum++;
#pragma omp barrier
#pragma omp master
        add(omp_get_num_threads());
#pragma omp barrier
    }
}

static void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
        {
            add(1);
#pragma omp barrier
            add(1);
        }
    }
#pragma omp parallel num_threads(1)
    add(3);
#pragma omp parallel if (0)
    add(4);
}

static void with_mpi(void)
{
    long all;
#pragma omp parallel
    {
#pragma omp master
        MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
#pragma omp barrier
        add(1);
    }
    sum = all;
}

static void *other_thread(void *none)
{
    loops();
    return none;
}

int main(int argc, char **argv)
{
    int rank, level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 50; i++) {
        sum = 0;
        loops();
        work();
        nested();
        with_mpi();
        if (!rank)
            printf("%ld\n", sum);
    }
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    fflush(stdout);
    if (!fork()) {
        sum = 0;
        _exit(7);
    }
    int status;
    wait(&status);
    if (!rank)
        printf("%ld, child %d\n", sum, WEXITSTATUS(status));
    MPI_Finalize();
    return 3;
}
