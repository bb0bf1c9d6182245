/* SPDX-License-Identifier: BSD-3-Clause */
/* A rarefied gas in a channel, by direct simulation Monte Carlo.
 *
 * usage: rarefied [STEPS]
 *
 * The main loop are the time steps: particles fly, go to the rank that has their column, and collide in their
 * cells. When the flow has settled, there are samples each fifth step. Each hundredth, columns are dealt out
 * anew. */
#include "programs.h"

enum { COLUMNS = 240, ROWS = 24, MOST = 60000, FIRST = 15000, SETTLED = 300 };

typedef struct {
    double x, y, u, v, w;
} Particle;

static Particle particles[MOST], sorted[MOST], leaving[MOST];
static int many, cuts[MOST_RANKS + 1], first[COLUMNS * ROWS + 1];
static double density[COLUMNS], speed[COLUMNS];
static uint64_t seed;
static MPI_Datatype particle;

static double thermal(void)
{
    return sqrt(-2 * log(1 - draw(&seed))) * cos(6.283185307 * draw(&seed));
}

static int owner(double x)
{
    int r = 0;

    while (x >= cuts[r + 1])
        r++;
    return r;
}

static void fill(void)
{
    for (int r = 0; r <= ranks; r++)
        cuts[r] = r * COLUMNS / ranks;
    int here = FIRST * (1 + rank) / 2; /* more of them where they flow to */
    for (many = 0; many < here; many++)
        particles[many] = (Particle){cuts[rank] + draw(&seed) * (cuts[rank + 1] - cuts[rank]),
                                     ROWS * draw(&seed), 0.5 + thermal(), thermal(), thermal()};
}

/* The walls above and below are diffuse; what leaves at the right comes in at the left. */
SEPARATE static void fly(double dt)
{
    for (int k = 0; k < many; k++) {
        Particle *p = &particles[k];
        p->x += dt * p->u;
        p->y += dt * p->v;
        p->x += p->x < 0 ? COLUMNS : p->x >= COLUMNS ? -COLUMNS : 0;
        p->x = p->x >= COLUMNS ? 0 : p->x;
        if (p->y > 0 && p->y < ROWS)
            continue;
        double away = fabs(thermal());
        *p = (Particle){p->x, p->y <= 0 ? 1e-6 : ROWS - 1e-6, 0.02 + thermal(), p->y <= 0 ? away : -away,
                        thermal()};
    }
}

/* Fills LEAVING in the order of ranks, keeps the others. */
static void pack(int *counts, int *starts)
{
    static int to[MOST];
    int stay = 0, filled[MOST_RANKS];

    memset(counts, 0, sizeof(int) * ranks);
    for (int k = 0; k < many; k++) {
        to[k] = owner(particles[k].x);
        counts[to[k]] += to[k] != rank;
    }
    for (int r = 0; r < ranks; r++)
        filled[r] = starts[r] = r ? starts[r - 1] + counts[r - 1] : 0;
    for (int k = 0; k < many; k++)
        if (to[k] == rank)
            particles[stay++] = particles[k];
        else
            leaving[filled[to[k]]++] = particles[k];
    many = stay;
}

SEPARATE static void migrate(void)
{
    int counts[MOST_RANKS], starts[MOST_RANKS], coming[MOST_RANKS], places[MOST_RANKS];

    pack(counts, starts);
    MPI_Alltoall(counts, 1, MPI_INT, coming, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0, at = 0; r < ranks; at += coming[r++])
        places[r] = at;
    int more = places[ranks - 1] + coming[ranks - 1];
    if (many + more > MOST)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Alltoallv(leaving, counts, starts, particle, particles + many, coming, places, particle,
                  MPI_COMM_WORLD);
    many += more;
}

static int cell_of(const Particle *p)
{
    return (int)p->x * ROWS + (int)p->y;
}

SEPARATE static void sort(void)
{
    int at[COLUMNS * ROWS];

    memset(first, 0, sizeof first);
    for (int k = 0; k < many; k++)
        first[cell_of(&particles[k]) + 1]++;
    for (int c = 0; c < COLUMNS * ROWS; c++)
        first[c + 1] += first[c];
    memcpy(at, first, sizeof at);
    for (int k = 0; k < many; k++)
        sorted[at[cell_of(&particles[k])]++] = particles[k];
    memcpy(particles, sorted, sizeof(Particle) * many);
}

static void collide_pair(Particle *a, Particle *b)
{
    double du = a->u - b->u, dv = a->v - b->v, dw = a->w - b->w, g = sqrt(du * du + dv * dv + dw * dw);

    if (draw(&seed) * 6 > g)
        return;
    double z = 2 * draw(&seed) - 1, phi = 6.283185307 * draw(&seed), s = sqrt(1 - z * z) * g / 2;
    double u = (a->u + b->u) / 2, v = (a->v + b->v) / 2, w = (a->w + b->w) / 2;
    a->u = u + s * cos(phi), a->v = v + s * sin(phi), a->w = w + z * g / 2;
    b->u = 2 * u - a->u, b->v = 2 * v - a->v, b->w = 2 * w - a->w;
}

SEPARATE static void collide(void)
{
    for (int c = cuts[rank] * ROWS; c < cuts[rank + 1] * ROWS; c++) {
        int n = first[c + 1] - first[c];
        for (int k = 0; k < n / 3 && n > 1; k++) {
            int a = n * draw(&seed), b = n * draw(&seed);
            if (a != b)
                collide_pair(&particles[first[c] + a], &particles[first[c] + b]);
        }
    }
}

static void take_sample(void)
{
    for (int k = 0; k < many; k++) {
        density[(int)particles[k].x] += 1;
        speed[(int)particles[k].x] += particles[k].u;
    }
}

/* As many particles for each rank, as nearly as columns allow. */
SEPARATE static void balance(void)
{
    int counts[COLUMNS], sum = 0, whole = 0, r = 1;

    for (int c = 0; c < COLUMNS; c++)
        counts[c] = first[(c + 1) * ROWS] - first[c * ROWS];
    MPI_Allreduce(MPI_IN_PLACE, counts, COLUMNS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int c = 0; c < COLUMNS; c++)
        whole += counts[c];
    for (int c = 0; c < COLUMNS; c++)
        for (sum += counts[c]; r < ranks && sum >= (double)whole * r / ranks; r++)
            cuts[r] = c + 1;
    migrate();
    sort();
}

static void report(int steps)
{
    double all[2 * COLUMNS], mine[2 * COLUMNS], most = 0;

    memcpy(mine, density, sizeof density);
    memcpy(mine + COLUMNS, speed, sizeof speed);
    MPI_Reduce(mine, all, 2 * COLUMNS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int c = 0; c < COLUMNS && rank == 0; c++)
        most = fmax(most, all[COLUMNS + c] / fmax(1, all[c]));
    if (rank == 0)
        printf("%d steps, at most %.5f\n", steps, most);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    seed = 900 + rank;
    int steps = argument(argc, argv, 1000);
    MPI_Type_contiguous(5, MPI_DOUBLE, &particle);
    MPI_Type_commit(&particle);
    fill();
    for (int k = 1; k <= steps; k++) {
        fly(0.2);
        migrate();
        sort();
        collide();
        if (k > SETTLED && k % 5 == 0)
            take_sample();
        if (k % 100 == 0)
            balance();
    }
    report(steps);
    MPI_Type_free(&particle);
    return finish(steps, 0);
}
