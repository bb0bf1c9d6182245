/* SPDX-License-Identifier: BSD-3-Clause */
/* Multigrid for an anisotropic Poisson equation: V-cycles until the residual is small.
 *
 * usage: vcycle
 *
 * The main loop are the V-cycles. Rows of the grid are on ranks; the coarsest grid is gathered
 * and solved by all. Points are smoothed one by one, which is slow where it is anisotropic. */
#include "programs.h"

enum { N = 512, LEVELS = 6, MOST_CYCLES = 400, COARSE_SWEEPS = 300 };

struct level {
    int rows, columns; /* without halo, boundary */
    double *u, *b, *r; /* rows + 2 times columns + 2 */
};

static const double ACROSS = 0.075;
static struct level levels[LEVELS];

#define AT(l, a, i, j) ((l)->a[(i) * ((l)->columns + 2) + (j)])

static void make_level(struct level *l, int k)
{
    l->rows = (N >> k) / ranks;
    l->columns = N >> k;
    size_t size = (size_t)(l->rows + 2) * (l->columns + 2);
    l->u = calloc(size, sizeof(double));
    l->b = calloc(size, sizeof(double));
    l->r = calloc(size, sizeof(double));
}

SEPARATE static void fill_halo(const struct level *l, double *a)
{
    int width = l->columns + 2;
    int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;

    MPI_Sendrecv(a + width, width, MPI_DOUBLE, up, 0, a + (l->rows + 1) * width, width, MPI_DOUBLE, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a + l->rows * width, width, MPI_DOUBLE, down, 0, a, width, MPI_DOUBLE, up, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static double off(const struct level *l, int i, int j)
{
    return AT(l, b, i, j) + AT(l, u, i - 1, j) + AT(l, u, i + 1, j) +
           ACROSS * (AT(l, u, i, j - 1) + AT(l, u, i, j + 1));
}

SEPARATE static void smooth(struct level *l, int sweeps)
{
    for (int half = 0; half < 2 * sweeps; half++) {
        fill_halo(l, l->u);
        for (int i = 1; i <= l->rows; i++)
            for (int j = 1 + (i + half) % 2; j <= l->columns; j += 2)
                AT(l, u, i, j) = off(l, i, j) / (2 + 2 * ACROSS);
    }
}

SEPARATE static double residual(struct level *l)
{
    double sum = 0;

    fill_halo(l, l->u);
    for (int i = 1; i <= l->rows; i++)
        for (int j = 1; j <= l->columns; j++) {
            double r = off(l, i, j) - (2 + 2 * ACROSS) * AT(l, u, i, j);
            AT(l, r, i, j) = r;
            sum += r * r;
        }
    return sum;
}

SEPARATE static void restrict_to(const struct level *fine, struct level *coarse)
{
    memset(coarse->u, 0, sizeof(double) * (coarse->rows + 2) * (coarse->columns + 2));
    for (int i = 1; i <= coarse->rows; i++)
        for (int j = 1; j <= coarse->columns; j++)
            AT(coarse, b, i, j) = AT(fine, r, 2 * i, 2 * j) + AT(fine, r, 2 * i - 1, 2 * j) +
                                  AT(fine, r, 2 * i, 2 * j - 1) + AT(fine, r, 2 * i - 1, 2 * j - 1);
}

SEPARATE static void interpolate(struct level *coarse, struct level *fine)
{
    fill_halo(coarse, coarse->u);
    for (int i = 1; i <= fine->rows; i++)
        for (int j = 1; j <= fine->columns; j++)
            AT(fine, u, i, j) += 0.45 * AT(coarse, u, (i + 1) / 2, (j + 1) / 2) +
                                 0.05 * AT(coarse, u, (i + 1) / 2 + (i % 2 ? -1 : 1), (j + 1) / 2);
}

SEPARATE static void solve_coarsest(struct level *l)
{
    int n = l->columns, width = n + 2;
    double whole[(n + 2) * (n + 2)], u[(n + 2) * (n + 2)];

    memset(u, 0, sizeof u);
    MPI_Allgather(l->b + width, l->rows * width, MPI_DOUBLE, whole + width, l->rows * width, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    for (int sweep = 0; sweep < COARSE_SWEEPS; sweep++)
        for (int i = 1; i <= n; i++)
            for (int j = i * width + 1; j <= i * width + n; j++)
                u[j] = (whole[j] + u[j - width] + u[j + width] + ACROSS * (u[j - 1] + u[j + 1])) /
                       (2 + 2 * ACROSS);
    memcpy(l->u, u + rank * l->rows * width, sizeof(double) * (l->rows + 2) * width);
}

SEPARATE static void cycle(int k)
{
    if (k == LEVELS - 1) {
        solve_coarsest(&levels[k]);
        return;
    }
    smooth(&levels[k], 2);
    residual(&levels[k]);
    restrict_to(&levels[k], &levels[k + 1]);
    cycle(k + 1);
    interpolate(&levels[k + 1], &levels[k]);
    smooth(&levels[k], 2);
}

int main(int argc, char **argv)
{
    int cycles = 0;

    start(&argc, &argv);
    for (int k = 0; k < LEVELS; k++)
        make_level(&levels[k], k);
    for (int i = 1; i <= levels[0].rows; i++)
        for (int j = 1; j <= N; j++)
            AT(&levels[0], b, i, j) = sin(0.02 * (i + rank * levels[0].rows)) * cos(0.03 * j);
    double begin = sum_of_all(residual(&levels[0]), MPI_COMM_WORLD), now = begin;
    while (now > 1e-12 * begin && cycles < MOST_CYCLES) {
        cycle(0);
        now = sum_of_all(residual(&levels[0]), MPI_COMM_WORLD);
        cycles++;
    }
    if (rank == 0)
        printf("%d cycles, residual by %.0e\n", cycles, sqrt(now / begin));
    return finish(cycles, 0);
}
