/* SPDX-License-Identifier: BSD-3-Clause */
/* Molecular dynamics of a metal in link cells, with embedded atoms: forces need two passes over
 * pairs.
 *
 * usage: atoms [STEPS]
 *
 * The main loop are the time steps, which are made in blocks of 10; after a block, energies and
 * the number of atoms are looked at. In each step, atoms go to their cells and ranks, and
 * ghosts are exchanged, along x and then along y; between the passes, so is what the second one
 * needs of ghosts. */
#include "programs.h"

enum { SIDE = 13, WIDE = SIDE + 2, MOST = 24, BLOCK = 10, ALL = 2 * WIDE * MOST };

static const double CELL = 2.2, DT = 0.01;

struct atom {
    double place[2], speed[2], force[2], slope, id;
};

static struct cell {
    int n;
    struct atom atoms[MOST];
} cells[WIDE][WIDE];

static int neighbours[2][2];

static void put(const struct atom *atom)
{
    int at[2];

    for (int axis = 0; axis < 2; axis++) {
        at[axis] = (int)floor(atom->place[axis] / CELL) + 1;
        at[axis] = at[axis] < 0 ? 0 : at[axis] > WIDE - 1 ? WIDE - 1 : at[axis];
    }
    struct cell *cell = &cells[at[1]][at[0]];
    if (cell->n == MOST)
        MPI_Abort(MPI_COMM_WORLD, 3);
    cell->atoms[cell->n++] = *atom;
}

static struct cell *cell_of(int axis, int layer, int k)
{
    return axis ? &cells[layer][k] : &cells[k][layer];
}

/* Atoms of the two outermost layers, the ghosts' one and the last own one, as the neighbour
 * sees them. */
static int load_atoms(int axis, int side, struct atom *out)
{
    int n = 0, low = side ? SIDE : 0;

    for (int layer = low; layer < low + 2; layer++)
        for (int k = 0; k < WIDE; k++) {
            struct cell *cell = cell_of(axis, layer, k);
            for (int i = 0; i < cell->n; i++) {
                out[n] = cell->atoms[i];
                out[n++].place[axis] += (side ? -1 : 1) * SIDE * CELL;
            }
        }
    return n;
}

SEPARATE static void exchange_atoms(int axis)
{
    static struct atom out[2][ALL], in[2][ALL];
    int sent[2], got[2];
    MPI_Status status;

    for (int side = 0; side < 2; side++)
        sent[side] = load_atoms(axis, side, out[side]) * (int)sizeof **out;
    for (int side = 0; side < 2; side++) {
        MPI_Sendrecv(out[side], sent[side], MPI_BYTE, neighbours[axis][side], side, in[side], sizeof in[side],
                     MPI_BYTE, neighbours[axis][1 - side], side, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &got[side]);
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < got[side] / (int)sizeof **in; i++)
            put(&in[side][i]);
}

