/* SPDX-License-Identifier: BSD-3-Clause */
/* Data assimilation by an ensemble Kalman filter: the members of an ensemble run on until there are
 * observations, which then correct all of them.
 *
 * usage: kalman [CYCLES]
 *
 * The main loop are the time steps of all members. Two teams of two ranks have four members each, one after
 * the other; for the analysis, states are transposed, so that a rank has all members of some cells. */
#include "programs.h"

enum { TEAM = 2, MEMBERS = 8, MINE = 4, STEPS = 20, N = 160, M = 60, FIELDS = 3, OBSERVED = 12 };
enum { CELLS = FIELDS * M * N, PIECE = CELLS / TEAM };

static double state[MINE][FIELDS][M + 2][N], sent[TEAM][MINE][PIECE], all[MEMBERS][PIECE];
static double expected[MEMBERS][OBSERVED], observation[OBSERVED];
static const double variance = 0.01;
static MPI_Comm team, partners;
static MPI_Datatype rows;
static int place, team_number, up, down, steps_done;

static void prepare(void)
{
    MPI_Comm_split(MPI_COMM_WORLD, rank / TEAM, rank, &team);
    MPI_Comm_split(MPI_COMM_WORLD, rank % TEAM, rank, &partners);
    MPI_Comm_rank(team, &place);
    MPI_Comm_rank(partners, &team_number);
    up = (place + TEAM - 1) % TEAM;
    down = (place + 1) % TEAM;
    MPI_Type_vector(FIELDS, N, (M + 2) * N, MPI_DOUBLE, &rows);
    MPI_Type_commit(&rows);
}

static void perturb(int k)
{
    uint64_t seed = 100 + team_number * MINE + k;
    double phase = 6.28 * draw(&seed), height = 0.3 + 0.4 * draw(&seed);

    memset(state[k], 0, sizeof state[k]);
    for (int j = 1; j <= M; j++)
        for (int i = 0; i < N; i++)
            state[k][0][j][i] = height * sin(0.0785 * i + phase) * sin(0.0524 * (j + place * M) + phase);
}

