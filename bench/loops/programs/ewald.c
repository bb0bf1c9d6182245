/* SPDX-License-Identifier: BSD-3-Clause */
/* Molecular dynamics with constraints and a mesh for the long-range part.
 *
 * usage: ewald [STEPS]
 *
 * The main loop are the time steps. All positions are on all ranks. The mesh, a transposed
 * transform forth and back, is done in each second step; bonds are put right until none is off.
 */
#include "programs.h"

enum { ATOMS = 960, MESH = 32, LEVELS = 3 };

static const double BOX = 10, DT = 0.002;
static double all[ATOMS][LEVELS], v[ATOMS][LEVELS], f[ATOMS][LEVELS], old[ATOMS][LEVELS];
static double mesh[MESH][MESH], lines[MESH][MESH], waves[MESH][MESH];
static int first, last;

SEPARATE static void share_positions(void)
{
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, LEVELS * (last - first), MPI_DOUBLE,
                  MPI_COMM_WORLD);
}

SEPARATE static double short_range(void)
{
    double energy = 0;

    for (int i = first; i < last; i++)
        for (int j = 0; j < ATOMS; j++) {
            double d[LEVELS], r2 = 0;
            for (int k = 0; k < LEVELS; k++) {
                d[k] = all[i][k] - all[j][k];
                d[k] -= BOX * (d[k] > BOX / 2) - BOX * (d[k] < -BOX / 2);
                r2 += d[k] * d[k];
            }
            if (r2 > 1 || i == j)
                continue;
            for (int k = 0; k < LEVELS; k++)
                f[i][k] += 20 * (1 - r2) * d[k];
            energy += 5 * (1 - r2) * (1 - r2);
        }
    return energy;
}

static void spread_charges(void)
{
    memset(mesh, 0, sizeof mesh);
    for (int i = first; i < last; i++) {
        int row = (int)(all[i][0] * MESH / BOX) & (MESH - 1);
        mesh[row][(int)(all[i][1] * MESH / BOX) & (MESH - 1)] += i & 1 ? 1 : -1;
    }
}

static void transform_lines(int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < MESH; k++) {
            waves[i][k] = 0;
            for (int j = 0; j < MESH; j++)
                waves[i][k] += lines[i][j] * cos(M_PI / MESH * (j + 0.5) * k);
        }
    memcpy(lines, waves, sizeof lines);
}

SEPARATE static void transpose(int n)
{
    double out[MESH * MESH], in[MESH * MESH];

    for (int to = 0, at = 0; to < ranks; to++)
        for (int j = to * n; j < (to + 1) * n; j++)
            for (int i = 0; i < n; i++)
                out[at++] = lines[i][j];
    MPI_Alltoall(out, n * n, MPI_DOUBLE, in, n * n, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int from = 0, at = 0; from < ranks; from++)
        for (int j = 0; j < n; j++)
            for (int i = from * n; i < (from + 1) * n; i++)
                lines[j][i] = in[at++];
}

SEPARATE static double long_range(void)
{
    int n = MESH / ranks;
    double energy = 0;

    spread_charges();
    MPI_Reduce_scatter_block(mesh, lines, n * MESH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    transform_lines(n);
    transpose(n);
    transform_lines(n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < MESH; k++) {
            double wave = (i + rank * n) * (i + rank * n) + k * k + 1;
            energy += lines[i][k] * lines[i][k] / wave;
            lines[i][k] *= 1e-4 / wave;
        }
    transform_lines(n);
    transpose(n);
    transform_lines(n);
    MPI_Allgather(lines, n * MESH, MPI_DOUBLE, mesh, n * MESH, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = first; i < last; i++)
        f[i][0] += (i & 1 ? 1e-3 : -1e-3) *
                   mesh[(int)(all[i][0] * MESH / BOX) & (MESH - 1)][(int)all[i][1] & (MESH - 1)];
    return energy;
}

static void move_atoms(void)
{
    memcpy(old, all, sizeof old);
    for (int i = first; i < last; i++)
        for (int k = 0; k < LEVELS; k++) {
            v[i][k] += DT * f[i][k];
            all[i][k] += DT * v[i][k];
            all[i][k] -= BOX * floor(all[i][k] / BOX);
            f[i][k] = 0;
        }
}

/* Atoms 2i and 2i + 1 are a distance of 0.3 apart in the third direction: the largest error
 * left. */
static double put_bonds_right(void)
{
    double worst = 0;

    for (int i = first; i < last; i += 2) {
        double d = all[i + 1][2] - all[i][2], error = d - BOX * rint(d / BOX) - 0.3;
        all[i][2] += 0.4 * error;
        all[i + 1][2] -= 0.4 * error;
        worst = fmax(worst, fabs(error));
    }
    return worst;
}

SEPARATE static void constrain(void)
{
    while (most_of_all(put_bonds_right(), MPI_COMM_WORLD) > 1e-4)
        ;
}

static double run(int steps)
{
    double total = 0, slow = 0;

    for (int step = 1; step <= steps; step++) {
        double fast = short_range();
        if (step % 2 == 0)
            slow = long_range();
        move_atoms();
        constrain();
        share_positions();
        if (step % 20 == 0)
            total = sum_of_all(fast + slow, MPI_COMM_WORLD);
    }
    return total;
}

int main(int argc, char **argv)
{
    uint64_t state = 3;

    start(&argc, &argv);
    int steps = argument(argc, argv, 400);
    first = rank * ATOMS / ranks;
    last = (rank + 1) * ATOMS / ranks;
    for (int i = 0; i < ATOMS; i++)
        for (int k = 0; k < LEVELS; k++) {
            all[i][k] = i % 2 ? all[i - 1][k] + (k == 2 ? 0.3 : 0) : (BOX - 1) * draw(&state);
            v[i][k] = draw(&state) - 0.5;
        }
    MPI_Bcast(all, ATOMS * LEVELS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    double energy = run(steps);
    if (rank == 0)
        printf("%d steps, energy %.4g\n", steps, energy);
    return finish(steps, 0);
}
