/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi's iteration without waiting: a rank goes on with the newest borders that have come.
 *
 * usage: asynchronous [LOADS]
 *
 * The main loop are the iterations of a rank, for all load cases together; how many they are depends
 * on timing, and differs between the ranks. A load case is done when a reduction that does not block has
 * found twice that no rank changes any more; then the borders that are still on their way are
 * got, and the norm is found with the newest ones. */
#include "programs.h"

enum { ROWS = 100, COLUMNS = 120, SWEEPS = 3, BORDER = 8 };

struct side {
    int other, sent, got;
    double out[COLUMNS];
    MPI_Request request;
};

static double u[ROWS + 2][COLUMNS + 2], next[ROWS + 2][COLUMNS + 2], load[ROWS + 2][COLUMNS + 2];
static struct side sides[2];

static double *border_of(int side)
{
    return u[side ? ROWS + 1 : 0];
}

static const double *edge_of(int side)
{
    return u[side ? ROWS : 1];
}

SEPARATE static double iterate(void)
{
    double change = 0;

    for (int k = 0; k < SWEEPS; k++) {
        change = 0;
        for (int i = 1; i <= ROWS; i++)
            for (int j = 1; j <= COLUMNS; j++)
                next[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] + load[i][j]) / 4.2;
        for (int i = 1; i <= ROWS; i++)
            for (int j = 1; j <= COLUMNS; j++) {
                change = fmax(change, fabs(next[i][j] - u[i][j]));
                u[i][j] = next[i][j];
            }
    }
    return change;
}

/* If the last one is gone. */
SEPARATE static void send_edge(int side)
{
    struct side *s = &sides[side];
    int done;

    if (s->other == MPI_PROC_NULL)
        return;
    MPI_Test(&s->request, &done, MPI_STATUS_IGNORE);
    if (!done)
        return;
    memcpy(s->out, edge_of(side) + 1, sizeof s->out);
    MPI_Isend(s->out, COLUMNS, MPI_DOUBLE, s->other, BORDER, MPI_COMM_WORLD, &s->request);
    s->sent++;
}

static void get_one(int side)
{
    MPI_Recv(border_of(side) + 1, COLUMNS, MPI_DOUBLE, sides[side].other, BORDER, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    sides[side].got++;
}

/* All that have come. */
SEPARATE static void get_borders(int side)
{
    int there = sides[side].other != MPI_PROC_NULL;

    while (there) {
        MPI_Iprobe(sides[side].other, BORDER, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (there)
            get_one(side);
    }
}

struct detection {
    int mine, all, rounds;
    MPI_Request request;
};

/* Whether all ranks have said, in two rounds one after the other, that nothing changes. */
SEPARATE static int is_over(struct detection *d, double change)
{
    int done = 1;

    if (d->request != MPI_REQUEST_NULL) {
        d->mine = d->mine && change < 1e-9;
        MPI_Test(&d->request, &done, MPI_STATUS_IGNORE);
        if (!done)
            return 0;
        d->rounds = d->all ? d->rounds + 1 : 0;
        if (d->rounds == 2)
            return 1;
    }
    d->mine = change < 1e-9;
    MPI_Iallreduce(&d->mine, &d->all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD, &d->request);
    return 0;
}

/* Those that the other side sent. */
SEPARATE static void drain(void)
{
    for (int side = 0; side < 2; side++) {
        struct side *s = &sides[side];
        int theirs = 0;
        MPI_Sendrecv(&s->sent, 1, MPI_INT, s->other, 9, &theirs, 1, MPI_INT, s->other, 9, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        while (s->got < theirs)
            get_one(side);
    }
    for (int side = 0; side < 2; side++)
        MPI_Wait(&sides[side].request, MPI_STATUS_IGNORE);
}

SEPARATE static int solve(void)
{
    struct detection d = {.request = MPI_REQUEST_NULL};
    int iterations = 0;

    for (double change = 1; !is_over(&d, change); iterations++) {
        get_borders(0);
        get_borders(1);
        change = iterate();
        send_edge(0);
        send_edge(1);
    }
    drain();
    return iterations;
}

SEPARATE static void set_load(int number)
{
    int place[2] = {(17 * number + 5) % (ROWS * ranks), (31 * number + 9) % COLUMNS};

    MPI_Bcast(place, 2, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 1; i <= ROWS; i++)
        for (int j = 1; j <= COLUMNS; j++) {
            int x = i + rank * ROWS - place[0], y = j - place[1];
            load[i][j] = 1 / (1 + 0.01 * (x * x + y * y)) + 0.001 * (i % 3);
            u[i][j] *= 0.5;
        }
}

SEPARATE static double norm(void)
{
    double sum = 0;

    for (int i = 1; i <= ROWS; i++)
        for (int j = 1; j <= COLUMNS; j++)
            sum += u[i][j] * u[i][j];
    return sqrt(sum_of_all(sum, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    int iterations = 0;

    start(&argc, &argv);
    int loads = argument(argc, argv, 40);
    for (int side = 0; side < 2; side++) {
        int other = side ? rank + 1 : rank - 1;
        sides[side].other = other < 0 || other == ranks ? MPI_PROC_NULL : other;
        sides[side].request = MPI_REQUEST_NULL;
    }
    for (int k = 0; k < loads; k++) {
        set_load(k);
        iterations += solve();
        double now = norm();
        if (rank == 0 && k % 5 == 0)
            printf("load case %d: norm %.3f\n", k, now);
    }
    return finish(iterations, loads);
}
