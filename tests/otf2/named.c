/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators and a window that have names, and a grid: made before the time steps, from one that the steps
 * do not use. 2 x 2 ranks.
 *
 *     usage: named [STEPS]
 *
 * Two ranks come late to the exchange in the grid, so that its communicator is the one with the most time.
 */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static MPI_Comm make_grid(MPI_Comm from)
{
    int size[2] = {2, 2}, is_periodic[2] = {1, 0};
    MPI_Comm grid;
    MPI_Cart_create(from, 2, size, is_periodic, 1, &grid);
    MPI_Comm_set_name(grid, "plane");
    return grid;
}

static MPI_Comm make_rows(MPI_Comm grid)
{
    int stays[2] = {0, 1};
    MPI_Comm rows;
    MPI_Cart_sub(grid, stays, &rows);
    MPI_Comm_set_name(rows, "row");
    return rows;
}

static void step(MPI_Comm grid, MPI_Comm rows, MPI_Comm other, MPI_Win win, double *cell)
{
    int from, to, rank;
    double sum;
    MPI_Cart_shift(grid, 0, 1, &from, &to);
    MPI_Comm_rank(grid, &rank);
    if (rank < 2)
        usleep(300);
    MPI_Sendrecv_replace(cell, 1, MPI_DOUBLE, to, 7, from, 7, grid, MPI_STATUS_IGNORE);
    MPI_Allreduce(cell, &sum, 1, MPI_DOUBLE, MPI_SUM, rows);
    MPI_Barrier(other);
    MPI_Win_fence(0, win);
    *cell = sum / 2;
}

int main(int argc, char **argv)
{
    MPI_Comm base, grid, rows, other;
    MPI_Win win;
    double cell, memory = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    MPI_Comm_set_name(base, "base");
    MPI_Comm_rank(base, &rank);
    grid = make_grid(base);
    rows = make_rows(grid);
    MPI_Comm_dup(rows, &other); /* without a name; MPI says none for it */
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, grid, &win);
    MPI_Win_set_name(win, "halo");
    cell = rank;
    for (int i = argc > 1 ? atoi(argv[1]) : 200; i > 0; i--)
        step(grid, rows, other, win, &cell);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
