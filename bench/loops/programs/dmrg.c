/* SPDX-License-Identifier: BSD-3-Clause */
/* The ground state of a chain of sites by a tensor network: pairs of sites are made better one
 * after the other, from left to right and back.
 *
 * usage: dmrg [SWEEPS]
 *
 * The main loop are the sweeps, each 22 pairs forth and 22 back. A pair is some iterations for its
 * least eigenvalue (each a product of rows of all ranks, which are gathered, and sums), then a
 * decomposition on rank 0 and new blocks of what is left or right. Sweeps get larger and more exact. */
#include "programs.h"

enum { SITES = 23, PAIRS = SITES - 1, TERMS = 5, MOST = 32, MOST_LOCAL = 7 };

typedef double matrix[MOST * MOST];

static matrix left[SITES + 1][TERMS], right[SITES + 1][TERMS], state[SITES];
static int size, rows, first; /* of the matrices now; of this rank */
static int locals;

/* TO = A B of those rows of A that are given. */
static void multiply(double *to, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < size; j++) {
            double sum = 0;
            for (int k = 0; k < size; k++)
                sum += a[i * MOST + k] * b[k * MOST + j];
            to[i * MOST + j] = sum;
        }
}

static double dot(const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < size; j++)
            sum += a[(first + i) * MOST + j] * b[(first + i) * MOST + j];
    return sum_of_all(sum, MPI_COMM_WORLD);
}

/* Own rows to all. */
SEPARATE static void gather_rows(double *x)
{
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, rows * MOST, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* The rows of this rank of H X. */
SEPARATE static void apply(int pair, const double *x, double *y)
{
    static matrix half, part;

    memset(y + first * MOST, 0, rows * MOST * sizeof(double));
    for (int t = 0; t < TERMS; t++) {
        multiply(half, left[pair][t] + first * MOST, x, rows);
        multiply(part, half, right[pair + 2][t], rows);
        for (int i = 0; i < rows * MOST; i++)
            y[first * MOST + i] += part[i];
    }
}

static void scale(double *x, double factor)
{
    for (int i = 0; i < rows * MOST; i++)
        x[first * MOST + i] *= factor;
}

/* Down the gradient until the residual is below LIMIT: the least eigenvalue of a pair. */
SEPARATE static double improve(int pair, double limit)
{
    static matrix y;
    double *x = state[pair], value = 0;

    scale(x, 1 / sqrt(dot(x, x)));
    for (int k = 0; k < MOST_LOCAL; k++, locals++) {
        gather_rows(x);
        apply(pair, x, y);
        value = dot(x, y);
        double length = dot(y, y), residual = sqrt(fmax(0, length - value * value));
        for (int i = 0; i < rows * MOST; i++)
            x[first * MOST + i] -= 0.15 * (y[first * MOST + i] - value * x[first * MOST + i]);
        scale(x, 1 / sqrt(dot(x, x)));
        if (residual < limit)
            break;
    }
    gather_rows(x);
    return value;
}

/* On rank 0: columns made orthogonal. What was cut off. */
SEPARATE static double decompose(double *x)
{
    double cut = 0;

    for (int j = 0; rank == 0 && j < size; j++) {
        double sum = 0;
        for (int i = 0; i < size; i++)
            sum += x[i * MOST + j] * x[i * MOST + j];
        cut += sum < 1e-6 ? sum : 0;
        for (int i = 0; i < size; i++)
            x[i * MOST + j] = sum < 1e-6 ? x[i * MOST + j] + 1e-4 : x[i * MOST + j];
    }
    MPI_Bcast(x, size * MOST, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&cut, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return cut;
}

/* The block TO from the one beside it, FROM, and the site between; terms are shared out. */
SEPARATE static void move_block(matrix *to, matrix *from, const double *x)
{
    static matrix half;

    for (int t = 0; t < TERMS; t++) {
        if (t % ranks == rank) {
            multiply(half, from[t], x, size);
            for (int i = 0; i < size; i++)
                for (int j = 0; j < size; j++)
                    to[t][i * MOST + j] = 0.7 * from[t][i * MOST + j] +
                                          0.05 * (half[i * MOST + j] + half[j * MOST + i]) + (i == j) * 0.1;
        }
        MPI_Bcast(to[t], size * MOST, MPI_DOUBLE, t % ranks, MPI_COMM_WORLD);
    }
}

SEPARATE static double sweep(double limit, double *cut)
{
    double energy = 0;

    for (int pair = 0; pair < PAIRS; pair++) {
        energy += improve(pair, limit);
        *cut += decompose(state[pair]);
        move_block(left[pair + 1], left[pair], state[pair]);
    }
    for (int pair = PAIRS - 1; pair >= 0; pair--) {
        energy += improve(pair, limit);
        *cut += decompose(state[pair]);
        move_block(right[pair + 1], right[pair + 2], state[pair]);
    }
    return energy / (2 * PAIRS);
}

static void set_size(int to)
{
    size = to;
    rows = size / ranks;
    first = rank * rows;
}

SEPARATE static void prepare(void)
{
    uint64_t random = 9;

    for (int s = 0; s <= SITES; s++)
        for (int t = 0; t < TERMS; t++)
            for (int i = 0; i < MOST * MOST; i++) {
                int near = abs(i / MOST - i % MOST) < 3;
                left[s][t][i] = right[s][t][i] = near ? 0.3 * cos(i / MOST * (i % MOST) + t + 0.1 * s) : 0;
            }
    for (int s = 0; s < SITES; s++)
        for (int i = 0; i < MOST * MOST; i++)
            state[s][i] = draw(&random) - 0.5;
}

/* Correlations along the chain, in the end. */
SEPARATE static double correlate(void)
{
    double sum = 0, part = 0, all;

    for (int s = 0; s < PAIRS; s++) {
        for (int i = first; i < first + rows; i++)
            part += state[s][i * MOST + i % size] * state[PAIRS / 2][i * MOST];
        MPI_Reduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        sum += all;
    }
    return sum;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int sweeps = argument(argc, argv, 20);
    prepare();
    for (int s = 0; s < sweeps; s++) {
        double cut = 0;
        set_size(s < 4 ? 16 : s < 8 ? 24 : MOST);
        double energy = sweep(s < 8 ? 0.05 : 0.01, &cut);
        if (rank == 0 && s % 5 == 0)
            printf("sweep %d: energy %.6f, cut %.1e\n", s, energy, cut);
    }
    double correlation = correlate();
    if (rank == 0)
        printf("%d sweeps, %d iterations in pairs, correlation %.4f\n", sweeps, locals, correlation);
    return finish(sweeps, 0);
}
