/* SPDX-License-Identifier: BSD-3-Clause */
/* Electrons in a crystal, with the k-points shared out to two pools of ranks.
 *
 * usage: pools [CYCLES]
 *
 * The main loop are the self-consistency cycles. In each, the pools diagonalise 5 and 4 k-points, by
 * an inner iteration of 4 to 10 rounds with transposed transforms; all calls in it are those of a
 * pool. So the pools go round it unequally often, before the densities of both are added. */
#include "programs.h"

enum { N = 8000, SMALL = 64 };

static MPI_Comm pool, partners;
static double psi[N], h_psi[N], density[N];

static void transpose(const double *from, double *to)
{
    int count;
    MPI_Comm_size(pool, &count);
    MPI_Alltoall(from, N / count, MPI_DOUBLE, to, N / count, MPI_DOUBLE, pool);
}

static void apply_hamiltonian(void)
{
    transpose(psi, h_psi);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < N; i++)
            h_psi[i] = 0.9 * h_psi[i] + 0.05 * cos(h_psi[i] + density[i]);
    transpose(h_psi, psi);
}

static void solve_small(double *matrix)
{
    MPI_Allreduce(MPI_IN_PLACE, matrix, SMALL, MPI_DOUBLE, MPI_SUM, pool);
    MPI_Bcast(matrix, SMALL, MPI_DOUBLE, 0, pool);
}

SEPARATE static void diagonalise(int point, int cycle)
{
    double matrix[SMALL] = {0};
    int rounds = 4 + (3 * point + 5 * cycle) % 7;

    for (int i = 0; i < rounds; i++) {
        apply_hamiltonian();
        for (int k = 0; k < N; k++)
            matrix[k % SMALL] += psi[k];
        solve_small(matrix);
    }
}

static double mix(void)
{
    double energy = 0;

    MPI_Allreduce(MPI_IN_PLACE, density, N, MPI_DOUBLE, MPI_SUM, partners);
    for (int i = 0; i < N; i++)
        energy += density[i];
    energy = sum_of_all(energy, pool);
    MPI_Bcast(&energy, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return energy;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int cycles = argument(argc, argv, 120), points = rank < ranks / 2 ? 5 : 4;
    double energy = 0;

    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, rank, &pool);
    MPI_Comm_split(MPI_COMM_WORLD, rank % (ranks / 2), rank, &partners);
    for (int i = 0; i < N; i++)
        psi[i] = sin(i + rank);
    for (int cycle = 1; cycle <= cycles; cycle++) {
        for (int i = 0; i < N; i++)
            density[i] *= 0.3;
        for (int point = 0; point < points; point++) {
            diagonalise(point, cycle);
            for (int i = 0; i < N; i++)
                density[i] += psi[i] * psi[i] / points;
        }
        energy = mix();
    }
    if (rank == 0)
        printf("energy %.6e\n", energy);
    MPI_Comm_free(&partners);
    MPI_Comm_free(&pool);
    return finish(cycles, 0);
}
