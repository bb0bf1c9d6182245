/* A program that never does the same thing twice, in STEPS steps that end with a sum over all
 * ranks, but for its last tenth, which is the same all the time:
 *
 *   many sizes COUNT     COUNT broadcasts of different sizes, on MPI_COMM_SELF
 *   many paths COUNT     COUNT barriers there, from different call paths: the ways through a
 *                        binary tree of calls
 *   many uneven COUNT    as many broadcasts of different sizes on rank 0 only, all of one size
 *                        on the others
 *   many shuffled COUNT  COUNT barriers from 64 different call paths, which one is random and
 *                        different on each rank
 *   many requests COUNT  COUNT requests under way at the same time, on MPI_COMM_SELF
 *   many comms COUNT     COUNT communicators, each of which another one is made from; both are
 *                        freed
 *
 * Prints how much anonymous memory the process took on from MPI_Init to MPI_Finalize: "grown N
 * kB", the most at any time and of all ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 1000
#define DEPTH 20

static char data[1 << 20];

static long anonymous(void)
{
    char line[256];
    long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %ld", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes;
}

__attribute__((noinline)) static int left(unsigned way, int depth);

/* Work after the calls keeps one frame per level. */
__attribute__((noinline)) static int right(unsigned way, int depth)
{
    if (depth == 0)
        MPI_Barrier(MPI_COMM_SELF);
    else if (way & 1)
        return 1 + right(way >> 1, depth - 1);
    else
        return 3 + left(way >> 1, depth - 1);
    return 1;
}

__attribute__((noinline)) static int left(unsigned way, int depth)
{
    if (depth == 0)
        MPI_Barrier(MPI_COMM_SELF);
    else if (way & 1)
        return 2 + right(way >> 1, depth - 1);
    else
        return 4 + left(way >> 1, depth - 1);
    return 2;
}

static unsigned random_way(int rank)
{
    static unsigned long long state;
    state = state * 6364136223846793005u + 2u * (unsigned)rank + 1;
    return (unsigned)(state >> 33);
}

static void wait_for_all(MPI_Request *requests, int count)
{
    static char sent;
    for (int i = 0; i < count; i++)
        MPI_Irecv(&data[i % (int)sizeof data], 1, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < count; i++)
        MPI_Send(&sent, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void make_two(void)
{
    MPI_Comm child, grandchild;
    MPI_Comm_dup(MPI_COMM_SELF, &child);
    MPI_Comm_dup(child, &grandchild);
    MPI_Comm_free(&grandchild);
    MPI_Comm_free(&child);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "sizes";
    int count = argc > 2 ? atoi(argv[2]) : 1000000, rank, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request *requests = calloc((size_t)count, sizeof *requests);
    memset(requests, 1, (size_t)count * sizeof *requests); /* it is there before we look */
    long before = anonymous(), grown = 0, most;

    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < count / STEPS && step < STEPS / 10 * 9; i++) {
            int number = step * (count / STEPS) + i;
            if (!strcmp(kind, "sizes"))
                MPI_Bcast(data, number % (int)sizeof data, MPI_CHAR, 0, MPI_COMM_SELF);
            else if (!strcmp(kind, "paths"))
                left((unsigned)number, DEPTH);
            else if (!strcmp(kind, "shuffled"))
                left(random_way(rank) & 63, 6);
            else if (!strcmp(kind, "comms"))
                make_two();
            else if (!strcmp(kind, "uneven"))
                MPI_Bcast(data, rank ? 1 : number, MPI_CHAR, 0, MPI_COMM_SELF);
        }
        if (!strcmp(kind, "requests") && step == STEPS / 2)
            wait_for_all(requests, count);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        long now = anonymous() - before;
        grown = now > grown ? now : grown;
    }
    MPI_Reduce(&grown, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("grown %ld kB\n", most);
    free(requests);
    MPI_Finalize();
    return 0;
}
