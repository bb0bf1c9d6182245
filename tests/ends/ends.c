/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop that ends, or becomes another one, while its iterations are recorded.
 *
 *   ends BODY BEHIND MORE [SAID [WINDOW]]
 *
 * BODY is what the steps of the loop are:
 *   even     4 messages around the ring, an Allreduce; no loops in it that may pass for the main loop
 *   uneven   the same, and 5 messages to itself for each rank before this one
 *   server   the last rank has no such loop: it answers one request of each of the others in a step
 *   long     as even, but a step takes 80 ms
 *   early    as even, but whether to end is known right behind the Allreduce, by a Bcast
 *   slow     as early, but the first 3 steps take 150 ms, the others 4 ms
 *   threads  as even; a second thread sends messages to itself all the time
 *
 * BEHIND is what comes when the loop is over:
 *   nothing  MPI_Finalize
 *   few      30 calls
 *   calls    20,000 calls of other call sites
 *   same     2000 turns of another loop that calls the same functions
 *   one      the calls on rank 0 only; the others wait in a barrier
 *   second   another main loop, of a function of its own
 *   again    calls, and the same loop once more, called by the same loop
 *   grow     5 more steps of the same loop, with 5000 calls more in each
 *
 * The loop ends MORE steps after its WINDOW-th window (default 1) has been opened: efgtrace says so on
 * standard error (verbose = on), which goes to the file SAID, where rank 0 looks in each step. So
 * nothing depends on time; windows that the ranks give up, as one was late, or that they have not agreed on
 * do not count. Without SAID there are 100 steps.
 *
 * All messages of the loop have the tag IN_LOOP, those behind it BEHIND_IT; what is recorded must have
 * none of the latter.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IN_LOOP = 1, BEHIND_IT = 2, REQUEST = 3, LAST_REQUEST = 4 };
enum { MOST_STEPS = 50000 };

static struct {
    int rank, size, me; /* me: in workers */
    int is_uneven, has_server, has_thread, is_early;
    int slow; /* steps that are so, still */
    useconds_t pause;
    int more, window;
    const char *said;
    long read;      /* of SAID */
    int opened;     /* windows, as it says */
    int left, turn; /* not local ones, or the compiler makes two loops of one */
    MPI_Comm workers;
    int tag; /* of the second thread; atomic, 0: end */
} p;

/* --- when to end --- */

static void hear(const char *line)
{
    static int is_agreed, is_provisional;

    if (strstr(line, "agreed to record from")) {
        is_agreed = 1;
    } else if (strstr(line, "recording from iteration")) {
        is_provisional = !is_agreed;
        p.opened += is_agreed;
        is_agreed = 0;
    } else if (strstr(line, "provisionally is kept")) {
        p.opened++;
        is_agreed = 0;
    } else if (strstr(line, "thrown away") && !is_provisional) {
        p.opened--;
    }
}

static void look(void)
{
    FILE *file = fopen(p.said, "r");
    char line[600];

    if (!file || fseek(file, p.read, SEEK_SET))
        return;
    while (fgets(line, sizeof line, file))
        hear(line);
    p.read = ftell(file);
    fclose(file);
}

/* Whether there was such a window, or STEP is far enough: as rank 0 knows. */
static int is_near(int step, int window, int most)
{
    if (p.rank != 0)
        return 0;
    if (!p.said)
        return step >= 100;
    look();
    return p.opened >= window || step >= most;
}

/* On all workers. */
static __attribute__((noinline)) int is_time(int step, int window, int most)
{
    int is_mine = is_near(step, window, most), is_any = 0;

    MPI_Allreduce(&is_mine, &is_any, 1, MPI_INT, MPI_MAX, p.workers);
    if (p.is_early) {
        is_any = is_near(step, window, most);
        MPI_Bcast(&is_any, 1, MPI_INT, 0, p.workers);
    }
    return is_any;
}

/* --- the steps --- */

