/* SPDX-License-Identifier: BSD-3-Clause */
/* Pipelined conjugate gradients: one nonblocking sum in an iteration, behind a product.
 *
 * usage: pipecg
 *
 * The main loop are the iterations. Each 50 the residual is computed anew, against what
 * rounding has done; that has sums and products of its own. */
#include "programs.h"

enum { N = 80000, MOST_ITERATIONS = 6000, EACH = 50 };

static double x[N], b[N], r[N + 2], w[N + 2], q[N], z[N], s[N], p[N], diagonal[N];

/* A Y = A X, of which X[1] is the first own one. */
SEPARATE static void multiply(double *from, double *to)
{
    int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[4];

    MPI_Irecv(&from[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&from[N + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&from[1], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&from[N], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    for (int i = 1; i < N - 1; i++)
        to[i] = diagonal[i] * from[i + 1] - from[i] - from[i + 2];
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    to[0] = diagonal[0] * from[1] - from[0] - from[2];
    to[N - 1] = diagonal[N - 1] * from[N] - from[N - 1] - from[N + 1];
}

SEPARATE static void replace_residual(void)
{
    static double copy[N + 2];

    memcpy(copy + 1, x, sizeof x);
    multiply(copy, r + 1);
    for (int i = 0; i < N; i++)
        r[i + 1] = b[i] - r[i + 1];
    multiply(r, w + 1);
}

static void begin_sums(double *mine, double *sums, MPI_Request *request)
{
    mine[0] = mine[1] = 0;
    for (int i = 0; i < N; i++) {
        mine[0] += r[i + 1] * r[i + 1];
        mine[1] += w[i + 1] * r[i + 1];
    }
    MPI_Iallreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
}

SEPARATE static void update(double alpha, double beta)
{
    for (int i = 0; i < N; i++) {
        z[i] = q[i] + beta * z[i];
        s[i] = w[i + 1] + beta * s[i];
        p[i] = r[i + 1] + beta * p[i];
        x[i] += alpha * p[i];
        r[i + 1] -= alpha * s[i];
        w[i + 1] -= alpha * z[i];
    }
}

static int solve(double *residual)
{
    double before = 0, alpha = 0, first = 0;

    replace_residual();
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        double mine[2], sums[2];
        MPI_Request request;
        begin_sums(mine, sums, &request);
        multiply(w, q);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        first = iteration ? first : sums[0];
        *residual = sqrt(sums[0] / first);
        if (*residual < 1e-7)
            return iteration + 1;
        double beta = iteration ? sums[0] / before : 0;
        alpha = iteration ? sums[0] / (sums[1] - beta / alpha * sums[0]) : sums[0] / sums[1];
        before = sums[0];
        update(alpha, beta);
        if (iteration % EACH == EACH - 1)
            replace_residual();
    }
    return MOST_ITERATIONS;
}

int main(int argc, char **argv)
{
    double residual = 1;

    start(&argc, &argv);
    uint64_t state = 70 + rank;
    for (int i = 0; i < N; i++) {
        diagonal[i] = 2.00004 + 0.00004 * draw(&state);
        b[i] = draw(&state) - 0.5;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    int iterations = solve(&residual);
    double sum = sum_of_all(x[N / 2], MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d iterations, residual %.1e, sum %.4f\n", iterations, residual, sum);
    return finish(iterations, 0);
}
