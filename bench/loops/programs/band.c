/* SPDX-License-Identifier: BSD-3-Clause */
/* The way of an atom through a cluster, by a nudged elastic band: images between two states, which two teams
 * of ranks have four each of.
 *
 * usage: band [MOST]
 *
 * The main loop are the iterations in which all images move, until forces are small. Then the highest
 * image climbs, in the same loop. The ranks of a team share the pairs of atoms. */
#include "programs.h"

enum { ATOMS = 91, MINE = 4, TEAM = 2, D = 3 * ATOMS };

static double images[MINE + 2][D], forces[MINE][D], speed[MINE][D], energies[MINE + 2], tangent[D];
static MPI_Comm team, partners;
static int place, team_number, teams, before, after, highest = -1;

static void prepare(void)
{
    MPI_Comm_split(MPI_COMM_WORLD, rank / TEAM, rank, &team);
    MPI_Comm_split(MPI_COMM_WORLD, rank % TEAM, rank, &partners);
    MPI_Comm_rank(team, &place);
    MPI_Comm_rank(partners, &team_number);
    MPI_Comm_size(partners, &teams);
    before = team_number > 0 ? team_number - 1 : MPI_PROC_NULL;
    after = team_number < teams - 1 ? team_number + 1 : MPI_PROC_NULL;
}

/* Layers of atoms, and one on top of them that goes to the next hollow. */
static void make_images(void)
{
    for (int k = 0; k < MINE + 2; k++) {
        double way = (team_number * MINE + k) / (teams * MINE + 1.0);
        for (int a = 0; a < ATOMS; a++) {
            double *p = images[k] + 3 * a;
            p[0] = 1.12 * (a % 6) + 0.56 * (a / 30 % 2);
            p[1] = 1.12 * (a / 6 % 5) + 0.56 * (a / 30 % 2);
            p[2] = 0.79 * (a / 30);
        }
        images[k][D - 3] = 1.68 + 1.12 * way;
        images[k][D - 2] = 1.68 + 0.1 * sin(3.14 * way);
        images[k][D - 1] = 2.37 + 0.1 * sin(3.14 * way);
    }
}

static double add_pair(const double *x, double *f, int a, int b)
{
    double d[3], r2 = 0;

    for (int c = 0; c < 3; c++) {
        d[c] = x[3 * a + c] - x[3 * b + c];
        r2 += d[c] * d[c];
    }
    double r6 = 1 / (r2 * r2 * r2), factor = (48 * r6 * r6 - 24 * r6) / r2;
    for (int c = 0; c < 3; c++) {
        f[3 * a + c] += factor * d[c];
        f[3 * b + c] -= factor * d[c];
    }
    return 4 * (r6 * r6 - r6);
}

/* The lowest layer does not move. */
SEPARATE static double energy_of(const double *x, double *f)
{
    double both[D + 1] = {0};

    for (int a = place; a < ATOMS; a += TEAM)
        for (int b = 0; b < a; b++)
            both[D] += add_pair(x, both, a, b);
    MPI_Allreduce(MPI_IN_PLACE, both, D + 1, MPI_DOUBLE, MPI_SUM, team);
    memset(both, 0, sizeof(double) * 90);
    memcpy(f, both, sizeof(double) * D);
    return both[D];
}

static void exchange(double *values, int stride, int size)
{
    MPI_Sendrecv(values + MINE * stride, size, MPI_DOUBLE, after, 1, values, size, MPI_DOUBLE, before, 1,
                 partners, MPI_STATUS_IGNORE);
    MPI_Sendrecv(values + stride, size, MPI_DOUBLE, before, 2, values + (MINE + 1) * stride, size, MPI_DOUBLE,
                 after, 2, partners, MPI_STATUS_IGNORE);
}

static double dot(const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < D; i++)
        sum += a[i] * b[i];
    return sum;
}

static double length_of(const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < D; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* Towards the image that is higher. */
static void find_tangent(int k)
{
    int up = energies[k + 1] > energies[k - 1];

    for (int i = 0; i < D; i++)
        tangent[i] = up ? images[k + 1][i] - images[k][i] : images[k][i] - images[k - 1][i];
    double length = sqrt(dot(tangent, tangent)) + 1e-30;
    for (int i = 0; i < D; i++)
        tangent[i] /= length;
}

static void project(int k)
{
    double *f = forces[k - 1], along, spring;

    find_tangent(k);
    along = dot(f, tangent);
    spring = 5 * (length_of(images[k + 1], images[k]) - length_of(images[k], images[k - 1]));
    for (int i = 0; i < D; i++)
        f[i] += (team_number * MINE + k == highest ? -2 * along : spring - along) * tangent[i];
}

/* What is fast in the direction of forces goes on, all else stops. */
static void move(int k)
{
    double *f = forces[k - 1], *v = speed[k - 1], ahead = dot(f, v), whole = dot(f, f) + 1e-30;

    for (int i = 0; i < D; i++) {
        v[i] = (ahead > 0 ? ahead / whole * f[i] : 0) + 0.012 * f[i];
        images[k][i] += fmax(-0.05, fmin(0.05, 0.012 * v[i]));
    }
}

static double relax(void)
{
    double most = 0;

    for (int k = 1; k <= MINE; k++)
        energies[k] = energy_of(images[k], forces[k - 1]);
    exchange(energies, 1, 1);
    exchange(images[0], D, D);
    for (int k = 1; k <= MINE; k++) {
        project(k);
        most = fmax(most, sqrt(dot(forces[k - 1], forces[k - 1])));
    }
    for (int k = 1; k <= MINE; k++)
        move(k);
    return most_of_all(most, MPI_COMM_WORLD);
}

/* The two ends of the band are states of rest. */
static void settle_ends(void)
{
    static double f[D];

    for (int end = 0; end <= MINE + 1; end += MINE + 1) {
        if ((end ? after : before) != MPI_PROC_NULL)
            continue;
        for (int k = 0; k < 400; k++) {
            energies[end] = energy_of(images[end], f);
            for (int i = 0; i < D; i++)
                images[end][i] += fmax(-0.02, fmin(0.02, 0.002 * f[i]));
        }
    }
}

/* The number of the image with most energy, from 1. */
static int find_highest(void)
{
    struct {
        double energy;
        int image;
    } best = {-1e30, 0}, all;

    for (int k = 1; k <= MINE; k++)
        if (energies[k] > best.energy) {
            best.energy = energies[k];
            best.image = team_number * MINE + k;
        }
    MPI_Allreduce(&best, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    return all.image;
}

int main(int argc, char **argv)
{
    int iterations = 0;
    double force = 1;

    start(&argc, &argv);
    int most = argument(argc, argv, 4000);
    prepare();
    make_images();
    settle_ends();
    for (; iterations < most && (force > 1e-4 || highest < 0); iterations++) {
        if (force < 0.1 && highest < 0)
            highest = find_highest();
        force = relax();
        if (rank == 0 && iterations % 200 == 0)
            printf("%d: force %.4f\n", iterations, force);
    }
    highest = find_highest();
    if (rank == 0)
        printf("%d iterations, force %.4f, image %d\n", iterations, force, highest);
    return finish(iterations, 0);
}
