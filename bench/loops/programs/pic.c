/* SPDX-License-Identifier: BSD-3-Clause */
/* A plasma by particles in cells, in one dimension: electrons are subcycled.
 *
 * usage: pic [STEPS]
 *
 * The main loop are the time steps, those of the ions: electrons and the field make 4 steps in
 * each, after which particles go to the ranks where they are. There are diagnostics each 10
 * steps; each 25 the particles are sorted, and each 100 rank 0 gets the density. */
#include "programs.h"

enum { CELLS = 256, EACH = 12000, MOST = 4 * EACH, SUBCYCLES = 4, SPECIES = 2 };

struct particle {
    double x, v; /* x in cells, from the first one of this rank */
};

struct species {
    struct particle *list;
    int count;
    double charge, mass;
};

static struct species electrons = {.charge = -1, .mass = 1}, ions = {.charge = 1, .mass = 100};
static double density[CELLS + 2], field[CELLS + 2];
static int left, right;

static int pack(struct species *s, int side, struct particle *out)
{
    int n = 0;

    for (int i = 0; i < s->count; i++) {
        double x = s->list[i].x;
        if (side ? x < CELLS : x >= 0)
            continue;
        out[n] = s->list[i];
        out[n++].x += side ? -CELLS : CELLS;
        s->list[i--] = s->list[--s->count];
    }
    return n;
}

static void swap(struct species *s, int side)
{
    static struct particle out[MOST];
    int to = side ? right : left, from = side ? left : right, n = pack(s, side, out), got;
    MPI_Status status;

    MPI_Sendrecv(out, 2 * n, MPI_DOUBLE, to, side, s->list + s->count, 2 * (MOST - s->count), MPI_DOUBLE,
                 from, side, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &got);
    s->count += got / 2;
}

SEPARATE static void migrate(struct species *s)
{
    swap(s, 0);
    swap(s, 1);
}

SEPARATE static void push(struct species *s, double dt)
{
    for (int i = 0; i < s->count; i++) {
        struct particle *p = &s->list[i];
        int cell = (int)p->x;
        double part = p->x - cell;
        p->v += dt * s->charge / s->mass * ((1 - part) * field[cell] + part * field[cell + 1]);
        p->x += dt * p->v;
    }
}

static void add(const struct species *s)
{
    for (int i = 0; i < s->count; i++) {
        int cell = (int)s->list[i].x;
        double part = s->list[i].x - cell;
        density[cell] += s->charge * (1 - part) * CELLS / EACH;
        density[cell + 1] += s->charge * part * CELLS / EACH;
    }
}

SEPARATE static void deposit(void)
{
    double got;

    memset(density, 0, sizeof density);
    add(&electrons);
    add(&ions);
    MPI_Sendrecv(&density[CELLS], 1, MPI_DOUBLE, right, 2, &got, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    density[0] += got;
}

/* What is left of a cell gives its field; the mean of all is zero. */
SEPARATE static void solve_field(void)
{
    double before = 0, sum = 0, total = 0;

    for (int i = 0; i < CELLS; i++)
        total += 0.02 * density[i];
    MPI_Exscan(&total, &before, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    field[0] = rank ? before : 0;
    for (int i = 0; i < CELLS; i++) {
        field[i + 1] = field[i] + 0.02 * density[i];
        sum += field[i];
    }
    double mean = sum_of_all(sum, MPI_COMM_WORLD) / CELLS / ranks;
    for (int i = 0; i < CELLS; i++)
        field[i] -= mean;
    MPI_Sendrecv(field, 1, MPI_DOUBLE, left, 3, field + CELLS, 1, MPI_DOUBLE, right, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

SEPARATE static void advance_electrons(double dt)
{
    for (int i = 0; i < SUBCYCLES; i++) {
        push(&electrons, dt / SUBCYCLES);
        migrate(&electrons);
        deposit();
        solve_field();
    }
}

static int by_place(const void *a, const void *b)
{
    double x = ((const struct particle *)a)->x, y = ((const struct particle *)b)->x;
    return (x > y) - (x < y);
}

static double kinetic(const struct species *s)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++)
        sum += s->mass * s->list[i].v * s->list[i].v / 2;
    return sum;
}

SEPARATE static double diagnose(void)
{
    double mine[3] = {kinetic(&electrons), kinetic(&ions), 0}, all[3] = {0};

    for (int i = 0; i < CELLS; i++)
        mine[2] += field[i] * field[i] / 2;
    MPI_Reduce(mine, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all[0] + all[2];
}

static void write_moments(void)
{
    double all[MOST_RANKS * CELLS];
    MPI_Gather(density, CELLS, MPI_DOUBLE, all, CELLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void fill(struct species *s, double speed, uint64_t state)
{
    s->list = malloc(MOST * sizeof *s->list);
    for (s->count = 0; s->count < EACH; s->count++) {
        struct particle *p = &s->list[s->count];
        p->x = CELLS * (s->count + 0.5) / EACH;
        p->v = speed * ((s->count % 2 ? 1 : -1) + 0.2 * (draw(&state) - 0.5));
    }
}

int main(int argc, char **argv)
{
    double energy = 0;

    start(&argc, &argv);
    int steps = argument(argc, argv, 1000);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    fill(&electrons, 1.5, 40 + rank);
    fill(&ions, 0.05, 60 + rank);
    deposit();
    solve_field();
    for (int step = 1; step <= steps; step++) {
        advance_electrons(1);
        push(&ions, 1);
        migrate(&ions);
        if (step % 25 == 0)
            qsort(electrons.list, electrons.count, sizeof *electrons.list, by_place);
        if (step % 10 == 0)
            energy = diagnose();
        if (step % 100 == 0)
            write_moments();
    }
    double particles = sum_of_all(electrons.count + ions.count, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps, %.0f particles, energy %.1f\n", steps, particles, energy);
    return finish(steps, 0);
}
