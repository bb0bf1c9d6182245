/* SPDX-License-Identifier: BSD-3-Clause */
/* Importance of the vertices of a directed graph, as seen from several ones.
 *
 * usage: ranking [SEEDS]
 *
 * The main loop are the iterations of all seeds together: values of vertices elsewhere come by
 * MPI_Alltoallv, and all ranks add what vertices without edges have and what has changed. A seed
 * is done when little changes, with a damping of its own. Before that the same exchange finds the
 * connected components, in as many rounds as labels still change. */
#include "programs.h"

enum { OWN = 30000, DEGREE = 12, MOST_ROUNDS = 300 };

static double *all_values; /* own vertices, then those of others that are needed */
static int first_edge[OWN + 1], *edges, ghosts, outgoing[OWN];
static int send_counts[MOST_RANKS], send_places[MOST_RANKS], get_counts[MOST_RANKS], get_places[MOST_RANKS];
static int *send_list;
static double *send_buffer;

/* Where the Kth edge to vertex V comes from: most from near by, few far. */
static int source(int v, int k)
{
    uint64_t state = (uint64_t)v * 64 + k + 1;
    int n = OWN * ranks;

    draw(&state);
    draw(&state);
    double far = draw(&state);
    int way = far < 0.93 ? 1 + (int)(300 * draw(&state)) : (int)(n * draw(&state));
    return v % 7 == 3 ? v : (v + way) % n;
}

/* Local numbers of vertices elsewhere, in order; PLACE has one for each vertex or -1. */
static void number_ghosts(int *place, int *list)
{
    for (int v = 0; v < OWN * ranks; v++) {
        if (place[v] < 0 || v / OWN == rank)
            continue;
        get_counts[v / OWN]++;
        list[ghosts] = v;
        place[v] = OWN + ghosts++;
    }
}

SEPARATE static void build_lists(const int *list)
{
    int total = 0;

    MPI_Alltoall(get_counts, 1, MPI_INT, send_counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0, got = 0; r < ranks; r++) {
        get_places[r] = got;
        send_places[r] = total;
        got += get_counts[r];
        total += send_counts[r];
    }
    send_list = malloc(total * sizeof(int));
    send_buffer = malloc(total * sizeof(double));
    MPI_Alltoallv(list, get_counts, get_places, MPI_INT, send_list, send_counts, send_places, MPI_INT,
                  MPI_COMM_WORLD);
}

SEPARATE static void build_graph(void)
{
    int n = OWN * ranks, *place = malloc(n * sizeof(int)), *list = malloc(n * sizeof(int));
    int *degrees = calloc(n, sizeof(int));

    edges = malloc(OWN * DEGREE * sizeof(int));
    memset(place, -1, n * sizeof(int));
    for (int i = 0; i < OWN; i++) {
        first_edge[i] = i * DEGREE;
        for (int k = 0; k < DEGREE; k++) {
            int from = source(rank * OWN + i, k);
            edges[i * DEGREE + k] = from;
            place[from] = 0;
            degrees[from]++;
        }
    }
    first_edge[OWN] = OWN * DEGREE;
    number_ghosts(place, list);
    for (int e = 0; e < OWN * DEGREE; e++)
        edges[e] = edges[e] / OWN == rank ? edges[e] % OWN : place[edges[e]];
    MPI_Reduce_scatter_block(degrees, outgoing, OWN, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    build_lists(list);
    all_values = calloc(OWN + ghosts, sizeof(double));
    free(degrees);
    free(place);
    free(list);
}

SEPARATE static void get_ghosts(void)
{
    int total = send_places[ranks - 1] + send_counts[ranks - 1];

    for (int i = 0; i < total; i++)
        send_buffer[i] = all_values[send_list[i] % OWN];
    MPI_Alltoallv(send_buffer, send_counts, send_places, MPI_DOUBLE, all_values + OWN, get_counts, get_places,
                  MPI_DOUBLE, MPI_COMM_WORLD);
}

/* The least label goes along edges until nothing changes: how many rounds that were. */
SEPARATE static int find_components(double *components)
{
    int rounds = 0;
    double roots = 0;

    for (int i = 0; i < OWN; i++)
        all_values[i] = rank * OWN + i;
    for (double changes = 1; changes > 0; rounds++) {
        get_ghosts();
        changes = 0;
        for (int i = 0; i < OWN; i++)
            for (int e = first_edge[i]; e < first_edge[i + 1]; e++)
                if (all_values[edges[e]] < all_values[i]) {
                    all_values[i] = all_values[edges[e]];
                    changes++;
                }
        changes = sum_of_all(changes, MPI_COMM_WORLD);
    }
    for (int i = 0; i < OWN; i++)
        roots += all_values[i] == rank * OWN + i;
    *components = sum_of_all(roots, MPI_COMM_WORLD);
    return rounds;
}

/* A multiplication with the matrix of the graph; how much has changed. */
SEPARATE static double iterate(double *value, int seed, double damping)
{
    double lost = 0, change = 0;

    for (int i = 0; i < OWN; i++) {
        all_values[i] = outgoing[i] ? value[i] / outgoing[i] : 0;
        lost += outgoing[i] ? 0 : value[i];
    }
    get_ghosts();
    lost = sum_of_all(lost, MPI_COMM_WORLD);
    for (int i = 0; i < OWN; i++) {
        double sum = lost / (OWN * ranks), start = rank * OWN + i == seed ? 0.5 : 0.5 / (OWN * ranks);
        for (int e = first_edge[i]; e < first_edge[i + 1]; e++)
            sum += all_values[edges[e]];
        sum = damping * sum + (1 - damping) * start;
        change += fabs(sum - value[i]);
        value[i] = sum;
    }
    return sum_of_all(change, MPI_COMM_WORLD);
}

SEPARATE static int rank_vertices(double *value, int seed, double damping)
{
    int rounds = 0;

    for (int i = 0; i < OWN; i++)
        value[i] = 1.0 / (OWN * ranks);
    for (double change = 1; change > 1e-6 && rounds < MOST_ROUNDS; rounds++)
        change = iterate(value, seed, damping);
    return rounds;
}

/* The vertex that comes first, on rank 0. */
SEPARATE static int find_first(const double *value)
{
    struct {
        double value;
        int vertex;
    } mine = {0, 0}, first;

    for (int i = 0; i < OWN; i++)
        if (value[i] > mine.value) {
            mine.value = value[i];
            mine.vertex = rank * OWN + i;
        }
    MPI_Reduce(&mine, &first, 1, MPI_DOUBLE_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
    return first.vertex;
}

int main(int argc, char **argv)
{
    static double value[OWN];
    int iterations = 0;
    double components;

    start(&argc, &argv);
    int seeds = argument(argc, argv, 30);
    build_graph();
    int rounds = find_components(&components);
    if (rank == 0)
        printf("%.0f components after %d rounds\n", components, rounds);
    for (int s = 0; s < seeds; s++) {
        int seed = (int)(2654435761u * (s + 1ll) % (OWN * ranks));
        MPI_Bcast(&seed, 1, MPI_INT, 0, MPI_COMM_WORLD);
        int now = rank_vertices(value, seed, 0.70 + 0.01 * (7 * s % 20)), first = find_first(value);
        iterations += now;
        if (rank == 0 && s % 5 == 0)
            printf("seed %d: %d iterations, first is %d\n", seed, now, first);
    }
    free(send_list);
    free(send_buffer);
    free(all_values);
    free(edges);
    return finish(iterations, seeds);
}
