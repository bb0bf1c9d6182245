/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual screening: many small molecules are docked to a protein, each by one rank, which takes
 * the next one from a counter.
 *
 * usage: docking [MOLECULES]
 *
 * The main loop are the molecules that a rank gets from the counter, which is in a window of rank
 * 0; which they are depends on timing. A molecule is some searches from places drawn at random,
 * longer ones for larger molecules, and its score goes to the table of rank 0. Before that, all
 * ranks make the grid of the protein's field, and in the end the best ones are docked again. */
#include "programs.h"

enum {
    SIDE = 40,
    GRID = SIDE * SIDE * SIDE,
    SITES = 60,
    MOST_ATOMS = 28,
    RUNS = 3,
    AGAIN = 40,
    MOST = 20000
};

struct pose {
    double place[3], turn;
};

static double field[GRID], atoms[MOST_ATOMS][3];
static int count;
static long *counter;
static double *scores;
static MPI_Win counter_window, score_window;

/* Each rank has some planes of the grid, then all have all. */
SEPARATE static void make_grid(void)
{
    int planes = SIDE / ranks, size = planes * SIDE * SIDE;
    double sites[SITES][4];
    uint64_t state = 3;

    for (int i = 0; rank == 0 && i < SITES; i++)
        for (int k = 0; k < 4; k++)
            sites[i][k] = k < 3 ? SIDE * draw(&state) : draw(&state) - 0.6;
    MPI_Bcast(sites, 4 * SITES, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = rank * size; i < (rank + 1) * size; i++)
        for (int s = 0; s < SITES; s++) {
            double x = sites[s][0] - i % SIDE, y = sites[s][1] - i / SIDE % SIDE,
                   z = sites[s][2] - i / SIDE / SIDE;
            field[i] += sites[s][3] / (1 + 0.1 * (x * x + y * y + z * z));
        }
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, field, size, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void open_windows(int molecules)
{
    int mine = rank == 0;

    MPI_Win_allocate(mine ? sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                     &counter_window);
    MPI_Win_allocate(mine ? molecules * sizeof(double) : 0, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &scores, &score_window);
    if (mine) {
        *counter = 0;
        memset(scores, 0, molecules * sizeof(double));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

SEPARATE static int next_molecule(void)
{
    long one = 1, got;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, counter_window);
    MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 0, MPI_SUM, counter_window);
    MPI_Win_unlock(0, counter_window);
    return got;
}

SEPARATE static void put_score(int molecule, double score)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, score_window);
    MPI_Put(&score, 1, MPI_DOUBLE, 0, molecule, 1, MPI_DOUBLE, score_window);
    MPI_Win_unlock(0, score_window);
}

static void read_molecule(int molecule)
{
    uint64_t state = 77 + molecule;

    draw(&state);
    count = 8 + (int)((MOST_ATOMS - 8) * draw(&state));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            atoms[i][k] = 6 * draw(&state) - 3;
}

static double energy_at(const struct pose *pose)
{
    double sum = 0, c = cos(pose->turn), s = sin(pose->turn);

    for (int i = 0; i < count; i++) {
        int x = (int)(pose->place[0] + c * atoms[i][0] - s * atoms[i][1]),
            y = (int)(pose->place[1] + s * atoms[i][0] + c * atoms[i][1]),
            z = (int)(pose->place[2] + atoms[i][2]);
        sum += x < 0 || y < 0 || z < 0 || x >= SIDE || y >= SIDE || z >= SIDE
                   ? 1
                   : field[x + SIDE * (y + SIDE * z)];
    }
    return sum / sqrt(count);
}

/* Steps that are taken if they go down, and at times if they do not. */
SEPARATE static double search(uint64_t *state, int steps)
{
    struct pose pose = {.turn = 6.28 * draw(state)};

    for (int k = 0; k < 3; k++)
        pose.place[k] = SIDE * draw(state);
    double now = energy_at(&pose), best = now;
    for (int step = 0; step < steps; step++) {
        struct pose tried = pose;
        double warm = 0.3 * (1 - (double)step / steps);
        for (int k = 0; k < 3; k++)
            tried.place[k] += 2 * draw(state) - 1;
        tried.turn += draw(state) - 0.5;
        double energy = energy_at(&tried);
        if (energy > now + warm * draw(state))
            continue;
        pose = tried;
        now = energy;
        best = fmin(best, now);
    }
    return best;
}

SEPARATE static double dock(int molecule, int effort)
{
    double best = 0;
    uint64_t state = 1000003 * (uint64_t)(molecule + 1);

    read_molecule(molecule);
    for (int run = 0; run < RUNS; run++)
        best = fmin(best, search(&state, effort * count * 50));
    return best;
}

SEPARATE static int screen(int molecules)
{
    int done = 0;

    for (int molecule; (molecule = next_molecule()) < molecules; done++)
        put_score(molecule, dock(molecule, 1));
    MPI_Barrier(MPI_COMM_WORLD);
    return done;
}

/* The best ones of the table. */
SEPARATE static void choose(const double *table, int molecules, int *chosen)
{
    static char taken[MOST];

    for (int i = 0; i < AGAIN; i++) {
        int best = -1;
        for (int k = 0; k < molecules; k++)
            if (!taken[k] && (best < 0 || table[k] < table[best]))
                best = k;
        taken[chosen[i] = best] = 1;
    }
}

SEPARATE static double dock_best_again(int molecules)
{
    int chosen[AGAIN];
    double mine = 0, all;

    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, score_window);
        choose(scores, molecules, chosen);
        MPI_Win_unlock(0, score_window);
    }
    MPI_Bcast(chosen, AGAIN, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = rank; i < AGAIN; i += ranks)
        mine += dock(chosen[i], 4) / AGAIN;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int molecules = argument(argc, argv, 9000);
    if (molecules > MOST || molecules < AGAIN)
        MPI_Abort(MPI_COMM_WORLD, 3);
    make_grid();
    open_windows(molecules);
    int done = screen(molecules);
    double best = dock_best_again(molecules);
    if (rank == 0)
        printf("%d molecules, the best ones have %.6f\n", molecules, best);
    MPI_Win_free(&counter_window);
    MPI_Win_free(&score_window);
    return finish(done, 0);
}
