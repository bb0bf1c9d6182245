/* SPDX-License-Identifier: BSD-3-Clause */
/* Particle transport by Monte Carlo, in cycles: what still flies in the end of one, the census,
 * begins the next.
 *
 * usage: census [CYCLES]
 *
 * The main loop are the cycles. In each, particles fly until nobody has any: those that leave a
 * rank's slab are sent on, in as many rounds as it takes, and all ranks count what is left.
 * Then tallies are summed, and materials warm up. The population is thinned when it is large.
 */
#include "programs.h"

enum { CELLS = 64, SOURCE = 2400, MOST = 40000, HISTORY = 10 };

struct particle {
    double x, mu, time, weight;
    uint64_t state;
};

static struct particle bank[MOST], leaving[2][MOST], census[MOST];
static double opacity[CELLS], tally[CELLS];
static int flying, out[2], waiting, side_of[2], rounds;

static const double DT = 30, ABSORBED = 0.15;

SEPARATE static void emit(int cycle)
{
    memcpy(bank, census, sizeof *census * waiting);
    flying = waiting;
    waiting = 0;
    for (int i = 0; i < flying; i++)
        bank[i].time = DT;
    for (int i = 0; i < SOURCE; i++) {
        struct particle *p = &bank[flying++];
        p->state = (cycle * 100003u + rank) * 7919u + i;
        for (int skip = 0; skip < 3; skip++)
            draw(&p->state);
        p->x = CELLS * draw(&p->state);
        p->mu = 2 * draw(&p->state) - 1;
        p->time = DT * draw(&p->state);
        p->weight = 1;
    }
}

/* To the next cell, the next collision or the end of the cycle; whether it still flies here. */
static int fly(struct particle *p)
{
    int cell = (int)p->x;
    double edge = ((p->mu > 0 ? cell + 1 : cell) - p->x) / p->mu;
    double hit = -log(1 - draw(&p->state)) / opacity[cell];
    double way = fmin(fmin(edge, hit), p->time);

    tally[cell] += p->weight * way * opacity[cell] * ABSORBED;
    p->weight *= 1 - ABSORBED * fmin(1, way * opacity[cell]);
    p->time -= way;
    p->x = way == edge ? (p->mu > 0 ? cell + 1 : cell - 1e-12) : p->x + p->mu * way;
    if (p->weight < 0.01)
        return 0;
    if (p->time <= 0) {
        census[waiting++] = *p;
        return 0;
    }
    if (way == hit)
        p->mu = 2 * draw(&p->state) - 1;
    if (p->x >= 0 && p->x < CELLS)
        return 1;
    int side = p->x >= 0;
    p->x = side ? p->x - CELLS : p->x + CELLS;
    p->x = fmin(fmax(p->x, 0), CELLS - 1e-12);
    leaving[side][out[side]++] = *p;
    return 0;
}

SEPARATE static void track(void)
{
    while (flying > 0) {
        struct particle p = bank[--flying];
        while (fly(&p))
            ;
    }
}

SEPARATE static void send_on(void)
{
    enum { WORDS = sizeof(struct particle) };
    MPI_Request requests[2];
    MPI_Status status;
    int got;

    for (int side = 0; side < 2; side++)
        MPI_Isend(leaving[side], WORDS * out[side], MPI_BYTE, side_of[side], side, MPI_COMM_WORLD,
                  &requests[side]);
    for (int side = 0; side < 2; side++) {
        MPI_Probe(side_of[!side], side, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &got);
        MPI_Recv(bank + flying, got, MPI_BYTE, side_of[!side], side, MPI_COMM_WORLD, &status);
        flying += got / WORDS;
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    out[0] = out[1] = 0;
}

SEPARATE static void transport(void)
{
    double left;

    do {
        track();
        send_on();
        left = sum_of_all(flying, MPI_COMM_WORLD);
        rounds++;
    } while (left > 0);
}

/* Each second particle with double weight. */
static void thin(void)
{
    int kept = 0;

    for (int i = 0; i < waiting; i += 2) {
        census[kept] = census[i];
        census[kept++].weight *= 2;
    }
    waiting = kept;
}

SEPARATE static double close_cycle(void)
{
    double mine[2] = {waiting, 0}, all[2];

    for (int i = 0; i < CELLS; i++) {
        mine[1] += tally[i];
        opacity[i] = 0.3 + 0.5 / (1 + tally[i] / SOURCE);
        tally[i] *= 0.7;
    }
    MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (all[0] > 10000.0 * ranks)
        thin();
    return all[1];
}

static void write_tally(void)
{
    double all[MOST_RANKS * CELLS];
    MPI_Gather(tally, CELLS, MPI_DOUBLE, all, CELLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double energy = 0;

    start(&argc, &argv);
    int cycles = argument(argc, argv, 120);
    side_of[0] = (rank + ranks - 1) % ranks;
    side_of[1] = (rank + 1) % ranks;
    for (int i = 0; i < CELLS; i++)
        opacity[i] = 0.3 + 0.2 * (i + rank * CELLS) / (CELLS * ranks);
    MPI_Bcast(&cycles, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int cycle = 1; cycle <= cycles; cycle++) {
        emit(cycle);
        transport();
        energy = close_cycle();
        if (cycle % HISTORY == 0)
            write_tally();
    }
    double in_census = sum_of_all(waiting, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d cycles in %d rounds, %.0f in the census, energy %.1f\n", cycles, rounds, in_census,
               energy);
    return finish(cycles, 0);
}
