/* SPDX-License-Identifier: BSD-3-Clause */
/* Adaptive mesh refinement with subcycling: a finer level makes two steps in one of the
 * coarser.
 *
 * usage: amr [STEPS]
 *
 * The main loop are the steps of the coarsest level. Each fourth, patches are laid anew where a
 * front has come to, and go to other ranks, so that messages differ from then on. */
#include "programs.h"

enum { LEVELS = 3, MOST_PATCHES = 24, SIDE = 72, CELLS = SIDE * SIDE, EACH = 4 };

struct patch {
    double cells[CELLS], edge[2][SIDE];
};

static struct patch patches[LEVELS][MOST_PATCHES];
static int count[LEVELS] = {8, 8, 8}, owner[LEVELS][MOST_PATCHES];

/* The last column of each patch goes to the next one, the first one to the one before. */
SEPARATE static void fill_ghosts(int l)
{
    MPI_Request requests[4 * MOST_PATCHES];
    int n = 0;

    for (int p = 0; p < count[l]; p++)
        for (int side = 0; side < 2; side++) {
            int from = side ? (p + 1) % count[l] : (p + count[l] - 1) % count[l];
            double *column = patches[l][from].cells + (side ? 0 : CELLS - SIDE);
            int tag = 2 * p + side, here = owner[l][p] == rank, there = owner[l][from] == rank;
            if (here && there)
                memcpy(patches[l][p].edge[side], column, sizeof(double) * SIDE);
            else if (here)
                MPI_Irecv(patches[l][p].edge[side], SIDE, MPI_DOUBLE, owner[l][from], tag, MPI_COMM_WORLD,
                          &requests[n++]);
            else if (there)
                MPI_Isend(column, SIDE, MPI_DOUBLE, owner[l][p], tag, MPI_COMM_WORLD, &requests[n++]);
        }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void advance_patch(struct patch *p, double dt)
{
    static double new[CELLS];

    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int at = i * SIDE + j;
            double before = i ? p->cells[at - SIDE] : p->edge[0][j];
            double after = i < SIDE - 1 ? p->cells[at + SIDE] : p->edge[1][j];
            double u = p->cells[at];
            new[at] = u + dt *(before + after - 2 * u) + dt *u *(1 - u);
        }
    memcpy(p->cells, new, sizeof new);
}

SEPARATE static void advance_level(int l, double dt)
{
    for (int p = 0; p < count[l]; p++)
        if (owner[l][p] == rank)
            advance_patch(&patches[l][p], dt);
}

/* Fluxes at the border of level L: what is left over is summed on all ranks. */
SEPARATE static double reflux(int l)
{
    double flux = 0;

    for (int p = 0; p < count[l]; p++)
        if (owner[l][p] == rank)
            for (int j = 0; j < SIDE; j++)
                flux += patches[l][p].edge[0][j] - patches[l][p].cells[j];
    return sum_of_all(flux, MPI_COMM_WORLD);
}

SEPARATE static void advance(int l, double dt)
{
    fill_ghosts(l);
    advance_level(l, dt);
    if (l == LEVELS - 1)
        return;
    for (int half = 0; half < 2; half++)
        advance(l + 1, dt / 2);
    reflux(l + 1);
}

static void move_patch(int l, int p, int to)
{
    double *cells = patches[l][p].cells;

    if (owner[l][p] == rank && to != rank)
        MPI_Send(cells, CELLS, MPI_DOUBLE, to, 100 + p, MPI_COMM_WORLD);
    if (owner[l][p] != rank && to == rank)
        MPI_Recv(cells, CELLS, MPI_DOUBLE, owner[l][p], 100 + p, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    owner[l][p] = to;
}

/* How many patches level L needs follows from where cells change; new ones come from their
 * parent. */
SEPARATE static void regrid(int l, int step)
{
    int tagged = 0, all;

    for (int p = 0; p < count[l - 1]; p++)
        for (int i = 0; owner[l - 1][p] == rank && i < CELLS; i++)
            tagged += fabs(patches[l - 1][p].cells[i] - 0.5) < 0.4;
    MPI_Allreduce(&tagged, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int wanted = 6 + l + all / CELLS + (step / EACH * 7) % 5;
    wanted = wanted < MOST_PATCHES ? wanted : MOST_PATCHES;
    for (int p = count[l]; p < wanted; p++) {
        owner[l][p] = p % ranks;
        for (int i = 0; i < CELLS; i++)
            patches[l][p].cells[i] = 0.02 * (p + 1);
    }
    count[l] = wanted;
    for (int p = 0; p < wanted; p++)
        move_patch(l, p, (p + step / EACH + l) * ranks / wanted % ranks);
}

int main(int argc, char **argv)
{
    double sum = 0;

    start(&argc, &argv);
    int steps = argument(argc, argv, 3000);
    for (int l = 0; l < LEVELS; l++)
        for (int p = 0; p < MOST_PATCHES; p++) {
            owner[l][p] = p % ranks;
            for (int i = 0; i < CELLS; i++)
                patches[l][p].cells[i] = p == 3 ? 0.3 : 0.001 * l;
        }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 1; step <= steps; step++) {
        advance(0, 0.01);
        for (int l = 1; step % EACH == 0 && l < LEVELS; l++)
            regrid(l, step);
    }
    for (int p = 0; p < count[0]; p++)
        if (owner[0][p] == rank)
            sum += patches[0][p].cells[CELLS / 2];
    sum = sum_of_all(sum, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps, %d and %d patches, sum %.6f\n", steps, count[1], count[2], sum);
    return finish(steps, 0);
}
