/* SPDX-License-Identifier: BSD-3-Clause */
/* Time steps that look for messages while they compute, and a few messages nobody knows of
 * before.
 *
 * usage: polling [STEPS]
 *
 * The main loop are the time steps. How often a step tests its requests depends on timing. Some
 * steps send a tracer on to the next rank, which looks by MPI_Iprobe whether one has come. */
#include "programs.h"

enum { ROWS = 450, COLUMNS = 200, CHUNK = 12, TRACER = 9 };

static double now[ROWS + 2][COLUMNS], next[ROWS + 2][COLUMNS];
static int up, down, sent, got;

static void begin_halo(MPI_Request *requests)
{
    MPI_Irecv(now[0], COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(now[ROWS + 1], COLUMNS, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(now[ROWS], COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(now[1], COLUMNS, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[3]);
}

SEPARATE static void compute_rows(int first, int last)
{
    for (int i = first; i <= last; i++)
        for (int j = 1; j < COLUMNS - 1; j++) {
            double mean = (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]) / 4;
            next[i][j] = 0.4 * now[i][j] + 0.6 * mean / (1 + 0.01 * mean * mean);
        }
}

/* Rows that need no halo, with a look at the messages after each chunk. */
SEPARATE static void compute_inside(MPI_Request *requests)
{
    int done = 0;

    for (int first = 2; first < ROWS; first += CHUNK) {
        int last = first + CHUNK - 1 < ROWS - 1 ? first + CHUNK - 1 : ROWS - 1;
        compute_rows(first, last);
        if (!done)
            MPI_Testall(4, requests, &done, MPI_STATUSES_IGNORE);
    }
    while (!done)
        MPI_Testall(4, requests, &done, MPI_STATUSES_IGNORE);
}

SEPARATE static void take_tracers(void)
{
    for (;;) {
        int there, steps;
        MPI_Iprobe(MPI_ANY_SOURCE, TRACER, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (!there)
            return;
        MPI_Recv(&steps, 1, MPI_INT, MPI_ANY_SOURCE, TRACER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        got++;
    }
}

static void step_once(int step, uint64_t *state)
{
    MPI_Request requests[4];

    begin_halo(requests);
    compute_inside(requests);
    compute_rows(1, 1);
    compute_rows(ROWS, ROWS);
    memcpy(now[1], next[1], sizeof(double) * ROWS * COLUMNS);
    if (draw(state) < 0.04) {
        MPI_Send(&step, 1, MPI_INT, down, TRACER, MPI_COMM_WORLD);
        sent++;
    }
    take_tracers();
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    uint64_t state = 3 + rank;
    int steps = argument(argc, argv, 6000);
    up = (rank + ranks - 1) % ranks;
    down = (rank + 1) % ranks;
    for (int i = 0; i < ROWS + 2; i++)
        for (int j = 0; j < COLUMNS; j++)
            now[i][j] = next[i][j] = draw(&state);
    for (int step = 0; step < steps; step++)
        step_once(step, &state);
    MPI_Barrier(MPI_COMM_WORLD);
    take_tracers();
    double lost = sum_of_all(sent - got, MPI_COMM_WORLD), sum = sum_of_all(now[1][50], MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps, %.0f tracers lost, sum %.5f\n", steps, lost, sum);
    return finish(steps, 0);
}
