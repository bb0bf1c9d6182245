/* SPDX-License-Identifier: BSD-3-Clause */
/* A genetic algorithm: rank 0 breeds, the others evaluate, each as many as it manages.
 *
 * usage: genetic [GENERATIONS]
 *
 * The main loop are the generations: the same number on all ranks, but in each of them a worker
 * evaluates as many individuals as timing has it. */
#include "programs.h"

enum { GENES = 24, POPULATION = 40, DONE = -1 };

static double genes[POPULATION][GENES], children[POPULATION][GENES], fitness[POPULATION];
static uint64_t state = 17;

/* The minimum of a function with many valleys, by a walk downhill first. */
SEPARATE static double evaluate(double *g)
{
    double sum = 0;

    for (int round = 0; round < 800; round++)
        for (int i = 0; i < GENES; i++)
            g[i] -= 1e-4 * (2 * g[i] + 31.4 * sin(6.28 * g[i]));
    for (int i = 0; i < GENES; i++)
        sum += g[i] * g[i] + 5 * (1 - cos(6.28 * g[i]));
    return sum;
}

static void give(int next, int worker)
{
    MPI_Send(&next, 1, MPI_INT, worker, 1, MPI_COMM_WORLD);
}

SEPARATE static void hand_out(void)
{
    int next = 0;

    for (int left = POPULATION + ranks - 1; left > 0; left--) {
        double result[2];
        MPI_Status status;
        MPI_Recv(result, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        if (result[0] >= 0)
            fitness[(int)result[0]] = result[1];
        give(next < POPULATION ? next++ : DONE, status.MPI_SOURCE);
    }
}

SEPARATE static void take_part(void)
{
    double result[2] = {DONE, 0}, copy[GENES];
    int number;

    for (;;) {
        MPI_Send(result, 2, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (number == DONE)
            return;
        memcpy(copy, genes[number], sizeof copy);
        result[0] = number;
        result[1] = evaluate(copy);
    }
}

static int best_of(int n)
{
    int best = (int)(draw(&state) * POPULATION);
    for (int i = 1; i < n; i++) {
        int other = (int)(draw(&state) * POPULATION);
        best = fitness[other] < fitness[best] ? other : best;
    }
    return best;
}

SEPARATE static void breed(void)
{
    for (int i = 0; i < POPULATION; i++) {
        const double *mother = genes[best_of(3)], *father = genes[best_of(3)];
        for (int k = 0; k < GENES; k++) {
            children[i][k] = draw(&state) < 0.5 ? mother[k] : father[k];
            if (draw(&state) < 0.1)
                children[i][k] += draw(&state) - 0.5;
        }
    }
    memcpy(genes, children, sizeof genes);
}

static double best_fitness(void)
{
    double best = fitness[0];
    for (int i = 1; i < POPULATION; i++)
        best = fmin(best, fitness[i]);
    return best;
}

int main(int argc, char **argv)
{
    double best = 0;

    start(&argc, &argv);
    int generations = argument(argc, argv, 700);
    for (int i = 0; i < POPULATION; i++)
        for (int k = 0; k < GENES; k++)
            genes[i][k] = 10 * draw(&state) - 5;
    for (int i = 0; i < generations; i++) {
        MPI_Bcast(genes, POPULATION * GENES, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (rank)
            take_part();
        else
            hand_out();
        best = rank ? 0 : best_fitness();
        if (i % 20 == 0)
            MPI_Bcast(&best, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (rank == 0)
            breed();
    }
    if (rank == 0)
        printf("%d generations, best %.6f\n", generations, best);
    return finish(generations, 0);
}
