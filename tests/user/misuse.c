/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that a program should not say, from several threads, beside a loop: nothing comes of it, and the
 * loop is traced. THREADS threads besides the one that calls MPI say it, too.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "efgtrace.h"

#define THREADS 3
#define TIMES 1000
#define STEPS 20000

static void misuse(void)
{
    char longer[200];

    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    efgtrace_end("never begun");
    efgtrace_begin(NULL);
    efgtrace_end(NULL);
    efgtrace_begin("");
    efgtrace_begin(longer);
    efgtrace_begin("\033[31m not printable");
    efgtrace_record(0);
    efgtrace_tell(77, "no such thing", 5);
}

static void *talk(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        misuse();
        efgtrace_begin("in a thread");
        efgtrace_begin("never ended");
    }
    return unused;
}

static void work(int rank, int ranks)
{
    int mine = rank, got = 0;

    for (int i = 0; i < STEPS; i++) {
        efgtrace_iteration();
        misuse();
        efgtrace_begin("never ended");
        MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT, (rank + ranks - 1) % ranks,
                     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&got, &mine, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int rank, ranks, level;

    misuse();
    efgtrace_iteration();
    efgtrace_begin("before MPI_Init");
    efgtrace_record(5);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, talk, NULL);
    work(rank, ranks);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Finalize();
    misuse();
    efgtrace_iteration();
    efgtrace_end("never ended");
    efgtrace_record(5);
    if (rank == 0)
        printf("done\n");
    return 0;
}
