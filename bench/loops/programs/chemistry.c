/* SPDX-License-Identifier: BSD-3-Clause */
/* Combustion: transport, and stiff chemistry where it burns, which is given to ranks that have
 * less of it.
 *
 * usage: chemistry [STEPS]
 *
 * The main loop are the time steps. A cell's chemistry takes as many substeps as it is hot, so
 * ranks say how much they have, and those with too much send cells to others and get them back.
 * As the flame goes on, other ranks help. Each 20 steps there is a summary. */
#include "programs.h"

enum { ROWS = 24, COLUMNS = 80, CELLS = ROWS * COLUMNS, WORK = 1, DONE, SUMMARY = 20 };

struct cell {
    double heat, fuel, radical;
};

static const double DT = 0.05;
static struct cell cells[ROWS + 2][COLUMNS], next[ROWS + 2][COLUMNS];
static int cost[CELLS], up, down, given;

SEPARATE static void fill_halo(void)
{
    int size = 3 * COLUMNS;

    MPI_Sendrecv(cells[1], size, MPI_DOUBLE, up, 3, cells[ROWS + 1], size, MPI_DOUBLE, down, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(cells[ROWS], size, MPI_DOUBLE, down, 4, cells[0], size, MPI_DOUBLE, up, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 0)
        memcpy(cells[0], cells[1], sizeof cells[0]);
    if (rank == ranks - 1)
        memcpy(cells[ROWS + 1], cells[ROWS], sizeof cells[0]);
}

static double flow(double now, double left, double right, double above, double below)
{
    return now + 0.2 * (left + right + above + below - 4 * now);
}

SEPARATE static void transport(void)
{
    fill_halo();
    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            struct cell *c = &cells[i][j], *a = &cells[i - 1][j], *b = &cells[i + 1][j];
            struct cell *l = &cells[i][j ? j - 1 : COLUMNS - 1];
            struct cell *r = &cells[i][j < COLUMNS - 1 ? j + 1 : 0];
            next[i][j].heat = flow(c->heat, l->heat, r->heat, a->heat, b->heat);
            next[i][j].fuel = flow(c->fuel, l->fuel, r->fuel, a->fuel, b->fuel);
            next[i][j].radical = flow(c->radical, l->radical, r->radical, a->radical, b->radical);
        }
    memcpy(cells[1], next[1], sizeof cells[0] * ROWS);
}

static int substeps(const struct cell *c)
{
    return 2 + (int)(800 * fmin(1, c->radical * 4));
}

static void react(struct cell *c, int n)
{
    double dt = DT / n;

    for (int k = 0; k < n; k++) {
        double rate = 12 * c->fuel * (c->heat * c->heat / (0.2 + c->heat)) * (0.05 + c->radical);
        c->fuel -= dt * rate;
        c->heat += dt * (rate - 0.02 * c->heat);
        c->radical += dt * (rate - 2.5 * c->radical);
    }
}

static void react_some(struct cell *some, const int *n, int count)
{
    for (int i = 0; i < count; i++)
        react(&some[i], n ? n[i] : substeps(&some[i]));
}

/* All own cells in one row. */
static struct cell *own_cells(void)
{
    return &cells[0][0] + COLUMNS;
}

static int own_cost(void)
{
    const struct cell *own = own_cells();
    int sum = 0;

    for (int i = 0; i < CELLS; i++) {
        cost[i] = substeps(&own[i]);
        sum += cost[i];
    }
    return sum;
}

/* Who gives how much to whom, the same on all ranks: the first with too much to the first that
 * has less than the mean. */
SEPARATE static void plan(int mine, int amount[MOST_RANKS][MOST_RANKS])
{
    int all[MOST_RANKS], mean = 0;

    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        mean += all[r] / ranks;
    for (int from = 0; from < ranks; from++)
        for (int to = 0; to < ranks; to++) {
            int n = all[from] - mean < mean - all[to] ? all[from] - mean : mean - all[to];
            amount[from][to] = n > mean / 20 ? n : 0;
            all[from] -= amount[from][to];
            all[to] += amount[from][to];
        }
}

/* To each rank cells with the AMOUNT of work, from the end of OWN. How many are left. */
static int give(const int *amount, struct cell *own, MPI_Request *requests, int *counts)
{
    int left = CELLS;

    for (int r = 0; r < ranks; r++) {
        int sum = 0, last = left;
        while (amount[r] > 0 && sum < amount[r] && left > 0)
            sum += cost[--left];
        counts[r] = last - left;
        requests[r] = MPI_REQUEST_NULL;
        if (counts[r] > 0)
            MPI_Isend(own + left, 3 * counts[r], MPI_DOUBLE, r, WORK, MPI_COMM_WORLD, &requests[r]);
    }
    return left;
}

SEPARATE static void help(int giver)
{
    static struct cell some[CELLS];
    MPI_Status status;
    int words;

    MPI_Probe(giver, WORK, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &words);
    MPI_Recv(some, words, MPI_DOUBLE, giver, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    react_some(some, NULL, words / 3);
    MPI_Send(some, words, MPI_DOUBLE, giver, DONE, MPI_COMM_WORLD);
}

static void take_back(struct cell *own, const int *counts)
{
    int at = CELLS;

    for (int r = 0; r < ranks; r++) {
        at -= counts[r];
        given += counts[r];
        if (counts[r] > 0)
            MPI_Recv(own + at, 3 * counts[r], MPI_DOUBLE, r, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

SEPARATE static void chemistry(void)
{
    int amount[MOST_RANKS][MOST_RANKS], counts[MOST_RANKS];
    MPI_Request requests[MOST_RANKS];

    plan(own_cost(), amount);
    int left = give(amount[rank], own_cells(), requests, counts);
    react_some(own_cells(), cost, left);
    for (int r = 0; r < ranks; r++)
        if (amount[r][rank] > 0)
            help(r);
    MPI_Waitall(ranks, requests, MPI_STATUSES_IGNORE);
    take_back(own_cells(), counts);
}

static double summary(void)
{
    const struct cell *own = own_cells();
    double mine[2] = {0}, all[2] = {0};

    for (int i = 0; i < CELLS; i++) {
        mine[0] += own[i].fuel;
        mine[1] += own[i].heat;
    }
    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all[0] / CELLS / ranks;
}

static void ignite(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int is_hot = i + rank * ROWS < 6;
            cells[i + 1][j] = (struct cell){is_hot ? 1.0 : 0.02, 1 - 0.1 * sin(0.2 * j), is_hot ? 0.2 : 0};
        }
}

int main(int argc, char **argv)
{
    double fuel = 0;

    start(&argc, &argv);
    int steps = argument(argc, argv, 700);
    up = rank ? rank - 1 : MPI_PROC_NULL;
    down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    ignite();
    for (int step = 1; step <= steps; step++) {
        transport();
        chemistry();
        if (step % SUMMARY == 0)
            fuel = summary();
    }
    double all = sum_of_all(given, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps, %.0f cells given away, fuel %.5f\n", steps, all, fuel);
    return finish(steps, 0);
}
