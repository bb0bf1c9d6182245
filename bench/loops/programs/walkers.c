/* SPDX-License-Identifier: BSD-3-Clause */
/* Diffusion Monte Carlo of particles in a trap: walkers that die and are copied, and go to
 * other ranks so that all have as many.
 *
 * usage: walkers [BLOCKS]
 *
 * The main loop are the steps, in blocks of 25. In each step all walkers move and branch; the
 * population and its energy are summed for the next trial energy, and walkers swapped, as many
 * as it takes. A block ends with its estimates, and each eighth with a checkpoint. Before that
 * are 20 blocks of variational Monte Carlo, whose steps make no calls. */
#include "programs.h"

enum { BODIES = 8, N = 3 * BODIES, EACH = 250, MOST = 3 * EACH, STEPS = 25, WARM = 20, SAVE = 8 };

static const double TAU = 0.02, ALPHA = 0.8;

static struct walker {
    double r[N], energy;
    int copies;
} walkers[MOST], fresh[MOST];

static int own;
static uint64_t state;

static double normal(void)
{
    double u = 1 - draw(&state), v = draw(&state);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static double local_energy(const double *r)
{
    double sum = 1.5 * ALPHA * BODIES;

    for (int i = 0; i < N; i++)
        sum += (1 - ALPHA * ALPHA) * r[i] * r[i] / 2;
    for (int i = 0; i < BODIES; i++)
        for (int j = 0; j < i; j++) {
            double dd = 0;
            for (int k = 0; k < 3; k++)
                dd += (r[3 * i + k] - r[3 * j + k]) * (r[3 * i + k] - r[3 * j + k]);
            sum += 0.8 / (0.3 + dd);
        }
    return sum;
}

/* Returns the energy before. */
static double move(struct walker *w)
{
    double before = w->energy;

    for (int i = 0; i < N; i++)
        w->r[i] += -ALPHA * TAU * w->r[i] + sqrt(TAU) * normal();
    w->energy = local_energy(w->r);
    return before;
}

static double block_of_vmc(void)
{
    double sum = 0;

    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < own; i++) {
            move(&walkers[i]);
            sum += walkers[i].energy;
        }
    return sum_of_all(sum, MPI_COMM_WORLD) / STEPS / EACH / ranks;
}

SEPARATE static void advance_walkers(double trial)
{
    for (int i = 0; i < own; i++) {
        double before = move(&walkers[i]);
        double weight = exp(-TAU * ((before + walkers[i].energy) / 2 - trial));
        walkers[i].copies = (int)(fmin(weight, 3) + draw(&state));
    }
}

static void branch(void)
{
    int n = 0;

    for (int i = 0; i < own; i++)
        for (int k = 0; k < walkers[i].copies && n < MOST; k++)
            fresh[n++] = walkers[i];
    memcpy(walkers, fresh, n * sizeof *walkers);
    own = n;
}

/* All ranks make the same plan: from the next one with too many to the next one with too few. */
SEPARATE static int swap_walkers(void)
{
    int counts[MOST_RANKS], goal[MOST_RANKS], total = 0, from = 0, to = 0, swapped = 0;

    MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        total += counts[r];
    for (int r = 0; r < ranks; r++)
        goal[r] = total / ranks + (r < total % ranks);
    for (;; swapped++) {
        while (from < ranks && counts[from] <= goal[from])
            from++;
        while (to < ranks && counts[to] >= goal[to])
            to++;
        if (from == ranks || to == ranks)
            return swapped;
        if (rank == from)
            MPI_Send(&walkers[--own], sizeof *walkers, MPI_BYTE, to, swapped, MPI_COMM_WORLD);
        if (rank == to)
            MPI_Recv(&walkers[own++], sizeof *walkers, MPI_BYTE, from, swapped, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        counts[from]--;
        counts[to]++;
    }
}

/* The energy of the population, which is counted. */
SEPARATE static double measure(double *population)
{
    double sums[3] = {0};

    for (int i = 0; i < own; i++)
        sums[0] += walkers[i].energy;
    sums[1] = own;
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *population = sums[1];
    return sums[0] / sums[1];
}

SEPARATE static double stop_block(double sum, double *best)
{
    double mine[2] = {sum, sum * sum}, all[2] = {0};

    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    *best = all[0] / STEPS / ranks;
    return all[1];
}

SEPARATE static double checkpoint(void)
{
    static double mine[EACH], all[MOST_RANKS * EACH];

    for (int i = 0; i < EACH; i++)
        mine[i] = i < own ? walkers[i].energy : 0;
    MPI_Gather(mine, EACH, MPI_DOUBLE, all, EACH, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return all[EACH / 2];
}

int main(int argc, char **argv)
{
    double trial = 0, best = 0, population = 0, saved = 0;
    int steps = 0, swapped = 0;

    start(&argc, &argv);
    int blocks = argument(argc, argv, 48);
    state = 4000 + rank;
    own = EACH;
    for (int i = 0; i < own * N; i++)
        walkers[i / N].r[i % N] = normal();
    for (int block = 0; block < WARM; block++)
        trial = block_of_vmc();
    double energy = trial;
    for (int block = 1; block <= blocks; block++) {
        double sum = 0;
        for (int step = 0; step < STEPS; step++, steps++) {
            advance_walkers(trial);
            branch();
            double now = measure(&population);
            swapped += swap_walkers();
            energy = 0.98 * energy + 0.02 * now;
            trial = energy - log(population / EACH / ranks);
            sum += now;
        }
        stop_block(sum, &best);
        if (block % SAVE == 0)
            saved += checkpoint();
    }
    if (rank == 0)
        printf("%d steps, %.0f walkers, %d swapped, energy %.5f, saved %.4f\n", steps, population, swapped,
               best, saved);
    return finish(steps, blocks);
}
