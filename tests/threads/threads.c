/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that do something to an MPI library: threads KIND [COUNT]. All are of
 * MPI_THREAD_MULTIPLE, but `level`. Each prints "ok KIND" on rank 0 if its messages were right.
 *
 *   level       of MPI_Init (COUNT -1) or of MPI_Init_thread, as asked for: printed
 *   at_once     four threads: COUNT exchanges each, number i i+1 times as many, and COUNT
 *               barriers of the main thread beside them
 *   many        COUNT threads, all there at once, that send to their own rank in turn
 *   one_by_one  COUNT threads, one after the other, with five exchanges each
 *   ends        threads that end by pthread_exit, or are cancelled while they wait
 *   completes   what one thread starts, another completes; twice COUNT
 *   puts        four threads at once, COUNT times 20 MPI_Put and a flush, in one window
 *   finalize    a thread polls for messages while the main one is in MPI_Finalize
 *   leaves      MPI_Abort after COUNT ms, while four threads send to themselves
 *   waits       four barriers of the main thread, 100 ms apart, then COUNT exchanges of another one,
 *               each after a millisecond
 *   locks       four threads at once that send to themselves, COUNT times, to get warm and
 *               once more: how many locks efgtrace took then, how often it allocated (locks.c)
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 4

static int rank, size, count;
static MPI_Comm twin; /* of MPI_COMM_SELF */
static MPI_Win window;

static void expect(int fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "FAIL rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Of a number around the ring, in messages of this TAG: Irecv, Isend, Waitall. */
static void exchange(int tag, int number)
{
    int mine = number + rank, got = -1;
    MPI_Request requests[2];
    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect(got == number + (rank + size - 1) % size, "message around the ring");
}

static void start(pthread_t *thread, void *(*run)(void *), long number)
{
    expect(pthread_create(thread, NULL, run, (void *)number) == 0, "pthread_create");
}

/* A thread from its beginning to its end. */
static void run_alone(void *(*run)(void *), long number)
{
    pthread_t thread;
    start(&thread, run, number);
    pthread_join(thread, NULL);
}

static pthread_barrier_t all_there; /* and, later, done */

static void *work(void *argument)
{
    int number = (int)(long)argument;
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < (number + 1) * count; i++)
        exchange(number, i);
    pthread_barrier_wait(&all_there); /* a thread that has ended leaves its place to others */
    return NULL;
}

static void at_once(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_there, NULL, THREADS + 1);
    for (long i = 0; i < THREADS; i++)
        start(&threads[i], work, i);
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < count; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void *send_to_self(void *argument)
{
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    int tag = (int)(long)argument, got = -1;
    pthread_mutex_lock(&turn);
    MPI_Sendrecv(&tag, 1, MPI_INT, rank, tag, &got, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&turn);
    expect(got == tag, "message to itself");
    pthread_barrier_wait(&all_there);
    return NULL;
}

