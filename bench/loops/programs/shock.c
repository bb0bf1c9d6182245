/* SPDX-License-Identifier: BSD-3-Clause */
/* A blast wave in a gas, by Lagrangian hydrodynamics with elements that move.
 *
 * usage: shock
 *
 * The main loop are the time steps: the length of the step from what elements allow, forces
 * that are summed at nodes which ranks share, nodes that are made the same on these, the
 * gradient of velocity for the viscosity, from neighbours, and then the elements. It ends at a
 * given time. The ranks are a square. */
#include "programs.h"

enum { N = 64, NODES = (N + 1) * (N + 1), WIDE = N + 2, DIRECTIONS = 9, MOST_FIELDS = 4 };
enum { FORCE = 1, SYNC, GRADIENT };
enum { LOAD, ADD, TAKE };

static double x[NODES], y[NODES], vx[NODES], vy[NODES], fx[NODES], fy[NODES], mass[NODES];
static double area[WIDE * WIDE], energy[WIDE * WIDE], pressure[WIDE * WIDE], q[WIDE * WIDE];
static double divergence[WIDE * WIDE], weight[WIDE * WIDE], courant, hydro;
static double out[DIRECTIONS][MOST_FIELDS * (N + 1)], in[DIRECTIONS][MOST_FIELDS * (N + 1)];
static MPI_Request receiving[DIRECTIONS];
static int side, column, row;

/* The rank in a direction, with which there is something to do of that KIND, or -1. */
static int partner(int kind, int d, int sends)
{
    int dx = d % 3 - 1, dy = d / 3 - 1, other = (row + dy) * side + column + dx;

    if (d == 4 || column + dx < 0 || column + dx >= side || row + dy < 0 || row + dy >= side)
        return -1;
    if (kind == GRADIENT && dx && dy)
        return -1;
    return kind == SYNC && (sends ? other < rank : other > rank) ? -1 : other;
}

static void span(int kind, int d, int ghosts, int *first, int *last)
{
    int low = kind == GRADIENT ? 1 - ghosts : 0, high = kind == GRADIENT ? N + ghosts : N;

    *first = d > 0 ? high : d < 0 ? low : kind == GRADIENT;
    *last = d < 0 ? low : d > 0 ? high : N;
}

static int transfer(int kind, int d, int how, double **fields, int n, double *buffer)
{
    int x0, x1, y0, y1, used = 0, wide = kind == GRADIENT ? WIDE : N + 1;

    span(kind, d % 3 - 1, how == TAKE, &x0, &x1);
    span(kind, d / 3 - 1, how == TAKE, &y0, &y1);
    for (int f = 0; f < n; f++)
        for (int j = y0; j <= y1; j++)
            for (int i = x0; i <= x1; i++) {
                double *value = &fields[f][j * wide + i], *other = &buffer[used++];
                if (how == LOAD)
                    *other = *value;
                else
                    *value = how == ADD ? *value + *other : *other;
            }
    return used;
}

SEPARATE static void comm_receive(int kind, int n)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        receiving[d] = MPI_REQUEST_NULL;
        if (partner(kind, d, 0) >= 0)
            MPI_Irecv(in[d], n * (N + 1), MPI_DOUBLE, partner(kind, d, 0), kind, MPI_COMM_WORLD,
                      &receiving[d]);
    }
}

SEPARATE static void comm_send(int kind, double **fields, int n)
{
    MPI_Request sending[DIRECTIONS];
    int used = 0;

    for (int d = 0; d < DIRECTIONS; d++)
        if (partner(kind, d, 1) >= 0) {
            int size = transfer(kind, d, LOAD, fields, n, out[d]);
            MPI_Isend(out[d], size, MPI_DOUBLE, partner(kind, d, 1), kind, MPI_COMM_WORLD, &sending[used++]);
        }
    MPI_Waitall(used, sending, MPI_STATUSES_IGNORE);
}

SEPARATE static void comm_finish(int kind, int how, double **fields, int n)
{
    for (int d = 0; d < DIRECTIONS; d++)
        if (partner(kind, d, 0) >= 0) {
            MPI_Wait(&receiving[d], MPI_STATUS_IGNORE);
            transfer(kind, d, how, fields, n, in[d]);
        }
}

static int corner(int e, int k)
{
    int i = e % WIDE - 1 + (k == 1 || k == 2), j = e / WIDE - 1 + (k > 1);
    return j * (N + 1) + i;
}

/* The area of an element, and its gradient at the four corners. */
static double shape(int e, double *gx, double *gy)
{
    double px[4], py[4];

    for (int k = 0; k < 4; k++) {
        px[k] = x[corner(e, k)];
        py[k] = y[corner(e, k)];
    }
    for (int k = 0; k < 4; k++) {
        gx[k] = (py[(k + 1) % 4] - py[(k + 3) % 4]) / 2;
        gy[k] = -(px[(k + 1) % 4] - px[(k + 3) % 4]) / 2;
    }
    return ((px[2] - px[0]) * (py[3] - py[1]) - (px[3] - px[1]) * (py[2] - py[0])) / 2;
}

static double sound(int e)
{
    return sqrt(1.4 * 0.4 * energy[e]) + 1e-6;
}

