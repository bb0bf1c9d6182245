/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that hang, each in its own way, after some iterations without a fault:
 *
 *     hang KIND        on 4 ranks; does not end
 *
 * An iteration is a shift around the ring, a message from rank 1 to rank 0, and a collective of all.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define LARGE (1 << 20) /* ints: too large a message to be buffered */

static int rank, ranks;
static int *large;
static volatile int forever = 1;
static int is_held; /* what is written to a file hang.* from now on hangs */

static void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static ssize_t hold(void)
{
    while (forever)
        pause();
    return 0;
}

static int is_of_file(int file)
{
    char link[64], name[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return is_held && readlink(link, name, sizeof name - 1) > 0 && strstr(name, "/hang.");
}

/* The program's own, which MPI-IO finds before those of the C library. */
ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    return is_of_file(file) ? hold() : syscall(SYS_pwrite64, file, data, size, at);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at)
{
    return is_of_file(file) ? hold() : syscall(SYS_pwritev, file, parts, count, at, 0);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    return is_of_file(file) ? hold() : syscall(SYS_writev, file, parts, count);
}

static void shift(int to, int from)
{
    int out = rank, in;
    MPI_Sendrecv(&out, 1, MPI_INT, to, 3, &in, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tell(int tag)
{
    MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

static void hear(int tag)
{
    int in;
    MPI_Recv(&in, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void agree(void)
{
    int one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* SKIPS: this rank leaves out the message, or the collective. */
static void iterate(int to, int from, int tag, int skips_message, int skips_collective)
{
    sleep_ms(2);
    shift(to, from);
    if (rank == 1 && !skips_message)
        tell(tag);
    if (rank == 0)
        hear(5);
    if (!skips_collective)
        agree();
}

/* --- in which way --- */

static void receive_first(void)
{
    int in;
    if (rank < 2) {
        MPI_Recv(&in, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
    }
    agree();
}

static void send_first(void)
{
    if (rank < 2) {
        MPI_Send(large, LARGE, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
        MPI_Recv(large, LARGE, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    agree();
}

static void other_collective(void)
{
    if (rank == 2)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        agree();
}

static void other_communicator(void)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(rank == 1 ? copy : MPI_COMM_WORLD);
}

static void other_root(void)
{
    MPI_Bcast(large, LARGE, MPI_INT, rank == 3 ? 1 : 0, MPI_COMM_WORLD);
    agree();
}

/* The rank that is asked sends nothing; the root sends to those before. */
static void scatter_from_other(void)
{
    int *part = calloc(LARGE, sizeof *part);
    MPI_Scatter(large, LARGE / 4, MPI_INT, part, LARGE / 4, MPI_INT, rank == 3 ? 1 : 0, MPI_COMM_WORLD);
    agree();
    free(part);
}

static void loop(void)
{
    if (rank == 2)
        while (forever)
            ;
    agree();
}

static void be_stopped(void)
{
    if (rank == 2)
        raise(SIGSTOP);
    agree();
}

static void sleep_on(void)
{
    if (rank == 3)
        hold();
    agree();
}

static void write_file(void)
{
    MPI_File file;
    char name[100];
    snprintf(name, sizeof name, "hang.%d.out", (int)getppid());
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    is_held = 1;
    if (rank == 1)
        MPI_File_write_at(file, 0, large, LARGE, MPI_INT, MPI_STATUS_IGNORE);
    agree();
}

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *take_locks(void *first)
{
    int in, me = *(int *)first;
    MPI_Sendrecv(&me, 1, MPI_INT, rank, 20 + me, &in, 1, MPI_INT, rank, 20 + me, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    pthread_mutex_lock(&locks[me]);
    sleep_ms(50);
    pthread_mutex_lock(&locks[1 - me]);
    return NULL;
}

static void lock_in_threads(void)
{
    int mine = 0, others = 1;
    pthread_t thread;
    if (rank == 1) {
        pthread_create(&thread, NULL, take_locks, &others);
        take_locks(&mine);
        pthread_join(thread, NULL);
    }
    agree();
}

static void lock_windows(void)
{
    MPI_Win window;
    int *memory;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
        MPI_Win_flush(rank, window);
        sleep_ms(100);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
        MPI_Win_flush(1 - rank, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void wait_for_nobody(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int in;
    if (rank == 0)
        MPI_Irecv(&in, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    agree();
}

static void test_for_nobody(void)
{
    MPI_Request request;
    int in, is_done = 0;
    if (rank == 0) {
        MPI_Irecv(&in, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, &request);
        while (!is_done)
            MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    }
    agree();
}

static void probe(void)
{
    if (rank == 0)
        MPI_Probe(3, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    agree();
}

static void all_wait_for_work(void)
{
    int in;
    MPI_Recv(&in, 1, MPI_INT, rank ? 0 : MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*hang)(void);
} kinds[] = {
    {"receive-first", receive_first},
    {"send-first", send_first},
    {"collective", other_collective},
    {"communicator", other_communicator},
    {"root", other_root},
    {"scatter", scatter_from_other},
    {"loop", loop},
    {"stopped", be_stopped},
    {"sleep", sleep_on},
    {"file", write_file},
    {"threads", lock_in_threads},
    {"windows", lock_windows},
    {"wait", wait_for_nobody},
    {"test", test_for_nobody},
    {"probe", probe},
    {"any-source", all_wait_for_work},
};

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    int level;

    MPI_Init_thread(&argc, &argv, strcmp(kind, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    large = calloc(LARGE, sizeof *large);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    for (int i = 0; i < 50; i++) {
        int is_bad = i == 40;
        int wrong_to = strcmp(kind, "partner") == 0 && is_bad && rank == 1 ? (to + 1) % ranks : to;
        int skips_message = strcmp(kind, "send") == 0 && is_bad;
        int tag = strcmp(kind, "tag") == 0 && is_bad ? 6 : 5;
        int skips_collective = strcmp(kind, "barrier") == 0 && is_bad && rank == 2;
        iterate(wrong_to, from, tag, skips_message, skips_collective);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, kind) == 0)
            kinds[i].hang();
    if (strcmp(kind, "finalize") != 0 || rank != 3)
        iterate(to, from, 5, 0, 0);
    MPI_Finalize();
    return 0;
}
