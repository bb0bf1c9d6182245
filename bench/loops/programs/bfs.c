/* SPDX-License-Identifier: BSD-3-Clause */
/* Breadth-first search in a random graph, from many roots, level by level.
 *
 * usage: bfs [ROOTS]
 *
 * The main loop are the roots, as in the benchmark of that kind: searches and what checks them.
 * A search takes 6 to 9 levels, each an exchange with all ranks. */
#include "programs.h"

enum { VERTICES = 1 << 18, DEGREE = 16, MOST_LEVELS = 64 };

static int *edges, *level, *queue, *out, *in;
static int own;

static void make_graph(void)
{
    uint64_t state = 100 + rank;

    own = VERTICES / ranks;
    edges = malloc(sizeof(int) * own * DEGREE);
    level = malloc(sizeof(int) * own);
    queue = malloc(sizeof(int) * own);
    out = malloc(sizeof(int) * own * DEGREE);
    in = malloc(sizeof(int) * VERTICES * DEGREE);
    for (int i = 0; i < own * DEGREE; i++) {
        double skewed = draw(&state);
        edges[i] = (int)(skewed * sqrt(skewed) * VERTICES);
    }
}

/* The ends of all edges of the queue, by owner. */
SEPARATE static void collect_ends(int n, int *counts, int *starts)
{
    int at[MOST_RANKS];

    memset(counts, 0, sizeof(int) * ranks);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < DEGREE; k++)
            counts[edges[queue[i] * DEGREE + k] / own]++;
    for (int r = 0, sum = 0; r < ranks; sum += counts[r++])
        at[r] = starts[r] = sum;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < DEGREE; k++) {
            int end = edges[queue[i] * DEGREE + k];
            out[at[end / own]++] = end % own;
        }
}

SEPARATE static int exchange_ends(const int *counts, const int *starts)
{
    int incoming[MOST_RANKS], places[MOST_RANKS], sum = 0;

    MPI_Alltoall(counts, 1, MPI_INT, incoming, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; sum += incoming[r++])
        places[r] = sum;
    MPI_Alltoallv(out, counts, starts, MPI_INT, in, incoming, places, MPI_INT, MPI_COMM_WORLD);
    return sum;
}

static int take_new(int arrived, int depth)
{
    int n = 0;

    for (int i = 0; i < arrived; i++)
        if (level[in[i]] < 0) {
            level[in[i]] = depth;
            queue[n++] = in[i];
        }
    return n;
}

SEPARATE static int search(int root)
{
    int counts[MOST_RANKS], starts[MOST_RANKS], depth = 0, n = 0;

    for (int i = 0; i < own; i++)
        level[i] = -1;
    if (root / own == rank) {
        level[root % own] = 0;
        queue[n++] = root % own;
    }
    while (sum_of_all(n, MPI_COMM_WORLD) > 0 && depth < MOST_LEVELS) {
        collect_ends(n, counts, starts);
        n = take_new(exchange_ends(counts, starts), ++depth);
    }
    return depth;
}

SEPARATE static double check(int depth)
{
    double reached = 0, deep = 0;

    for (int i = 0; i < own; i++)
        if (level[i] >= 0) {
            reached++;
            deep = fmax(deep, level[i]);
        }
    if (most_of_all(deep, MPI_COMM_WORLD) > depth)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return sum_of_all(reached, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    uint64_t state = 9;
    double reached = 0, depths = 0;

    start(&argc, &argv);
    int roots = argument(argc, argv, 64);
    make_graph();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < roots; i++) {
        int root = (int)(draw(&state) * VERTICES);
        MPI_Bcast(&root, 1, MPI_INT, 0, MPI_COMM_WORLD);
        int depth = search(root);
        depths += depth;
        reached += check(depth);
    }
    if (rank == 0)
        printf("%d roots, %.2f levels, %.0f vertices\n", roots, depths / roots, reached);
    return finish(roots, 0);
}