static void element_force(int e)
{
    double gx[4], gy[4], hx = 0, hy = 0, a = shape(e, gx, gy);

    for (int k = 0; k < 4; k++) {
        hx += (k % 2 ? -1 : 1) * vx[corner(e, k)] / 4;
        hy += (k % 2 ? -1 : 1) * vy[corner(e, k)] / 4;
    }
    double c = 0.3 * weight[e] / a * sound(e) * sqrt(a);
    for (int k = 0; k < 4; k++) {
        fx[corner(e, k)] += (pressure[e] + q[e]) * gx[k] - (k % 2 ? -1 : 1) * c * hx;
        fy[corner(e, k)] += (pressure[e] + q[e]) * gy[k] - (k % 2 ? -1 : 1) * c * hy;
    }
}

SEPARATE static void lagrange_nodal(double dt)
{
    double *forces[] = {fx, fy}, *moved[] = {x, y, vx, vy};

    comm_receive(FORCE, 2);
    memset(fx, 0, sizeof fx);
    memset(fy, 0, sizeof fy);
    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= N; i++)
            element_force(j * WIDE + i);
    comm_send(FORCE, forces, 2);
    comm_finish(FORCE, ADD, forces, 2);
    comm_receive(SYNC, 4);
    for (int n = 0; n < NODES; n++) {
        int i = n % (N + 1) + column * N, j = n / (N + 1) + row * N;
        vx[n] += i == 0 || i == side * N ? 0 : dt * fx[n] / mass[n];
        vy[n] += j == 0 || j == side * N ? 0 : dt * fy[n] / mass[n];
        x[n] += dt * vx[n];
        y[n] += dt * vy[n];
    }
    comm_send(SYNC, moved, 4);
    comm_finish(SYNC, TAKE, moved, 4);
}

/* Of the viscosity, less where velocity is smooth. */
static double limiter(int e)
{
    double own = divergence[e] - 1e-12, least = 1;
    int steps[] = {-1, 1, -WIDE, WIDE};

    for (int k = 0; k < 4; k++)
        least = fmin(least, divergence[e + steps[k]] / own);
    return 1 - 0.5 * fmax(0, least);
}

static void update_element(int e)
{
    double gx[4], gy[4], a = shape(e, gx, gy), size = sqrt(a), d = divergence[e];

    energy[e] = fmax(1e-4, energy[e] - (pressure[e] + q[e]) * (a - area[e]) / weight[e]);
    area[e] = a;
    double density = weight[e] / a;
    pressure[e] = 0.4 * density * energy[e];
    q[e] = d < 0 ? limiter(e) * density * (2 * a * d * d - 0.5 * size * sound(e) * d) : 0;
    courant = fmin(courant, 0.25 * size / (sound(e) + 4 * size * fabs(d)));
    hydro = fmin(hydro, 0.1 / (fabs(d) + 1e-9));
}

SEPARATE static void lagrange_elements(void)
{
    double *fields[] = {divergence}, gx[4], gy[4];

    comm_receive(GRADIENT, 1);
    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= N; i++) {
            int e = j * WIDE + i;
            double a = shape(e, gx, gy), sum = 0;
            for (int k = 0; k < 4; k++)
                sum += gx[k] * vx[corner(e, k)] + gy[k] * vy[corner(e, k)];
            divergence[e] = sum / a;
        }
    comm_send(GRADIENT, fields, 1);
    comm_finish(GRADIENT, TAKE, fields, 1);
    courant = hydro = 1;
    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= N; i++)
            update_element(j * WIDE + i);
}

SEPARATE static double time_increment(double old, double rest)
{
    double mine = fmin(courant, hydro), all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return fmin(fmin(all, 1.1 * old), rest);
}

static void build(void)
{
    double h = 1.0 / (side * N), *fields[] = {mass};

    for (int n = 0; n < NODES; n++) {
        x[n] = h * (n % (N + 1) + column * N);
        y[n] = h * (n / (N + 1) + row * N);
    }
    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= N; i++) {
            int e = j * WIDE + i, is_hot = i + column * N < 5 && j + row * N < 5;
            area[e] = weight[e] = h * h;
            energy[e] = is_hot ? 40 : 0.01;
            pressure[e] = 0.4 * energy[e];
            for (int k = 0; k < 4; k++)
                mass[corner(e, k)] += h * h / 4;
        }
    comm_receive(FORCE, 1);
    comm_send(FORCE, fields, 1);
    comm_finish(FORCE, ADD, fields, 1);
}

int main(int argc, char **argv)
{
    double time = 0, end = 0.6, dt = 1e-5, most = 0, sum = 0;
    int cycles = 0;

    start(&argc, &argv);
    side = (int)(sqrt(ranks) + 0.5);
    column = rank % side;
    row = rank / side;
    build();
    courant = hydro = 1;
    while (time < end) {
        dt = time_increment(dt, end - time);
        time += dt;
        lagrange_nodal(dt);
        lagrange_elements();
        cycles++;
    }
    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= N; i++) {
            most = fmax(most, weight[j * WIDE + i] / area[j * WIDE + i]);
            sum += weight[j * WIDE + i] * energy[j * WIDE + i];
        }
    most = most_of_all(most, MPI_COMM_WORLD);
    sum = sum_of_all(sum, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d cycles to %.3f, density at most %.4f, energy %.6f\n", cycles, time, most, sum);
    return finish(cycles, 0);
}
