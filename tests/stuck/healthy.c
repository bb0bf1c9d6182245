/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that are slow, and do not hang:
 *
 *     healthy KIND     on 4 ranks; ends after 3 to 8 s, with 0
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LARGE (1 << 22) /* ints */

static int rank, ranks;
static int *large, *others;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void compute(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        ;
}

static void rest(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static void agree(void)
{
    int one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* One computes for long, the others wait for it. */
static void one_computes(void)
{
    for (int i = 0; i < 4; i++) {
        if (rank == i % ranks)
            compute(2);
        agree();
    }
}

/* Nothing was as long before. */
static void first_is_long(void)
{
    if (rank == 1)
        compute(6);
    agree();
}

static void one_sleeps(void)
{
    for (int i = 0; i < 4; i++) {
        if (rank == 2)
            rest(2);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void pipeline(void)
{
    for (int i = 0; i < 4; i++) {
        if (rank)
            MPI_Recv(large, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        rest(0.5);
        if (rank < ranks - 1)
            MPI_Send(large, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
    }
    agree();
}

static void work(void)
{
    int task = 0;
    while (task >= 0) {
        MPI_Send(&task, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (task > 0)
            rest(0.7 * task);
    }
}

/* A master, and tasks that take from 0.7 to 2.1 s. */
static void master(void)
{
    MPI_Status status;
    if (rank) {
        work();
        return;
    }
    for (int left = 12, busy = ranks - 1; busy;) {
        int task, next = left > 0 ? 1 + left % 3 : -1;
        MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 3, MPI_COMM_WORLD);
        left--;
        busy -= next < 0;
    }
}

static void polls(void)
{
    MPI_Request request;
    int in, is_done;
    for (int i = 0; i < 4; i++) {
        if (rank == 3) {
            rest(1.5);
            for (int to = 0; to < ranks - 1; to++)
                MPI_Send(&i, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
            continue;
        }
        MPI_Irecv(&in, 1, MPI_INT, 3, 5, MPI_COMM_WORLD, &request);
        for (is_done = 0; !is_done;)
            MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    }
}

/* Of the requests that are waited for some are done long before. */
static void waits_for_all(void)
{
    MPI_Request requests[8];
    int in[8];
    for (int i = 0; i < 3; i++) {
        int count = 0;
        for (int from = 0; from < ranks; from++)
            if (from != rank) {
                MPI_Irecv(&in[count], 1, MPI_INT, from, 6, MPI_COMM_WORLD, &requests[count]);
                count++;
            }
        if (rank == i)
            compute(2);
        for (int to = 0; to < ranks; to++)
            if (to != rank)
                MPI_Send(&rank, 1, MPI_INT, to, 6, MPI_COMM_WORLD);
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    }
}

static void large_messages(void)
{
    for (int i = 0; i < 300; i++)
        MPI_Sendrecv(large, LARGE, MPI_INT, rank ^ 1, 7, others, LARGE, MPI_INT, rank ^ 1, 7, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

static void writes(void)
{
    MPI_File file;
    char name[100];
    snprintf(name, sizeof name, "healthy.%d.out", (int)getppid());
    for (int i = 0; i < 4; i++) {
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file);
        for (int k = 0; k < 5; k++)
            MPI_File_write_at_all(file, (MPI_Offset)rank * LARGE * 4, large, LARGE, MPI_INT,
                                  MPI_STATUS_IGNORE);
        MPI_File_close(&file);
        rest(1);
    }
}

static void windows(void)
{
    MPI_Win window;
    int *memory;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < 2; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        rest(1);
        MPI_Win_unlock(0, window);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
}

static void *work_on(void *unused)
{
    compute(2);
    return unused;
}

/* The thread that calls MPI waits for one that computes. */
static void threads(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        if (rank == 1 && pthread_create(&thread, NULL, work_on, NULL) == 0)
            pthread_join(thread, NULL);
        agree();
    }
}

static void halves(void)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < 4; i++) {
        if (rank == 1)
            rest(1.5);
        MPI_Barrier(half);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void reads(void)
{
    for (int i = 0; i < 4; i++) {
        if (rank == 0 && system("sleep 1.5") != 0)
            exit(1);
        MPI_Bcast(large, LARGE, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} kinds[] = {
    {"computes", one_computes}, {"first", first_is_long}, {"sleeps", one_sleeps}, {"pipeline", pipeline},
    {"master", master},         {"polls", polls},         {"all", waits_for_all}, {"large", large_messages},
    {"writes", writes},         {"windows", windows},     {"threads", threads},   {"halves", halves},
    {"reads", reads},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    large = calloc(LARGE, sizeof *large);
    others = calloc(LARGE, sizeof *others);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (argc > 1 && strcmp(kinds[i].name, argv[1]) == 0)
            kinds[i].run();
    MPI_Finalize();
    return 0;
}
