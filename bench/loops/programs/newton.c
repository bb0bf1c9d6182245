/* SPDX-License-Identifier: BSD-3-Clause */
/* Implicit time steps of a reaction and diffusion: Newton's method, GMRES without a matrix in
 * it.
 *
 * usage: newton [STEPS]
 *
 * The main loop are the time steps. In each, Newton takes 2 to 4 iterations, and GMRES 5 to 20
 * in each of these. */
#include "programs.h"

enum { ROWS = 32, COLUMNS = 128, N = ROWS * COLUMNS, MOST_KRYLOV = 20 };

static const double DT = 1.5;
static double u[N], old[N], base[MOST_KRYLOV + 1][N], hessenberg[MOST_KRYLOV][MOST_KRYLOV + 1];
static double cosine[MOST_KRYLOV], sine[MOST_KRYLOV], rest[MOST_KRYLOV + 1];

SEPARATE static void fill_halo(const double *x, double *above, double *below)
{
    int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;

    memset(above, 0, sizeof(double) * COLUMNS);
    memset(below, 0, sizeof(double) * COLUMNS);
    MPI_Sendrecv(x, COLUMNS, MPI_DOUBLE, up, 0, below, COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(x + N - COLUMNS, COLUMNS, MPI_DOUBLE, down, 0, above, COLUMNS, MPI_DOUBLE, up, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

SEPARATE static void function(const double *x, double *y)
{
    double above[COLUMNS], below[COLUMNS];

    fill_halo(x, above, below);
    for (int i = 0; i < N; i++) {
        int column = i % COLUMNS;
        double sum = (i < COLUMNS ? above[column] : x[i - COLUMNS]) +
                     (i >= N - COLUMNS ? below[column] : x[i + COLUMNS]) + (column ? x[i - 1] : 0) +
                     (column < COLUMNS - 1 ? x[i + 1] : 0);
        y[i] = x[i] - old[i] - DT * (sum - 4 * x[i] + 0.4 * x[i] * (1 - x[i] * x[i]));
    }
}

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += x[i] * y[i];
    return sum;
}

static double length(const double *x)
{
    return sqrt(sum_of_all(dot(x, x), MPI_COMM_WORLD));
}

SEPARATE static void jacobian_times(const double *at_u, const double *v, double *y)
{
    double moved[N], small = 1e-7;

    for (int i = 0; i < N; i++)
        moved[i] = u[i] + small * v[i];
    function(moved, y);
    for (int i = 0; i < N; i++)
        y[i] = (y[i] - at_u[i]) / small;
}

static void rotate(int k)
{
    double *h = hessenberg[k];

    for (int i = 0; i < k; i++) {
        double a = h[i];
        h[i] = cosine[i] * a + sine[i] * h[i + 1];
        h[i + 1] = cosine[i] * h[i + 1] - sine[i] * a;
    }
    double size = hypot(h[k], h[k + 1]);
    cosine[k] = h[k] / size;
    sine[k] = h[k + 1] / size;
    h[k] = size;
    rest[k + 1] = -sine[k] * rest[k];
    rest[k] *= cosine[k];
}

static void krylov_step(const double *at_u, int k)
{
    double parts[MOST_KRYLOV];

    jacobian_times(at_u, base[k], base[k + 1]);
    for (int i = 0; i <= k; i++)
        parts[i] = dot(base[i], base[k + 1]);
    MPI_Allreduce(parts, hessenberg[k], k + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i <= k; i++)
        for (int j = 0; j < N; j++)
            base[k + 1][j] -= hessenberg[k][i] * base[i][j];
    hessenberg[k][k + 1] = length(base[k + 1]);
    for (int j = 0; j < N; j++)
        base[k + 1][j] /= hessenberg[k][k + 1];
    rotate(k);
}

/* Adds to u what solves the linear system, whose right side is -AT_U. */
SEPARATE static void gmres(const double *at_u, double size)
{
    double y[MOST_KRYLOV];
    int n = 0;

    for (int i = 0; i < N; i++)
        base[0][i] = -at_u[i] / size;
    rest[0] = size;
    while (n < MOST_KRYLOV && fabs(rest[n]) > 1e-3 * size)
        krylov_step(at_u, n++);
    for (int i = n - 1; i >= 0; i--) {
        y[i] = rest[i];
        for (int k = i + 1; k < n; k++)
            y[i] -= hessenberg[k][i] * y[k];
        y[i] /= hessenberg[i][i];
        for (int j = 0; j < N; j++)
            u[j] += y[i] * base[i][j];
    }
}

SEPARATE static int newton(void)
{
    static double at_u[N];
    int iterations = 0;

    for (;; iterations++) {
        function(u, at_u);
        double size = length(at_u);
        if (size < 1e-6 || iterations == 10)
            return iterations;
        gmres(at_u, size);
    }
}

int main(int argc, char **argv)
{
    int iterations = 0;

    start(&argc, &argv);
    int steps = argument(argc, argv, 250);
    for (int i = 0; i < N; i++)
        u[i] = 0.1 * sin(0.1 * i) * (rank + 1);
    for (int step = 0; step < steps; step++) {
        memcpy(old, u, sizeof old);
        iterations += newton();
    }
    double size = length(u);
    if (rank == 0)
        printf("%d steps, %d iterations, length %.4f\n", steps, iterations, size);
    return finish(steps, 0);
}
