/* SPDX-License-Identifier: BSD-3-Clause */
/* Two models that are coupled: an atmosphere on two thirds of the ranks, an ocean on the
 * others.
 *
 * usage: coupled [STEPS]
 *
 * The main loop are the time steps of the atmosphere, which has most ranks. An ocean's step is
 * 3 of them, and solves for a surface. After 12 steps, 4 of the ocean, they exchange what they
 * have at it. */
#include "programs.h"

enum { LEVELS = 8, CELLS = 5000, EACH = 12, RATIO = 3 };

static double field[LEVELS][CELLS + 2], new[LEVELS][CELLS + 2], surface[CELLS];
static MPI_Comm model;
static int me, many, other_root, is_ocean;

SEPARATE static void fill_halo(double *a)
{
    int left = (me + many - 1) % many, right = (me + 1) % many;

    MPI_Sendrecv(a + 1, 1, MPI_DOUBLE, left, 0, a + CELLS + 1, 1, MPI_DOUBLE, right, 0, model,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(a + CELLS, 1, MPI_DOUBLE, right, 1, a, 1, MPI_DOUBLE, left, 1, model, MPI_STATUS_IGNORE);
}

static void advect(double *a, double *b, double speed)
{
    fill_halo(a);
    for (int i = 1; i <= CELLS; i++)
        b[i] = a[i] - speed * (a[i + 1] - a[i - 1]) + 0.1 * (a[i + 1] - 2 * a[i] + a[i - 1]);
    memcpy(a + 1, b + 1, sizeof(double) * CELLS);
}

/* Each column by itself: no messages. */
SEPARATE static void physics(void)
{
    for (int i = 1; i <= CELLS; i++)
        for (int k = 0; k < LEVELS; k++)
            field[k][i] += 1e-3 * (sin(field[(k + 1) % LEVELS][i]) + surface[i - 1] - field[k][i]);
}

SEPARATE static double atmosphere_step(int step)
{
    double largest = 0;

    for (int k = 0; k < LEVELS; k++)
        advect(field[k], new[k], 0.2 + 0.01 * k);
    if (step % 2 == 0)
        physics();
    for (int i = 1; i <= CELLS; i++)
        largest = fmax(largest, fabs(field[0][i]));
    return most_of_all(largest, model);
}

/* The surface of the ocean: relaxed until it does not change, 5 to 12 times. */
SEPARATE static void solve_surface(void)
{
    double change = 1;

    for (int i = 0; i < 12 && change > 1e-5; i++) {
        double before = field[0][CELLS / 2];
        advect(field[0], new[0], 0);
        change = most_of_all(fabs(field[0][CELLS / 2] - before), model);
    }
}

SEPARATE static double ocean_step(void)
{
    solve_surface();
    for (int k = 1; k < LEVELS; k++)
        advect(field[k], new[k], 0.05);
    physics();
    return field[0][1];
}

/* Roots exchange means of each part of the surface, and tell their model. */
SEPARATE static void couple(void)
{
    double mean = 0, all[MOST_RANKS] = {0}, got[MOST_RANKS] = {0};

    for (int i = 1; i <= CELLS; i++)
        mean += field[0][i] / CELLS;
    MPI_Gather(&mean, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, model);
    if (me == 0)
        MPI_Sendrecv(all, many, MPI_DOUBLE, other_root, 5, got, MOST_RANKS, MPI_DOUBLE, other_root, 5,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(got, MOST_RANKS, MPI_DOUBLE, 0, model);
    for (int i = 0; i < CELLS; i++)
        surface[i] = got[0];
}

static void run_atmosphere(int steps)
{
    for (int step = 0; step < steps; step++) {
        if (step % EACH == 0)
            couple();
        atmosphere_step(step);
    }
}

static void run_ocean(int steps)
{
    for (int step = 0; step < steps; step++) {
        if (step % (EACH / RATIO) == 0)
            couple();
        ocean_step();
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int steps = argument(argc, argv, 2400), first_ocean = ranks - ranks / 3;
    is_ocean = rank >= first_ocean;
    other_root = is_ocean ? 0 : first_ocean;
    MPI_Comm_split(MPI_COMM_WORLD, is_ocean, rank, &model);
    MPI_Comm_rank(model, &me);
    MPI_Comm_size(model, &many);
    for (int k = 0; k < LEVELS; k++)
        for (int i = 1; i <= CELLS; i++)
            field[k][i] = sin(2 * M_PI * (i + me * CELLS) / (many * CELLS)) + is_ocean;
    if (is_ocean)
        run_ocean(steps / RATIO);
    else
        run_atmosphere(steps);
    double mine[2] = {is_ocean ? 0 : field[0][1], is_ocean ? field[0][1] : 0}, both[2];
    MPI_Reduce(mine, both, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps, air %.4f, water %.4f\n", steps, both[0], both[1]);
    return finish(is_ocean ? 0 : steps, 0);
}
