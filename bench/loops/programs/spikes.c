/* SPDX-License-Identifier: BSD-3-Clause */
/* A network of spiking neurons.
 *
 * usage: spikes [INTERVALS]
 *
 * The main loop are the intervals of the least delay, 10 time steps without a call, after which
 * spikes go to the ranks with neurons that get them. Buffers have one size on all ranks; if there are
 * more spikes, another round follows, with larger ones until they are as large as can be. First the
 * network is simulated for 60 intervals to forget how it began, by the same function, which count, too.
 */
#include "programs.h"

enum {
    EACH = 2000,
    SOURCES = 70,
    DELAY = 10,
    RING = 4 * DELAY,
    MOST_CHUNK = 600,
    WARM = 60,
    MOST = EACH * DELAY
};

struct spike {
    int source, lag;
};

static double v[EACH], input[EACH][RING];
static int rest[EACH], *targets, first[MOST_RANKS * EACH + 1];
static unsigned char wanted[EACH][MOST_RANKS];
static struct spike fired[MOST];
static int spikes, rounds, chunk = 4, now;
static double total;
static uint64_t state;

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return *x != *y ? (*x > *y) - (*x < *y) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Each neuron draws where its input is from; the ranks that have those are told. */
static void connect_all(void)
{
    static int pairs[EACH * SOURCES][2], asked[MOST_RANKS][EACH], heard[MOST_RANKS][EACH];
    int n = EACH * SOURCES, global = ranks * EACH, at = 0;

    targets = malloc(n * sizeof *targets);
    for (int i = 0; i < n; i++) {
        pairs[i][0] = (int)(draw(&state) * global);
        pairs[i][1] = i / SOURCES;
    }
    qsort(pairs, n, sizeof *pairs, compare);
    for (int source = 0; source < global; source++) {
        first[source] = at;
        for (; at < n && pairs[at][0] == source; at++)
            targets[at] = pairs[at][1];
        asked[source / EACH][source % EACH] = at > first[source];
    }
    first[global] = at;
    MPI_Alltoall(asked, EACH, MPI_INT, heard, EACH, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < EACH; i++)
            wanted[i][r] = heard[r][i] != 0;
}

SEPARATE static void update(void)
{
    spikes = 0;
    for (int lag = 0; lag < DELAY; lag++) {
        int slot = (now + lag) % RING;
        for (int i = 0; i < EACH; i++) {
            double in = input[i][slot] + (draw(&state) < 0.3 ? 0.42 : 0);
            input[i][slot] = 0;
            if (rest[i] > 0) {
                rest[i]--;
                continue;
            }
            v[i] = 0.99 * v[i] + 0.1 * in;
            if (v[i] > 1) {
                v[i] = 0;
                rest[i] = 20;
                fired[spikes++] = (struct spike){rank * EACH + i, lag};
            }
        }
    }
    total += spikes;
}

static void deliver(struct spike spike)
{
    int delay = DELAY + spike.source % DELAY, slot = (now + spike.lag + delay) % RING;

    for (int k = first[spike.source]; k < first[spike.source + 1]; k++)
        input[targets[k]][slot] += spike.source % 5 == 0 ? -0.5 : 0.1;
}

/* Fills each rank's part of the buffer as far as it goes, which begins with how many there are and
 * whether this was all that the rank has for anybody. */
static void collocate(int *progress, struct spike *out)
{
    int is_all = 1;

    for (int r = 0; r < ranks; r++) {
        struct spike *part = out + r * (chunk + 1);
        int n = 0;
        for (; progress[r] < spikes; progress[r]++)
            if (wanted[fired[progress[r]].source % EACH][r]) {
                if (n == chunk)
                    break;
                part[1 + n++] = fired[progress[r]];
            }
        part->source = n;
        is_all &= progress[r] == spikes;
    }
    for (int r = 0; r < ranks; r++)
        out[r * (chunk + 1)].lag = is_all;
}

SEPARATE static void gather_spikes(void)
{
    static struct spike out[MOST_RANKS * (MOST_CHUNK + 1)], in[MOST_RANKS * (MOST_CHUNK + 1)];
    int progress[MOST_RANKS] = {0}, is_over = 0;

    while (!is_over) {
        collocate(progress, out);
        MPI_Alltoall(out, 2 * (chunk + 1), MPI_INT, in, 2 * (chunk + 1), MPI_INT, MPI_COMM_WORLD);
        rounds++;
        is_over = 1;
        for (int r = 0; r < ranks; r++) {
            struct spike *part = in + r * (chunk + 1);
            is_over &= part->lag;
            for (int i = 0; i < part->source; i++)
                deliver(part[1 + i]);
        }
        if (!is_over && chunk < MOST_CHUNK)
            chunk = chunk * 3 / 2 < MOST_CHUNK ? chunk * 3 / 2 : MOST_CHUNK;
    }
}

SEPARATE static void simulate(int intervals)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < intervals; i++) {
        update();
        gather_spikes();
        now += DELAY;
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int intervals = argument(argc, argv, 3000);
    state = 900 + rank;
    for (int i = 0; i < EACH; i++)
        v[i] = draw(&state);
    connect_all();
    simulate(WARM);
    double warm = sum_of_all(total, MPI_COMM_WORLD);
    simulate(intervals);
    double all = sum_of_all(total, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d intervals, %.0f spikes after %.0f, %d rounds, %d in a part\n", intervals, all - warm, warm,
               rounds, chunk);
    return finish(WARM + intervals, 0);
}
