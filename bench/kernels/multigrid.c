/* SPDX-License-Identifier: BSD-3-Clause */
/* Algebraic multigrid: conjugate gradients with V-cycles, whose coarse levels have more
 * neighbours than the fine ones, and are set up anew now and then.
 *
 * usage: multigrid [STEPS [CELLS]]: 100 steps, 16 x 16 cells a rank, a power of two
 *
 * A step solves (4 + shift) x - neighbours of x = b, with another shift and b each time, so
 * that the number of iterations changes, between some 3 and 12. Every 20 steps the levels are
 * set up: how many there are, and how far their neighbours are on the coarse ones, is random.
 */
#include <math.h>
#include <string.h>

#include "../../tests/programs/program.h"

enum { LEVELS = 7, MOST = 64, SETUP = 20, MOST_ITERATIONS = 30 };

typedef double field[MOST + 2][MOST + 2]; /* with the edges of the ranks around */

static struct level {
    int cells, reach; /* REACH: of its neighbours, 0 is those of the four sides only */
    field u, f;
} levels[LEVELS];

static struct program p;
static int dims[2], me[2], level_count;
static MPI_Comm comm;
static double shift;
static unsigned state = 1; /* the same on all ranks */

static int rank_at(int x, int y)
{
    int at[2] = {me[0] + x, me[1] + y}, rank;
    if (at[0] < 0 || at[1] < 0 || at[0] >= dims[0] || at[1] >= dims[1])
        return MPI_PROC_NULL;
    MPI_Cart_rank(comm, at, &rank);
    return rank;
}

static void pack(field u, int n, int x, int y, double *to)
{
    for (int i = 1; i <= n; i++)
        to[i - 1] = x ? u[x < 0 ? 1 : n][i] : u[i][y < 0 ? 1 : n];
}

static void unpack(field u, int n, int x, int y, const double *from)
{
    for (int i = 1; i <= n; i++) {
        if (x)
            u[x < 0 ? 0 : n + 1][i] = from[i - 1];
        else
            u[i][y < 0 ? 0 : n + 1] = from[i - 1];
    }
}

/* With all ranks in reach, of which those of the four sides matter. */
static void exchange(const struct level *level, field u)
{
    static double in[25][MOST], out[25][MOST];
    MPI_Request requests[50];
    int around[25][2], rank[25], count = 0, n = level->cells, reach = level->reach;

    for (int x = -2; x <= 2; x++)
        for (int y = -2; y <= 2; y++) {
            int distance = x * x + y * y, is_near = distance == 1;
            if (!is_near && (!distance || x * x > reach * reach || y * y > reach * reach))
                continue;
            rank[count] = rank_at(x, y);
            around[count][0] = x;
            around[count][1] = y;
            count += rank[count] != MPI_PROC_NULL;
        }
    for (int i = 0; i < count; i++)
        MPI_Irecv(in[i], n, MPI_DOUBLE, rank[i], 1, comm, &requests[i]);
    for (int i = 0; i < count; i++) {
        pack(u, n, around[i][0], around[i][1], out[i]);
        MPI_Isend(out[i], n, MPI_DOUBLE, rank[i], 1, comm, &requests[count + i]);
    }
    MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; i++)
        if (abs(around[i][0]) + abs(around[i][1]) == 1)
            unpack(u, n, around[i][0], around[i][1], in[i]);
}

static double apply(field u, int i, int j)
{
    return (4 + shift) * u[i][j] - u[i - 1][j] - u[i + 1][j] - u[i][j - 1] - u[i][j + 1];
}

static void smooth(struct level *level)
{
    static field next;

    exchange(level, level->u);
    for (int i = 1; i <= level->cells; i++)
        for (int j = 1; j <= level->cells; j++)
            next[i][j] = level->u[i][j] + 0.8 * (level->f[i][j] - apply(level->u, i, j)) / (4 + shift);
    for (int i = 1; i <= level->cells; i++)
        memcpy(&level->u[i][1], &next[i][1], (size_t)level->cells * sizeof(double));
}

