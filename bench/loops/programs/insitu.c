/* SPDX-License-Identifier: BSD-3-Clause */
/* A finite difference code with many layers, and pictures made while it runs.
 *
 * usage: insitu [STEPS]
 *
 * The main loop are the time steps. Messages are sent from deep below it: each field has its
 * halo exchanged by the same functions. Every seventh step a picture is composed of those of
 * all ranks, pairwise, and given to rank 0. */
#include "programs.h"

enum { FIELDS = 3, ROWS = 160, COLUMNS = 256, PIXELS = 1024, EACH = 7 };

struct field {
    double now[ROWS + 2][COLUMNS], next[ROWS + 2][COLUMNS], speed;
};

struct solver {
    struct field fields[FIELDS];
    double dt, time;
    int step, pictures;
};

static struct solver solver;
static double shown;

SEPARATE static void comm_exchange(double *out, double *in, int to, int from)
{
    MPI_Sendrecv(out, COLUMNS, MPI_DOUBLE, to, 4, in, COLUMNS, MPI_DOUBLE, from, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

SEPARATE static void halo_direction(struct field *f, int down)
{
    int below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL, above = rank ? rank - 1 : MPI_PROC_NULL;
    if (down)
        comm_exchange(f->now[ROWS], f->now[0], below, above);
    else
        comm_exchange(f->now[1], f->now[ROWS + 1], above, below);
}

SEPARATE static void halo_update(struct field *f)
{
    for (int down = 0; down < 2; down++)
        halo_direction(f, down);
}

SEPARATE static void operator_diffuse(struct field *f, double dt)
{
    halo_update(f);
    for (int i = 1; i <= ROWS; i++)
        for (int j = 1; j < COLUMNS - 1; j++)
            f->next[i][j] = f->now[i][j] + dt * f->speed *
                                               (f->now[i - 1][j] + f->now[i + 1][j] + f->now[i][j - 1] +
                                                f->now[i][j + 1] - 4 * f->now[i][j]);
}

SEPARATE static void field_advance(struct field *f, double dt)
{
    operator_diffuse(f, dt);
    memcpy(f->now, f->next, sizeof f->now);
}

SEPARATE static double solver_limit(const struct solver *s)
{
    double fastest = 0;
    for (int k = 0; k < FIELDS; k++)
        fastest = fmax(fastest, s->fields[k].speed * (1 + fabs(s->fields[k].now[1][1])));
    return 0.2 / most_of_all(fastest, MPI_COMM_WORLD);
}

SEPARATE static void solver_step(struct solver *s)
{
    s->dt = solver_limit(s);
    for (int k = 0; k < FIELDS; k++)
        field_advance(&s->fields[k], s->dt);
    s->time += s->dt;
    s->step++;
}

static void picture_draw(const struct solver *s, float *picture)
{
    for (int i = 0; i < PIXELS; i++)
        picture[i] = 0;
    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            picture[(i * COLUMNS + j) % PIXELS] += (float)s->fields[0].now[i][j];
}

/* Halves are swapped with ranks that are 1, 2, 4 away; each ends with a part of the whole. */
SEPARATE static int picture_compose(float *picture)
{
    float got[PIXELS];
    int part = PIXELS;

    for (int away = 1; away < ranks; away *= 2) {
        int other = rank ^ away, kept = rank & away ? part / 2 : 0;
        part /= 2;
        MPI_Sendrecv(picture + part - kept, part, MPI_FLOAT, other, 6, got, part, MPI_FLOAT, other, 6,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < part; i++)
            picture[i] = picture[kept + i] + got[i];
    }
    return part;
}

SEPARATE static void picture_make(struct solver *s)
{
    float picture[PIXELS], whole[PIXELS];

    picture_draw(s, picture);
    int part = picture_compose(picture);
    MPI_Gather(picture, part, MPI_FLOAT, whole, part, MPI_FLOAT, 0, MPI_COMM_WORLD);
    shown = rank ? 0 : whole[PIXELS / 2 + 7];
    s->pictures++;
}

SEPARATE static void driver_run(struct solver *s, int steps)
{
    while (s->step < steps) {
        solver_step(s);
        if (s->step % EACH == 0)
            picture_make(s);
    }
}

int main(int argc, char **argv)
{
    uint64_t state = 23;

    start(&argc, &argv);
    int steps = argument(argc, argv, 5000);
    for (int k = 0; k < FIELDS; k++) {
        solver.fields[k].speed = 0.5 + 0.5 * k;
        for (int i = 1; i <= ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                solver.fields[k].now[i][j] = draw(&state);
    }
    MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    driver_run(&solver, steps);
    if (rank == 0)
        printf("%d steps, %d pictures, time %.4f, pixel %.4f\n", steps, solver.pictures, solver.time, shown);
    return finish(steps, 0);
}
