/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that never comes to rest: soak SECONDS SAMPLES. Phases in an order that is drawn
 * anew each time, the same on all ranks; each makes, uses and frees what MPI has, so that what
 * a tool keeps of it too long, or forgets to close, shows as growth.
 *
 * SAMPLES times, evenly over SECONDS, each rank says what it has by then, a line of JSON:
 *
 *     calls        MPI calls of the program so far, those that efgtrace counts
 *     resident_kb  its resident set
 *     own_kb       what of it is no part of a file: of libraries, or of the log of a window
 *     files        open file descriptors
 *     threads      of the process
 *     traced_ns    of CPU time, a message to itself through MPI_Sendrecv, as programs call it
 *     bare_ns      the same through libmpi's own function, which no tool is in front of
 *
 * and at the end all_calls. The two times are measured in turns, in short blocks; each is the
 * median of its blocks.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

#define BLOCKS 101
#define BLOCK 100 /* messages */
#define NEVER 8   /* receives that nothing is sent to */
#define THREADS 3

typedef int sendrecv(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm,
                     MPI_Status *);

static int rank, size, right, left;
static unsigned long calls;
static unsigned state = 1; /* of the draws that are the same on all ranks */
static char file_name[64];
static MPI_Request never[NEVER];

#define COUNTED(call) (calls++, (call))

static unsigned draw(unsigned below)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
}

