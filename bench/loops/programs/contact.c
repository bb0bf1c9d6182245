/* SPDX-License-Identifier: BSD-3-Clause */
/* Two elastic bodies that hit each other, by explicit dynamics of finite elements.
 *
 * usage: contact [STEPS]
 *
 * The main loop are the time steps: forces of elements, summed where ranks share nodes,
 * contact, and the length of the step. Each 20 steps it is looked anew which ranks' surfaces
 * may touch; so a step has as many messages as there are such ranks. */
#include "programs.h"

enum { BODIES = 2, NX = 64, NY = 36, NODES = (NX + 1) * NY, SEARCH = 20, PLOT = 150 };

struct node {
    double x[2], v[2], f[2];
};

static const double STIFF = 400, PENALTY = 900, CFL = 0.35;
static struct node body[BODIES][NODES]; /* node (i, j) is [i * NY + j] */
static double surface[NX + 1][2], others[MOST_RANKS][NX + 1][2];
static double back[MOST_RANKS][NX + 1][2];
static int partners[MOST_RANKS], touching, left, right, searches, pairs;

static struct node *at(int b, int i, int j)
{
    return &body[b][i * NY + j];
}

static void spring(struct node *a, struct node *b, double length)
{
    double d[2] = {b->x[0] - a->x[0], b->x[1] - a->x[1]};
    double now = sqrt(d[0] * d[0] + d[1] * d[1]);

    for (int k = 0; k < 2; k++) {
        double force = STIFF * (now - length) * d[k] / now + 0.5 * (b->v[k] - a->v[k]);
        a->f[k] += force;
        b->f[k] -= force;
    }
}

SEPARATE static void element_forces(int b)
{
    for (int i = 0; i < NODES; i++)
        body[b][i].f[0] = body[b][i].f[1] = 0;
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++) {
            spring(at(b, i, j), at(b, i + 1, j), 1);
            if (j == NY - 1)
                continue;
            spring(at(b, i, j), at(b, i, j + 1), 1);
            spring(at(b, i, j), at(b, i + 1, j + 1), M_SQRT2);
            spring(at(b, i + 1, j), at(b, i, j + 1), M_SQRT2);
        }
}

static void share_column(int b, int i, int other)
{
    double out[NY][2], in[NY][2];

    for (int j = 0; j < NY; j++)
        memcpy(out[j], at(b, i, j)->f, sizeof out[j]);
    MPI_Sendrecv(out, 2 * NY, MPI_DOUBLE, other, b, in, 2 * NY, MPI_DOUBLE, other, b, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int j = 0; j < NY && other != MPI_PROC_NULL; j++)
        for (int k = 0; k < 2; k++)
            at(b, i, j)->f[k] += in[j][k];
}

/* Even ranks begin with the column on their right. */
SEPARATE static void assemble(int b)
{
    for (int half = 0; half < 2; half++)
        if (rank % 2 == half)
            share_column(b, NX, right);
        else
            share_column(b, 0, left);
}

static void extent(int b, int j, double *box)
{
    box[0] = INFINITY;
    box[1] = -INFINITY;
    for (int i = 0; i <= NX; i++) {
        box[0] = fmin(box[0], at(b, i, j)->x[0]);
        box[1] = fmax(box[1], at(b, i, j)->x[0]);
    }
}

/* PARTNERS are the ranks whose upper body is above the own lower one, or the other way round.
 */
SEPARATE static void search(void)
{
    double box[4], all[MOST_RANKS][4];

    extent(0, NY - 1, box);
    extent(1, 0, box + 2);
    MPI_Allgather(box, 4, MPI_DOUBLE, all, 4, MPI_DOUBLE, MPI_COMM_WORLD);
    touching = 0;
    for (int r = 0; r < ranks; r++)
        if ((all[r][2] < box[1] + 3 && all[r][3] > box[0] - 3) ||
            (box[2] < all[r][1] + 3 && box[3] > all[r][0] - 3))
            partners[touching++] = r;
    searches++;
    pairs += touching;
}