static void cycle(int at)
{
    struct level *fine = &levels[at], *coarse = fine + 1;

    memset(fine->u, 0, sizeof fine->u);
    smooth(fine);
    if (at + 1 < level_count) {
        exchange(fine, fine->u);
        memset(coarse->f, 0, sizeof coarse->f);
        for (int i = 1; i <= fine->cells; i++)
            for (int j = 1; j <= fine->cells; j++)
                coarse->f[(i + 1) / 2][(j + 1) / 2] += fine->f[i][j] - apply(fine->u, i, j);
        cycle(at + 1);
        for (int i = 1; i <= fine->cells; i++)
            for (int j = 1; j <= fine->cells; j++)
                fine->u[i][j] += coarse->u[(i + 1) / 2][(j + 1) / 2] / 2;
    }
    smooth(fine);
}

static double dot(field a, field b)
{
    double mine = 0, all;
    for (int i = 1; i <= levels->cells; i++)
        for (int j = 1; j <= levels->cells; j++)
            mine += a[i][j] * b[i][j];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    return all;
}

/* TO = TO + FACTOR * U */
static void add(field to, double factor, field u)
{
    for (int i = 1; i <= levels->cells; i++)
        for (int j = 1; j <= levels->cells; j++)
            to[i][j] += factor * u[i][j];
}

static void solve(field x, field r)
{
    static field direction, applied;
    double first = dot(r, r), before = 1, now = first;

    memset(x, 0, sizeof(field));
    memset(direction, 0, sizeof direction);
    for (int i = 0; i < MOST_ITERATIONS && now > 1e-10 * first; i++) {
        memcpy(levels->f, r, sizeof(field));
        cycle(0);
        double rz = dot(r, levels->u), beta = i ? rz / before : 0;
        for (int k = 1; k <= levels->cells; k++)
            for (int j = 1; j <= levels->cells; j++)
                direction[k][j] = levels->u[k][j] + beta * direction[k][j];
        exchange(levels, direction);
        for (int k = 1; k <= levels->cells; k++)
            for (int j = 1; j <= levels->cells; j++)
                applied[k][j] = apply(direction, k, j);
        double alpha = rz / dot(direction, applied);
        add(x, alpha, direction);
        add(r, -alpha, applied);
        before = rz;
        now = dot(r, r);
    }
    program_expect(&p, now <= 1e-10 * first, "convergence");
}

static void set_up(void)
{
    int sum, most = 1;

    while (most < LEVELS && levels->cells >> most)
        most++;
    level_count = most > 2 ? 2 + (int)(program_draw(&state) % (unsigned)(most - 1)) : most;
    for (int i = 0; i < level_count; i++) {
        struct level *level = &levels[i];
        level->cells = levels->cells >> i;
        level->reach = i < 1 ? 0 : i < 3 ? 1 : 1 + (int)(program_draw(&state) % 2);
        MPI_Allreduce(&level->cells, &sum, 1, MPI_INT, MPI_SUM, comm);
        exchange(level, level->u);
    }
}

int main(int argc, char **argv)
{
    static field x, b;
    int periods[2] = {0};

    p = program_init(argc, argv, 100, 16);
    levels->cells = p.microseconds < MOST ? p.microseconds : MOST;
    MPI_Dims_create(p.size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    MPI_Cart_coords(comm, p.rank, 2, me);
    for (int step = 0; step < p.iterations; step++) {
        if (step % SETUP == 0)
            set_up();
        shift = 0.05 + 2.0 * program_draw(&state) / 0x8000;
        for (int i = 1; i <= levels->cells; i++)
            for (int j = 1; j <= levels->cells; j++)
                b[i][j] = program_draw(&state) / 32768.0 - 0.5;
        solve(x, b);
    }
    return program_end(&p, "steps");
}
