/* SPDX-License-Identifier: BSD-3-Clause */
/* A sparse logistic regression whose data is on all ranks: each fits its own, and they are made
 * to agree (alternating direction method of multipliers).
 *
 * usage: admm [WEIGHTS]
 *
 * The main loop are the iterations for all weights of the penalty together, from strong to weak; each
 * weight begins where the one before ended, and is done when the ranks agree. A rank's own fit takes
 * more or fewer steps, without calls. After each tenth iteration the penalty for disagreement may
 * change. In the beginning columns are made alike, and in the end models are tested. */
#include "programs.h"

enum { SAMPLES = 600, TESTS = 200, N = 120, MOST = 150, MOST_WEIGHTS = 64 };

static double data[SAMPLES + TESTS][N], label[SAMPLES + TESTS];
static double x[N], z[N], u[N], models[MOST_WEIGHTS][N];
static double rho = 20;

static void make_data(void)
{
    uint64_t state = 41 + rank;

    for (int i = 0; i < SAMPLES + TESTS; i++) {
        double sum = 0.3;
        for (int j = 0; j < N; j++) {
            data[i][j] = (1 + j % 3) * (draw(&state) + draw(&state) - 1 + 0.02 * rank);
            sum += j % 8 == 0 ? data[i][j] * (1 + 0.1 * (j % 5)) : 0;
        }
        label[i] = sum + draw(&state) - 0.5 > 0 ? 1 : -1;
    }
}

/* Mean 0 and variance 1, of all ranks. */
SEPARATE static void standardise(void)
{
    double sums[2 * N] = {0}, n = SAMPLES * ranks;

    for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < N; j++) {
            sums[j] += data[i][j];
            sums[N + j] += data[i][j] * data[i][j];
        }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2 * N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < SAMPLES + TESTS; i++)
        for (int j = 0; j < N; j++) {
            double mean = sums[j] / n;
            data[i][j] = (data[i][j] - mean) / sqrt(sums[N + j] / n - mean * mean);
        }
}

static double product(const double *row, const double *model)
{
    double sum = 0;
    for (int j = 0; j < N; j++)
        sum += row[j] * model[j];
    return sum;
}

static void gradient(double *g)
{
    for (int j = 0; j < N; j++)
        g[j] = rho * (x[j] - z[j] + u[j]);
    for (int i = 0; i < SAMPLES; i++) {
        double weight = -label[i] / (1 + exp(label[i] * product(data[i], x)));
        for (int j = 0; j < N; j++)
            g[j] += weight * data[i][j];
    }
}

/* Own data only: how many steps it took. */
SEPARATE static int fit(void)
{
    double g[N];

    for (int step = 1;; step++) {
        double length = 0;
        gradient(g);
        for (int j = 0; j < N; j++) {
            length += g[j] * g[j];
            x[j] -= g[j] / (rho + 0.5 * SAMPLES);
        }
        if (length < 0.01 || step == 30)
            return step;
    }
}

/* The ranks' mean, with small values made 0: how far ranks are from it and it from before. */
SEPARATE static void agree(double weight, double *primal, double *dual)
{
    double mean[N], sums[2] = {0};

    for (int j = 0; j < N; j++)
        mean[j] = x[j] + u[j];
    MPI_Allreduce(MPI_IN_PLACE, mean, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int j = 0; j < N; j++) {
        double m = mean[j] / ranks, cut = weight / (rho * ranks),
               now = m > cut    ? m - cut
                     : m < -cut ? m + cut
                                : 0;
        sums[1] += (now - z[j]) * (now - z[j]);
        z[j] = now;
        sums[0] += (x[j] - now) * (x[j] - now);
        u[j] += x[j] - now;
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *primal = sqrt(sums[0]);
    *dual = rho * sqrt(sums[1]) / 20;
}

static void change_rho(double factor)
{
    rho *= factor;
    for (int j = 0; j < N; j++)
        u[j] /= factor;
}

/* Rank 0 decides. */
SEPARATE static void balance(double primal, double dual)
{
    double factor = primal > 5 * dual ? 1.5 : dual > 5 * primal ? 1 / 1.5 : 1;

    MPI_Bcast(&factor, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (factor != 1)
        change_rho(factor);
}

SEPARATE static int minimise(double weight, double *steps)
{
    double primal = 1, dual = 1;
    int k = 0;

    for (; k < MOST && (primal > 0.004 || dual > 0.004); k++) {
        *steps += fit();
        agree(weight, &primal, &dual);
        if (k % 10 == 9)
            balance(primal, dual);
    }
    return k;
}

/* The share of tests that a model gets right. */
SEPARATE static double test(const double *model)
{
    double right = 0;

    for (int i = SAMPLES; i < SAMPLES + TESTS; i++)
        right += label[i] * product(data[i], model) > 0;
    return sum_of_all(right, MPI_COMM_WORLD) / TESTS / ranks;
}

int main(int argc, char **argv)
{
    int iterations = 0, best = 0;
    double steps = 0, weight = 150, share = 0;

    start(&argc, &argv);
    int weights = argument(argc, argv, 24);
    if (weights > MOST_WEIGHTS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    make_data();
    standardise();
    for (int w = 0; w < weights; w++, weight *= 0.8) {
        iterations += minimise(weight, &steps);
        memcpy(models[w], z, sizeof z);
    }
    for (int w = 0; w < weights; w++) {
        double now = test(models[w]);
        best = now > share ? w : best;
        share = fmax(share, now);
    }
    steps = sum_of_all(steps, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d iterations, %.0f steps, the best is weight %d: %.4f\n", iterations, steps, best, share);
    return finish(iterations, weights);
}
