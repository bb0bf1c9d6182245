/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What watching costs most: calls that do next to nothing, again and again.
 *
 *     limit messages LENGTH   8 bytes to the next rank and from the one before, 100 times in an iteration
 *     limit polls LENGTH      MPI_Test for a message that comes with the end of the iteration, 100 times
 *     limit overlap LENGTH    the same, and half a microsecond or so of work before each MPI_Test
 *
 * LENGTH is a number of iterations, or seconds of processor time of rank 0, since it began, with an s behind
 * them. Several such pairs are done one after the other. Rank 0 prints the seconds from before MPI_Init until
 * after MPI_Finalize, its processor time, and the calls of all ranks in between.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

#define CALLS 100
#define WORK 1500

static int rank, ranks;
static long calls;

static double seconds(void)
{
    return measure_time(CLOCK_MONOTONIC) / 1e9;
}

static double processor(void)
{
    return measure_time(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

static void exchange(void)
{
    char out[8] = {0}, in[8];

    MPI_Sendrecv(out, sizeof out, MPI_BYTE, (rank + 1) % ranks, 0, in, sizeof in, MPI_BYTE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    calls++;
}

static void send_messages(void)
{
    for (int i = 0; i < CALLS; i++)
        exchange();
}

static void work(void)
{
    for (volatile int i = 0; i < WORK; i++)
        ;
}

static void poll(bool works)
{
    char out[8] = {0}, in[8];
    MPI_Request request;
    int flag = 0;

    MPI_Irecv(in, sizeof in, MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < CALLS && !flag; i++, calls++) {
        if (works)
            work();
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Send(out, sizeof out, MPI_BYTE, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    calls += 3;
}

/* After each 100 iterations: rank 0 has seen whether there are enough. */
static int is_over(long iterations, const char *length)
{
    int over = strchr(length, 's') ? processor() > atof(length) : iterations >= atol(length);

    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    calls++;
    return over;
}

static void run(const char *what, const char *length)
{
    for (long i = 0; i % 100 || !is_over(i, length); i++) {
        if (strcmp(what, "messages") == 0)
            send_messages();
        else
            poll(strcmp(what, "overlap") == 0);
    }
}

int main(int argc, char **argv)
{
    double begin = seconds();
    long all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int at = 1; at + 1 < argc; at += 2)
        run(argv[at], argv[at + 1]);
    calls++; /* the next one */
    MPI_Reduce(&calls, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf("%.6f %.6f %ld\n", seconds() - begin, processor(), all);
    return 0;
}
