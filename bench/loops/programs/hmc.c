/* SPDX-License-Identifier: BSD-3-Clause */
/* A field on a lattice by hybrid Monte Carlo: the determinant of a matrix A of the field is
 * drawn by pseudo-fermions, so each step of a trajectory solves a linear system.
 *
 * usage: hmc [TRAJECTORIES]
 *
 * The main loop are the trajectories: 8 steps of molecular dynamics, each with conjugate
 * gradients, and a choice of all ranks. The first ones are accepted in any case. After each
 * fifth, propagators are measured, and after each tenth, rank 0 gets the field. */
#include "programs.h"

enum { ROWS = 24, COLUMNS = 96, N = ROWS * COLUMNS, STEPS = 8, WARM = 10, SOURCES = 3 };

static const double MASS = 0.9, COUPLING = 0.15, LENGTH = 0.6;
static double phi[N], kept[N], momentum[N], chi[N], x[N], y[N], r[N], p[N], q[N], t[N];
static int up, down, solves, iterations;

SEPARATE static void fill_halo(const double *a, double *above, double *below)
{
    MPI_Request requests[4];

    MPI_Irecv(above, COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(below, COLUMNS, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(a + N - COLUMNS, COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(a, COLUMNS, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* The sum of the four neighbours of each point. */
static void hop(const double *a, double *b)
{
    double above[COLUMNS], below[COLUMNS];

    fill_halo(a, above, below);
    for (int i = 0; i < N; i++) {
        int j = i % COLUMNS;
        double north = i < COLUMNS ? above[j] : a[i - COLUMNS];
        double south = i >= N - COLUMNS ? below[j] : a[i + COLUMNS];
        b[i] = north + south + a[j ? i - 1 : i + COLUMNS - 1] + a[j < COLUMNS - 1 ? i + 1 : i - COLUMNS + 1];
    }
}

SEPARATE static void multiply(const double *a, double *b)
{
    hop(a, b);
    for (int i = 0; i < N; i++)
        b[i] = (4 + MASS + COUPLING * phi[i] * phi[i]) * a[i] - b[i];
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum_of_all(sum, MPI_COMM_WORLD);
}

/* A A to = from */
SEPARATE static void solve(const double *from, double *to, double limit)
{
    memset(to, 0, sizeof(double) * N);
    memcpy(r, from, sizeof r);
    memcpy(p, from, sizeof p);
    double now = dot(r, r), end = limit * limit * now;
    for (solves++; now > end; iterations++) {
        multiply(p, t);
        multiply(t, q);
        double alpha = now / dot(p, q), before = now;
        for (int i = 0; i < N; i++) {
            to[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        now = dot(r, r);
        for (int i = 0; i < N; i++)
            p[i] = r[i] + now / before * p[i];
    }
}

SEPARATE static double energy(void)
{
    double sum = 0;

    solve(chi, x, 1e-6);
    hop(phi, t);
    for (int i = 0; i < N; i++)
        sum += momentum[i] * momentum[i] / 2 + chi[i] * x[i] +
               phi[i] * (2.1 * phi[i] - t[i] / 2 + 0.1 * phi[i] * phi[i] * phi[i]);
    return sum_of_all(sum, MPI_COMM_WORLD);
}

SEPARATE static void kick(double dt)
{
    solve(chi, x, 1e-5);
    multiply(x, y);
    hop(phi, t);
    for (int i = 0; i < N; i++)
        momentum[i] -=
            dt * (4.2 * phi[i] - t[i] + 0.4 * phi[i] * phi[i] * phi[i] - 4 * COUPLING * phi[i] * x[i] * y[i]);
}

static void drift(double dt)
{
    for (int i = 0; i < N; i++)
        phi[i] += dt * momentum[i];
}

SEPARATE static void integrate(void)
{
    double dt = LENGTH / STEPS;

    drift(dt / 2);
    for (int i = 0; i < STEPS; i++) {
        kick(dt);
        drift(i < STEPS - 1 ? dt : dt / 2);
    }
}

static double normal(uint64_t *state)
{
    double length = sqrt(-2 * log(1 - draw(state)));
    return length * cos(2 * M_PI * draw(state));
}

static void refresh(uint64_t *state)
{
    for (int i = 0; i < N; i++) {
        momentum[i] = normal(state);
        y[i] = normal(state) * M_SQRT1_2;
    }
    multiply(y, chi);
}

/* Whether the new field is kept. */
SEPARATE static int trajectory(uint64_t *state, int is_warm)
{
    int accept = 1;

    memcpy(kept, phi, sizeof phi);
    refresh(state);
    double before = energy();
    integrate();
    double change = energy() - before;
    if (rank == 0)
        accept = !is_warm || draw(state) < exp(-change);
    MPI_Bcast(&accept, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!accept)
        memcpy(phi, kept, sizeof phi);
    return accept;
}

SEPARATE static double measure(void)
{
    double mine[ROWS], sum = 0, all[MOST_RANKS * ROWS];

    for (int k = 0; k < SOURCES; k++) {
        memset(y, 0, sizeof y);
        if (rank == k % ranks)
            y[k * COLUMNS / SOURCES] = 1;
        solve(y, x, 1e-8);
        for (int i = 0; i < ROWS; i++) {
            mine[i] = 0;
            for (int j = 0; j < COLUMNS; j++)
                mine[i] += x[i * COLUMNS + j];
        }
        MPI_Gather(mine, ROWS, MPI_DOUBLE, all, ROWS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        sum += all[0];
    }
    return sum;
}

int main(int argc, char **argv)
{
    static double whole[MOST_RANKS * N];
    int accepted = 0;
    double mass = 0;

    start(&argc, &argv);
    int trajectories = argument(argc, argv, 40);
    uint64_t state = 3000 + rank;
    up = (rank + ranks - 1) % ranks;
    down = (rank + 1) % ranks;
    for (int i = 0; i < N; i++)
        phi[i] = draw(&state) - 0.5;
    for (int i = 1; i <= trajectories; i++) {
        accepted += trajectory(&state, i > WARM);
        if (i % 5 == 0)
            mass = measure();
        if (i % 10 == 0)
            MPI_Gather(phi, N, MPI_DOUBLE, whole, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d of %d trajectories accepted, %d iterations in %d solves, %.4f\n", accepted, trajectories,
               iterations, solves, mass);
    return finish(trajectories, 0);
}
