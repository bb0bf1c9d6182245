/* SPDX-License-Identifier: BSD-3-Clause */
/* Criticality of a reactor by Monte Carlo: all ranks have the whole of it, and a part of the
 * neutrons.
 *
 * usage: batches [BATCHES]
 *
 * The main loop are the generations of neutrons. Where neutrons caused fission the next ones
 * begin: these places are counted through all ranks, thinned or repeated so that there are always
 * as many, and go to the ranks that they fall to, which are the next ones. A batch is 3
 * generations; the first 20 only find where neutrons are, after the others tallies are summed.
 * Each 20 batches, rank 0 gets the neutrons. */
#include "programs.h"

enum { EACH = 16000, MOST = 4 * EACH, GENERATIONS = 3, IDLE = 20, MESH = 64 };

static double bank[EACH], born[MOST], tally[MESH], sums[MESH];
static long starts[MOST_RANKS + 1];
static int births;

static double length_of(int cell)
{
    return cell % 4 == 3 ? 0.4 : 1.1;
}

/* One neutron from X until it is absorbed or outside. */
static double fly(double x, uint64_t *state)
{
    double track = 0;

    for (int k = 0; k < 200; k++) {
        int cell = (int)x;
        double way = -length_of(cell) * log(1 - draw(state)) * (2 * draw(state) - 1);
        track += fabs(way);
        x += way;
        if (x < 0 || x >= MESH)
            return track;
        cell = (int)x;
        tally[cell] += 1;
        double what = draw(state);
        if (what < 0.8)
            continue;
        for (int n = (int)((cell % 4 == 3 ? 0.2 : 1.35) + draw(state)); n > 0 && births < MOST; n--)
            born[births++] = x;
        return track;
    }
    return track;
}

SEPARATE static double transport(long generation)
{
    double track = 0;

    births = 0;
    for (long i = 0; i < EACH; i++) {
        uint64_t state = (generation * ranks + rank) * EACH + i + 1;
        draw(&state);
        draw(&state);
        track += fly(bank[i], &state);
    }
    return track;
}

/* The new number of the first neutron from place FIRST of all TOTAL. */
static long new_number(long first, long total, long offset)
{
    long number = (first * EACH * ranks + offset) / total;
    return number < EACH * ranks ? number : EACH * ranks;
}

/* How many of A to B belong to the rank R, and the first of them. */
static int overlap(long a, long b, int r, long *from)
{
    long low = a > (long)r * EACH ? a : (long)r * EACH, high = b < (r + 1l) * EACH ? b : (r + 1l) * EACH;
    *from = low;
    return high > low ? (int)(high - low) : 0;
}

/* From those that were born to the bank, through neighbours or further. */
SEPARATE static void send_to_bank(const double *copies)
{
    MPI_Request requests[2 * MOST_RANKS];
    int n = 0;
    long from;

    for (int r = 0; r < ranks; r++) {
        int count = overlap(starts[r], starts[r + 1], rank, &from);
        if (count)
            MPI_Irecv(bank + (from - (long)rank * EACH), count, MPI_DOUBLE, r, 1, MPI_COMM_WORLD,
                      &requests[n++]);
    }
    for (int r = 0; r < ranks; r++) {
        int count = overlap(starts[rank], starts[rank + 1], r, &from);
        if (count)
            MPI_Isend(copies + (from - starts[rank]), count, MPI_DOUBLE, r, 1, MPI_COMM_WORLD,
                      &requests[n++]);
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

/* All the same number of neutrons again; how many were born. */
SEPARATE static double renew_bank(long generation)
{
    static double copies[MOST_RANKS * EACH];
    long mine = births, before = 0, total;

    MPI_Exscan(&mine, &before, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        before = 0;
    MPI_Allreduce(&mine, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    long offset = generation * 7919 % total, start = rank ? new_number(before, total, offset) : 0;
    MPI_Allgather(&start, 1, MPI_LONG, starts, 1, MPI_LONG, MPI_COMM_WORLD);
    starts[ranks] = (long)EACH * ranks;
    long place = start;
    for (int i = 0; i < births; i++)
        for (long end = new_number(before + i + 1, total, offset); place < end; place++)
            copies[place - start] = born[i];
    for (; place < starts[rank + 1]; place++)
        copies[place - start] = born[births - 1];
    send_to_bank(copies);
    return (double)total / EACH / ranks;
}

/* How evenly neutrons are spread. */
SEPARATE static double entropy(void)
{
    double mine[8] = {0}, all[8], sum = 0;

    for (int i = 0; i < EACH; i++)
        mine[(int)bank[i] * 8 / MESH]++;
    MPI_Allreduce(mine, all, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 8; i++)
        if (all[i] > 0)
            sum -= all[i] / EACH / ranks * log2(all[i] / EACH / ranks);
    return sum;
}

SEPARATE static void end_batch(int active)
{
    double all[MESH] = {0};

    if (active) {
        MPI_Reduce(tally, all, MESH, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        for (int i = 0; i < MESH; i++)
            sums[i] += all[i];
    }
    memset(tally, 0, sizeof tally);
}

SEPARATE static double write_state(void)
{
    static double all[MOST_RANKS * EACH];

    MPI_Gather(bank, EACH, MPI_DOUBLE, all, EACH, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return all[EACH / 2];
}

int main(int argc, char **argv)
{
    double k = 0, track = 0, spread = 0, written = 0;
    int generations = 0;

    start(&argc, &argv);
    int batches = argument(argc, argv, 100);
    for (int i = 0; i < EACH; i++)
        bank[i] = MESH * (i + 0.5) / EACH;
    for (int b = 1; b <= batches; b++) {
        for (int g = 0; g < GENERATIONS; g++, generations++) {
            track += transport(generations);
            double now = renew_bank(generations);
            spread = entropy();
            if (b > IDLE)
                k += now / GENERATIONS / (batches - IDLE);
        }
        end_batch(b > IDLE);
        if (b % 20 == 0)
            written += write_state();
    }
    track = sum_of_all(track, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d batches: k %.5f, entropy %.4f, tally %.0f, tracks %.3e, written %.4f\n", batches, k,
               spread, sums[MESH / 2], track, written);
    return finish(generations, batches);
}
