/* SPDX-License-Identifier: BSD-3-Clause */
/* Boosted decision trees: each tree learns what those before it leave.
 *
 * usage: boosting [TREES]
 *
 * The main loop are the trees. A tree grows level by level: all ranks make histograms of their rows, each
 * sums up those of its features and finds their best splits, and the best of all ranks are taken. Each
 * tenth tree there is a look at rows that were kept aside. */
#include "programs.h"

enum { ROWS = 10000, ASIDE = 3000, FEATURES = 16, BINS = 32, DEPTH = 6, NODES = 1 << DEPTH, LEAST = 100 };

typedef struct {
    double gain, left, right;
    int feature, bin;
} Split;

static unsigned char rows[ROWS + ASIDE][FEATURES];
static double target[ROWS + ASIDE], score[ROWS + ASIDE];
static int node_of[ROWS + ASIDE], has_ended[2 * NODES];
static double histogram[FEATURES][NODES][BINS][2], mine[FEATURES][NODES][BINS][2];
static double value[2 * NODES];
static Split best[NODES], found[MOST_RANKS][NODES];

static void make_rows(void)
{
    uint64_t seed = 800 + rank;

    for (int r = 0; r < ROWS + ASIDE; r++) {
        for (int f = 0; f < FEATURES; f++)
            rows[r][f] = BINS * draw(&seed);
        double x = rows[r][0] / 32.0, y = rows[r][3] / 32.0, z = rows[r][7] / 32.0;
        target[r] = sin(6 * x * y) + (z > 0.5 ? x : 1 - y) + 0.2 * (draw(&seed) - 0.5);
    }
}

SEPARATE static void make_histograms(int level)
{
    int base = 1 << level;

    memset(histogram, 0, sizeof histogram);
    for (int r = 0; r < ROWS; r++) {
        int node = node_of[r] - base;
        if (node < 0)
            continue;
        for (int f = 0; f < FEATURES; f++) {
            histogram[f][node][rows[r][f]][0] += 1;
            histogram[f][node][rows[r][f]][1] += target[r] - score[r];
        }
    }
}

static void find_split(int node, int feature, double (*bins)[2])
{
    double count = 0, sum = 0, n = 0, s = 0;

    for (int b = 0; b < BINS; b++) {
        count += bins[b][0];
        sum += bins[b][1];
    }
    for (int b = 0; b < BINS - 1; b++) {
        n += bins[b][0];
        s += bins[b][1];
        double m = count - n, rest = sum - s;
        if (n < LEAST || m < LEAST)
            continue;
        double gain = s * s / n + rest * rest / m - sum * sum / count;
        if (gain > best[node].gain)
            best[node] = (Split){gain, s / n, rest / m, feature, b};
    }
}

static void choose_splits(int nodes)
{
    MPI_Allgather(best, sizeof best, MPI_BYTE, found, sizeof best, MPI_BYTE, MPI_COMM_WORLD);
    for (int node = 0; node < nodes; node++)
        for (int r = 0; r < ranks; r++)
            if (r == 0 || found[r][node].gain > best[node].gain)
                best[node] = found[r][node];
}

static void move_rows(int level)
{
    for (int r = 0; r < ROWS + ASIDE; r++) {
        int node = node_of[r] - (1 << level);
        if (node >= 0 && !has_ended[node_of[r]])
            node_of[r] = 2 * node_of[r] + (rows[r][best[node].feature] > best[node].bin);
    }
}

/* How many nodes were split. */
SEPARATE static int grow(int level)
{
    int nodes = 1 << level, each = FEATURES / ranks, splits = 0;

    make_histograms(level);
    MPI_Reduce_scatter_block(histogram, mine, each * NODES * BINS * 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    memset(best, 0, sizeof best);
    for (int f = 0; f < each; f++)
        for (int node = 0; node < nodes; node++)
            find_split(node, rank * each + f, mine[f][node]);
    choose_splits(nodes);
    for (int node = 0; node < nodes; node++) {
        int id = nodes + node, splits_here = best[node].gain > 0.005;
        has_ended[id] = !splits_here;
        splits += splits_here;
        if (splits_here) {
            value[2 * id] = best[node].left;
            value[2 * id + 1] = best[node].right;
        }
    }
    move_rows(level);
    return splits;
}

static void add_tree(void)
{
    for (int r = 0; r < ROWS + ASIDE; r++)
        node_of[r] = 1;
    memset(value, 0, sizeof value);
    for (int level = 0; level < DEPTH; level++)
        if (grow(level) == 0)
            break;
    for (int r = 0; r < ROWS + ASIDE; r++)
        score[r] += 0.08 * value[node_of[r]];
}

static double validate(void)
{
    double sum = 0;

    for (int r = ROWS; r < ROWS + ASIDE; r++)
        sum += (target[r] - score[r]) * (target[r] - score[r]);
    return sqrt(sum_of_all(sum, MPI_COMM_WORLD) / ASIDE / ranks);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int trees = argument(argc, argv, 60);
    if (FEATURES % ranks)
        MPI_Abort(MPI_COMM_WORLD, 3);
    make_rows();
    for (int k = 1; k <= trees; k++) {
        add_tree();
        if (k % 10)
            continue;
        double error = validate();
        if (rank == 0)
            printf("%d trees: %.5f\n", k, error);
    }
    return finish(trees, 0);
}
