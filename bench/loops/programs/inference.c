/* SPDX-License-Identifier: BSD-3-Clause */
/* The rates of an epidemic that explain what was seen, by approximate Bayesian computation: populations of
 * guesses, each from the best ones of the population before.
 *
 * usage: inference [POPULATIONS]
 *
 * The main loop are the populations. The first rank deals out their guesses in chunks, large ones first;
 * the others simulate until there are none. */
#include "programs.h"

enum { GUESSES = 240, KEPT = 60, DAYS = 60, PEOPLE = 4000, RATES = 3, WORK = 1, DONE = 2, ENOUGH = 3 };

static double kept[KEPT][RATES], spread[RATES], guesses[GUESSES][RATES], far[GUESSES];
static int seen[DAYS];

static int binomial(int n, double p, uint64_t *seed)
{
    int sum = 0;

    for (int k = 0; k < n; k++)
        sum += draw(seed) < p;
    return sum;
}

/* New cases of each day. */
static void simulate(const double *rates, uint64_t seed, int *cases)
{
    int healthy = PEOPLE - 20, exposed = 0, ill = 20;

    for (int day = 0; day < DAYS; day++) {
        int caught = binomial(healthy, 1 - exp(-rates[0] * ill / PEOPLE), &seed);
        int begun = binomial(exposed, rates[1], &seed), over = binomial(ill, rates[2], &seed);
        healthy -= caught;
        exposed += caught - begun;
        ill += begun - over;
        cases[day] = begun;
    }
}

static double distance(const double *rates, uint64_t seed)
{
    int cases[DAYS];
    double sum = 0;

    simulate(rates, seed, cases);
    for (int day = 0; day < DAYS; day++)
        sum += (double)(cases[day] - seen[day]) * (cases[day] - seen[day]);
    return sqrt(sum / DAYS);
}

static void propose(int population)
{
    for (int g = 0; g < GUESSES; g++) {
        uint64_t seed = 1000003ull * (population + 1) + 77 * g;
        int from = KEPT * draw(&seed);
        for (int r = 0; r < RATES; r++) {
            double step = draw(&seed) + draw(&seed) + draw(&seed) - 1.5;
            guesses[g][r] =
                population ? fmax(0.01, fmin(0.99, kept[from][r] + 0.7 * spread[r] * step)) : draw(&seed);
        }
    }
}

static int chunk_size(int left)
{
    int size = left / (2 * (ranks - 1));
    return size > 1 ? size : 1;
}

/* Sends the next chunk to a worker: the first of it and how many; none is ENOUGH. */
static int deal(int to, int next)
{
    int chunk[2] = {next, next < GUESSES ? chunk_size(GUESSES - next) : 0};

    MPI_Send(chunk, 2, MPI_INT, to, chunk[1] ? WORK : ENOUGH, MPI_COMM_WORLD);
    return next + chunk[1];
}

SEPARATE static void lead(void)
{
    double results[GUESSES + 1];
    int next = 0, back = 0, count;

    for (int to = 1; to < ranks; to++)
        next = deal(to, next);
    while (back < GUESSES) {
        MPI_Status status;
        MPI_Recv(results, GUESSES + 1, MPI_DOUBLE, MPI_ANY_SOURCE, DONE, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        memcpy(far + (int)results[0], results + 1, sizeof(double) * (count - 1));
        back += count - 1;
        next = deal(status.MPI_SOURCE, next);
    }
}

SEPARATE static void work(int population)
{
    double results[GUESSES + 1];
    MPI_Status status;
    int chunk[2];

    for (;;) {
        MPI_Recv(chunk, 2, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == ENOUGH)
            return;
        results[0] = chunk[0];
        for (int k = 0; k < chunk[1]; k++)
            results[k + 1] = distance(guesses[chunk[0] + k], 17 + 1009ull * population + chunk[0] + k);
        MPI_Send(results, chunk[1] + 1, MPI_DOUBLE, 0, DONE, MPI_COMM_WORLD);
    }
}

static int by_distance(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    return far[i] < far[j] ? -1 : far[i] > far[j] ? 1 : i - j;
}

/* The worst distance of those that are kept. */
static double choose(void)
{
    int order[GUESSES];

    for (int g = 0; g < GUESSES; g++)
        order[g] = g;
    qsort(order, GUESSES, sizeof order[0], by_distance);
    for (int k = 0; k < KEPT; k++)
        memcpy(kept[k], guesses[order[k]], sizeof kept[k]);
    return far[order[KEPT - 1]];
}

static void find_spread(void)
{
    for (int r = 0; r < RATES; r++) {
        double sum = 0, squares = 0;
        for (int k = 0; k < KEPT; k++) {
            sum += kept[k][r] / KEPT;
            squares += kept[k][r] * kept[k][r] / KEPT;
        }
        spread[r] = sqrt(fmax(1e-6, squares - sum * sum));
    }
}

int main(int argc, char **argv)
{
    const double truth[RATES] = {0.4, 0.3, 0.15};
    double worst = 0;

    start(&argc, &argv);
    int populations = argument(argc, argv, 40);
    if (rank == 0)
        simulate(truth, 5, seen);
    MPI_Bcast(seen, DAYS, MPI_INT, 0, MPI_COMM_WORLD);
    for (int p = 0; p < populations; p++) {
        propose(p);
        if (rank == 0) {
            lead();
            worst = choose();
        } else {
            work(p);
        }
        MPI_Bcast(kept, KEPT * RATES, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        find_spread();
    }
    if (rank == 0)
        printf("%d populations, distance %.4f, spread %.5f\n", populations, worst, spread[0]);
    return finish(populations, 0);
}