static void many(void)
{
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    pthread_barrier_init(&all_there, NULL, (unsigned)count + 1);
    for (long i = 0; i < count; i++)
        start(&threads[i], send_to_self, i);
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static void *work_a_little(void *argument)
{
    for (int i = 0; i < 5; i++)
        exchange(0, (int)(long)argument + i);
    return NULL;
}

static void one_by_one(void)
{
    for (long i = 0; i < count; i++)
        run_alone(work_a_little, i);
}

static void *work_and_exit(void *argument)
{
    exchange(0, (int)(long)argument);
    pthread_exit(NULL);
}

/* Cancelled between two polls: the library's own waiting is no place to be cancelled in. */
static void *poll_forever(void *argument)
{
    int flag;
    for (;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        usleep(100);
    }
    return argument;
}

static void ends(void)
{
    pthread_t thread;
    for (long i = 0; i < count; i++) {
        run_alone(work_and_exit, i);
        start(&thread, poll_forever, 0);
        usleep(1000);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        exchange(1, (int)i);
    }
}

static MPI_Request handed[2];
static int handed_out, handed_in;

static void *begin_exchange(void *argument)
{
    handed_out = rank;
    MPI_Irecv(&handed_in, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD, &handed[0]);
    MPI_Isend(&handed_out, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD, &handed[1]);
    return argument;
}

static void *end_exchange(void *argument)
{
    MPI_Waitall(2, handed, MPI_STATUSES_IGNORE);
    expect(handed_in == (rank + size - 1) % size, "message of another thread");
    return argument;
}

static void completes(void)
{
    for (int i = 0; i < count; i++) {
        run_alone(begin_exchange, 0);
        end_exchange(NULL);
        begin_exchange(NULL);
        run_alone(end_exchange, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* in which this thread hears of the last ones */
}

/* In turns on two communicators, blocking and not. */
static void *send_to_myself(void *argument)
{
    int tag = (int)(long)argument, out = tag, in;
    MPI_Comm comms[2] = {MPI_COMM_SELF, twin};
    MPI_Request requests[2];
    for (int round = 0; round < 2; round++) {
        pthread_barrier_wait(&all_there);
        for (int i = 0; i < count; i++) {
            MPI_Comm comm = comms[i % 2];
            MPI_Sendrecv(&out, 1, MPI_INT, 0, tag, &in, 1, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
            MPI_Irecv(&in, 1, MPI_INT, 0, tag, comm, &requests[0]);
            MPI_Isend(&out, 1, MPI_INT, 0, tag, comm, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        pthread_barrier_wait(&all_there);
    }
    return argument;
}

/* Their own places in a window of all ranks. */
static void *put(void *argument)
{
    int mine = (int)(long)argument, to = (rank + 1) % size;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 20; k++)
            MPI_Put(&mine, 1, MPI_INT, to, mine, 1, MPI_INT, window);
        MPI_Win_flush(to, window);
    }
    return argument;
}

static void puts_at_once(void)
{
    pthread_t threads[THREADS];
    int *places;
    MPI_Win_allocate(THREADS * sizeof *places, sizeof *places, MPI_INFO_NULL, MPI_COMM_WORLD, &places,
                     &window);
    MPI_Win_lock_all(0, window);
    for (long i = 0; i < THREADS; i++)
        start(&threads[i], put, i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < THREADS; i++)
        expect(places[i] == i, "put by a thread");
    MPI_Win_free(&window);
}

static void locks(void)
{
    int (*taken)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "locks_taken");
    pthread_t threads[THREADS];
    int before = 0;
    MPI_Comm_dup(MPI_COMM_SELF, &twin);
    pthread_barrier_init(&all_there, NULL, THREADS + 1);
    for (long i = 0; i < THREADS; i++)
        start(&threads[i], send_to_myself, i);
    for (int round = 0; round < 2; round++) {
        before = taken ? taken() : -1;
        pthread_barrier_wait(&all_there);
        pthread_barrier_wait(&all_there);
        printf("%d locks in round %d\n", (taken ? taken() : -1) - before, round);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static volatile int is_over;

static void *poll_on(void *argument)
{
    int flag;
    while (!is_over)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    return argument;
}

/* What MPI forbids and progress threads do: the last polls are late. Open MPI would end the job
 * for one after MPI_Finalize, so the thread is told in an attribute of MPI_COMM_SELF, which is
 * the first thing that MPI_Finalize frees. */
static int tell(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    is_over = 1;
    pthread_join(*(pthread_t *)extra, NULL);
    return MPI_SUCCESS;
}

static void finalize(void)
{
    static pthread_t thread;
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &key, &thread);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    start(&thread, poll_on, 0);
    for (int i = 0; i < count; i++)
        exchange(0, i);
}

static void *work_slowly(void *argument)
{
    for (int i = 0; i < count; i++) {
        usleep(1000);
        exchange(0, i);
    }
    return argument;
}

static void waits(void)
{
    for (int i = 0; i < 4; i++) {
        usleep(100000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    run_alone(work_slowly, 0);
}

static void *send_on(void *argument)
{
    int tag = (int)(long)argument, in;
    for (;;)
        MPI_Sendrecv(&tag, 1, MPI_INT, 0, tag, &in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return argument;
}

/* The process ends while its threads go on. */
static void leaves(void)
{
    static pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        start(&threads[i], send_on, i);
    usleep((useconds_t)count * 1000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 7);
}

static int level(int wanted)
{
    int provided = -1, asked = -1, is_main = 0;
    if (wanted < 0)
        MPI_Init(NULL, NULL);
    else
        MPI_Init_thread(NULL, NULL, wanted, &provided);
    MPI_Query_thread(&asked);
    MPI_Is_thread_main(&is_main);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("asked for %d: provided %d, level %d, main %d\n", wanted, provided, asked, is_main);
    return MPI_Finalize();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"at_once", at_once},   {"one_by_one", one_by_one},
                 {"ends", ends},         {"completes", completes},
                 {"locks", locks},       {"finalize", finalize},
                 {"puts", puts_at_once}, {"many", many},
                 {"leaves", leaves},     {"waits", waits}};
    int provided;

    count = argc > 2 ? atoi(argv[2]) : 100;
    if (argc > 1 && !strcmp(argv[1], "level"))
        return level(count);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    expect(provided == MPI_THREAD_MULTIPLE, "no MPI_THREAD_MULTIPLE");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (argc > 1 && !strcmp(argv[1], kinds[i].name))
            kinds[i].run();
    if (rank == 0)
        printf("ok %s\n", argc > 1 ? argv[1] : "nothing");
    fflush(stdout);
    return MPI_Finalize();
}
