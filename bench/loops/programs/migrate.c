/* SPDX-License-Identifier: BSD-3-Clause */
/* A rarefied gas by direct simulation: particles move, go to their ranks, and collide.
 *
 * usage: migrate [STEPS]
 *
 * The main loop are the time steps. Nobody knows how many will send to him: all look for messages until
 * a barrier that does not block is over, which each enters when what he sent has come. But for a sample
 * in each 25th, there are no other calls in a step. */
#include "programs.h"

enum { MOST = 40000, EACH = 6000, SAMPLES = 25 };

static double x[MOST], out[MOST_RANKS][MOST];
static int count;

/* Those that stay are packed; the others are counted to OUT. */
static void sort(int *leaving)
{
    int kept = 0;

    for (int i = 0; i < count; i++) {
        double place = x[i] < 0 ? x[i] + ranks : x[i] >= ranks ? x[i] - ranks : x[i];
        int to = (int)place % ranks;
        if (to == rank)
            x[kept++] = place;
        else
            out[to][leaving[to]++] = place;
    }
    count = kept;
}

static void receive(int tag)
{
    MPI_Status status;
    int is_there, more;

    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there)
        return;
    MPI_Get_count(&status, MPI_DOUBLE, &more);
    MPI_Recv(x + count, more, MPI_DOUBLE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    count += more;
}

SEPARATE static void migrate(int tag)
{
    MPI_Request sends[MOST_RANKS], barrier = MPI_REQUEST_NULL;
    int leaving[MOST_RANKS] = {0}, sent = 0, have_come = 0, is_over = 0;

    sort(leaving);
    for (int to = 0; to < ranks; to++)
        if (leaving[to])
            MPI_Issend(out[to], leaving[to], MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &sends[sent++]);
    while (!is_over) {
        receive(tag);
        if (have_come) {
            MPI_Test(&barrier, &is_over, MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Testall(sent, sends, &have_come, MPI_STATUSES_IGNORE);
        if (have_come)
            MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    }
}

static void move(int step)
{
    for (int i = 0; i < count; i++)
        x[i] += 0.02 * sin(50 * (x[i] + 0.37 * step));
}

static void collide(void)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i + 1 < count; i++)
            x[i] += 1e-9 * sin(x[i] - x[i + 1]);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int steps = argument(argc, argv, 2500);
    uint64_t state = (uint64_t)rank + 1;
    long mine, all = 0;

    count = EACH;
    for (int i = 0; i < count; i++)
        x[i] = rank + draw(&state);
    for (int step = 1; step <= steps; step++) {
        move(step);
        migrate(step % 2);
        collide();
        mine = count;
        if (step % SAMPLES == 0)
            MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%ld particles\n", all);
    return finish(steps, 0);
}