static void expect(int fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "FAIL rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* --- phases: each does its thing so many times --- */

static void halo(int times)
{
    double out[64] = {0}, in[64];
    MPI_Request requests[2];
    for (int i = 0; i < times; i++) {
        COUNTED(MPI_Irecv(in, 64, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]));
        COUNTED(MPI_Isend(out, 64, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]));
        COUNTED(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        COUNTED(MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    }
}

static void collectives(int times)
{
    int own = rank, all[64];
    MPI_Request request;
    for (int i = 0; i < times; i++) {
        COUNTED(MPI_Bcast(&own, 1, MPI_INT, i % size, MPI_COMM_WORLD));
        COUNTED(MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
        COUNTED(MPI_Ibarrier(MPI_COMM_WORLD, &request));
        COUNTED(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

static void communicators(int times)
{
    MPI_Comm half, copy, grid;
    int dims[1] = {size}, periods[1] = {1}, sum;
    for (int i = 0; i < times; i++) {
        COUNTED(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
        COUNTED(MPI_Comm_dup(half, &copy));
        COUNTED(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid));
        COUNTED(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy));
        COUNTED(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, grid));
        COUNTED(MPI_Comm_free(&grid));
        COUNTED(MPI_Comm_free(&copy));
        COUNTED(MPI_Comm_free(&half));
    }
}

static void groups(int times)
{
    MPI_Group world, some;
    MPI_Comm made;
    for (int i = 0; i < times; i++) {
        int range[1][3] = {{0, size - 1, 2}};
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_range_incl(world, 1, range, &some);
        COUNTED(MPI_Comm_create(MPI_COMM_WORLD, some, &made));
        if (made != MPI_COMM_NULL) {
            COUNTED(MPI_Barrier(made));
            COUNTED(MPI_Comm_free(&made));
        }
        MPI_Group_free(&some);
        MPI_Group_free(&world);
    }
}

static void datatypes(int times)
{
    double out[32] = {0}, in[32];
    MPI_Datatype column;
    for (int i = 0; i < times; i++) {
        MPI_Type_vector(4, 1 + (int)draw(4), 8, MPI_DOUBLE, &column);
        MPI_Type_commit(&column);
        COUNTED(MPI_Sendrecv(out, 1, column, right, 2, in, 1, column, left, 2, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE));
        MPI_Type_free(&column);
    }
}

static void persistent(int times)
{
    int out = rank, in;
    MPI_Request requests[2];
    COUNTED(MPI_Recv_init(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]));
    COUNTED(MPI_Send_init(&out, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]));
    for (int i = 0; i < times; i++) {
        COUNTED(MPI_Startall(2, requests));
        COUNTED(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
    COUNTED(MPI_Request_free(&requests[0]));
    COUNTED(MPI_Request_free(&requests[1]));
}

static void cancelled(int times)
{
    int in;
    MPI_Request request;
    for (int i = 0; i < times; i++) {
        COUNTED(MPI_Irecv(&in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &request));
        COUNTED(MPI_Cancel(&request));
        COUNTED(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

/* Requests that nobody waits for: freed while they are under way. */
static void freed(int times)
{
    static int out[256];
    MPI_Request request;
    for (int i = 0; i < times; i++) {
        int in;
        COUNTED(MPI_Isend(&out[i % 256], 1, MPI_INT, right, 5, MPI_COMM_WORLD, &request));
        COUNTED(MPI_Request_free(&request));
        COUNTED(MPI_Recv(&in, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

static void polls(int times)
{
    int flag, index;
    for (int i = 0; i < times; i++) {
        COUNTED(MPI_Testany(NEVER, never, &index, &flag, MPI_STATUS_IGNORE));
        COUNTED(MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    }
}

static void windows(int times)
{
    double *memory, mine = rank;
    MPI_Win window;
    for (int i = 0; i < times; i++) {
        COUNTED(MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window));
        COUNTED(MPI_Win_fence(0, window));
        COUNTED(MPI_Put(&mine, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, window));
        COUNTED(MPI_Win_fence(0, window));
        COUNTED(MPI_Win_free(&window));
    }
}

static void infos(int times)
{
    MPI_Info info;
    MPI_Comm copy;
    for (int i = 0; i < times; i++) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "soak", "yes");
        COUNTED(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy));
        MPI_Info_free(&info);
        COUNTED(MPI_Comm_free(&copy));
    }
}

static void files(int times)
{
    MPI_File file;
    for (int i = 0; i < times; i++) {
        COUNTED(MPI_File_open(MPI_COMM_SELF, file_name,
                              MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                              &file));
        COUNTED(MPI_File_write(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
        COUNTED(MPI_File_close(&file));
    }
}

static void *exchange(void *argument)
{
    int tag = 10 + (int)(long)argument, out = rank, in;
    for (int i = 0; i < 4; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, right, tag, &in, 1, MPI_INT, left, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    return NULL;
}

static void threads(int times)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < times; i++) {
        for (long k = 0; k < THREADS; k++)
            expect(pthread_create(&thread[k], NULL, exchange, (void *)k) == 0, "pthread_create");
        for (int k = 0; k < THREADS; k++)
            pthread_join(thread[k], NULL);
        calls += 4 * THREADS;
    }
}

/* Cheap calls in an order that never repeats. */
static void chance(int times)
{
    int flag;
    char byte = 0;
    for (int i = 0; i < times; i++)
        if (draw(2))
            COUNTED(MPI_Test(&never[draw(NEVER)], &flag, MPI_STATUS_IGNORE));
        else if (draw(2))
            COUNTED(MPI_Send(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 7, MPI_COMM_WORLD));
        else
            COUNTED(MPI_Iprobe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
}

static const struct {
    void (*run)(int times);
    int most;
} phases[] = {
    {halo, 400},       {collectives, 100}, {communicators, 4}, {groups, 4},    {datatypes, 100},
    {persistent, 200}, {cancelled, 100},   {freed, 100},       {polls, 2000},  {windows, 2},
    {infos, 2},        {files, 2},         {threads, 3},       {chance, 2000},
};
#define PHASES (sizeof phases / sizeof *phases)

/* --- samples --- */

static int open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = -3; /* ".", ".." and the folder itself */
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double values[BLOCKS])
{
    qsort(values, BLOCKS, sizeof *values, compare);
    return values[BLOCKS / 2];
}

static double time_of_block(sendrecv *call)
{
    int out = rank, in;
    double begin = measure_time(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < BLOCK; i++)
        call(&out, 1, MPI_INT, 0, 8, &in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return (measure_time(CLOCK_THREAD_CPUTIME_ID) - begin) / BLOCK;
}

static int find_libmpi(struct dl_phdr_info *module, size_t length, void *found)
{
    const char *slash = strrchr(module->dlpi_name, '/');
    (void)length;
    if (!slash || (strncmp(slash, "/libmpi.so", 10) && strncmp(slash, "/libmpich.so", 12)))
        return 0;
    *(const char **)found = module->dlpi_name;
    return 1;
}

static sendrecv *bare_sendrecv(void)
{
    const char *name = NULL;
    dl_iterate_phdr(find_libmpi, &name);
    void *library = name ? dlopen(name, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    sendrecv *found = library ? (sendrecv *)dlsym(library, "MPI_Sendrecv") : NULL;
    expect(found != NULL, "no libmpi");
    return found;
}

/* In one write, so that the lines of ranks do not mix. */
static void sample(double seconds, sendrecv *bare)
{
    static double traced_ns[BLOCKS], bare_ns[BLOCKS];
    char line[512];
    for (int i = 0; i < BLOCKS; i++) {
        traced_ns[i] = time_of_block(MPI_Sendrecv);
        bare_ns[i] = time_of_block(bare);
    }
    calls += (unsigned long)BLOCKS * BLOCK;
    int length = snprintf(line, sizeof line,
                          "{\"rank\": %d, \"seconds\": %.1f, \"calls\": %lu, \"resident_kb\": %ld, "
                          "\"own_kb\": %ld, "
                          "\"files\": %d, \"threads\": %ld, \"traced_ns\": %.1f, \"bare_ns\": %.1f}\n",
                          rank, seconds, calls, measure_status("VmRSS"), measure_status("RssAnon"),
                          open_files(), measure_status("Threads"), median(traced_ns), median(bare_ns));
    if (write(STDOUT_FILENO, line, (size_t)length) < 0)
        exit(1);
}

/* Rank 0's clock is that of all. */
static double elapsed(double begin)
{
    double seconds = (measure_time(CLOCK_MONOTONIC) - begin) / 1e9;
    COUNTED(MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    return seconds;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 10, begin = measure_time(CLOCK_MONOTONIC), seconds;
    int samples = argc > 2 ? atoi(argv[2]) : 10, provided, in[NEVER];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    expect(provided == MPI_THREAD_MULTIPLE, "no MPI_THREAD_MULTIPLE");
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    snprintf(file_name, sizeof file_name, "soak.%d.data", rank);
    sendrecv *bare = bare_sendrecv();
    for (int i = 0; i < NEVER; i++)
        COUNTED(MPI_Irecv(&in[i], 1, MPI_INT, left, 9, MPI_COMM_WORLD, &never[i]));
    for (size_t i = 0; i < PHASES; i++)
        phases[i].run(1);
    for (int taken = 0; taken < samples;) {
        unsigned which = draw(PHASES);
        phases[which].run(1 + (int)draw((unsigned)phases[which].most));
        seconds = elapsed(begin);
        if (seconds >= length * (taken + 1) / samples) {
            sample(seconds, bare);
            taken++;
        }
    }
    for (int i = 0; i < NEVER; i++) {
        COUNTED(MPI_Cancel(&never[i]));
        COUNTED(MPI_Wait(&never[i], MPI_STATUS_IGNORE));
    }
    char line[64];
    int written = snprintf(line, sizeof line, "{\"rank\": %d, \"all_calls\": %lu}\n", rank, calls);
    if (write(STDOUT_FILENO, line, (size_t)written) < 0)
        exit(1);
    return MPI_Finalize();
}
