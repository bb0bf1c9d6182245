/* SPDX-License-Identifier: BSD-3-Clause */
/* Clients that work on parts of a problem, and a server with what they have in common.
 *
 * usage: server [STEPS]
 *
 * The main loop are the steps of the clients, which are all ranks but the last one. A client
 * says what it has found and gets the newest of the others; at some steps it asks for a table,
 * too. The server answers as they come, until all have said that they are done. */
#include "programs.h"

enum { SIZE = 400, CELLS = 6000, TABLE = 2000, CHANGE = 1, ASK, LEAVE, ANSWER };

static double shared[SIZE], table[TABLE], cells[CELLS + 2];

static void answer(int client, const double *what, int n)
{
    MPI_Send(what, n, MPI_DOUBLE, client, ANSWER, MPI_COMM_WORLD);
}

SEPARATE static void serve(void)
{
    double parts[MOST_RANKS][SIZE] = {{0}};

    for (int clients = ranks - 1; clients > 0;) {
        double got[SIZE];
        MPI_Status s;
        MPI_Recv(got, SIZE, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        if (s.MPI_TAG == LEAVE) {
            clients--;
        } else if (s.MPI_TAG == ASK) {
            answer(s.MPI_SOURCE, table, TABLE);
        } else {
            memcpy(parts[s.MPI_SOURCE], got, sizeof got);
            for (int i = 0; i < SIZE; i++)
                shared[i] = 0.5 * shared[i] + 0.1 * parts[s.MPI_SOURCE][i];
            answer(s.MPI_SOURCE, shared, SIZE);
        }
    }
}

SEPARATE static void fill_halo(MPI_Comm comm, int n)
{
    int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < n - 1 ? rank + 1 : MPI_PROC_NULL;

    MPI_Sendrecv(&cells[1], 1, MPI_DOUBLE, left, 0, &cells[CELLS + 1], 1, MPI_DOUBLE, right, 0, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&cells[CELLS], 1, MPI_DOUBLE, right, 0, &cells[0], 1, MPI_DOUBLE, left, 0, comm,
                 MPI_STATUS_IGNORE);
}

SEPARATE static void compute(void)
{
    double before = cells[0];

    for (int round = 0; round < 40; round++)
        for (int i = 1; i <= CELLS; i++) {
            double now = cells[i];
            cells[i] += 0.2 * (before - 2 * now + cells[i + 1]);
            before = now;
        }
}

/* What comes back depends on the order in which clients came, and so is not added to the
 * result. */
SEPARATE static void tell_change(void)
{
    double change[SIZE], newest[SIZE];

    for (int i = 0; i < SIZE; i++)
        change[i] = cells[1 + i * (CELLS / SIZE)];
    MPI_Sendrecv(change, SIZE, MPI_DOUBLE, ranks - 1, CHANGE, newest, SIZE, MPI_DOUBLE, ranks - 1, ANSWER,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

SEPARATE static void ask_for_table(void)
{
    double kept[TABLE];

    MPI_Send(NULL, 0, MPI_DOUBLE, ranks - 1, ASK, MPI_COMM_WORLD);
    MPI_Recv(kept, TABLE, MPI_DOUBLE, ranks - 1, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < TABLE; i++)
        cells[1 + i] += 1e-3 * kept[i];
}

static double work(MPI_Comm comm, int steps)
{
    double sum = 0;

    for (int step = 1; step <= steps; step++) {
        fill_halo(comm, ranks - 1);
        compute();
        tell_change();
        if (step % (9 + rank) == 0)
            ask_for_table();
        if (step % 50 == 0)
            sum = sum_of_all(cells[CELLS / 2], comm);
    }
    MPI_Send(NULL, 0, MPI_DOUBLE, ranks - 1, LEAVE, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Comm clients;
    double sum = 0;

    start(&argc, &argv);
    int steps = argument(argc, argv, 4000), serves = rank == ranks - 1;
    for (int i = 0; i < TABLE; i++)
        table[i] = cos(0.01 * i);
    for (int i = 1; i <= CELLS; i++)
        cells[i] = sin(0.002 * i * (rank + 1));
    MPI_Comm_split(MPI_COMM_WORLD, serves, rank, &clients);
    if (serves)
        serve();
    else
        sum = work(clients, steps);
    if (rank == 0)
        printf("%d steps, sum %.6f\n", steps, sum);
    return finish(serves ? 0 : steps, 0);
}
