/* SPDX-License-Identifier: BSD-3-Clause */
/* Optimal control of a reaction by its gradient: forth in time, and back with the adjoint equation. Not all
 * states are kept: from the nearest one that is, some time steps are done again.
 *
 * usage: control [ITERATIONS]
 *
 * The main loop are the iterations, of a gradient method with the steps of Barzilai and Borwein. */
#include "programs.h"

enum { N = 96, M = 24, STEPS = 120, APART = 12, SEGMENTS = STEPS / APART };

typedef double Field[M + 2][N + 2];

static Field now, adjoint, source, gradient, before, source_before, kept[SEGMENTS], segment[APART], target;
static const double dt = 0.05, spread = 0.8, cost = 1e-4;
static int up, down;

SEPARATE static void exchange(Field f)
{
    MPI_Sendrecv(f[M], N + 2, MPI_DOUBLE, down, 1, f[0], N + 2, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(f[1], N + 2, MPI_DOUBLE, up, 2, f[M + 1], N + 2, MPI_DOUBLE, down, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static double laplacian(Field f, int j, int i)
{
    return f[j - 1][i] + f[j + 1][i] + f[j][i - 1] + f[j][i + 1] - 4 * f[j][i];
}

static void step_forth(void)
{
    static Field next;

    exchange(now);
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++) {
            double u = now[j][i];
            next[j][i] = u + dt * (spread * laplacian(now, j, i) + u - u * u * u + source[j][i]);
        }
    memcpy(now, next, sizeof now);
}

/* The adjoint of a step from the state AT. */
static void step_back(Field at)
{
    static Field next;

    exchange(adjoint);
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++) {
            gradient[j][i] += dt * adjoint[j][i];
            next[j][i] = adjoint[j][i] + dt * (spread * laplacian(adjoint, j, i) +
                                               (1 - 3 * at[j][i] * at[j][i]) * adjoint[j][i]);
        }
    memcpy(adjoint, next, sizeof adjoint);
}

static double dot(Field a, Field b)
{
    double sum = 0;

    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++)
            sum += a[j][i] * b[j][i];
    return sum_of_all(sum, MPI_COMM_WORLD);
}

/* The value of what is to be small; the end state stays in NOW. */
SEPARATE static double go_forth(void)
{
    memset(now, 0, sizeof now);
    for (int k = 0; k < STEPS; k++) {
        if (k % APART == 0)
            memcpy(kept[k / APART], now, sizeof now);
        step_forth();
    }
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++)
            adjoint[j][i] = now[j][i] - target[j][i];
    return dot(adjoint, adjoint) / 2 + cost * dot(source, source) / 2;
}

SEPARATE static void go_back(void)
{
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++)
            gradient[j][i] = cost * source[j][i];
    for (int s = SEGMENTS - 1; s >= 0; s--) {
        memcpy(now, kept[s], sizeof now);
        for (int k = 0; k < APART; k++) {
            memcpy(segment[k], now, sizeof now);
            if (k < APART - 1)
                step_forth();
        }
        for (int k = APART - 1; k >= 0; k--)
            step_back(segment[k]);
    }
}

static double step_length(int k)
{
    static Field ds, dg;

    if (k == 0)
        return 1e-4;
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++) {
            ds[j][i] = source[j][i] - source_before[j][i];
            dg[j][i] = gradient[j][i] - before[j][i];
        }
    double most = dot(ds, dg);
    return most > 0 ? most / dot(dg, dg) : 1e-4;
}

static void update(double length)
{
    memcpy(source_before, source, sizeof source);
    memcpy(before, gradient, sizeof gradient);
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++)
            source[j][i] = fmax(-0.5, fmin(0.5, source[j][i] - length * gradient[j][i]));
}

int main(int argc, char **argv)
{
    double value = 0, first = 0;

    start(&argc, &argv);
    int iterations = argument(argc, argv, 40);
    up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int j = 1; j <= M; j++)
        for (int i = 1; i <= N; i++)
            target[j][i] = 0.4 * sin(0.065 * i) * sin(0.065 * (j + rank * M));
    for (int k = 0; k < iterations; k++) {
        value = go_forth();
        first = k ? first : value;
        go_back();
        update(step_length(k));
        if (rank == 0 && k % 10 == 9)
            printf("%d: %.5e\n", k + 1, value / first);
    }
    return finish(iterations, 0);
}
