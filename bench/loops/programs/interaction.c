/* SPDX-License-Identifier: BSD-3-Clause */
/* Fluid and structure: a channel whose upper wall is elastic. The fluid has all ranks but the last, which has
 * the wall; they are coupled implicitly.
 *
 * usage: interaction [STEPS]
 *
 * The main loop are the time steps. In each, fluid and wall are computed in turn until the wall is where the
 * fluid has it, with relaxation after Aitken. */
#include "programs.h"

enum { N = 70, M = 30, MOST_TURNS = 12, PLACE = 1, LOAD = 2 };

static double pressure[M][N + 2], height[N + 2], before[N + 2];
static double *whole_load, *whole_wall, *old_wall, *residual;
static MPI_Comm fluid;
static int is_wall, fluids, left, right, length;
static long turns;

static void prepare(void)
{
    is_wall = rank == ranks - 1;
    fluids = ranks - 1;
    length = N * fluids;
    MPI_Comm_split(MPI_COMM_WORLD, is_wall, rank, &fluid);
    left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    right = rank < fluids - 1 ? rank + 1 : MPI_PROC_NULL;
    whole_load = calloc(length, sizeof(double));
    whole_wall = calloc(length, sizeof(double));
    old_wall = calloc(length, sizeof(double));
    residual = calloc(length, sizeof(double));
}

SEPARATE static void exchange(void)
{
    double out[2][M], in[2][M];
    MPI_Request requests[4];

    for (int j = 0; j < M; j++) {
        out[0][j] = pressure[j][1];
        out[1][j] = pressure[j][N];
    }
    MPI_Irecv(in[0], M, MPI_DOUBLE, left, 5, fluid, &requests[0]);
    MPI_Irecv(in[1], M, MPI_DOUBLE, right, 6, fluid, &requests[1]);
    MPI_Isend(out[0], M, MPI_DOUBLE, left, 6, fluid, &requests[2]);
    MPI_Isend(out[1], M, MPI_DOUBLE, right, 5, fluid, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int j = 0; j < M; j++) {
        pressure[j][0] = left == MPI_PROC_NULL ? pressure[j][0] : in[0][j];
        pressure[j][N + 1] = right == MPI_PROC_NULL ? 0 : in[1][j];
    }
}

/* A sweep of Gauss and Seidel; where the wall comes down, the fluid is pressed out. */
static double relax(const double *place)
{
    double most = 0;

    for (int j = 0; j < M; j++)
        for (int i = 1; i <= N; i++) {
            double below = pressure[j > 0 ? j - 1 : 0][i];
            double above = j < M - 1 ? pressure[j + 1][i] : pressure[j][i] + 0.3 * (before[i] - place[i]);
            double next = (pressure[j][i - 1] + pressure[j][i + 1] + below + above) / 4;
            most = fmax(most, fabs(next - pressure[j][i]));
            pressure[j][i] += 1.5 * (next - pressure[j][i]);
        }
    return most;
}

/* The pressure under a wall that is at PLACE. */
SEPARATE static void solve_fluid(const double *place, double inflow)
{
    for (int j = 0; j < M && rank == 0; j++)
        pressure[j][0] = inflow;
    for (int k = 1; k <= 30; k++) {
        exchange();
        double most = relax(place);
        if (k % 10 == 0 && most_of_all(most, fluid) < 1e-3)
            break;
    }
}

static void take_turn_of_fluid(double inflow, int *is_over)
{
    solve_fluid(height, inflow);
    MPI_Gather(&pressure[M - 1][1], N, MPI_DOUBLE, whole_load, N, MPI_DOUBLE, 0, fluid);
    if (rank == 0) {
        MPI_Send(whole_load, length, MPI_DOUBLE, ranks - 1, LOAD, MPI_COMM_WORLD);
        MPI_Recv(whole_wall, length, MPI_DOUBLE, ranks - 1, PLACE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(is_over, 1, MPI_INT, ranks - 1, PLACE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Scatter(whole_wall, N, MPI_DOUBLE, height + 1, N, MPI_DOUBLE, 0, fluid);
    MPI_Bcast(is_over, 1, MPI_INT, 0, fluid);
}

/* Where a membrane is after a time step under the load: implicit, by elimination. */
static void solve_wall(const double *from, const double *moving, double *to)
{
    const double mass = 4, tension = 30;
    static double upper[N * MOST_RANKS];

    for (int i = 0; i < length; i++) {
        double b = mass + 2 * tension + 0.5, c = -tension, above = i ? upper[i - 1] : 0,
               last = i ? to[i - 1] : 0;
        upper[i] = c / (b - c * above);
        to[i] = (mass * (from[i] + 0.8 * moving[i]) + whole_load[i] - c * last) / (b - c * above);
    }
    for (int i = length - 2; i >= 0; i--)
        to[i] -= upper[i] * to[i + 1];
}

static double aitken(const double *now, double weight, double *norm)
{
    double product = 0, squares = 1e-30;

    *norm = 0;
    for (int i = 0; i < length; i++) {
        double next = now[i] - whole_wall[i], change = next - residual[i];
        product += residual[i] * change;
        squares += change * change;
        residual[i] = next;
        *norm += next * next;
    }
    *norm = sqrt(*norm / length);
    return fmax(0.05, fmin(1, -weight * product / squares));
}

static void take_turn_of_wall(const double *moving, int turn, int *is_over)
{
    static double now[N * MOST_RANKS], weight;
    double norm, next;

    MPI_Recv(whole_load, length, MPI_DOUBLE, 0, LOAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    solve_wall(old_wall, moving, now);
    next = aitken(now, weight, &norm);
    weight = turn == 0 ? 0.5 : next;
    for (int i = 0; i < length; i++)
        whole_wall[i] += weight * residual[i];
    *is_over = norm < 1e-3 || turn == MOST_TURNS - 1;
    MPI_Send(whole_wall, length, MPI_DOUBLE, 0, PLACE, MPI_COMM_WORLD);
    MPI_Send(is_over, 1, MPI_INT, 0, PLACE, MPI_COMM_WORLD);
}

static void step_fluid(int step)
{
    int is_over = 0;

    memcpy(before, height, sizeof before);
    for (; !is_over; turns++)
        take_turn_of_fluid(1 + 0.5 * sin(0.1 * step), &is_over);
}

static void step_wall(double *moving)
{
    memcpy(old_wall, whole_wall, sizeof(double) * length);
    for (int turn = 0, is_over = 0; !is_over; turn++, turns++)
        take_turn_of_wall(moving, turn, &is_over);
    for (int i = 0; i < length; i++)
        moving[i] = whole_wall[i] - old_wall[i];
}

int main(int argc, char **argv)
{
    static double moving[N * MOST_RANKS];

    start(&argc, &argv);
    int steps = argument(argc, argv, 120);
    prepare();
    for (int step = 0; step < steps; step++)
        if (is_wall)
            step_wall(moving);
        else
            step_fluid(step);
    if (rank == 0)
        printf("%d steps, %ld turns, the wall is at %.5f\n", steps, turns, whole_wall[length / 2]);
    MPI_Comm_free(&fluid);
    return finish(steps, 0);
}
