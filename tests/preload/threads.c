/* SPDX-License-Identifier: BSD-3-Clause */
/* Four threads at once, and with them the first call of each function at once. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 4
#define ROUNDS 500

static int other;

static void *work(void *argument)
{
    int tag = (int)(long)argument, out = tag, in;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request;
        MPI_Isend(&out, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &request);
        MPI_Recv(&in, 1, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d level %d\n", rank, provided == MPI_THREAD_MULTIPLE);
    return MPI_Finalize();
}
