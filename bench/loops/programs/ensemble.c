/* SPDX-License-Identifier: BSD-3-Clause */
/* An ensemble: the same model with other beginnings, one member after the other.
 *
 * usage: ensemble [MEMBERS]
 *
 * The main loop are the time steps, of all members together; members are of different length. A
 * member begins with a state that rank 0 disturbs, and ends with its mean. */
#include "programs.h"

enum { ROWS = 200, COLUMNS = 200 };

static double u[ROWS + 2][COLUMNS], w[ROWS + 2][COLUMNS], new_u[ROWS + 2][COLUMNS];
static int up, down;

SEPARATE static void fill_halos(void)
{
    MPI_Request requests[8];
    double(*fields[2])[COLUMNS] = {u, w};

    for (int k = 0; k < 2; k++) {
        double(*a)[COLUMNS] = fields[k];
        MPI_Irecv(a[0], COLUMNS, MPI_DOUBLE, up, k, MPI_COMM_WORLD, &requests[4 * k]);
        MPI_Irecv(a[ROWS + 1], COLUMNS, MPI_DOUBLE, down, k, MPI_COMM_WORLD, &requests[4 * k + 1]);
        MPI_Isend(a[1], COLUMNS, MPI_DOUBLE, up, k, MPI_COMM_WORLD, &requests[4 * k + 2]);
        MPI_Isend(a[ROWS], COLUMNS, MPI_DOUBLE, down, k, MPI_COMM_WORLD, &requests[4 * k + 3]);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

/* Excitable medium: u is fast, w recovers. */
SEPARATE static void model_step(double dt)
{
    fill_halos();
    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double x = u[i][j], left = u[i][j ? j - 1 : 0];
            double spread = u[i - 1][j] + u[i + 1][j] + left + u[i][j < COLUMNS - 1 ? j + 1 : j];
            new_u[i][j] = x + dt * (x * (1 - x) * (x - 0.1) * 8 - w[i][j] + spread - 4 * x);
            w[i][j] += dt * 0.02 * (x - w[i][j]);
        }
    memcpy(u[1], new_u[1], sizeof(double) * ROWS * COLUMNS);
}

static double largest(void)
{
    double most = 0;
    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            most = fmax(most, fabs(u[i][j]));
    return most;
}

static double total(void)
{
    double sum = 0;
    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum += u[i][j];
    return sum / (ROWS * COLUMNS);
}

SEPARATE static void begin_member(int member)
{
    uint64_t state = 1000 + member;
    double strength[2] = {draw(&state), draw(&state)};

    MPI_Bcast(strength, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    memset(w, 0, sizeof w);
    for (int i = 0; i < ROWS + 2; i++)
        for (int j = 0; j < COLUMNS; j++)
            u[i][j] = j < 20 + 20 * strength[0] ? 0.5 + strength[1] : 0;
}

SEPARATE static int run_member(int member)
{
    int steps = 220 + 37 * (member % 4);

    begin_member(member);
    for (int step = 1; step <= steps; step++) {
        double dt = 0.1;
        if (step % 4 == 0)
            dt = 0.1 / fmax(1, most_of_all(largest(), MPI_COMM_WORLD));
        model_step(dt);
    }
    return steps;
}

int main(int argc, char **argv)
{
    double mean = 0, square = 0;
    int steps = 0;

    start(&argc, &argv);
    int members = argument(argc, argv, 22);
    up = (rank + ranks - 1) % ranks;
    down = (rank + 1) % ranks;
    for (int member = 0; member < members; member++) {
        steps += run_member(member);
        double of_member = sum_of_all(total(), MPI_COMM_WORLD) / ranks;
        mean += of_member / members;
        square += of_member * of_member / members;
    }
    if (rank == 0)
        printf("%d members, mean %.6f, spread %.6f\n", members, mean, sqrt(fmax(0, square - mean * mean)));
    return finish(steps, members);
}