static void swap_surfaces(double own[][NX + 1][2], double got[][NX + 1][2], int tag, int is_same)
{
    MPI_Request requests[2 * MOST_RANKS];
    int size = 2 * (NX + 1);

    for (int k = 0; k < touching; k++)
        MPI_Irecv(got[k], size, MPI_DOUBLE, partners[k], tag, MPI_COMM_WORLD, &requests[k]);
    for (int k = 0; k < touching; k++)
        MPI_Isend(own[is_same ? 0 : k], size, MPI_DOUBLE, partners[k], tag, MPI_COMM_WORLD,
                  &requests[touching + k]);
    MPI_Waitall(2 * touching, requests, MPI_STATUSES_IGNORE);
}

/* What partner K's nodes push the own surface down by, and are pushed up themselves. */
static void push_apart(int k)
{
    memset(back[k], 0, sizeof back[k]);
    for (int i = 0; i <= NX; i++)
        for (int n = 0; n < NX + (rank == ranks - 1); n++) {
            struct node *own = at(0, n, NY - 1);
            double dx = others[k][i][0] - own->x[0], in = own->x[1] + 0.5 - others[k][i][1];
            if (fabs(dx) > 1 || in < 0)
                continue;
            back[k][i][1] += PENALTY * in * (1 - fabs(dx));
            own->f[1] -= PENALTY * in * (1 - fabs(dx));
        }
}

SEPARATE static void contact_forces(void)
{
    static double got[MOST_RANKS][NX + 1][2];

    for (int i = 0; i <= NX; i++)
        memcpy(surface[i], at(1, i, 0)->x, sizeof surface[i]);
    swap_surfaces(&surface, others, 5, 1);
    for (int k = 0; k < touching; k++)
        push_apart(k);
    swap_surfaces(back, got, 6, 0);
    for (int k = 0; k < touching; k++)
        for (int i = 0; i <= NX; i++)
            at(1, i, 0)->f[1] += got[k][i][1];
}

static double move(double dt)
{
    double fastest = 0;

    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < NODES; i++)
            for (int k = 0; k < 2; k++) {
                struct node *n = &body[b][i];
                n->v[k] += dt * n->f[k];
                n->x[k] += dt * n->v[k];
                fastest = fmax(fastest, fabs(n->v[k]));
            }
    return fastest;
}

SEPARATE static double next_length(double fastest)
{
    return CFL / (sqrt(4 * STIFF) + most_of_all(fastest, MPI_COMM_WORLD));
}

SEPARATE static double time_step(int step, double dt)
{
    if (step % SEARCH == 0)
        search();
    for (int b = 0; b < BODIES; b++) {
        element_forces(b);
        assemble(b);
    }
    contact_forces();
    return next_length(move(dt));
}

static double plot(void)
{
    double height = 0;
    for (int i = 0; i < NODES; i++)
        height += body[1][i].x[1] / NODES;
    return sum_of_all(height, MPI_COMM_WORLD) / ranks;
}

static void make_mesh(void)
{
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i <= NX; i++)
            for (int j = 0; j < NY; j++) {
                struct node *n = at(b, i, j);
                n->x[0] = i + rank * NX + b * 0.3 * NX;
                n->x[1] = j + b * (NY + 0.5);
                n->v[0] = b * 3;
                n->v[1] = b * -3;
            }
}

int main(int argc, char **argv)
{
    double height = 0, time = 0, dt = 0.004;

    start(&argc, &argv);
    int steps = argument(argc, argv, 6000);
    MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    left = rank ? rank - 1 : MPI_PROC_NULL;
    right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    make_mesh();
    for (int step = 0; step < steps; step++) {
        time += dt;
        dt = time_step(step, dt);
        if ((step + 1) % PLOT == 0)
            height = plot();
    }
    pairs = sum_of_all(pairs, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps to %.2f, %d pairs in %d searches, height %.3f\n", steps, time, pairs, searches,
               height);
    return finish(steps, 0);
}
