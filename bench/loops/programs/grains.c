/* SPDX-License-Identifier: BSD-3-Clause */
/* The growth of grains by kinetic Monte Carlo, on a lattice that is cut into sectors: in all ranks at a time
 * the same one of four, so that no two ranks change neighbours.
 *
 * usage: grains [CYCLES]
 *
 * The main loop are the cycles, of four sectors each. Time of a cycle is as long as the fastest rank allows;
 * each 25th there is a count of energy and of boundaries. */
#include "programs.h"

enum { N = 100, M = 80, SPINS = 40 };

static int spins[M + 2][N + 2];
static MPI_Comm grid;
static MPI_Datatype column;
static int left, right, up, down;
static uint64_t seed;

static void prepare(void)
{
    int sizes[2] = {0, 0}, periods[2] = {1, 1};

    MPI_Dims_create(ranks, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    MPI_Type_vector(M + 2, 1, N + 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++)
            spins[j][i] = SPINS * draw(&seed);
}

/* Rows first, columns then, which have the corners. */
SEPARATE static void exchange(void)
{
    MPI_Status *none = MPI_STATUS_IGNORE;

    MPI_Sendrecv(spins[M], N + 2, MPI_INT, down, 0, spins[0], N + 2, MPI_INT, up, 0, grid, none);
    MPI_Sendrecv(spins[1], N + 2, MPI_INT, up, 1, spins[M + 1], N + 2, MPI_INT, down, 1, grid, none);
    MPI_Sendrecv(&spins[0][N], 1, column, right, 2, &spins[0][0], 1, column, left, 2, grid, none);
    MPI_Sendrecv(&spins[0][1], 1, column, left, 3, &spins[0][N + 1], 1, column, right, 3, grid, none);
}

static int unlike(int j, int i, int spin)
{
    int count = 0;

    for (int dj = -1; dj <= 1; dj++)
        for (int di = -1; di <= 1; di++)
            count += (dj || di) && spins[j + dj][i + di] != spin;
    return count;
}

static void attempt(int j, int i)
{
    int old = spins[j][i], direction = 8 * draw(&seed);
    static const int dj[8] = {-1, -1, -1, 0, 0, 1, 1, 1}, di[8] = {-1, 0, 1, -1, 1, -1, 0, 1};
    int new = spins[j + dj[direction]][i + di[direction]];

    if (new == old)
        return;
    int change = unlike(j, i, new) - unlike(j, i, old);
    if (change <= 0 || draw(&seed) < exp(-change / 0.4))
        spins[j][i] = new;
}

SEPARATE static void run_sector(int s, int attempts)
{
    int j = 1 + s / 2 * (M / 2), i = 1 + s % 2 * (N / 2);

    for (int k = 0; k < attempts; k++) {
        int dj = M / 2 * draw(&seed), di = N / 2 * draw(&seed);
        attempt(j + dj, i + di);
    }
}

/* The share of sites that have a boundary: where there are many, time is short. */
static double activity(void)
{
    int count = 0;

    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++)
            count += spins[j][i] != spins[j][i + 1] || spins[j][i] != spins[j + 1][i];
    return (double)count / (M * N);
}

static void tell(int cycle, double time)
{
    double counts[2] = {0, 0}, all[2];

    exchange();
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++) {
            int different = unlike(j, i, spins[j][i]);
            counts[0] += different / 2.0;
            counts[1] += different > 0;
        }
    MPI_Reduce(counts, all, 2, MPI_DOUBLE, MPI_SUM, 0, grid);
    if (rank == 0 && cycle % 200 == 0)
        printf("%d: time %.3f, energy %.0f, %.0f on boundaries\n", cycle, time, all[0], all[1]);
}

int main(int argc, char **argv)
{
    double time = 0;

    start(&argc, &argv);
    seed = 6100 + rank;
    int cycles = argument(argc, argv, 800);
    prepare();
    for (int cycle = 1; cycle <= cycles; cycle++) {
        double length = fmin(1, 0.3 / most_of_all(activity(), grid));
        for (int s = 0; s < 4; s++) {
            exchange();
            run_sector(s, length * M * N / 4);
        }
        time += length;
        if (cycle % 25 == 0)
            tell(cycle, time);
    }
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    return finish(cycles, 0);
}
