/* SPDX-License-Identifier: BSD-3-Clause */
/* Molecular dynamics with ranks of their own for the mesh: 4 of 6 have the particles, in slabs,
 * and 2 what is long-ranged.
 *
 * usage: pme [STEPS]
 *
 * The main loop are the time steps, on both kinds of ranks. In each, particles send positions
 * to the mesh, compute the forces of those near by, and then get the others. Each tenth step
 * particles go to the slabs where they are, and energies are summed; each hundredth, rank 0
 * gets all positions. The mesh goes on until it is told to stop. */
#include "programs.h"

enum { EACH = 360, MOST = 1000, G = 32, OVERLAP = 3, LISTS = 10, FRAMES = 100 };
enum { RENEWED = 1, ENERGY = 2, FINISH = 4 };
enum { HEADER, COUNT, PLACES, FORCES, LONG_ENERGY };

static const double WIDTH = 16, CUT = 1.5, DT = 0.01, TURN = 6.283185307179586;
static int particles, meshes, server; /* so many ranks of either kind, and the rank that serves */
static MPI_Comm comm;

struct atom {
    double x, y, vx, vy;
};

static struct atom atoms[MOST];
static double places[2 * MOST], forces[2 * MOST], far[2 * MOST];
static int own, near_left, ghosts, left, right;

/* --- particles --- */

static int swap(const void *out, int n, int to, void *in, int most, int from)
{
    MPI_Status status;
    int got;

    MPI_Sendrecv(out, n, MPI_DOUBLE, to, 0, in, most, MPI_DOUBLE, from, 0, comm, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &got);
    return got;
}

static double wrap(double d, double length)
{
    return d - length * floor(d / length + 0.5);
}

/* Atoms in front of the slab go to the left, those behind it to the right; what is near the
 * left border comes first. */
SEPARATE static void repartition(void)
{
    static struct atom out[3][MOST], in[2][MOST];
    int n[3] = {0}, got[2];

    for (int i = 0; i < own; i++) {
        double d = wrap(atoms[i].x - (rank + 0.5) * WIDTH, particles * WIDTH);
        int which = d < -WIDTH / 2 ? 1 : d >= WIDTH / 2 ? 2 : 0;
        out[which][n[which]++] = atoms[i];
    }
    got[0] = swap(out[1], 4 * n[1], left, in[0], 4 * MOST, right) / 4;
    got[1] = swap(out[2], 4 * n[2], right, in[1], 4 * MOST, left) / 4;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < got[k]; i++)
            out[0][n[0]++] = in[k][i];
    own = near_left = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n[0]; i++)
            if ((wrap(out[0][i].x - rank * WIDTH, particles * WIDTH) < 1.2 * CUT) == (pass == 0)) {
                near_left += pass == 0;
                atoms[own++] = out[0][i];
            }
}

static void fill_places(void)
{
    for (int i = 0; i < own; i++) {
        places[2 * i] = atoms[i].x;
        places[2 * i + 1] = atoms[i].y;
    }
}

SEPARATE static void move_x(void)
{
    ghosts = swap(places, 2 * near_left, left, places + 2 * own, 2 * (MOST - own), right) / 2;
}

SEPARATE static void move_f(void)
{
    double got[2 * MOST];
    int n = swap(forces + 2 * own, 2 * ghosts, right, got, 2 * MOST, left);

    for (int i = 0; i < n; i++)
        forces[i] += got[i];
}

SEPARATE static double near_forces(void)
{
    double sum = 0;

    memset(forces, 0, sizeof forces);
    for (int i = 0; i < own; i++)
        for (int j = i + 1; j < own + ghosts; j++) {
            double x = wrap(places[2 * i] - places[2 * j], particles * WIDTH),
                   y = places[2 * i + 1] - places[2 * j + 1];
            if (fabs(x) >= CUT)
                continue;
            y = wrap(y, WIDTH);
            double r = sqrt(x * x + y * y) + 1e-9, f = 60 * (1 - r / CUT) / r;
            if (r >= CUT)
                continue;
            sum += 30 * CUT * (1 - r / CUT) * (1 - r / CUT);
            forces[2 * i] += f * x;
            forces[2 * i + 1] += f * y;
            forces[2 * j] -= f * x;
            forces[2 * j + 1] -= f * y;
        }
    return sum;
}

/* The first particle rank of a mesh rank says what there is. */
SEPARATE static void send_to_mesh(int flags, MPI_Request *sending)
{
    int header[2] = {flags, own};

    if (rank % (particles / meshes) == 0)
        MPI_Send(header, 2, MPI_INT, server, HEADER, MPI_COMM_WORLD);
    else if (flags & RENEWED)
        MPI_Send(&own, 1, MPI_INT, server, COUNT, MPI_COMM_WORLD);
    if (!(flags & FINISH))
        MPI_Isend(places, 2 * own, MPI_DOUBLE, server, PLACES, MPI_COMM_WORLD, sending);
}

