/* SPDX-License-Identifier: BSD-3-Clause */
/* Molecular dynamics in two dimensions: slabs of atoms, ghosts at their borders, neighbour
 * lists.
 *
 * usage: md [STEPS]
 *
 * The main loop are the time steps. Every fifth looks whether an atom has moved by half of the
 * skin; then atoms go to their new owners, and borders and lists are made anew. */
#include "programs.h"

enum { MOST = 3000, NEAR = 80, NX = 26, NY = 36 };

static const double WIDTH = 29, HEIGHT = 40, CUT = 2.2, SKIN = 0.4, DT = 0.004;
static double x[MOST][2], v[MOST][2], f[MOST][2], built[MOST][2];
static int near[MOST][NEAR], nears[MOST], listed[2][MOST], lists[2], ghosts[2];
static int own, neighbour[2];

static double shift(int side)
{
    int last = side ? ranks - 1 : 0;
    return rank == last ? (side ? -WIDTH * ranks : WIDTH * ranks) : 0;
}

static double apart(const double *a, const double *b, double *d)
{
    d[0] = a[0] - b[0];
    d[1] = a[1] - b[1];
    d[1] -= HEIGHT * rint(d[1] / HEIGHT);
    return d[0] * d[0] + d[1] * d[1];
}

static int swap(int side, const double *out, int n, double *in)
{
    int got;
    MPI_Sendrecv(&n, 1, MPI_INT, neighbour[side], 1, &got, 1, MPI_INT, neighbour[!side], 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, n, MPI_DOUBLE, neighbour[side], 2, in, 4 * MOST, MPI_DOUBLE, neighbour[!side], 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return got;
}

SEPARATE static void exchange_atoms(void)
{
    static double out[4 * MOST], in[4 * MOST];

    for (int side = 0; side < 2; side++) {
        int n = 0;
        for (int i = 0; i < own; i++) {
            if (side ? x[i][0] < WIDTH * (rank + 1) : x[i][0] >= WIDTH * rank)
                continue;
            double packed[4] = {x[i][0] + shift(side), x[i][1], v[i][0], v[i][1]};
            memcpy(out + 4 * n++, packed, sizeof packed);
            own--;
            memcpy(x[i], x[own], sizeof x[i]);
            memcpy(v[i], v[own], sizeof v[i]);
            i--;
        }
        int got = swap(side, out, 4 * n, in);
        for (int k = 0; k < got; k += 4, own++) {
            memcpy(x[own], in + k, sizeof x[own]);
            memcpy(v[own], in + k + 2, sizeof v[own]);
        }
    }
}

static int pack(int side, double *out)
{
    for (int k = 0; k < lists[side]; k++) {
        out[2 * k] = x[listed[side][k]][0] + shift(side);
        out[2 * k + 1] = x[listed[side][k]][1];
    }
    return 2 * lists[side];
}

SEPARATE static void make_borders(void)
{
    static double out[2 * MOST];
    int all = own;

    for (int side = 0; side < 2; side++) {
        lists[side] = 0;
        for (int i = 0; i < own; i++)
            if (side ? x[i][0] > WIDTH * (rank + 1) - CUT - SKIN : x[i][0] < WIDTH * rank + CUT + SKIN)
                listed[side][lists[side]++] = i;
        ghosts[side] = swap(side, out, pack(side, out), x[all]) / 2;
        all += ghosts[side];
    }
}

SEPARATE static void forward_positions(void)
{
    static double out[2 * MOST];
    int at = own;

    for (int side = 0; side < 2; at += ghosts[side++]) {
        MPI_Request request;
        MPI_Irecv(x[at], 2 * ghosts[side], MPI_DOUBLE, neighbour[!side], 3, MPI_COMM_WORLD, &request);
        MPI_Send(out, pack(side, out), MPI_DOUBLE, neighbour[side], 3, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

SEPARATE static void make_lists(void)
{
    double d[2], reach = (CUT + SKIN) * (CUT + SKIN);
    int all = own + ghosts[0] + ghosts[1];

    memcpy(built, x, sizeof built);
    for (int i = 0; i < own; i++) {
        nears[i] = 0;
        for (int j = 0; j < all; j++)
            if (i != j && fabs(x[i][0] - x[j][0]) < CUT + SKIN && apart(x[i], x[j], d) < reach &&
                nears[i] < NEAR)
                near[i][nears[i]++] = j;
    }
}

SEPARATE static double forces(void)
{
    double energy = 0, d[2];

    for (int i = 0; i < own; i++) {
        f[i][0] = f[i][1] = 0;
        for (int k = 0; k < nears[i]; k++) {
            double r2 = apart(x[i], x[near[i][k]], d);
            if (r2 > CUT * CUT)
                continue;
            double r6 = 1 / (r2 * r2 * r2), strength = 24 * r6 * (2 * r6 - 1) / r2;
            f[i][0] += strength * d[0];
            f[i][1] += strength * d[1];
            energy += 2 * r6 * (r6 - 1);
        }
    }
    return energy;
}

static void kick(void)
{
    for (int i = 0; i < own; i++)
        for (int k = 0; k < 2; k++)
            v[i][k] += 0.5 * DT * f[i][k];
}

static void drift(void)
{
    for (int i = 0; i < own; i++) {
        x[i][0] += DT * v[i][0];
        x[i][1] += DT * v[i][1];
    }
}

static int lists_are_old(void)
{
    double most = 0, d[2];
    for (int i = 0; i < own; i++)
        most = fmax(most, apart(x[i], built[i], d));
    return most_of_all(most, MPI_COMM_WORLD) > SKIN * SKIN / 4;
}

static void make_anew(void)
{
    exchange_atoms();
    make_borders();
    make_lists();
}

static double run(int steps)
{
    double total = 0;

    for (int step = 1; step <= steps; step++) {
        kick();
        drift();
        if (step % 5 == 0 && lists_are_old())
            make_anew();
        else
            forward_positions();
        double energy = forces();
        kick();
        if (step % 100 == 0)
            total = sum_of_all(energy, MPI_COMM_WORLD);
    }
    return total;
}

static void place_atoms(void)
{
    uint64_t state = 7 + rank;

    for (int i = 0; i < NX * NY; i++, own++) {
        x[i][0] = WIDTH * (rank + (i % NX + 0.5) / NX);
        x[i][1] = HEIGHT * (i / NX + 0.5) / NY;
        v[i][0] = 2 * draw(&state) - 1;
        v[i][1] = 2 * draw(&state) - 1;
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int steps = argument(argc, argv, 4000);
    MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    neighbour[0] = (rank + ranks - 1) % ranks;
    neighbour[1] = (rank + 1) % ranks;
    place_atoms();
    make_anew();
    forces();
    double energy = run(steps), atoms = sum_of_all(own, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps, %.0f atoms, energy of an atom %.1f\n", steps, atoms, energy / atoms);
    return finish(steps, 0);
}
