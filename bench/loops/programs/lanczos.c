/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanczos with restarts for the least eigenvalue of a sparse matrix.
 *
 * usage: lanczos
 *
 * The main loop are the Lanczos steps: a product with the matrix and two rounds of
 * orthogonalisation. Each 20 steps the best vector begins anew, until the value is good. */
#include "programs.h"

enum { OWN = 12000, STEPS = 20, MOST_RESTARTS = 200 };

static double base[STEPS + 1][OWN + 2], diagonal[OWN];
static double alpha[STEPS], beta[STEPS + 1];

SEPARATE static void multiply(double *x, double *y)
{
    int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[4];

    MPI_Irecv(x, 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(x + OWN + 1, 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(x + 1, 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(x + OWN, 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= OWN; i++)
        y[i] = diagonal[i - 1] * x[i] - x[i - 1] - x[i + 1];
}

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 1; i <= OWN; i++)
        sum += x[i] * y[i];
    return sum;
}

static void add(double *y, double factor, const double *x)
{
    for (int i = 1; i <= OWN; i++)
        y[i] += factor * x[i];
}

SEPARATE static double normalise(double *x)
{
    double length = sqrt(sum_of_all(dot(x, x), MPI_COMM_WORLD));
    for (int i = 1; i <= OWN; i++)
        x[i] /= length;
    return length;
}

SEPARATE static void orthogonalise(int k, double *x)
{
    for (int round = 0; round < 2; round++) {
        double parts[STEPS], sums[STEPS];
        for (int i = 0; i <= k; i++)
            parts[i] = dot(base[i], x);
        MPI_Allreduce(parts, sums, k + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i <= k; i++)
            add(x, -sums[i], base[i]);
        if (round == 0)
            alpha[k] = sums[k];
    }
}

static void lanczos_step(int k)
{
    multiply(base[k], base[k + 1]);
    orthogonalise(k, base[k + 1]);
    beta[k + 1] = normalise(base[k + 1]);
}

/* How many eigenvalues of the tridiagonal matrix are below VALUE. */
static int below(double value)
{
    int count = 0;
    double q = 1;

    for (int i = 0; i < STEPS; i++) {
        q = alpha[i] - value - (i ? beta[i] * beta[i] / q : 0);
        count += q < 0;
    }
    return count;
}

static double least_value(void)
{
    double low = -10, high = 10;

    while (high - low > 1e-13) {
        double middle = (low + high) / 2;
        *(below(middle) ? &high : &low) = middle;
    }
    return (low + high) / 2;
}

/* Puts the vector of VALUE first; the size of its residual. */
static double restart(double value)
{
    double y[STEPS] = {1, (value - alpha[0]) / beta[1]}, sum = 1 + y[1] * y[1];

    for (int i = 2; i < STEPS; i++) {
        y[i] = ((value - alpha[i - 1]) * y[i - 1] - beta[i - 1] * y[i - 2]) / beta[i];
        sum += y[i] * y[i];
    }
    for (int i = 1; i < STEPS; i++)
        add(base[0], y[i], base[i]);
    normalise(base[0]);
    return fabs(beta[STEPS] * y[STEPS - 1]) / sqrt(sum);
}

int main(int argc, char **argv)
{
    int steps = 0, restarts = 0;
    double value = 0, error = 1;

    start(&argc, &argv);
    uint64_t state = 40 + rank;
    for (int i = 0; i < OWN; i++) {
        diagonal[i] = 2 + 0.2 * draw(&state);
        base[0][i + 1] = draw(&state);
    }
    normalise(base[0]);
    for (; error > 1e-4 && restarts < MOST_RESTARTS; restarts++) {
        for (int k = 0; k < STEPS; k++, steps++)
            lanczos_step(k);
        value = least_value();
        error = restart(value);
        MPI_Bcast(&error, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d restarts, least eigenvalue %.6f\n", restarts, value);
    return finish(steps, restarts);
}
