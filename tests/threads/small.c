/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads with small stacks: in one of BYTES, MPI begins and ends ("all"), or in each step one is made that
 * sends and receives ("thread"). Each rank says that it is done; asked to, it says instead how many bytes of
 * the stack were used: of memory that was filled before, those up to the last one that has changed.
 *
 *   small all|thread BYTES [say]
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 200
#define FILLED 0x5a

static size_t size, used;
static int rank, ranks;

static void exchange(void)
{
    int out = rank, in, sum;

    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % ranks, 0, &in, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void begin(void)
{
    int level;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

static void *step(void *nothing)
{
    exchange();
    return nothing;
}

static void *all(void *nothing)
{
    begin();
    for (int i = 0; i < STEPS; i++)
        exchange();
    MPI_Finalize();
    return nothing;
}

/* WORK in a thread with a stack of SIZE bytes. */
static void on_small(void *(*work)(void *))
{
    char *stack = aligned_alloc(4096, size);
    size_t unused = 0;
    pthread_attr_t attributes;
    pthread_t thread;

    memset(stack, FILLED, size);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack, size) || pthread_create(&thread, &attributes, work, NULL)) {
        puts("no thread");
        exit(1);
    }
    pthread_join(thread, NULL);
    while (unused < size && stack[unused] == FILLED)
        unused++;
    used = size - unused > used ? size - unused : used;
    free(stack);
}

int main(int argc, char **argv)
{
    size = strtoul(argv[2], NULL, 10);
    if (strcmp(argv[1], "all") == 0) {
        on_small(all);
    } else {
        begin();
        for (int i = 0; i < STEPS; i++) {
            on_small(step);
            exchange();
        }
        MPI_Finalize();
    }
    if (argc > 3)
        printf("%zu\n", used);
    else
        puts("done");
    return 0;
}