SEPARATE static double receive_from_mesh(int flags)
{
    double energy = 0;

    MPI_Recv(far, 2 * own, MPI_DOUBLE, server, FORCES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (flags & ENERGY && rank % (particles / meshes) == 0)
        MPI_Recv(&energy, 1, MPI_DOUBLE, server, LONG_ENERGY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return energy;
}

static double update(void)
{
    double sum = 0;

    for (int i = 0; i < own; i++) {
        atoms[i].vx += DT * (forces[2 * i] + far[2 * i]);
        atoms[i].vy += DT * (forces[2 * i + 1] + far[2 * i + 1]);
        atoms[i].x += DT * atoms[i].vx;
        atoms[i].y += DT * atoms[i].vy;
        sum += (atoms[i].vx * atoms[i].vx + atoms[i].vy * atoms[i].vy) / 2;
    }
    return sum;
}

SEPARATE static double write_frame(void)
{
    static double all[2 * MOST * MOST_RANKS];

    MPI_Gather(places, 2 * MOST, MPI_DOUBLE, all, 2 * MOST, MPI_DOUBLE, 0, comm);
    return all[2 * MOST];
}

static void run_particles(int steps)
{
    double sums[4] = {0}, frame = 0;
    uint64_t state = 50 + rank;

    for (own = 0; own < EACH; own++)
        atoms[own] =
            (struct atom){rank * WIDTH + own % 18 * WIDTH / 18, own / 18 * WIDTH / 20 + 0.1 * draw(&state),
                          2 * draw(&state) - 1, 2 * draw(&state) - 1};
    for (int step = 0; step < steps; step++) {
        int flags = step % LISTS == 0 ? RENEWED | ENERGY : 0;
        MPI_Request sending;
        if (flags & RENEWED)
            repartition();
        fill_places();
        send_to_mesh(flags, &sending);
        move_x();
        sums[0] = near_forces();
        move_f();
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
        sums[1] = receive_from_mesh(flags);
        sums[2] = update();
        sums[3] = own;
        if (flags & ENERGY)
            MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, comm);
        if (rank == 0 && step % 500 == 0)
            printf("step %d: %.0f atoms, energies %.3f %.3f %.3f\n", step, sums[3], sums[0], sums[1],
                   sums[2]);
        if (step % FRAMES == 0)
            frame += write_frame();
    }
    send_to_mesh(FINISH, NULL);
    if (rank == 0)
        printf("%d steps, frames %.4f\n", steps, frame);
}

/* --- mesh --- */

static double grid[G + 2 * OVERLAP][G], wave[G][G][2], other[G][G][2];
static int lines, me; /* lines along y that this rank has, without overlap */

static void transform(double (*a)[G][2], int n, int sign)
{
    for (int k = 0; k < n; k++) {
        double b[G][2] = {{0}};
        for (int i = 0; i < G; i++)
            for (int j = 0; j < G; j++) {
                static double c[G], s[G];
                if (c[0] == 0)
                    for (int t = 0; t < G; t++) {
                        c[t] = cos(TURN * t / G);
                        s[t] = sin(TURN * t / G);
                    }
                double co = c[i * j % G], si = sign * s[i * j % G];
                b[i][0] += co * a[k][j][0] - si * a[k][j][1];
                b[i][1] += co * a[k][j][1] + si * a[k][j][0];
            }
        memcpy(a[k], b, sizeof b);
    }
}

/* Lines along x become lines along y, and back. */
SEPARATE static void transpose(void)
{
    static double out[G * G][2], in[G * G][2];
    int n = 0;

    for (int r = 0; r < meshes; r++)
        for (int i = 0; i < lines; i++)
            for (int j = 0; j < lines; j++, n++)
                memcpy(out[n], wave[i][r * lines + j], sizeof out[n]);
    MPI_Alltoall(out, 2 * lines * lines, MPI_DOUBLE, in, 2 * lines * lines, MPI_DOUBLE, comm);
    n = 0;
    for (int r = 0; r < meshes; r++)
        for (int i = 0; i < lines; i++)
            for (int j = 0; j < lines; j++, n++)
                memcpy(other[j][r * lines + i], in[n], sizeof in[n]);
    memcpy(wave, other, sizeof wave);
}

static double apply_influence(void)
{
    double sum = 0;

    for (int i = 0; i < lines; i++)
        for (int j = 0; j < G; j++) {
            int a = i + me * lines, ky = a < G / 2 ? a : a - G, kx = j < G / 2 ? j : j - G;
            double kk = kx * kx / 16.0 + ky * ky, factor = kk > 0 ? exp(-0.02 * kk) / kk : 0;
            for (int k = 0; k < 2; k++) {
                sum += factor * wave[i][j][k] * wave[i][j][k];
                wave[i][j][k] *= factor / (G * G);
            }
        }
    return sum;
}

SEPARATE static double solve(void)
{
    for (int i = 0; i < lines; i++)
        for (int j = 0; j < G; j++) {
            wave[i][j][0] = grid[i + OVERLAP][j];
            wave[i][j][1] = 0;
        }
    transform(wave, lines, -1);
    transpose();
    transform(wave, lines, -1);
    double energy = apply_influence();
    transform(wave, lines, 1);
    transpose();
    transform(wave, lines, 1);
    for (int i = 0; i < lines; i++)
        for (int j = 0; j < G; j++)
            grid[i + OVERLAP][j] = wave[i][j][0];
    return energy;
}

/* Charges from the overlaps are added, or potentials copied to them. */
SEPARATE static void overlap(int adds)
{
    double got[OVERLAP][G];
    int before = (me + meshes - 1) % meshes, after = (me + 1) % meshes;

    for (int side = 0; side < 2; side++) {
        double(*ghost)[G] = grid + (side ? 0 : lines + OVERLAP),
        (*inner)[G] = grid + (side ? lines : OVERLAP);
        swap(adds ? ghost : inner, OVERLAP * G, side == adds ? before : after, got, OVERLAP * G,
             side == adds ? after : before);
        double(*target)[G] = adds ? inner : ghost;
        for (int i = 0; i < OVERLAP * G; i++)
            target[i / G][i % G] = got[i / G][i % G] + (adds ? target[i / G][i % G] : 0);
    }
}

/* Charges of atoms to the grid, or forces from there. */
static void spread_or_gather(int n, int gathers)
{
    for (int i = 0; i < n; i++) {
        double h = particles * WIDTH / G, middle = (me + 0.5) * lines;
        double u = wrap(places[2 * i] / h - middle, G) + lines / 2.0 + OVERLAP,
               v = places[2 * i + 1] / WIDTH * G;
        int a = (int)floor(u), b = (int)floor(v);
        double s = u - a, t = v - b, charge = i % 2 ? 1 : -1;
        if (a < 0 || a > lines + 2 * OVERLAP - 2)
            MPI_Abort(MPI_COMM_WORLD, 4);
        int c = (b + 1) & (G - 1);
        b &= G - 1;
        double *low = grid[a], *high = grid[a + 1];
        if (gathers) {
            far[2 * i] = charge * 0.1 * ((1 - t) * (low[b] - high[b]) + t * (low[c] - high[c]));
            far[2 * i + 1] = charge * 0.1 * ((1 - s) * (low[b] - low[c]) + s * (high[b] - high[c]));
        } else {
            low[b] += charge * (1 - s) * (1 - t);
            low[c] += charge * (1 - s) * t;
            high[b] += charge * s * (1 - t);
            high[c] += charge * s * t;
        }
    }
}

/* How many atoms there are, or -1 if all is over. */
SEPARATE static int receive_places(int *counts, int *flags)
{
    MPI_Request requests[MOST_RANKS];
    int header[2], per = particles / meshes, total = 0;

    MPI_Recv(header, 2, MPI_INT, me * per, HEADER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *flags = header[0];
    counts[0] = header[1];
    if (*flags & FINISH)
        return -1;
    if (*flags & RENEWED) {
        for (int k = 1; k < per; k++)
            MPI_Irecv(&counts[k], 1, MPI_INT, me * per + k, COUNT, MPI_COMM_WORLD, &requests[k - 1]);
        MPI_Waitall(per - 1, requests, MPI_STATUSES_IGNORE);
    }
    for (int k = 0; k < per; total += counts[k++])
        MPI_Irecv(places + 2 * total, 2 * counts[k], MPI_DOUBLE, me * per + k, PLACES, MPI_COMM_WORLD,
                  &requests[k]);
    MPI_Waitall(per, requests, MPI_STATUSES_IGNORE);
    return total;
}

SEPARATE static void send_forces(const int *counts, int flags, double energy)
{
    MPI_Request requests[MOST_RANKS];
    int per = particles / meshes, total = 0;

    for (int k = 0; k < per; total += counts[k++])
        MPI_Isend(far + 2 * total, 2 * counts[k], MPI_DOUBLE, me * per + k, FORCES, MPI_COMM_WORLD,
                  &requests[k]);
    if (flags & ENERGY)
        MPI_Send(&energy, 1, MPI_DOUBLE, me * per, LONG_ENERGY, MPI_COMM_WORLD);
    MPI_Waitall(per, requests, MPI_STATUSES_IGNORE);
}

static int run_mesh(void)
{
    int counts[MOST_RANKS], flags, steps = 0;

    for (;; steps++) {
        int n = receive_places(counts, &flags);
        if (n < 0)
            return steps;
        memset(grid, 0, sizeof grid);
        spread_or_gather(n, 0);
        overlap(1);
        double energy = solve();
        overlap(0);
        spread_or_gather(n, 1);
        send_forces(counts, flags, energy);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int steps = argument(argc, argv, 1400), is_mesh;
    meshes = ranks / 3;
    particles = 2 * meshes;
    is_mesh = rank >= particles;
    MPI_Comm_split(MPI_COMM_WORLD, is_mesh, rank, &comm);
    lines = G / meshes;
    me = rank - particles;
    server = particles + rank / (particles / meshes);
    left = (rank + particles - 1) % particles;
    right = (rank + 1) % particles;
    if (is_mesh)
        steps = run_mesh();
    else
        run_particles(steps);
    return finish(steps, 0);
}
