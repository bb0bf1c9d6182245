/* SPDX-License-Identifier: BSD-3-Clause */
/* A sort of keys that are on all ranks, by samples, again and again: a benchmark of it.
 *
 * usage: sorting [REPETITIONS]
 *
 * The main loop are the repetitions: samples to rank 0, splitters back, keys to their ranks,
 * and a sort there; then some keys are looked at. First there is one that is not counted, and
 * after all a full check. */
#include "programs.h"

enum { EACH = 80000, MOST = 3 * EACH, SAMPLES = 64, TESTS = 5, DIGITS = 4 };

static unsigned keys[EACH], sorted[MOST], spare[MOST];
static int counts[MOST_RANKS], places[MOST_RANKS], in_counts[MOST_RANKS], in_places[MOST_RANKS];
static int own;

/* By bytes, the lowest first. */
SEPARATE static void sort_own(unsigned *a, int n)
{
    unsigned *from = a, *to = spare;

    for (int digit = 0; digit < DIGITS; digit++) {
        int at[257] = {0};
        for (int i = 0; i < n; i++)
            at[(from[i] >> 8 * digit & 255) + 1]++;
        for (int b = 0; b < 256; b++)
            at[b + 1] += at[b];
        for (int i = 0; i < n; i++)
            to[at[from[i] >> 8 * digit & 255]++] = from[i];
        unsigned *other = from;
        from = to;
        to = other;
    }
}

/* A sum of two: those in the middle are more. */
static void make_keys(int seed)
{
    uint64_t state = 1000 * seed + rank;

    for (int i = 0; i < EACH; i++)
        keys[i] = (unsigned)((draw(&state) + draw(&state)) * 2147483647.0);
}

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

SEPARATE static void choose_splitters(unsigned *splitters)
{
    unsigned mine[SAMPLES], all[SAMPLES * MOST_RANKS];

    for (int i = 0; i < SAMPLES; i++)
        mine[i] = keys[(long)i * EACH / SAMPLES];
    MPI_Gather(mine, SAMPLES, MPI_UNSIGNED, all, SAMPLES, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        qsort(all, SAMPLES * ranks, sizeof *all, compare);
        for (int r = 1; r < ranks; r++)
            splitters[r - 1] = all[r * SAMPLES];
    }
    MPI_Bcast(splitters, ranks - 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
}

static void count_keys(const unsigned *splitters)
{
    int r = 0;

    memset(counts, 0, sizeof counts);
    for (int i = 0; i < EACH; i++) {
        while (r < ranks - 1 && keys[i] >= splitters[r])
            r++;
        counts[r]++;
    }
    places[0] = 0;
    for (r = 1; r < ranks; r++)
        places[r] = places[r - 1] + counts[r - 1];
}

SEPARATE static void redistribute(void)
{
    MPI_Alltoall(counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD);
    in_places[0] = own = 0;
    for (int r = 0; r < ranks; r++) {
        in_places[r] = own;
        own += in_counts[r];
    }
    MPI_Alltoallv(keys, counts, places, MPI_UNSIGNED, sorted, in_counts, in_places, MPI_UNSIGNED,
                  MPI_COMM_WORLD);
}

SEPARATE static void sort_all(int seed)
{
    unsigned splitters[MOST_RANKS];

    make_keys(seed);
    sort_own(keys, EACH);
    choose_splitters(splitters);
    count_keys(splitters);
    redistribute();
    sort_own(sorted, own);
}

SEPARATE static double test_some(void)
{
    double mine = 0, all = 0;

    for (int i = 0; i < TESTS; i++)
        mine += sorted[(long)own * i / TESTS];
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

/* How many keys are less than the one before. */
static double test_all(void)
{
    unsigned before = 0;
    double wrong = 0;

    MPI_Sendrecv(&sorted[own - 1], 1, MPI_UNSIGNED, rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL, 0, &before,
                 1, MPI_UNSIGNED, rank ? rank - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < own; before = sorted[i++])
        wrong += sorted[i] < before;
    return sum_of_all(wrong, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double sum = 0;

    start(&argc, &argv);
    int repetitions = argument(argc, argv, 300);
    sort_all(0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i <= repetitions; i++) {
        sort_all(i);
        sum += test_some();
    }
    double wrong = test_all();
    if (rank == 0)
        printf("%d repetitions, %.0f keys are wrong, some are %.0f\n", repetitions, wrong, sum);
    return finish(repetitions, 0);
}
