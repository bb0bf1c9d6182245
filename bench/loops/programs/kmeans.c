/* SPDX-License-Identifier: BSD-3-Clause */
/* k-means, from several sets of first centres: the best is taken.
 *
 * usage: kmeans [STARTS]
 *
 * The main loop are the iterations, in which points are assigned and centres moved, of all
 * starts together; each start goes on until no centre moves. */
#include "programs.h"

enum { POINTS = 22000, DIMENSIONS = 4, CENTRES = 12, MOST_ITERATIONS = 300 };

static float points[POINTS][DIMENSIONS];
static double centres[CENTRES][DIMENSIONS], best[CENTRES][DIMENSIONS];

static void make_points(void)
{
    uint64_t state = 900 + rank;

    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < DIMENSIONS; k++)
            points[i][k] = (float)(draw(&state) + draw(&state) + (i % 9) * ((k + i) % 3) * 0.2);
}

static double distance(const float *point, const double *centre)
{
    double sum = 0;
    for (int k = 0; k < DIMENSIONS; k++)
        sum += (point[k] - centre[k]) * (point[k] - centre[k]);
    return sum;
}

static int nearest(const float *point, double *how_near)
{
    int found = 0;

    *how_near = distance(point, centres[0]);
    for (int c = 1; c < CENTRES; c++) {
        double d = distance(point, centres[c]);
        if (d < *how_near) {
            *how_near = d;
            found = c;
        }
    }
    return found;
}

SEPARATE static double assign(double sums[][DIMENSIONS], int *members)
{
    double cost = 0;

    for (int i = 0; i < POINTS; i++) {
        double d;
        int c = nearest(points[i], &d);
        cost += d;
        members[c]++;
        for (int k = 0; k < DIMENSIONS; k++)
            sums[c][k] += points[i][k];
    }
    return cost;
}

static double move_centres(double sums[][DIMENSIONS], const int *members)
{
    double moved = 0;

    for (int c = 0; c < CENTRES; c++)
        for (int k = 0; k < DIMENSIONS && members[c]; k++) {
            double new = sums[c][k] / members[c];
            moved = fmax(moved, fabs(new - centres[c][k]));
            centres[c][k] = new;
        }
    return moved;
}

static double iterate(double *moved)
{
    double sums[CENTRES][DIMENSIONS] = {{0}}, cost;
    int members[CENTRES] = {0};

    cost = assign(sums, members);
    MPI_Allreduce(MPI_IN_PLACE, sums, CENTRES * DIMENSIONS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, members, CENTRES, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    *moved = move_centres(sums, members);
    return sum_of_all(cost, MPI_COMM_WORLD);
}

static void draw_centres(uint64_t *state)
{
    for (int c = 0; c < CENTRES; c++) {
        int chosen = (int)(draw(state) * POINTS);
        for (int k = 0; k < DIMENSIONS; k++)
            centres[c][k] = points[chosen][k];
    }
    MPI_Bcast(centres, CENTRES * DIMENSIONS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    uint64_t state = 4;
    double least = INFINITY;
    int iterations = 0;

    start(&argc, &argv);
    int starts = argument(argc, argv, 10);
    make_points();
    for (int i = 0; i < starts; i++) {
        double cost = 0, moved = 1;
        draw_centres(&state);
        for (int k = 0; k < MOST_ITERATIONS && moved > 1e-3; k++, iterations++)
            cost = iterate(&moved);
        if (cost < least) {
            least = cost;
            memcpy(best, centres, sizeof best);
        }
    }
    MPI_Bcast(best, CENTRES * DIMENSIONS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d starts, cost of a point %.4f\n", starts, least / POINTS / ranks);
    return finish(iterations, starts);
}
