/* SPDX-License-Identifier: BSD-3-Clause */
/* A benchmark of conjugate gradients with a multigrid preconditioner: phases of tests, and then sets
 * of iterations that are timed.
 *
 * usage: cgsets [SETS]
 *
 * The main loop are the iterations, 50 in each set and 50 before the sets, to see that it converges. Before
 * all that are 10 products and preconditioners alone, and 50 iterations of a function that is the
 * same but for its name, the reference. */
#include "programs.h"

enum { SIDE = 32, LAYERS = 16, LEVELS = 3, N = SIDE * SIDE * LAYERS, ITERATIONS = 50, CALLS = 10 };

/* A level: vectors have a layer below and one above the own ones. */
static struct level {
    int side, layers;
    double x[N + 2 * SIDE * SIDE], r[N], ax[N];
} levels[LEVELS];

static double b[N], x[N + 2 * SIDE * SIDE], p[N + 2 * SIDE * SIDE], z[N + 2 * SIDE * SIDE], r[N], ap[N];
static int iterations;

SEPARATE static void exchange_halo(const struct level *l, double *v)
{
    int plane = l->side * l->side, n = plane * l->layers, count = 0;
    MPI_Request requests[2];

    for (int other = rank - 1; other <= rank + 1; other += 2)
        if (other >= 0 && other < ranks)
            MPI_Irecv(other < rank ? v : v + plane + n, plane, MPI_DOUBLE, other, 99, MPI_COMM_WORLD,
                      &requests[count++]);
    for (int other = rank - 1; other <= rank + 1; other += 2)
        if (other >= 0 && other < ranks)
            MPI_Send(other < rank ? v + plane : v + n, plane, MPI_DOUBLE, other, 99, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

/* What the neighbours of point I have, of a vector with its halo. */
static double around(const struct level *l, const double *v, int i)
{
    int side = l->side, plane = side * side, column = i % side, row = i / side % side;
    const double *at = v + plane + i;

    return at[-plane] + at[plane] + (column ? at[-1] : 0) + (column < side - 1 ? at[1] : 0) +
           (row ? at[-side] : 0) + (row < side - 1 ? at[side] : 0);
}

SEPARATE static void spmv(const struct level *l, double *v, double *y)
{
    int n = l->side * l->side * l->layers;

    exchange_halo(l, v);
    for (int i = 0; i < n; i++)
        y[i] = 6.02 * v[l->side * l->side + i] - around(l, v, i);
}

SEPARATE static void symgs(const struct level *l, const double *right, double *v)
{
    int plane = l->side * l->side, n = plane * l->layers;

    exchange_halo(l, v);
    for (int i = 0; i < n; i++)
        v[plane + i] = (right[i] + around(l, v, i)) / 6.02;
    for (int i = n - 1; i >= 0; i--)
        v[plane + i] = (right[i] + around(l, v, i)) / 6.02;
}

static int fine_of(const struct level *l, int i)
{
    int side = l->side;
    return 2 * (i % side) + 2 * side * (2 * (i / side % side)) + 4 * side * side * (2 * (i / side / side));
}

static void mg(int k, const double *right, double *v)
{
    struct level *l = &levels[k], *coarse = l + 1;
    int plane = l->side * l->side;

    memset(v, 0, (plane * l->layers + 2 * plane) * sizeof *v);
    symgs(l, right, v);
    if (k == LEVELS - 1)
        return;
    spmv(l, v, l->ax);
    int n = coarse->side * coarse->side * coarse->layers;
    for (int i = 0; i < n; i++)
        coarse->r[i] = right[fine_of(coarse, i)] - l->ax[fine_of(coarse, i)];
    mg(k + 1, coarse->r, coarse->x);
    for (int i = 0; i < n; i++)
        v[plane + fine_of(coarse, i)] += coarse->x[coarse->side * coarse->side + i];
    symgs(l, right, v);
}

SEPARATE static double dot(const double *a, const double *c)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * c[i];
    return sum_of_all(sum, MPI_COMM_WORLD);
}

static void begin(void)
{
    memset(x, 0, sizeof x);
    memcpy(p, x, sizeof p);
    spmv(&levels[0], p, ap);
    for (int i = 0; i < N; i++)
        r[i] = b[i] - ap[i];
}

static void add(double *y, double a, const double *v, double c)
{
    for (int i = 0; i < N; i++)
        y[i] = c * y[i] + a * v[i];
}

/* The residual after so many iterations, in parts of the first one. */
SEPARATE static double cg_reference(int most, double limit)
{
    double *own = p + SIDE * SIDE, rz = 1, size = 0;

    begin();
    double first = sqrt(dot(r, r));
    for (int k = 1; k <= most && (k == 1 || size > limit * first); k++) {
        mg(0, r, z);
        double before = rz;
        rz = dot(r, z + SIDE * SIDE);
        add(own, 1, z + SIDE * SIDE, k == 1 ? 0 : rz / before);
        spmv(&levels[0], p, ap);
        double alpha = rz / dot(own, ap);
        add(x + SIDE * SIDE, alpha, own, 1);
        add(r, -alpha, ap, 1);
        size = sqrt(dot(r, r));
    }
    return size / first;
}

SEPARATE static double cg(int most, double limit)
{
    double *own = p + SIDE * SIDE, rz = 1, size = 0;

    begin();
    double first = sqrt(dot(r, r));
    for (int k = 1; k <= most && (k == 1 || size > limit * first); k++) {
        mg(0, r, z);
        double before = rz;
        rz = dot(r, z + SIDE * SIDE);
        add(own, 1, z + SIDE * SIDE, k == 1 ? 0 : rz / before);
        spmv(&levels[0], p, ap);
        double alpha = rz / dot(own, ap);
        add(x + SIDE * SIDE, alpha, own, 1);
        add(r, -alpha, ap, 1);
        size = sqrt(dot(r, r));
        iterations++;
    }
    return size / first;
}

static void time_kernels(void)
{
    for (int i = 0; i < CALLS; i++) {
        spmv(&levels[0], x, ap);
        mg(0, ap, z);
    }
}

int main(int argc, char **argv)
{
    double sum = 0;

    start(&argc, &argv);
    int sets = argument(argc, argv, 12);
    for (int k = 0; k < LEVELS; k++) {
        levels[k].side = SIDE >> k;
        levels[k].layers = LAYERS >> k;
    }
    for (int i = 0; i < N; i++)
        x[SIDE * SIDE + i] = b[i] = 1 + sin(0.01 * i + rank);
    time_kernels();
    double reference = cg_reference(ITERATIONS, 0), own = cg(ITERATIONS, 0);
    for (int i = 0; i < sets; i++)
        sum += cg(ITERATIONS, 0);
    double mean = sum_of_all(sum / sets, MPI_COMM_WORLD) / ranks;
    if (rank == 0)
        printf("%d iterations, residual %.3e, %.3e, mean of sets %.3e\n", iterations, reference, own, mean);
    return finish(iterations, sets);
}