/* The slopes of the own atoms at the border, to the ghosts of the neighbour, in the same order. */
SEPARATE static void exchange_slopes(int axis)
{
    double out[WIDE * MOST], in[WIDE * MOST];

    for (int side = 0; side < 2; side++) {
        int n = 0;
        for (int k = 0; k < WIDE; k++)
            for (int i = 0; i < cell_of(axis, side ? SIDE : 1, k)->n; i++)
                out[n++] = cell_of(axis, side ? SIDE : 1, k)->atoms[i].slope;
        MPI_Sendrecv(out, n, MPI_DOUBLE, neighbours[axis][side], 2 + side, in, WIDE * MOST, MPI_DOUBLE,
                     neighbours[axis][1 - side], 2 + side, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        n = 0;
        for (int k = 0; k < WIDE; k++)
            for (int i = 0; i < cell_of(axis, side ? 0 : SIDE + 1, k)->n; i++)
                cell_of(axis, side ? 0 : SIDE + 1, k)->atoms[i].slope = in[n++];
    }
}

static int compare(const void *a, const void *b)
{
    double x = ((const struct atom *)a)->id, y = ((const struct atom *)b)->id;
    return (x > y) - (x < y);
}

SEPARATE static void redistribute(void)
{
    static struct cell old[WIDE][WIDE];

    memcpy(old, cells, sizeof old);
    memset(cells, 0, sizeof cells);
    for (int row = 1; row <= SIDE; row++)
        for (int column = 1; column <= SIDE; column++)
            for (int i = 0; i < old[row][column].n; i++)
                put(&old[row][column].atoms[i]);
    for (int axis = 0; axis < 2; axis++)
        exchange_atoms(axis);
    for (struct cell *cell = cells[0]; cell < cells[WIDE]; cell++)
        qsort(cell->atoms, cell->n, sizeof *cell->atoms, compare);
}

/* What atom a has of b: density in the first pass, force in the second one. */
static void add_pair(struct atom *a, const struct atom *b, int pass)
{
    double x = a->place[0] - b->place[0], y = a->place[1] - b->place[1], rr = x * x + y * y;

    if (rr >= CELL * CELL)
        return;
    double r = sqrt(rr), cut = 1 - rr / (CELL * CELL), g = cut * cut, slope = -4 * r / (CELL * CELL) * cut;
    double w = exp(-1.5 * (r - 1));
    if (pass == 0) {
        a->slope += w * g;
        return;
    }
    double v = exp(-4 * (r - 1));
    double f = -v * (slope - 4 * g) - (a->slope + b->slope) * w * (slope - 1.5 * g);
    a->force[0] += f * x / r;
    a->force[1] += f * y / r;
}

static void pass_over_pairs(int pass)
{
    for (int row = 1; row <= SIDE; row++)
        for (int column = 1; column <= SIDE; column++)
            for (int i = 0; i < cells[row][column].n; i++) {
                struct atom *a = &cells[row][column].atoms[i];
                for (int k = 0; k < 9; k++) {
                    struct cell *near = &cells[row + k / 3 - 1][column + k % 3 - 1];
                    for (int j = 0; j < near->n; j++)
                        if (&near->atoms[j] != a)
                            add_pair(a, &near->atoms[j], pass);
                }
            }
}

/* For all own atoms: WHAT is 0 to begin forces, 1 for slopes, 2 to kick, 3 to move, 4 for the sums. */
static void each_atom(int what, double *sums)
{
    for (int row = 1; row <= SIDE; row++)
        for (int column = 1; column <= SIDE; column++)
            for (int i = 0; i < cells[row][column].n; i++) {
                struct atom *a = &cells[row][column].atoms[i];
                if (what == 0)
                    a->force[0] = a->force[1] = a->slope = 0;
                if (what == 1)
                    a->slope = -0.5 / sqrt(a->slope);
                for (int axis = 0; axis < 2; axis++) {
                    a->speed[axis] += what == 2 ? DT / 2 * a->force[axis] : 0;
                    a->place[axis] += what == 3 ? DT * a->speed[axis] : 0;
                }
                if (what == 4) {
                    sums[0] += (a->speed[0] * a->speed[0] + a->speed[1] * a->speed[1]) / 2;
                    sums[1]++;
                }
            }
}

SEPARATE static void find_forces(void)
{
    each_atom(0, NULL);
    pass_over_pairs(0);
    each_atom(1, NULL);
    for (int axis = 0; axis < 2; axis++)
        exchange_slopes(axis);
    pass_over_pairs(1);
}

SEPARATE static double timestep(int steps)
{
    double sums[2] = {0};

    for (int i = 0; i < steps; i++) {
        each_atom(2, NULL);
        each_atom(3, NULL);
        redistribute();
        find_forces();
        each_atom(2, NULL);
    }
    each_atom(4, sums);
    return sum_of_all(sums[0], MPI_COMM_WORLD);
}

static void make_atoms(void)
{
    uint64_t state = 70 + rank;

    for (int i = 0; i < 4 * SIDE * SIDE; i++) {
        struct atom atom = {.id = i + 10000 * rank};
        atom.place[0] = (i % (2 * SIDE) + 0.5) * CELL / 2;
        atom.place[1] = (i / (2 * SIDE) + 0.5) * CELL / 2;
        for (int axis = 0; axis < 2; axis++)
            atom.speed[axis] = 1.2 * (draw(&state) - 0.5);
        put(&atom);
    }
}

int main(int argc, char **argv)
{
    int dims[2] = {0}, periodic[2] = {1, 1};
    double energy = 0, atoms = 0;
    MPI_Comm grid;

    start(&argc, &argv);
    int steps = argument(argc, argv, 700);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &grid);
    for (int axis = 0; axis < 2; axis++)
        MPI_Cart_shift(grid, axis, 1, &neighbours[axis][0], &neighbours[axis][1]);
    make_atoms();
    redistribute();
    find_forces();
    for (int done = 0; done < steps; done += BLOCK) {
        double sums[2] = {0};
        each_atom(4, sums);
        atoms = sum_of_all(sums[1], MPI_COMM_WORLD);
        if (done % 100 == 0 && rank == 0)
            printf("step %d, %.0f atoms, energy %.4f\n", done, atoms, energy);
        energy = timestep(BLOCK);
    }
    if (rank == 0)
        printf("%d steps, %.0f atoms, energy %.4f\n", steps, atoms, energy);
    return finish(steps, steps / BLOCK);
}
