/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks for messages that are not there yet, by all calls that ask, from anywhere, and wants no statuses.
 *
 * asking LENGTH: so many iterations. Rank 0 prints the calls of all ranks, without MPI_Init and
 * MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ONE = 1, TWO, THREE, FOUR, PROBED, MATCHED, ASKED = 100 };

static int rank, ranks, round_number;
static long calls;

static void expect(int fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "rank %d, iteration %d: %s\n", rank, round_number, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int number(int tag)
{
    return 10 * round_number + tag;
}

static void send(int tag)
{
    int it = number(tag);

    MPI_Send(&it, 1, MPI_INT, (rank + 1) % ranks, tag, MPI_COMM_WORLD);
    calls++;
}

/* What is asked for is sent with the ASKED-th question: until then, nothing is found. */
static int may_send(int *asked)
{
    calls++;
    return ++*asked == ASKED;
}

static void await_any(MPI_Request *requests, const int *got)
{
    for (int left = 2, which, flag, asked = 0; left > 0 || asked < ASKED;) {
        MPI_Testany(2, requests, &which, &flag, MPI_STATUS_IGNORE);
        if (flag && which != MPI_UNDEFINED) {
            expect(got[which] == number(ONE + which), "Testany");
            left--;
        }
        if (may_send(&asked)) {
            send(ONE);
            send(TWO);
        }
    }
}

static void await_one(MPI_Request *request)
{
    for (int flag = 0, asked = 0; !flag || asked < ASKED;) {
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        if (may_send(&asked))
            send(THREE);
    }
}

static void await_all(MPI_Request *requests)
{
    for (int flag = 0, asked = 0; !flag || asked < ASKED;) {
        MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
        if (may_send(&asked))
            send(FOUR);
    }
}

static void await_probed(void)
{
    MPI_Status status;
    int got;

    for (int flag = 0, asked = 0; !flag || asked < ASKED;) {
        MPI_Iprobe(MPI_ANY_SOURCE, PROBED, MPI_COMM_WORLD, &flag, &status);
        if (may_send(&asked))
            send(PROBED);
    }
    MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, PROBED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    calls++;
    expect(got == number(PROBED), "Iprobe");
}

static void await_matched(void)
{
    MPI_Message message;
    int got;

    int asked = 0;
    for (int flag = 0; !flag;) {
        MPI_Improbe(MPI_ANY_SOURCE, MATCHED, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        if (may_send(&asked))
            send(MATCHED);
    }
    if (asked < ASKED)
        send(MATCHED);
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    calls++;
    expect(got == number(MATCHED), "Improbe");
}

static void iterate(void)
{
    int got[4] = {0};
    MPI_Request requests[4];

    for (int i = 0; i < 4; i++, calls++)
        MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, ONE + i, MPI_COMM_WORLD, &requests[i]);
    await_any(requests, got);
    await_one(&requests[2]);
    await_all(requests + 1); /* two of them are null */
    expect(got[2] == number(THREE) && got[3] == number(FOUR), "Test");
    await_probed();
    await_matched();
    MPI_Barrier(MPI_COMM_WORLD);
    calls++;
}

int main(int argc, char **argv)
{
    int length = argc > 1 ? atoi(argv[1]) : 1000;
    long all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (round_number = 0; round_number < length; round_number++)
        iterate();
    calls++; /* the next one */
    MPI_Reduce(&calls, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf("calls %ld\n", all);
    return 0;
}
