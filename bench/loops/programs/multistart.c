/* SPDX-License-Identifier: BSD-3-Clause */
/* A fit of a model to data that are on all ranks, by a quasi-Newton method (L-BFGS), from
 * several first guesses: the best is taken.
 *
 * usage: multistart [STARTS]
 *
 * The main loop are the iterations of the method, of all starts together: a direction, and a
 * search along it, which takes 1 to 12 values of the function, each a sum over all ranks. A
 * start goes on until it is at its minimum, or for 400 iterations. */
#include "programs.h"

enum { DATA = 1500, TERMS = 6, N = 3 * TERMS, MEMORY = 5, MOST_ITERATIONS = 400 };

static double place[DATA], measured[DATA];
static double steps[MEMORY][N], changes[MEMORY][N], rho[MEMORY];
static int values;

static double model(const double *x, double at, double *slopes)
{
    double sum = 0;

    for (int k = 0; k < TERMS; k++) {
        double d = (at - x[3 * k + 1]) / x[3 * k + 2], bell = exp(-d * d / 2);
        slopes[3 * k] = bell;
        slopes[3 * k + 1] = x[3 * k] * bell * d / x[3 * k + 2];
        slopes[3 * k + 2] = slopes[3 * k + 1] * d;
        sum += x[3 * k] * bell;
    }
    return sum;
}

/* The sum of squares, and its gradient. */
SEPARATE static double evaluate(const double *x, double *gradient)
{
    double mine[N + 1] = {0}, all[N + 1], slopes[N];

    for (int i = 0; i < DATA; i++) {
        double off = model(x, place[i], slopes) - measured[i];
        mine[N] += off * off / (DATA * ranks);
        for (int k = 0; k < N; k++)
            mine[k] += 2 * off * slopes[k] / (DATA * ranks);
    }
    MPI_Allreduce(mine, all, N + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    memcpy(gradient, all, sizeof mine - sizeof *mine);
    values++;
    return all[N];
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add(double *a, double factor, const double *b)
{
    for (int i = 0; i < N; i++)
        a[i] += factor * b[i];
}

/* Two loops over what is remembered of the last COUNT iterations. */
SEPARATE static void find_direction(const double *gradient, int count, double *d)
{
    double alpha[MEMORY];
    int first = count > MEMORY ? count - MEMORY : 0;

    for (int i = 0; i < N; i++)
        d[i] = -gradient[i];
    for (int k = count - 1; k >= first; k--) {
        alpha[k % MEMORY] = rho[k % MEMORY] * dot(steps[k % MEMORY], d);
        add(d, -alpha[k % MEMORY], changes[k % MEMORY]);
    }
    if (count > 0) {
        int k = (count - 1) % MEMORY;
        double scale = 1 / (rho[k] * dot(changes[k], changes[k]));
        for (int i = 0; i < N; i++)
            d[i] *= scale;
    }
    for (int k = first; k < count; k++) {
        double beta = rho[k % MEMORY] * dot(changes[k % MEMORY], d);
        add(d, alpha[k % MEMORY] - beta, steps[k % MEMORY]);
    }
}

/* X goes along D until the value is less; whether it is. */
SEPARATE static int search(double *x, double *value, double *gradient, const double *d, double first)
{
    double slope = dot(gradient, d), new[N], new_gradient[N], length = first;

    for (int k = 0; k < 12; k++, length *= 0.4) {
        memcpy(new, x, sizeof new);
        add(new, length, d);
        double now = evaluate(new, new_gradient);
        if (!(now <= *value + 1e-4 * length * slope))
            continue;
        *value = now;
        memcpy(x, new, sizeof new);
        memcpy(gradient, new_gradient, sizeof new);
        return 1;
    }
    return 0;
}

/* Whether the step from OLD is worth remembering. */
static int remember(int count, const double *x, const double *g, const double *old, const double *old_g)
{
    double *s = steps[count % MEMORY], *y = changes[count % MEMORY];

    for (int i = 0; i < N; i++) {
        s[i] = x[i] - old[i];
        y[i] = g[i] - old_g[i];
    }
    rho[count % MEMORY] = 1 / dot(s, y);
    return dot(s, y) > 1e-14;
}

/* How many iterations it takes. */
SEPARATE static int minimise(double *x, double *value)
{
    double gradient[N], d[N], old[N], old_gradient[N];
    int count = 0, iterations = 0;

    *value = evaluate(x, gradient);
    for (; iterations < MOST_ITERATIONS && dot(gradient, gradient) > 1e-9; iterations++) {
        memcpy(old, x, sizeof old);
        memcpy(old_gradient, gradient, sizeof old);
        find_direction(gradient, count, d);
        if (!search(x, value, gradient, d, count ? 1 : 0.2))
            return iterations + 1;
        count = remember(count, x, gradient, old, old_gradient) ? count + 1 : 0;
    }
    return iterations;
}

static void make_data(void)
{
    uint64_t state = 500 + rank;
    double slopes[N], truth[N];

    for (int k = 0; k < TERMS; k++) {
        truth[3 * k] = 1 + k % 3;
        truth[3 * k + 1] = 1.5 * k + 1;
        truth[3 * k + 2] = 0.5 + 0.1 * (k % 2);
    }
    for (int i = 0; i < DATA; i++) {
        place[i] = 10 * draw(&state);
        measured[i] = model(truth, place[i], slopes) + 0.02 * (draw(&state) - 0.5);
    }
}

/* Rank 0 draws a guess for all. */
SEPARATE static void guess(double *x, uint64_t *state)
{
    for (int k = 0; rank == 0 && k < TERMS; k++) {
        x[3 * k] = 1 + draw(state);
        x[3 * k + 1] = 10 * draw(state);
        x[3 * k + 2] = 0.5 + draw(state);
    }
    MPI_Bcast(x, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double x[N], value, best = INFINITY;
    int iterations = 0;
    uint64_t state = 8;

    start(&argc, &argv);
    int starts = argument(argc, argv, 16);
    make_data();
    for (int i = 0; i < starts; i++) {
        guess(x, &state);
        iterations += minimise(x, &value);
        best = fmin(best, value);
    }
    if (rank == 0)
        printf("%d starts, %d iterations, %d values, best %.4e\n", starts, iterations, values, best);
    return finish(iterations, starts);
}
