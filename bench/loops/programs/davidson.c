/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi-Davidson for the least eigenvalues of a sparse symmetric matrix.
 *
 * usage: davidson
 *
 * The main loop are the outer iterations: a small eigenproblem, a residual, and a correction by
 * some steps of conjugate gradients, more where the residual is small. When a value is good
 * enough, its vector is locked and the next one looked for, in the same loop; when the space is
 * full, it is begun anew from its best vectors. */
#include "programs.h"

enum { OWN = 24000, MOST = 16, KEEP = 5, WANTED = 8, MOST_OUTER = 600 };

static double space[MOST][OWN], image[MOST][OWN], locked[WANTED][OWN], diagonal[OWN];
static double u[OWN], au[OWN], residual[OWN], z[OWN], p[OWN], q[OWN], small[MOST][MOST];
static double rotation[MOST][MOST], values[WANTED];
static int up, down, size, found, restarts, inner;

SEPARATE static void multiply(const double *a, double *b)
{
    double above = 0, below = 0;

    MPI_Sendrecv(a, 1, MPI_DOUBLE, up, 0, &below, 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a + OWN - 1, 1, MPI_DOUBLE, down, 1, &above, 1, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < OWN; i++)
        b[i] = diagonal[i] * a[i] - (i ? a[i - 1] : above) - (i < OWN - 1 ? a[i + 1] : below);
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < OWN; i++)
        sum += a[i] * b[i];
    return sum_of_all(sum, MPI_COMM_WORLD);
}

/* A without its part along the COUNT rows of BASE, which are orthonormal. */
static void project(double *a, double base[][OWN], int count)
{
    double mine[MOST], all[MOST];

    for (int k = 0; k < count; k++) {
        mine[k] = 0;
        for (int i = 0; i < OWN; i++)
            mine[k] += a[i] * base[k][i];
    }
    if (count > 0)
        MPI_Allreduce(mine, all, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < OWN; i++)
            a[i] -= all[k] * base[k][i];
}

SEPARATE static void expand(const double *a)
{
    double *new = space[size];

    memcpy(new, a, sizeof space[size]);
    for (int twice = 0; twice < 2; twice++) {
        project(new, locked, found);
        project(new, space, size);
    }
    double length = sqrt(dot(new, new));
    for (int i = 0; i < OWN; i++)
        new[i] /= length;
    multiply(new, image[size++]);
}

/* The small matrix, of which a row and a column are new. */
SEPARATE static void fill_small(int first)
{
    double mine[MOST][MOST] = {{0}}, all[MOST][MOST];

    for (int k = first; k < size; k++)
        for (int l = 0; l <= k; l++)
            for (int i = 0; i < OWN; i++)
                mine[k][l] += space[l][i] * image[k][i];
    MPI_Allreduce(mine, all, MOST * MOST, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int k = first; k < size; k++)
        for (int l = 0; l <= k; l++)
            small[k][l] = small[l][k] = all[k][l];
}

static void rotate(double a[][MOST], int k, int l)
{
    double t = (a[l][l] - a[k][k]) / (2 * a[k][l]);
    t = (t < 0 ? -1 : 1) / (fabs(t) + sqrt(t * t + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;

    for (int i = 0; i < size; i++) {
        double x = a[i][k], y = a[i][l], v = rotation[i][k], w = rotation[i][l];
        a[i][k] = c * x - s * y;
        a[i][l] = s * x + c * y;
        rotation[i][k] = c * v - s * w;
        rotation[i][l] = s * v + c * w;
    }
    for (int i = 0; i < size; i++) {
        double x = a[k][i], y = a[l][i];
        a[k][i] = c * x - s * y;
        a[l][i] = s * x + c * y;
    }
}

/* Jacobi's method; ORDER are the columns of the rotation, that of the least value first. */
static double solve_small(int *order)
{
    double a[MOST][MOST];

    memcpy(a, small, sizeof a);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            rotation[i][j] = i == j;
    for (int sweep = 0; sweep < 8; sweep++)
        for (int k = 0; k < size; k++)
            for (int l = k + 1; l < size; l++)
                if (fabs(a[k][l]) > 1e-14)
                    rotate(a, k, l);
    for (int i = 0; i < size; i++) {
        int j = i;
        for (; j > 0 && a[order[j - 1]][order[j - 1]] > a[i][i]; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
    return a[order[0]][order[0]];
}

static void combine(double from[][OWN], int column, double *to)
{
    memset(to, 0, sizeof(double) * OWN);
    for (int k = 0; k < size; k++)
        for (int i = 0; i < OWN; i++)
            to[i] += rotation[k][column] * from[k][i];
}

SEPARATE static void restart(const int *order, int first, int last)
{
    static double kept[KEEP][OWN], kept_image[KEEP][OWN];

    for (int k = first; k < last; k++) {
        combine(space, order[k], kept[k - first]);
        combine(image, order[k], kept_image[k - first]);
    }
    size = last - first;
    memcpy(space, kept, sizeof *kept * size);
    memcpy(image, kept_image, sizeof *kept * size);
    fill_small(0);
    restarts++;
}

static void project_both(double *a)
{
    project(a, locked, found);
    double part = dot(a, u);
    for (int i = 0; i < OWN; i++)
        a[i] -= part * u[i];
}

/* (A - value) z = - residual, orthogonal to u and to what is locked: a few iterations. */
SEPARATE static void correct(double value, int most)
{
    memset(z, 0, sizeof z);
    memcpy(p, residual, sizeof p);
    double now = dot(residual, residual), first = now;
    for (int k = 0; k < most && now > 1e-2 * first; k++, inner++) {
        multiply(p, q);
        for (int i = 0; i < OWN; i++)
            q[i] -= value * p[i];
        project_both(q);
        double alpha = now / dot(p, q), before = now;
        for (int i = 0; i < OWN; i++) {
            z[i] -= alpha * p[i];
            residual[i] -= alpha * q[i];
        }
        now = dot(residual, residual);
        for (int i = 0; i < OWN; i++)
            p[i] = residual[i] + now / before * p[i];
    }
}

static double find_residual(double value, int column)
{
    combine(space, column, u);
    combine(image, column, au);
    for (int i = 0; i < OWN; i++)
        residual[i] = au[i] - value * u[i];
    project(residual, locked, found);
    return sqrt(dot(residual, residual));
}

static void lock(double value, const int *order)
{
    memcpy(locked[found], u, sizeof u);
    values[found++] = value;
    restart(order, 1, size < KEEP + 1 ? size : KEEP + 1);
}

static int outer_iterations(void)
{
    int order[MOST], outer = 0;

    for (; found < WANTED && outer < MOST_OUTER; outer++) {
        fill_small(size - 1);
        double value = solve_small(order), off = find_residual(value, order[0]);
        if (off < 1e-7 && size > 1) {
            lock(value, order);
            continue;
        }
        correct(value, off < 1e-2 ? 30 : 10);
        if (size == MOST)
            restart(order, 0, KEEP);
        expand(z);
    }
    return outer;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    uint64_t state = 70 + rank;
    up = rank ? rank - 1 : MPI_PROC_NULL;
    down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < OWN; i++) {
        diagonal[i] = 2 + 1.5 * draw(&state);
        z[i] = draw(&state) - 0.5;
    }
    expand(z);
    int outer = outer_iterations();
    if (rank == 0)
        printf("%d values to %.8f, %d outer and %d inner iterations, %d restarts\n", found,
               values[WANTED - 1], outer, inner, restarts);
    return finish(outer, 0);
}
