/* SPDX-License-Identifier: BSD-3-Clause */
/* An unsteady flow on a grid of several blocks, implicit in time: each time step is a steady problem of its
 * own, which goes on in pseudo-time until little changes.
 *
 * usage: multiblock [STEPS]
 *
 * The main loop are the time steps. A pseudo-time step has three stages, and before each of them the blocks
 * exchange what is on their edges, interface after interface in the same order on all ranks. After each time
 * step there are forces, and now and then a picture. */
#include "programs.h"

enum { BLOCKS_X = 4, BLOCKS_Y = 2, BLOCKS = BLOCKS_X * BLOCKS_Y, LARGEST = 64, HEIGHT = 40, VARS = 3 };
enum { INTERFACES = 2 * BLOCKS, MOST = 20, PICTURE = 25 };

typedef struct {
    int owner, n;
    double now[VARS][HEIGHT + 2][LARGEST + 2];
    double before[2][VARS][HEIGHT][LARGEST];
    double start[VARS][HEIGHT][LARGEST];
} Block;

static Block *blocks[BLOCKS];
static int owners[BLOCKS], lengths[BLOCKS], interfaces[INTERFACES][3];
static const double dt = 0.4, weights[3] = {0.33, 0.5, 1};

static void make_blocks(void)
{
    for (int b = 0; b < BLOCKS; b++) {
        owners[b] = b * ranks / BLOCKS;
        lengths[b] = 40 + 8 * (b % BLOCKS_X % 4);
        if (owners[b] == rank)
            blocks[b] = calloc(1, sizeof(Block));
    }
    for (int k = 0; k < INTERFACES; k++) {
        int a = k / 2, x = a % BLOCKS_X, y = a / BLOCKS_X, is_upright = k % 2 == 0;
        int b = is_upright ? y * BLOCKS_X + (x + 1) % BLOCKS_X : (y + 1) % BLOCKS_Y * BLOCKS_X + x;
        interfaces[k][0] = a;
        interfaces[k][1] = b;
        interfaces[k][2] = is_upright;
    }
}

/* Copies the last (LAST) or first line of a block to EDGE, or from it to the line beside it. */
static int copy_edge(Block *b, int n, int upright, int last, double *edge, int is_out)
{
    int size = upright ? HEIGHT : n, beside = !is_out, used = 0;

    for (int v = 0; v < VARS; v++)
        for (int k = 1; k <= size; k++) {
            int line = last ? (upright ? n : HEIGHT) + beside : 1 - beside;
            double *value = upright ? &b->now[v][k][line] : &b->now[v][line][k];
            if (is_out)
                edge[used++] = *value;
            else
                *value = edge[used++];
        }
    return used;
}

SEPARATE static void join(int k)
{
    static double out[VARS * LARGEST], in[VARS * LARGEST];
    int a = interfaces[k][0], b = interfaces[k][1], upright = interfaces[k][2];
    int is_first = owners[a] == rank, self = is_first ? a : b, other = is_first ? owners[b] : owners[a];
    int size = copy_edge(blocks[self], lengths[self], upright, is_first, out, 1);

    if (is_first) {
        MPI_Send(out, size, MPI_DOUBLE, other, k, MPI_COMM_WORLD);
        MPI_Recv(in, size, MPI_DOUBLE, other, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in, size, MPI_DOUBLE, other, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, size, MPI_DOUBLE, other, k, MPI_COMM_WORLD);
    }
    copy_edge(blocks[self], lengths[self], upright, is_first, in, 0);
}

static void join_here(int k)
{
    static double edge[VARS * LARGEST];
    int a = interfaces[k][0], b = interfaces[k][1], upright = interfaces[k][2];

    copy_edge(blocks[a], lengths[a], upright, 1, edge, 1);
    copy_edge(blocks[b], lengths[b], upright, 0, edge, 0);
    copy_edge(blocks[b], lengths[b], upright, 0, edge, 1);
    copy_edge(blocks[a], lengths[a], upright, 1, edge, 0);
}

static void exchange(void)
{
    for (int k = 0; k < INTERFACES; k++) {
        int here = (owners[interfaces[k][0]] == rank) + (owners[interfaces[k][1]] == rank);
        if (here == 2)
            join_here(k);
        else if (here == 1)
            join(k);
    }
}

