/* SPDX-License-Identifier: BSD-3-Clause */
/* Monte Carlo of spins in several replicas of different temperatures, which are exchanged.
 *
 * usage: tempering [CYCLES]
 *
 * The main loop are the sweeps over the lattice. After 10 of them, a cycle, replicas may
 * exchange their temperatures with the next one, in turn the next above and the next below; the
 * ones at the end have none in each second cycle. A replica is on two ranks. */
#include "programs.h"

enum { ROWS = 48, COLUMNS = 96, TEAM = 2, SWEEPS = 10 };

static signed char spin[ROWS + 2][COLUMNS];
static double beta;
static uint64_t own_state, team_state;
static MPI_Comm team;
static int me, replica, replicas;

SEPARATE static void fill_halo(void)
{
    MPI_Request requests[4];
    int other = !me;

    MPI_Irecv(spin[0], COLUMNS, MPI_SIGNED_CHAR, other, 0, team, &requests[0]);
    MPI_Irecv(spin[ROWS + 1], COLUMNS, MPI_SIGNED_CHAR, other, 1, team, &requests[1]);
    MPI_Isend(spin[ROWS], COLUMNS, MPI_SIGNED_CHAR, other, 0, team, &requests[2]);
    MPI_Isend(spin[1], COLUMNS, MPI_SIGNED_CHAR, other, 1, team, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static int field(int i, int j)
{
    return spin[i - 1][j] + spin[i + 1][j] + spin[i][(j + 1) % COLUMNS] +
           spin[i][(j + COLUMNS - 1) % COLUMNS];
}

SEPARATE static void sweep(void)
{
    for (int colour = 0; colour < 2; colour++) {
        fill_halo();
        for (int i = 1; i <= ROWS; i++)
            for (int j = (i + colour) % 2; j < COLUMNS; j += 2)
                if (draw(&own_state) < exp(-2 * beta * spin[i][j] * field(i, j)))
                    spin[i][j] = -spin[i][j];
    }
}

static double energy(void)
{
    int sum = 0;

    fill_halo();
    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum -= spin[i][j] * field(i, j);
    return sum_of_all(0.5 * sum, team);
}

/* The leaders of two replicas say their energies and temperatures; the lower one draws. */
SEPARATE static int exchange(int cycle, double mine)
{
    int other = (replica + cycle) % 2 ? replica - 1 : replica + 1;
    double own[3] = {mine, beta, draw(&team_state)}, theirs[3], new = beta;

    if (me == 0 && other >= 0 && other < replicas) {
        MPI_Sendrecv(own, 3, MPI_DOUBLE, other * TEAM, 7, theirs, 3, MPI_DOUBLE, other * TEAM, 7,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double chance = exp((own[1] - theirs[1]) * (own[0] - theirs[0]));
        if ((replica < other ? own[2] : theirs[2]) < chance)
            new = theirs[1];
    }
    MPI_Bcast(&new, 1, MPI_DOUBLE, 0, team);
    int changed = new != beta;
    beta = new;
    return changed;
}

static void prepare(void)
{
    replica = rank / TEAM;
    replicas = ranks / TEAM;
    MPI_Comm_split(MPI_COMM_WORLD, replica, rank, &team);
    MPI_Comm_rank(team, &me);
    own_state = 11 + rank;
    team_state = 5 + replica;
    beta = 0.40 + 0.008 * replica;
    MPI_Bcast(&beta, 1, MPI_DOUBLE, 0, team);
    for (int i = 0; i < ROWS + 2; i++)
        for (int j = 0; j < COLUMNS; j++)
            spin[i][j] = draw(&own_state) < 0.5 ? 1 : -1;
}

int main(int argc, char **argv)
{
    int exchanges = 0, sweeps = 0;
    double mean = 0;

    start(&argc, &argv);
    int cycles = argument(argc, argv, 600);
    prepare();
    for (int cycle = 0; cycle < cycles; cycle++) {
        for (int i = 0; i < SWEEPS; i++, sweeps++)
            sweep();
        double now = energy();
        mean += now / cycles;
        exchanges += exchange(cycle, now);
    }
    double all = sum_of_all(exchanges, MPI_COMM_WORLD), total = sum_of_all(mean, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d cycles, %.0f exchanges, energy of a spin %.4f\n", cycles, all / TEAM / 2,
               total / ranks / (ROWS * COLUMNS * TEAM));
    return finish(sweeps, cycles);
}