SEPARATE static void exchange(double (*s)[M + 2][N])
{
    MPI_Request requests[4];

    MPI_Irecv(s[0][0], 1, rows, up, 1, team, &requests[0]);
    MPI_Irecv(s[0][M + 1], 1, rows, down, 2, team, &requests[1]);
    MPI_Isend(s[0][M], 1, rows, down, 1, team, &requests[2]);
    MPI_Isend(s[0][1], 1, rows, up, 2, team, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void advance(double (*s)[M + 2][N])
{
    static double next[FIELDS][M + 2][N];

    for (int j = 1; j <= M; j++)
        for (int i = 0; i < N; i++) {
            int l = i ? i - 1 : N - 1, r = i < N - 1 ? i + 1 : 0;
            for (int f = 0; f < FIELDS; f++) {
                double around = s[f][j][l] + s[f][j][r] + s[f][j - 1][i] + s[f][j + 1][i];
                next[f][j][i] = s[f][j][i] + 0.02 * (around - 4 * s[f][j][i]);
            }
            next[0][j][i] -= 0.05 * (s[1][j][r] - s[1][j][l] + s[2][j + 1][i] - s[2][j - 1][i]);
            next[1][j][i] -= 0.05 * (s[0][j][r] - s[0][j][l]) - 0.01 * s[2][j][i];
            next[2][j][i] -= 0.05 * (s[0][j + 1][i] - s[0][j - 1][i]) + 0.01 * s[1][j][i];
        }
    for (int f = 0; f < FIELDS; f++)
        memcpy(s[f][1], next[f][1], sizeof(double) * M * N);
}

static void forecast(int k)
{
    for (int i = 0; i < STEPS; i++, steps_done++) {
        exchange(state[k]);
        advance(state[k]);
    }
}

static int row_of(int o)
{
    return (o * 2 * M / OBSERVED + 3) % (2 * M);
}

static int column_of(int o)
{
    return o * 61 % N;
}

static void observe(int cycle)
{
    uint64_t seed = 7000 + cycle;

    if (rank == 0)
        for (int o = 0; o < OBSERVED; o++)
            observation[o] = 0.3 * sin(0.0785 * column_of(o) + 0.1 * cycle) + 0.1 * (draw(&seed) - 0.5);
    MPI_Bcast(observation, OBSERVED, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    memset(expected, 0, sizeof expected);
    for (int k = 0; k < MINE; k++)
        for (int o = 0; o < OBSERVED; o++)
            if (row_of(o) / M == place)
                expected[team_number * MINE + k][o] = state[k][0][1 + row_of(o) % M][column_of(o)];
    MPI_Allreduce(MPI_IN_PLACE, expected, MEMBERS * OBSERVED, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void transpose(int forth)
{
    for (int t = 0; t < TEAM && forth; t++)
        for (int k = 0; k < MINE; k++)
            for (int c = 0; c < PIECE; c++)
                sent[t][k][c] = state[k][(t * PIECE + c) / (M * N)][1][(t * PIECE + c) % (M * N)];
    if (forth)
        MPI_Alltoall(sent, MINE * PIECE, MPI_DOUBLE, all, MINE * PIECE, MPI_DOUBLE, partners);
    else
        MPI_Alltoall(all, MINE * PIECE, MPI_DOUBLE, sent, MINE * PIECE, MPI_DOUBLE, partners);
    for (int t = 0; t < TEAM && !forth; t++)
        for (int k = 0; k < MINE; k++)
            for (int c = 0; c < PIECE; c++)
                state[k][(t * PIECE + c) / (M * N)][1][(t * PIECE + c) % (M * N)] = sent[t][k][c];
}

static double mean_of(const double *values, int stride)
{
    double sum = 0;

    for (int k = 0; k < MEMBERS; k++)
        sum += values[k * stride] / MEMBERS;
    return sum;
}

/* What an observation changes in VALUES of all members, FAR away from it. */
static void regress(double *values, int stride, double far, const double *off, const double *change, double v)
{
    double mean = mean_of(values, stride), covariance = 0, weight = exp(-far / 400);

    for (int k = 0; k < MEMBERS; k++)
        covariance += (values[k * stride] - mean) * off[k] / (MEMBERS - 1);
    for (int k = 0; k < MEMBERS; k++)
        values[k * stride] += weight * covariance / v * change[k];
}

static void assimilate(int o)
{
    double mean = mean_of(&expected[0][o], OBSERVED), v = 1e-9, off[MEMBERS], change[MEMBERS];

    for (int k = 0; k < MEMBERS; k++) {
        off[k] = expected[k][o] - mean;
        v += off[k] * off[k] / (MEMBERS - 1);
    }
    for (int k = 0; k < MEMBERS; k++)
        change[k] =
            v / (v + variance) * (observation[o] - mean) + (sqrt(variance / (v + variance)) - 1) * off[k];
    for (int c = 0; c < PIECE; c++) {
        int cell = (team_number * PIECE + c) % (M * N), dx = cell % N - column_of(o);
        int dy = cell / N + place * M - row_of(o);
        if (dx * dx + dy * dy < 1600)
            regress(&all[0][c], PIECE, dx * dx + dy * dy, off, change, v);
    }
    for (int p = o + 1; p < OBSERVED; p++)
        regress(&expected[0][p], OBSERVED, 400, off, change, v);
}

SEPARATE static double analyse(int cycle)
{
    double misfit = 0;

    observe(cycle);
    transpose(1);
    for (int o = 0; o < OBSERVED; o++) {
        misfit += fabs(observation[o] - mean_of(&expected[0][o], OBSERVED)) / OBSERVED;
        assimilate(o);
    }
    transpose(0);
    return misfit;
}

int main(int argc, char **argv)
{
    double misfit = 0;

    start(&argc, &argv);
    int cycles = argument(argc, argv, 30);
    prepare();
    for (int k = 0; k < MINE; k++)
        perturb(k);
    for (int cycle = 0; cycle < cycles; cycle++) {
        for (int k = 0; k < MINE; k++)
            forecast(k);
        misfit = analyse(cycle);
    }
    if (rank == 0)
        printf("%d cycles, misfit %.6f\n", cycles, misfit);
    return finish(steps_done, cycles);
}
