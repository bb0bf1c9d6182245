/* SPDX-License-Identifier: BSD-3-Clause */
/* A wavefront: sweeps through a grid of cells from its 8 corners, as transport codes make them.
 *
 * usage: sweep [STEPS [CELLS]]: 100 steps, 8 x 8 x 10 cells a rank
 *
 * Ranks are a grid of two dimensions. In a sweep each receives a plane's inflow from the ranks
 * before it, computes, and sends the outflow to those behind it; at the edges there is nobody.
 * A step sweeps until the flux no longer changes much, 3 to 8 times, as a scattering that is
 * new in each step has it. */
#include <math.h>

#include "../../tests/programs/program.h"

enum { PLANES = 10, MOST_CELLS = 64, MOST_SWEEPS = 8 };

static double flux[PLANES][MOST_CELLS][MOST_CELLS], before[PLANES][MOST_CELLS][MOST_CELLS];

struct grid {
    MPI_Comm comm;
    int west, east, south, north, cells;
};

static void compute_plane(const struct grid *g, int plane, double scattering, double *x, double *y)
{
    for (int i = 0; i < g->cells; i++)
        for (int j = 0; j < g->cells; j++) {
            double out = (1 + 2 * scattering * before[plane][i][j] + 0.5 * (x[j] + y[i])) / 3;
            x[j] = y[i] = out;
            flux[plane][i][j] += out / 8;
        }
}

static void sweep(const struct grid *g, int corner, double scattering)
{
    int from_x = corner & 1 ? g->east : g->west, to_x = corner & 1 ? g->west : g->east;
    int from_y = corner & 2 ? g->north : g->south, to_y = corner & 2 ? g->south : g->north;

    for (int i = 0; i < PLANES; i++) {
        double x[MOST_CELLS] = {0}, y[MOST_CELLS] = {0};
        if (from_x != MPI_PROC_NULL)
            MPI_Recv(x, g->cells, MPI_DOUBLE, from_x, corner, g->comm, MPI_STATUS_IGNORE);
        if (from_y != MPI_PROC_NULL)
            MPI_Recv(y, g->cells, MPI_DOUBLE, from_y, corner, g->comm, MPI_STATUS_IGNORE);
        compute_plane(g, corner & 4 ? PLANES - 1 - i : i, scattering, x, y);
        if (to_x != MPI_PROC_NULL)
            MPI_Send(x, g->cells, MPI_DOUBLE, to_x, corner, g->comm);
        if (to_y != MPI_PROC_NULL)
            MPI_Send(y, g->cells, MPI_DOUBLE, to_y, corner, g->comm);
    }
}

/* How much the flux has changed, on any rank. */
static double change(const struct grid *g)
{
    double most = 0, all;

    for (int k = 0; k < PLANES; k++)
        for (int i = 0; i < g->cells; i++)
            for (int j = 0; j < g->cells; j++) {
                most = fmax(most, fabs(flux[k][i][j] - before[k][i][j]) / flux[k][i][j]);
                before[k][i][j] = flux[k][i][j];
                flux[k][i][j] = 0;
            }
    MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, g->comm);
    return all;
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 100, 8);
    struct grid g = {.cells = p.microseconds < MOST_CELLS ? p.microseconds : MOST_CELLS};
    int dims[2] = {0}, periods[2] = {0};
    unsigned state = 1;

    MPI_Dims_create(p.size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &g.comm);
    MPI_Cart_shift(g.comm, 0, 1, &g.west, &g.east);
    MPI_Cart_shift(g.comm, 1, 1, &g.south, &g.north);
    for (int step = 0; step < p.iterations; step++) {
        double scattering = 0.2 + 0.6 * program_draw(&state) / 0x8000;
        int sweeps = 0;
        do
            for (int corner = 0; corner < 8; corner++)
                sweep(&g, corner, scattering);
        while (change(&g) > 0.02 && ++sweeps < MOST_SWEEPS);
    }
    return program_end(&p, "steps");
}
