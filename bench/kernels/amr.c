/* SPDX-License-Identifier: BSD-3-Clause */
/* An adaptive mesh: patches on 4 levels, of which each steps twice for a step of the coarser
 * one, and whose owners change.
 *
 * usage: amr [STEPS [CELLS]]: 100 steps, patches of 8 x 8 cells
 *
 * A step of a level exchanges the edges of patches that different ranks own, by Irecv, Isend
 * and Waitall, as many as there are just then. Every 10 steps the ranks compare their loads,
 * and a random part of the finer patches moves to other ranks; so who is whose neighbour, and
 * how often, changes at random. */
#include <string.h>

#include "../../tests/programs/program.h"

enum { LEVELS = 4, MOST_SIDE = 10, MOST_CELLS = 64, MOST = MOST_SIDE * MOST_SIDE, REGRID = 10 };

static const int side[LEVELS] = {4, 6, 8, MOST_SIDE}; /* patches in a row */

static int owner[LEVELS][MOST], cells;
static double patch[LEVELS][MOST][MOST_CELLS][MOST_CELLS], edge[MOST][4][MOST_CELLS];
static unsigned state = 1; /* the same on all ranks */

/* The patch beside number AT of LEVEL, to the left, right, down, up; round the edges. */
static int beside(int level, int at, int direction)
{
    int n = side[level], x = at % n, y = at / n;
    x += direction < 2 ? 2 * direction - 1 : 0;
    y += direction < 2 ? 0 : 2 * direction - 5;
    return (y + n) % n * n + (x + n) % n;
}

static void exchange(const struct program *p, int level)
{
    static MPI_Request requests[8 * MOST];
    int count = 0, patches = side[level] * side[level];

    for (int i = 0; i < patches; i++)
        for (int d = 0; d < 4 && owner[level][i] == p->rank; d++) {
            int from = owner[level][beside(level, i, d)];
            if (from != p->rank)
                MPI_Irecv(edge[i][d], cells, MPI_DOUBLE, from, 4 * i + d, MPI_COMM_WORLD, &requests[count++]);
        }
    for (int i = 0; i < patches; i++)
        for (int d = 0; d < 4 && owner[level][i] == p->rank; d++) {
            int other = beside(level, i, d), to = owner[level][other];
            if (to != p->rank) /* what is to my right has me on its left */
                MPI_Isend(patch[level][i][d % 2 ? cells - 1 : 0], cells, MPI_DOUBLE, to, 4 * other + (d ^ 1),
                          MPI_COMM_WORLD, &requests[count++]);
        }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void compute(const struct program *p, int level)
{
    for (int i = 0; i < side[level] * side[level]; i++) {
        double(*u)[MOST_CELLS] = patch[level][i];
        for (int x = 0; x < cells && owner[level][i] == p->rank; x++)
            for (int y = 0; y < cells; y++)
                u[x][y] = 0.6 * u[x][y] + 0.2 * u[x][y ? y - 1 : cells - 1] +
                          0.2 * u[x ? x - 1 : cells - 1][y] + 0.001 * edge[i][y & 3][x];
    }
}

static void advance(const struct program *p, int level)
{
    exchange(p, level);
    compute(p, level);
    for (int half = 0; half < 2 && level + 1 < LEVELS; half++)
        advance(p, level + 1);
}

static void move(const struct program *p, int level, int i, int to)
{
    int from = owner[level][i], size = MOST_CELLS * cells;

    owner[level][i] = to;
    if (from == to)
        return;
    if (from == p->rank)
        MPI_Send(patch[level][i], size, MPI_DOUBLE, to, i, MPI_COMM_WORLD);
    if (to == p->rank)
        MPI_Recv(patch[level][i], size, MPI_DOUBLE, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void regrid(const struct program *p, int *loads)
{
    int load = 0;

    for (int level = 0; level < LEVELS; level++)
        for (int i = 0; i < side[level] * side[level]; i++)
            load += owner[level][i] == p->rank;
    MPI_Allgather(&load, 1, MPI_INT, loads, 1, MPI_INT, MPI_COMM_WORLD);
    for (int level = 1; level < LEVELS; level++)
        for (int i = 0; i < side[level] * side[level]; i++)
            if (program_draw(&state) % 20 == 0)
                move(p, level, i, (int)(program_draw(&state) % (unsigned)p->size));
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 100, 8);
    int *loads = calloc((size_t)p.size, sizeof *loads);

    cells = p.microseconds < MOST_CELLS ? p.microseconds : MOST_CELLS;
    for (int level = 0; level < LEVELS; level++)
        for (int i = 0; i < side[level] * side[level]; i++)
            owner[level][i] = i * p.size / (side[level] * side[level]);
    for (int step = 0; step < p.iterations; step++) {
        double mine = patch[0][p.rank % 16][0][0], most;
        advance(&p, 0);
        MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (step % REGRID == REGRID - 1)
            regrid(&p, loads);
    }
    free(loads);
    return program_end(&p, "steps");
}