static __attribute__((noinline)) void exchange(int other, int from, int tag, MPI_Comm comm)
{
    int mine = p.rank, got = -1;

    MPI_Sendrecv(&mine, 1, MPI_INT, other, tag, &got, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
    if (got < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static __attribute__((noinline)) void ring(int tag)
{
    int size;

    MPI_Comm_size(p.workers, &size);
    exchange((p.me + 1) % size, (p.me + size - 1) % size, tag, p.workers);
}

static __attribute__((noinline)) void to_myself(int times, int tag)
{
    for (int i = 0; i < times; i++)
        exchange(p.me, p.me, tag, p.workers);
}

static void ask(void)
{
    int number = p.rank;

    MPI_Send(&number, 1, MPI_INT, p.size - 1, REQUEST, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_INT, p.size - 1, IN_LOOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void step(int more_calls)
{
    ring(IN_LOOP);
    ring(IN_LOOP);
    ring(IN_LOOP);
    ring(IN_LOOP);
    if (p.is_uneven)
        to_myself(5 * p.rank, IN_LOOP);
    if (p.has_server)
        ask();
    to_myself(more_calls, BEHIND_IT);
    usleep(p.slow-- > 0 ? 150000 : p.pause);
}

static __attribute__((noinline)) int loop(int window, int most, int more_calls)
{
    int steps = 0;

    for (p.left = -1; p.left != 0;) {
        step(p.left >= 0 ? more_calls : 0);
        int is_over = is_time(++steps, window, most);
        p.left = !is_over ? -1 : p.left > 0 ? p.left - 1 : p.more;
    }
    return steps;
}

/* A main loop of its own, until it is recorded, too; or not. */
static __attribute__((noinline)) void second_loop(void)
{
    int before = p.opened, left = 12;

    for (int steps = 1; left > 0; steps++) {
        int root = steps;
        to_myself(7, BEHIND_IT);
        MPI_Bcast(&root, 1, MPI_INT, 0, p.workers);
        usleep(1000);
        left -= is_time(steps, before + 1, 3000);
    }
}

/* --- behind it --- */

static __attribute__((noinline)) void other_calls(int times)
{
    int mine = p.rank, got = -1;

    for (int i = 0; i < times; i++) {
        MPI_Request request;
        MPI_Irecv(&got, 1, MPI_INT, p.me, BEHIND_IT, p.workers, &request);
        MPI_Send(&mine, 1, MPI_INT, p.me, BEHIND_IT, p.workers);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static __attribute__((noinline)) void same_functions(void)
{
    int sum;

    for (int i = 0; i < 2000; i++) {
        ring(BEHIND_IT);
        if (i % 100 == 0)
            MPI_Allreduce(&p.rank, &sum, 1, MPI_INT, MPI_SUM, p.workers);
    }
}

static void go_behind(const char *behind)
{
    if (!strcmp(behind, "few"))
        other_calls(10);
    if (!strcmp(behind, "calls") || (!strcmp(behind, "one") && p.rank == 0))
        other_calls(6667);
    if (!strcmp(behind, "one"))
        MPI_Barrier(p.workers);
    if (!strcmp(behind, "same"))
        same_functions();
    if (!strcmp(behind, "second"))
        second_loop();
}

/* --- ranks and threads --- */

static void serve(void)
{
    int number, over = 0;
    MPI_Status status;

    while (over < p.size - 1) {
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == LAST_REQUEST)
            over++;
        else
            MPI_Send(&number, 1, MPI_INT, status.MPI_SOURCE, IN_LOOP, MPI_COMM_WORLD);
    }
    other_calls(6667);
}

static void *second_thread(void *comm)
{
    int tag;

    while ((tag = __atomic_load_n(&p.tag, __ATOMIC_ACQUIRE))) {
        exchange(0, 0, tag, *(MPI_Comm *)comm);
        usleep(300);
    }
    return NULL;
}

static int work(const char *behind)
{
    int times = strcmp(behind, "again") ? 1 : 2, steps = 0;

    for (p.turn = 1; p.turn <= times; p.turn++) {
        __atomic_store_n(&p.tag, p.has_thread ? IN_LOOP : 0, __ATOMIC_RELEASE);
        steps += loop(p.window * p.turn, MOST_STEPS / (49 * p.turn - 48), strcmp(behind, "grow") ? 0 : 5000);
        __atomic_store_n(&p.tag, p.has_thread ? BEHIND_IT : 0, __ATOMIC_RELEASE);
        if (times > 1)
            other_calls(6667);
    }
    if (p.has_server)
        MPI_Send(&steps, 1, MPI_INT, p.size - 1, LAST_REQUEST, MPI_COMM_WORLD);
    go_behind(behind);
    return steps;
}

static void begin(int argc, char **argv)
{
    int provided;

    if (argc > 4 && !freopen(argv[4], "a", stderr))
        exit(2);
    setvbuf(stderr, NULL, _IONBF, 0);
    p.has_thread = !strcmp(argv[1], "threads");
    MPI_Init_thread(&argc, &argv, p.has_thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.size);
    p.is_uneven = !strcmp(argv[1], "uneven");
    p.slow = strcmp(argv[1], "slow") ? 0 : 3;
    p.is_early = p.slow || !strcmp(argv[1], "early");
    p.has_server = !strcmp(argv[1], "server");
    p.pause = !strcmp(argv[1], "long") ? 80000 : p.slow ? 4000 : 1000;
    p.more = atoi(argv[3]);
    p.said = argc > 4 ? argv[4] : NULL;
    p.window = argc > 5 ? atoi(argv[5]) : 1;
    MPI_Comm_split(MPI_COMM_WORLD, p.has_server && p.rank == p.size - 1, 0, &p.workers);
    MPI_Comm_rank(p.workers, &p.me);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    MPI_Comm comm;
    int steps = 0;

    if (argc < 4)
        return 2;
    begin(argc, argv);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    p.tag = p.has_thread ? IN_LOOP : 0;
    if (p.has_thread)
        pthread_create(&thread, NULL, second_thread, &comm);
    if (p.has_server && p.rank == p.size - 1)
        serve();
    else
        steps = work(argv[2]);
    __atomic_store_n(&p.tag, 0, __ATOMIC_RELEASE);
    if (p.has_thread)
        pthread_join(thread, NULL);
    if (p.rank == 0)
        printf("ok ends: %d steps\n", steps);
    MPI_Finalize();
    return 0;
}
