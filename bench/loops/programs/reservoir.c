/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow in a porous rock, fully implicit: what does not converge is tried again with a shorter
 * step.
 *
 * usage: reservoir [REPORTS]
 *
 * The main loop are the time steps that are tried, of all report steps together: Newton's method,
 * at most 6 iterations, each with a linear system by BiCGSTAB. If it fails, the step is cut; if
 * it was easy, the next one is longer. A report step ends at a date, when wells may change and
 * rank 0 gets what they gave; each fifth writes a restart file. */
#include "programs.h"

enum {
    ROWS = 24,
    COLUMNS = 112,
    N = ROWS * COLUMNS,
    FACES = 4,
    WELLS = 3,
    MOST_NEWTON = 6,
    MOST_LINEAR = 200
};

static double s[N + 2 * COLUMNS], old[N], rock[N + 2 * COLUMNS], residual[N], change[N];
static double middle[N], sides[N][FACES], wells[WELLS];
static int up, down, attempts, cuts, newtons, linears;

/* X has a row above and one below its own ones. */
SEPARATE static void fill_halo(double *x)
{
    MPI_Request requests[4];

    MPI_Irecv(x, COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(x + COLUMNS + N, COLUMNS, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(x + N, COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(x + COLUMNS, COLUMNS, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static int other_side(int i, int face)
{
    int column = i % COLUMNS;
    switch (face) {
    case 0:
        return i < COLUMNS && up == MPI_PROC_NULL ? -1 : i;
    case 1:
        return i >= N - COLUMNS && down == MPI_PROC_NULL ? -1 : i + 2 * COLUMNS;
    case 2:
        return column == 0 ? -1 : i + COLUMNS - 1;
    default:
        return column == COLUMNS - 1 ? -1 : i + COLUMNS + 1;
    }
}

static double mobility(double a)
{
    return a > 0 ? 0.0001 + a * a * a : 0.0001;
}

static double slope(double a)
{
    return a > 0 ? 3 * a * a : 0;
}

/* The residual of the conservation law, and its derivatives. */
SEPARATE static void assemble(double dt)
{
    fill_halo(s);
    for (int i = 0; i < N; i++) {
        double own = s[i + COLUMNS];
        residual[i] = (own - old[i]) / dt;
        middle[i] = 1 / dt;
        for (int f = 0; f < FACES; f++) {
            int j = other_side(i, f);
            sides[i][f] = 0;
            if (j < 0)
                continue;
            double k = sqrt(rock[i + COLUMNS] * rock[j]), d = s[j] - own,
                   m = (mobility(own) + mobility(s[j])) / 2;
            residual[i] -= k * m * d;
            middle[i] += k * (m - slope(own) / 2 * d);
            sides[i][f] = -k * (m + slope(s[j]) / 2 * d);
        }
    }
    for (int w = 0; w < WELLS; w++)
        if (w % ranks == rank)
            residual[N / 2 + COLUMNS / 2 + w] -= wells[w];
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum_of_all(sum, MPI_COMM_WORLD);
}

/* Behind a preconditioner, the diagonal. */
SEPARATE static void multiply(const double *x, double *y)
{
    static double wide[N + 2 * COLUMNS];

    for (int i = 0; i < N; i++)
        wide[i + COLUMNS] = x[i] / middle[i];
    fill_halo(wide);
    for (int i = 0; i < N; i++) {
        y[i] = x[i];
        for (int f = 0; f < FACES; f++)
            if (sides[i][f] != 0)
                y[i] += sides[i][f] * wide[other_side(i, f)];
    }
}

SEPARATE static void bicgstab(void)
{
    static double r[N], shadow[N], p[N], v[N], t[N];
    double rho = 1, alpha = 1, omega = 1;

    for (int i = 0; i < N; i++) {
        r[i] = shadow[i] = -residual[i];
        change[i] = p[i] = v[i] = 0;
    }
    double first = dot(r, r);
    for (int k = 0; k < MOST_LINEAR; k++, linears++) {
        double now = dot(shadow, r), beta = now / rho * alpha / omega;
        rho = now;
        for (int i = 0; i < N; i++)
            p[i] = r[i] + beta * (p[i] - omega * v[i]);
        multiply(p, v);
        alpha = rho / dot(shadow, v);
        for (int i = 0; i < N; i++)
            r[i] -= alpha * v[i];
        multiply(r, t);
        omega = dot(t, r) / dot(t, t);
        for (int i = 0; i < N; i++) {
            change[i] += alpha * p[i] + omega * r[i];
            r[i] -= omega * t[i];
        }
        if (dot(r, r) < 1e-3 * first)
            break;
    }
    for (int i = 0; i < N; i++)
        change[i] /= middle[i];
}

/* How many iterations it took, or -1. */
SEPARATE static int newton(double dt)
{
    for (int k = 0; k < MOST_NEWTON; k++, newtons++) {
        double most = 0;
        assemble(dt);
        for (int i = 0; i < N; i++)
            most = fmax(most, fabs(residual[i] * dt));
        if (most_of_all(most, MPI_COMM_WORLD) < 1e-6)
            return k;
        bicgstab();
        for (int i = 0; i < N; i++)
            s[i + COLUMNS] += fmax(-0.3, fmin(0.3, change[i]));
    }
    return -1;
}

/* From one report to the next: returns the length of the step for the one after it. */
SEPARATE static double run_report_step(double length, double dt)
{
    double time = 0;

    while (time < length) {
        double now = fmin(dt, length - time);
        for (int i = 0; i < N; i++)
            old[i] = s[i + COLUMNS];
        int iterations = newton(now);
        attempts++;
        if (iterations < 0) {
            memcpy(s + COLUMNS, old, sizeof old);
            dt = now / 3;
            cuts++;
        } else {
            time += now;
            dt = iterations < 5 ? 2 * now : now;
        }
    }
    return dt;
}

SEPARATE static double report(void)
{
    double mine[2] = {0}, all[2] = {0};

    for (int i = 0; i < N; i++)
        mine[0] += s[i + COLUMNS];
    mine[1] = s[N / 2 + COLUMNS + COLUMNS / 2];
    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all[0];
}

SEPARATE static double write_restart(void)
{
    static double all[MOST_RANKS * N];

    MPI_Gather(s + COLUMNS, N, MPI_DOUBLE, all, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return all[N / 2];
}

int main(int argc, char **argv)
{
    double dt = 0.1, content = 0, written = 0;

    start(&argc, &argv);
    int reports = argument(argc, argv, 22);
    up = rank ? rank - 1 : MPI_PROC_NULL;
    down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < N; i++) {
        rock[i + COLUMNS] = exp(1.5 * sin(0.21 * (i % COLUMNS)) * cos(0.17 * (i / COLUMNS + rank * ROWS)));
        s[i + COLUMNS] = 0.02;
    }
    fill_halo(rock);
    for (int r = 1; r <= reports; r++) {
        for (int w = 0; w < WELLS; w++)
            wells[w] = (r + w) % 4 == 0 ? 0 : 1.5 + 0.8 * w;
        dt = run_report_step(30, dt);
        content = report();
        if (r % 5 == 0)
            written += write_restart();
    }
    if (rank == 0)
        printf("%d reports, %d steps tried, %d cut, %d and %d iterations, content %.4f, written %.4f\n",
               reports, attempts, cuts, newtons, linears, content, written);
    return finish(attempts, reports);
}
