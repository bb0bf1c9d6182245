/* SPDX-License-Identifier: BSD-3-Clause */
/* Few and long time steps: chemistry in each cell, transport, and a pressure by Schwarz's
 * method.
 *
 * usage: fewlong [STEPS]
 *
 * The main loop are the time steps, 8 of 0.4 s. A step has some tens of MPI calls: 3 species
 * that are exchanged, and 4 to 9 iterations of the pressure. */
#include "programs.h"

enum { ROWS = 60, COLUMNS = 160, SPECIES = 3, SUBSTEPS = 400, SWEEPS = 40 };

static double y[SPECIES][ROWS + 2][COLUMNS], p[ROWS + 2][COLUMNS], source[ROWS + 2][COLUMNS];

SEPARATE static void fill_halo(double a[][COLUMNS])
{
    int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[2];

    MPI_Irecv(a[0], COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(a[ROWS + 1], COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(a[1], COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD);
    MPI_Send(a[ROWS], COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

SEPARATE static void chemistry(double dt)
{
    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int k = 0; k < SUBSTEPS; k++) {
                double rate = 5 * y[0][i][j] * exp(-1 / (0.1 + y[2][i][j])) * dt / SUBSTEPS;
                y[0][i][j] -= rate;
                y[1][i][j] += rate;
                y[2][i][j] += 0.8 * rate;
            }
}

SEPARATE static void transport(void)
{
    static double new[ROWS + 2][COLUMNS];

    for (int k = 0; k < SPECIES; k++) {
        fill_halo(y[k]);
        for (int i = 1; i <= ROWS; i++)
            for (int j = 1; j < COLUMNS - 1; j++)
                new[i][j] = y[k][i][j] + 0.2 * (y[k][i - 1][j] + y[k][i + 1][j] + y[k][i][j - 1] +
                                                y[k][i][j + 1] - 4 * y[k][i][j]);
        memcpy(y[k][1], new[1], sizeof(double) * ROWS * COLUMNS);
    }
}

static double relax(void)
{
    double change = 0;

    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        change = 0;
        for (int i = 1; i <= ROWS; i++)
            for (int j = 1; j < COLUMNS - 1; j++) {
                double now = (source[i][j] + p[i - 1][j] + p[i + 1][j] + p[i][j - 1] + p[i][j + 1]) / 4.2;
                change = fmax(change, fabs(now - p[i][j]));
                p[i][j] = now;
            }
    }
    return change;
}

SEPARATE static int solve_pressure(void)
{
    int iterations = 0;
    double border, moved;

    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            source[i][j] = y[2][i][j] - y[0][i][j];
    do {
        border = p[1][COLUMNS / 2];
        fill_halo(p);
        moved = relax() + fabs(p[1][COLUMNS / 2] - border);
    } while (most_of_all(moved, MPI_COMM_WORLD) > 0.02 && ++iterations < 9);
    return iterations;
}

int main(int argc, char **argv)
{
    int iterations = 0;

    start(&argc, &argv);
    int steps = argument(argc, argv, 8);
    MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ROWS + 2; i++)
        for (int j = 0; j < COLUMNS; j++) {
            y[0][i][j] = 1;
            y[2][i][j] = 0.1 + exp(-0.01 * ((i - 30) * (i - 30) + (j - 80) * (j - 80))) * (rank == 1);
        }
    for (int step = 0; step < steps; step++) {
        chemistry(0.3);
        transport();
        iterations += solve_pressure();
        chemistry(0.3);
        double hot = most_of_all(y[2][ROWS / 2][COLUMNS / 2], MPI_COMM_WORLD);
        if (rank == 0)
            printf("step %d, hot %.5f\n", step, hot);
    }
    double sum = sum_of_all(p[ROWS / 2][COLUMNS / 2], MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps, %d iterations, pressure %.5f\n", steps, iterations, sum);
    return finish(steps, 0);
}
