/* SPDX-License-Identifier: BSD-3-Clause */
/* Gravitation by a tree: built in each step, what others need of it sent to them; and load
 * balancing, when it is needed.
 *
 * usage: nbody [STEPS]
 *
 * The main loop are the time steps. Bodies are in strips; when a rank has 12% more work than
 * the mean, which comes at irregular steps, the borders of strips are moved and bodies go where
 * they belong. */
#include "programs.h"

enum { MOST = 6000, EACH = 900, SIDE = 32, CELLS = SIDE * SIDE, BINS = 256 };

struct body {
    double x, y, vx, vy, mass;
};

struct cell {
    double x, y, mass;
};

static struct body bodies[MOST];
static struct cell cells[CELLS], far[CELLS * MOST_RANKS];
static int own, fars;
static double borders[MOST_RANKS + 1];

static int cell_of(const struct body *b)
{
    double wide = (borders[rank + 1] - borders[rank]) / SIDE;
    int i = (int)((b->x - borders[rank]) / wide), j = (int)(b->y * SIDE);
    i = i < 0 ? 0 : i >= SIDE ? SIDE - 1 : i;
    return i * SIDE + (j < 0 ? 0 : j >= SIDE ? SIDE - 1 : j);
}

SEPARATE static void build(void)
{
    memset(cells, 0, sizeof cells);
    for (int i = 0; i < own; i++) {
        struct cell *c = &cells[cell_of(&bodies[i])];
        double mass = c->mass + bodies[i].mass;
        c->x += (bodies[i].x - c->x) * bodies[i].mass / mass;
        c->y += (bodies[i].y - c->y) * bodies[i].mass / mass;
        c->mass = mass;
    }
}

/* Cells near the strip of rank R as they are, of those that are far four in one. */
static int essential(int r, struct cell *out)
{
    int n = 0;

    for (int i = 0; i < CELLS; i++) {
        double away = fmin(fabs(cells[i].x - borders[r]), fabs(cells[i].x - borders[r + 1]));
        if (cells[i].mass == 0)
            continue;
        if (away > 0.1 && n && out[n - 1].mass < 4 * cells[i].mass)
            out[n - 1].mass += cells[i].mass;
        else
            out[n++] = cells[i];
    }
    return n;
}

SEPARATE static void exchange_essentials(void)
{
    static struct cell out[CELLS * MOST_RANKS];
    int counts[MOST_RANKS], starts[MOST_RANKS], got[MOST_RANKS], places[MOST_RANKS], sum = 0;

    for (int r = 0; r < ranks; sum += counts[r++]) {
        starts[r] = sum;
        counts[r] = r == rank ? 0 : 3 * essential(r, out + sum / 3);
    }
    MPI_Alltoall(counts, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    fars = 0;
    for (int r = 0; r < ranks; fars += got[r++])
        places[r] = fars;
    MPI_Alltoallv(out, counts, starts, MPI_DOUBLE, far, got, places, MPI_DOUBLE, MPI_COMM_WORLD);
    fars /= 3;
}

static void pull(struct body *b, const struct cell *c, double dt)
{
    double dx = c->x - b->x, dy = c->y - b->y, r2 = dx * dx + dy * dy + 1e-3;
    double strength = dt * c->mass / (r2 * sqrt(r2));
    b->vx += strength * dx;
    b->vy += strength * dy;
}

SEPARATE static double forces_and_motion(double dt)
{
    double work = 0;

    for (int i = 0; i < own; i++) {
        struct body *b = &bodies[i];
        for (int c = 0; c < CELLS; c++)
            if (cells[c].mass > 0 && ++work)
                pull(b, &cells[c], dt);
        for (int c = 0; c < fars; c++)
            pull(b, &far[c], dt);
        b->x += dt * b->vx;
        b->y += dt * b->vy;
    }
    return work + (double)own * fars;
}

static void find_borders(void)
{
    double bins[BINS] = {0}, all[BINS], sum = 0, total = sum_of_all(own, MPI_COMM_WORLD);

    for (int i = 0; i < own; i++)
        bins[(int)fmin(BINS - 1, fmax(0, bodies[i].x * BINS))]++;
    MPI_Allreduce(bins, all, BINS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int b = 0, r = 1; b < BINS && r < ranks; b++) {
        sum += all[b];
        if (sum >= total * r / ranks)
            borders[r++] = (b + 1.0) / BINS;
    }
}

SEPARATE static void balance(void)
{
    static struct body out[MOST], in[MOST];
    int counts[MOST_RANKS] = {0}, starts[MOST_RANKS], got[MOST_RANKS], places[MOST_RANKS], n = 0;

    find_borders();
    for (int r = 0; r < ranks; counts[r] = 5 * n - starts[r], r++) {
        starts[r] = 5 * n;
        for (int i = 0; i < own; i++)
            if ((r == 0 || bodies[i].x >= borders[r]) && (r == ranks - 1 || bodies[i].x < borders[r + 1]))
                out[n++] = bodies[i];
    }
    MPI_Alltoall(counts, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    own = 0;
    for (int r = 0; r < ranks; own += got[r++])
        places[r] = own;
    MPI_Alltoallv(out, counts, starts, MPI_DOUBLE, in, got, places, MPI_DOUBLE, MPI_COMM_WORLD);
    own /= 5;
    memcpy(bodies, in, sizeof(struct body) * own);
}

int main(int argc, char **argv)
{
    int balanced = 0;
    double energy = 0;

    start(&argc, &argv);
    uint64_t state = 31 + rank;
    int steps = argument(argc, argv, 350);
    for (own = 0; own < EACH; own++) {
        double x = (draw(&state) + draw(&state) + draw(&state)) / 3, y = draw(&state);
        bodies[own] = (struct body){x, y, 0.6 * (y - 0.5), -0.6 * (x - 0.5), 1e-4};
    }
    for (int r = 0; r <= ranks; r++)
        borders[r] = (double)r / ranks;
    balance();
    for (int step = 1; step <= steps; step++) {
        build();
        exchange_essentials();
        double work = forces_and_motion(0.004), most = most_of_all(work, MPI_COMM_WORLD);
        if (most > 1.12 * sum_of_all(work, MPI_COMM_WORLD) / ranks && ++balanced)
            balance();
        for (int i = 0; step == steps && i < own; i++)
            energy += bodies[i].vx * bodies[i].vx + bodies[i].vy * bodies[i].vy;
    }
    energy = sum_of_all(energy, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps, balanced %d times, energy %.4f\n", steps, balanced, energy);
    return finish(steps, 0);
}
