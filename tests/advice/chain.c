/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a summary has advice for, by NAME:
 *
 *     uneven   200 steps, each longer than the one before: the first ones do not stand for all
 *     places   60 barriers, each called from another place
 *     bursts   300 steps of 4 rounds that take long, which are a loop of their own, and 160 calls beside
 *
 *     usage: chain NAME
 */
#include <mpi.h>
#include <string.h>
#include <time.h>

static void work(long us)
{
    struct timespec time = {0, us * 1000};
    nanosleep(&time, NULL);
}

static void uneven(void)
{
    for (int i = 0; i < 200; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        work(20 + 20 * i);
    }
}

#define FEW work(2000), MPI_Barrier(MPI_COMM_WORLD), work(2000), MPI_Barrier(MPI_COMM_WORLD),
#define MORE FEW FEW FEW FEW FEW FEW

static void places(void)
{
    (void)(MORE MORE MORE MORE MORE 0);
}

static volatile int rounds = 4, others = 160;

static __attribute__((noinline)) void smooth(void)
{
    for (int i = 0; i < rounds; i++) {
        work(200);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static __attribute__((noinline)) void exchange(void)
{
    int value = 0;
    for (int i = 0; i < others; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_SELF);
}

static void bursts(void)
{
    for (int i = 0; i < 300; i++) {
        smooth();
        exchange();
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    if (strcmp(name, "uneven") == 0)
        uneven();
    if (strcmp(name, "places") == 0)
        places();
    if (strcmp(name, "bursts") == 0)
        bursts();
    MPI_Finalize();
    return 0;
}