static double residual(Block *b, int v, int j, int i, int step)
{
    double(*w)[LARGEST + 2] = b->now[v];
    double x = b->now[1][j][i], y = b->now[2][j][i], was = b->before[0][v][j - 1][i - 1];
    double flow = (0.3 + x) * (w[j][i + 1] - w[j][i - 1]) / 2 + y * (w[j + 1][i] - w[j - 1][i]) / 2;
    double spread = w[j][i + 1] + w[j][i - 1] + w[j + 1][i] + w[j - 1][i] - 4 * w[j][i];
    double change = (1.5 * w[j][i] - 2 * was + 0.5 * b->before[1][v][j - 1][i - 1]) / dt;
    double stir = v && i % 16 == 3 && j % 16 == 5 ? 0.1 * sin(0.15 * step + v + j) : 0;

    return -change - flow + 0.4 * spread + stir - 0.01 * w[j][i];
}

/* The sum of squares of what changes. */
static double run_stage(Block *b, int n, double weight, int step)
{
    static double change[VARS][HEIGHT][LARGEST];
    double sum = 0;

    for (int v = 0; v < VARS; v++)
        for (int j = 1; j <= HEIGHT; j++)
            for (int i = 1; i <= n; i++) {
                double r = residual(b, v, j, i, step);
                change[v][j - 1][i - 1] = 0.18 * weight * r;
                sum += r * r;
            }
    for (int v = 0; v < VARS; v++)
        for (int j = 0; j < HEIGHT; j++)
            for (int i = 0; i < n; i++)
                b->now[v][j + 1][i + 1] = b->start[v][j][i] + change[v][j][i];
    return sum;
}

static void keep(Block *b, double (*to)[HEIGHT][LARGEST])
{
    for (int v = 0; v < VARS; v++)
        for (int j = 0; j < HEIGHT; j++)
            memcpy(to[v][j], &b->now[v][j + 1][1], sizeof(double) * LARGEST);
}

SEPARATE static double iterate(int step)
{
    double sum = 0;

    for (int b = 0; b < BLOCKS; b++)
        if (blocks[b])
            keep(blocks[b], blocks[b]->start);
    for (int stage = 0; stage < 3; stage++) {
        exchange();
        for (int b = 0; b < BLOCKS; b++)
            if (blocks[b])
                sum += stage ? run_stage(blocks[b], lengths[b], weights[stage], step) * 0
                             : run_stage(blocks[b], lengths[b], weights[0], step);
    }
    return sqrt(sum_of_all(sum, MPI_COMM_WORLD));
}

static int advance(int step)
{
    double first = 0, now;
    int k = 0;

    do {
        now = iterate(step);
        first = k ? first : now;
    } while (++k < MOST && now > 0.02 * first);
    for (int b = 0; b < BLOCKS; b++)
        if (blocks[b]) {
            memcpy(blocks[b]->before[1], blocks[b]->before[0], sizeof blocks[b]->before[0]);
            keep(blocks[b], blocks[b]->before[0]);
        }
    return k;
}

/* On rank 0. */
static double find_forces(void)
{
    double mine[2] = {0, 0}, all[2] = {0, 0};

    for (int b = 0; b < BLOCKS; b++)
        for (int i = 1; i <= lengths[b] && blocks[b]; i++) {
            mine[0] += blocks[b]->now[1][1][i];
            mine[1] += blocks[b]->now[2][1][i] * blocks[b]->now[2][1][i];
        }
    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sqrt(all[0] * all[0] + all[1]);
}

/* Block after block comes to rank 0. */
static double take_picture(void)
{
    static double got[HEIGHT + 2][LARGEST + 2];
    double most = 0;

    for (int b = 0; b < BLOCKS; b++) {
        if (rank != 0 && blocks[b])
            MPI_Send(blocks[b]->now[1], sizeof got / sizeof(double), MPI_DOUBLE, 0, 90 + b, MPI_COMM_WORLD);
        if (rank != 0)
            continue;
        if (blocks[b])
            memcpy(got, blocks[b]->now[1], sizeof got);
        else
            MPI_Recv(got, sizeof got / sizeof(double), MPI_DOUBLE, owners[b], 90 + b, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 1; i <= lengths[b]; i++)
            most = fmax(most, fabs(got[HEIGHT / 2][i]));
    }
    return most;
}

int main(int argc, char **argv)
{
    int iterations = 0;

    start(&argc, &argv);
    int steps = argument(argc, argv, 150);
    make_blocks();
    for (int step = 1; step <= steps; step++) {
        iterations += advance(step);
        double forces = find_forces();
        if (step % PICTURE)
            continue;
        double most = take_picture();
        if (rank == 0)
            printf("%d: %d iterations, forces %.6f, at most %.6f\n", step, iterations, forces, most);
    }
    return finish(steps, 0);
}
