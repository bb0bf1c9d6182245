/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs of this folder share: start and end, and numbers drawn at random.
 *
 * At its end a program prints its result on standard output, and on standard error how often
 * the body of its main loop ran on each rank (0: the rank has another loop), and the body of
 * the loop around it, 0 if there is none:
 *
 *     loops: 900 900 900 0 around 12
 *
 * The programs are written from scratch, in the structure of codes of their kind. What such a
 * code has in another source file is SEPARATE, as a compiler would not inline it there. */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATE __attribute__((noinline))

enum { MOST_RANKS = 16 };

static int rank, ranks;

static inline void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MOST_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

/* The number that the first argument is, or OTHERWISE. */
static inline int argument(int argc, char **argv, int otherwise)
{
    return argc > 1 ? atoi(argv[1]) : otherwise;
}

static inline void print_loops(const int *counts, int around)
{
    char line[16 * MOST_RANKS] = "";

    for (int i = 0, used = 0; i < ranks; i++)
        used += sprintf(line + used, " %d", counts[i]);
    fprintf(stderr, "loops:%s around %d\n", line, around);
}

/* ITERATIONS of the main loop on this rank, AROUND of the one around it on rank 0. */
static inline int finish(int iterations, int around)
{
    int counts[MOST_RANKS];

    MPI_Gather(&iterations, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        print_loops(counts, around);
    MPI_Finalize();
    return 0;
}

/* 0 to 1, without 1; the same numbers for the same STATE. */
static inline double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static inline double sum_of_all(double mine, MPI_Comm comm)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    return all;
}

static inline double most_of_all(double mine, MPI_Comm comm)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    return all;
}

#endif
