/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring of STEPS iterations, some of which are not like the others. What an iteration is, is in the tags of
 * its messages: 1 to 20 in turn.
 *
 *     tag 5     all sleep for 20 ms, in the region "sleep": it takes long, and is hardly in MPI
 *     tag 7     rank 0 touches 64 pages for the first time
 *     tag 10    made in the function rebuild, with a barrier
 *     tag 15    on the last rank in the region "output"
 */
#define _GNU_SOURCE /* madvise */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "efgtrace.h"

static int rank, ranks;

static __attribute__((noinline)) void rebuild(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__("" ::: "memory"); /* no jump to it */
}

static void touch(size_t pages)
{
    size_t size = (size_t)getpagesize();
    volatile char *memory =
        mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    madvise((void *)memory, pages * size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; i++)
        memory[i * size] = 1;
    munmap((void *)memory, pages * size);
}

static void step(int tag, double *a)
{
    double got[64];

    efgtrace_begin(tag == 5 ? "sleep" : "work");
    if (tag == 5)
        usleep(20000);
    if (tag == 7 && rank == 0)
        touch(64);
    if (tag == 10)
        rebuild();
    if (tag == 15 && rank == ranks - 1)
        efgtrace_begin("output");
    MPI_Sendrecv(a, 64, MPI_DOUBLE, (rank + 1) % ranks, tag, got, 64, MPI_DOUBLE, (rank + ranks - 1) % ranks,
                 tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    efgtrace_end("output");
    efgtrace_end(tag == 5 ? "sleep" : "work");
    for (int k = 0; k < 500; k++)
        a[k % 64] = 0.5 * (a[k % 64] + got[k % 64]);
}

int main(int argc, char **argv)
{
    double a[64] = {1};
    int steps = argc > 1 ? atoi(argv[1]) : 4000;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < steps; i++) {
        efgtrace_iteration();
        step(1 + i % 20, a);
        MPI_Allreduce(MPI_IN_PLACE, a, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    if (rank == 0)
        printf("done %d\n", steps);
    return 0;
}
