/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eight threads at once, of all that threads can do to the tables of a tracer: heavy [ROUNDS]
 *
 * Each goes ROUNDS times around a loop on a communicator of its own: messages around the ring,
 * blocking, nonblocking, persistent and polled for. Now and then a collective call, a new
 * communicator, a new datatype, a thread that lives for one call, and requests that the next
 * thread completes. Prints on rank 0 a sum of all that was received, which is the same for each
 * run.
 */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 8

static int rank, size, rounds;
static pthread_barrier_t all_there;
static struct handed {
    MPI_Request requests[2];
    int out, in;
} handed[THREADS];

struct worker {
    pthread_t thread;
    int number;
    MPI_Comm comm;
    MPI_Request again[2]; /* persistent */
    int out, in;          /* of those */
    uint64_t sum;
};

static int left(void)
{
    return (rank + size - 1) % size;
}

static int right(void)
{
    return (rank + 1) % size;
}

static void add(struct worker *w, int value)
{
    w->sum = w->sum * 31 + (uint64_t)value;
}

/* --- what is done in each round --- */

static void exchange(struct worker *w, int round)
{
    int out = round * size + rank, in = -1;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, left(), 1, w->comm, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, right(), 1, w->comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    add(w, in);
}

static void exchange_in_world(struct worker *w, int round)
{
    int out = round + rank, in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, right(), 100 + w->number, &in, 1, MPI_INT, left(), 100 + w->number,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add(w, in);
}

static void exchange_again(struct worker *w, int round)
{
    w->out = round ^ rank;
    MPI_Startall(2, w->again);
    MPI_Waitall(2, w->again, MPI_STATUSES_IGNORE);
    add(w, w->in);
}

static void poll_for(struct worker *w, int round)
{
    int out = round - rank, in = -1, there = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Isend(&out, 1, MPI_INT, right(), 3, w->comm, &request);
    while (!there && sched_yield() == 0)
        MPI_Iprobe(MPI_ANY_SOURCE, 3, w->comm, &there, &status);
    MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 3, w->comm, MPI_STATUS_IGNORE);
    for (there = 0; !there;)
        MPI_Test(&request, &there, MPI_STATUS_IGNORE);
    add(w, in);
}

/* --- what is done now and then --- */

static void reduce(struct worker *w, int round)
{
    int out = round + rank, in = 0;
    MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, w->comm);
    add(w, in);
}

static void exchange_on_new_comm(struct worker *w, int round)
{
    MPI_Comm old = w->comm;
    struct worker other = *w;
    MPI_Comm_dup(old, &other.comm);
    exchange(&other, round);
    MPI_Comm_free(&other.comm);
    w->sum = other.sum;
}

static void exchange_columns(struct worker *w, int round)
{
    int out[4] = {round, -1, rank, -1}, in[4] = {0};
    MPI_Datatype column;
    MPI_Type_vector(2, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Sendrecv(out, 1, column, right(), 4, in, 1, column, left(), 4, w->comm, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    add(w, in[0] + in[2]);
}

static void *live_shortly(void *worker)
{
    struct worker *w = worker;
    int out = w->number, in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 200 + w->number, &in, 1, MPI_INT, 0, 200 + w->number, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    add(w, in);
    return NULL;
}

static void start_thread(struct worker *w)
{
    pthread_t thread;
    pthread_create(&thread, NULL, live_shortly, w);
    pthread_join(thread, NULL);
}

/* What each thread starts, the next one completes. */
static void hand_over(struct worker *w, int round)
{
    struct handed *mine = &handed[w->number], *its = &handed[(w->number + 1) % THREADS];
    mine->out = round * rank;
    MPI_Irecv(&mine->in, 1, MPI_INT, left(), 5, w->comm, &mine->requests[0]);
    MPI_Isend(&mine->out, 1, MPI_INT, right(), 5, w->comm, &mine->requests[1]);
    pthread_barrier_wait(&all_there);
    MPI_Waitall(2, its->requests, MPI_STATUSES_IGNORE);
    add(w, its->in);
    pthread_barrier_wait(&all_there);
}

/* --- threads --- */

static void go_round(struct worker *w, int round)
{
    exchange(w, round);
    exchange_in_world(w, round);
    exchange_again(w, round);
    if (round % 4 == w->number % 4)
        poll_for(w, round);
    if (round % 8 == 0)
        reduce(w, round);
    if (round % 16 == w->number)
        exchange_columns(w, round);
    if (round % 32 == 2 * w->number)
        exchange_on_new_comm(w, round);
    if (round % 64 == 3 * w->number)
        start_thread(w);
    if (round % 64 == 50)
        hand_over(w, round);
}

static void *work(void *worker)
{
    struct worker *w = worker;
    MPI_Recv_init(&w->in, 1, MPI_INT, left(), 2, w->comm, &w->again[0]);
    MPI_Send_init(&w->out, 1, MPI_INT, right(), 2, w->comm, &w->again[1]);
    pthread_barrier_wait(&all_there);
    for (int round = 0; round < rounds; round++)
        go_round(w, round);
    MPI_Request_free(&w->again[0]);
    MPI_Request_free(&w->again[1]);
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker workers[THREADS] = {0};
    uint64_t sum = 0, all = 0;
    int provided;

    rounds = argc > 1 ? atoi(argv[1]) : 1000;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    pthread_barrier_init(&all_there, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 1; i < THREADS; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    work(&workers[0]);
    for (int i = 1; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        sum = sum * 17 + workers[i].sum;
        MPI_Comm_free(&workers[i].comm);
    }
    MPI_Reduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %llx\n", (unsigned long long)all);
    return MPI_Finalize();
}
