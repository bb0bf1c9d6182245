/* SPDX-License-Identifier: BSD-3-Clause */
/* Schwarz's method of two levels: domains overlap, and a coarse grid ties them together.
 *
 * usage: schwarz
 *
 * The main loop are the iterations: overlaps are exchanged, each rank solves its own problem,
 * what is left is solved on the coarse grid by all ranks alike, and the residual is looked at.
 * A rank takes as many sweeps as its domain needs. */
#include "programs.h"

enum { ROWS = 64, OVERLAP = 2, COLUMNS = 192, WIDE = ROWS + 2 * OVERLAP, BLOCK = 32 };
enum { HIGH = ROWS / BLOCK, BROAD = COLUMNS / BLOCK, MOST_ITERATIONS = 500 };

static double u[WIDE + 2][COLUMNS + 2], b[WIDE + 2][COLUMNS + 2], stiff[WIDE + 2][COLUMNS + 2];
static int up, down;

/* LINES rows above and below the own ones, which begin at OVERLAP + 1. */
SEPARATE static void exchange(double a[][COLUMNS + 2], int lines)
{
    int first = OVERLAP + 1, last = OVERLAP + ROWS, size = lines * (COLUMNS + 2);
    MPI_Request requests[4];

    MPI_Irecv(a[first - lines], size, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(a[last + 1], size, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(a[last + 1 - lines], size, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(a[first], size, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double off(int i, int j)
{
    return b[i][j] - stiff[i][j] * (4.0005 * u[i][j] - u[i - 1][j] - u[i + 1][j] - u[i][j - 1] - u[i][j + 1]);
}

static double sweep(void)
{
    int first = rank ? 1 : OVERLAP + 1, last = rank < ranks - 1 ? WIDE : OVERLAP + ROWS;
    double sum = 0;

    for (int i = first; i <= last; i++)
        for (int j = 1; j <= COLUMNS; j++) {
            double change = 1.4 * off(i, j) / (4.0005 * stiff[i][j]);
            u[i][j] += change;
            sum += change * change;
        }
    return sum;
}

/* Until changes are a fourth of the first ones, or so; other ranks do the same meanwhile. */
SEPARATE static int solve_domain(void)
{
    double first = sweep(), now = first;
    int sweeps = 1;

    for (; sweeps < 30 && now > 0.05 * first; sweeps++)
        now = sweep();
    return sweeps;
}

static double sums_of_blocks(double sums[HIGH][BROAD])
{
    double all = 0;

    memset(sums, 0, sizeof(double) * HIGH * BROAD);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double r = off(i + OVERLAP + 1, j + 1) / stiff[i + OVERLAP + 1][j + 1];
            sums[i / BLOCK][j / BLOCK] += r;
            all += r * r;
        }
    return all;
}

/* What is left of each block gives a constant for it. The sum of the residuals' squares. */
SEPARATE static double correct_coarsely(void)
{
    double sums[HIGH][BROAD], whole[MOST_RANKS * HIGH + 2][BROAD + 2] = {{0}};
    double gathered[MOST_RANKS * HIGH][BROAD], c[MOST_RANKS * HIGH + 2][BROAD + 2] = {{0}};

    exchange(u, 1);
    double left = sums_of_blocks(sums);
    MPI_Allgather(sums, HIGH * BROAD, MPI_DOUBLE, gathered, HIGH * BROAD, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < ranks * HIGH; i++)
        memcpy(&whole[i + 1][1], gathered[i], sizeof gathered[i]);
    for (int k = 0; k < 100; k++)
        for (int i = 1; i <= ranks * HIGH; i++)
            for (int j = 1; j <= BROAD; j++)
                c[i][j] = (whole[i][j] / BLOCK + c[i - 1][j] + c[i + 1][j] + c[i][j - 1] + c[i][j + 1]) /
                          (4 + 0.0005 * BLOCK);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            u[i + OVERLAP + 1][j + 1] += 0.5 * c[1 + rank * HIGH + i / BLOCK][1 + j / BLOCK];
    return sum_of_all(left, MPI_COMM_WORLD);
}

static void assemble(void)
{
    for (int i = 0; i < WIDE + 2; i++)
        for (int j = 0; j < COLUMNS + 2; j++) {
            int row = i + rank * ROWS;
            stiff[i][j] = 1 + 0.5 * ((row / 20 + j / 20) % 2);
            b[i][j] = sin(0.05 * row) + (row * 7 + j * 3) % 11 * 0.1;
        }
}

int main(int argc, char **argv)
{
    int iterations = 0, sweeps = 0;
    double first = 0, now = INFINITY;

    start(&argc, &argv);
    up = rank ? rank - 1 : MPI_PROC_NULL;
    down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    assemble();
    while (now > 1e-16 * first && iterations < MOST_ITERATIONS) {
        exchange(u, OVERLAP + 1);
        sweeps += solve_domain();
        now = correct_coarsely();
        first = iterations++ ? first : now;
    }
    double all = sum_of_all(sweeps, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d iterations, %.0f sweeps, residual by %.0e\n", iterations, all, sqrt(now / first));
    return finish(iterations, 0);
}
