/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are too long, of other types, without a partner, or in each other's way. */
#include "wrong.h"

#include <string.h>
#include <unistd.h>

#define LARGE 200000

static int one = 1, four[4], large[LARGE], more[LARGE];

static void truncated(void)
{
    if (rank == 0)
        TELL(Send, four, 4, MPI_INT, 1, 2, MPI_COMM_WORLD);
    else
        TELL(Recv, &one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void truncated_large(void)
{
    if (rank == 0)
        TELL(Ssend, large, LARGE, MPI_INT, 1, 2, MPI_COMM_WORLD);
    else
        TELL(Recv, more, LARGE / 2, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void types_differ(void)
{
    double got = 0;
    MPI_Status status;
    int count = 0;
    TELL(Sendrecv, four, 3, MPI_INT, rank, 2, &got, 2, MPI_DOUBLE, rank, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    printf("rank %d: %s\n", rank, count == MPI_UNDEFINED ? "not a number of doubles" : "doubles");
}

static void types_of_one_size(void)
{
    float got = 0;
    int sent = 0x3f800000;
    TELL(Sendrecv, &sent, 1, MPI_INT, other, 2, &got, 1, MPI_FLOAT, other, 2, MPI_COMM_WORLD,
         MPI_STATUS_IGNORE);
    printf("rank %d: got %g\n", rank, (double)got);
}

static void no_send(void)
{
    TELL(Recv, &one, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wrong_tag(void)
{
    MPI_Request request;
    MPI_Isend(&one, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &request);
    TELL(Recv, four, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void both_send(void)
{
    TELL(Ssend, &one, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
    TELL(Recv, four, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void both_send_large(void)
{
    TELL(Send, large, LARGE, MPI_INT, other, 2, MPI_COMM_WORLD);
    TELL(Recv, more, LARGE, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Works only because the message is small. */
static void both_send_small(void)
{
    TELL(Send, &one, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
    TELL(Recv, four, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probe_forever(void)
{
    TELL(Probe, other, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The next step finds it, which has the same tag. */
static void send_too_many(void)
{
    int wrong = 1000;
    TELL(Send, &wrong, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
}

static void never_received(void)
{
    for (int i = 0; i < 5; i++)
        TELL(Send, &one, 1, MPI_INT, other, 9, MPI_COMM_WORLD);
}

static void one_too_few(void)
{
    if (rank == 0)
        no_send();
}

/* Which one comes first is a matter of time. */
static void race(void)
{
    int got = -1;
    MPI_Request request[2];
    for (int i = 0; i < 2; i++)
        MPI_Isend(&rank, 1, MPI_INT, i, 4, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < 2; i++) {
        TELL(Recv, &got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i == 0)
            printf("rank %d: first from %s\n", rank, got == rank ? "itself" : "the other");
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/* What arrives may be the old or the new. */
static void buffer_reused(void)
{
    MPI_Request request[2];
    memset(large, 1, sizeof large);
    MPI_Irecv(more, LARGE, MPI_INT, other, 5, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(large, LARGE, MPI_INT, other, 5, MPI_COMM_WORLD, &request[1]);
    memset(large, 2, sizeof large);
    TELL(Waitall, 2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: got %s\n", rank, more[LARGE - 1] == large[0] ? "the new" : "the old");
}

static void poll_instead_of_wait(void)
{
    MPI_Request request;
    int flag, got = -1;
    MPI_Irecv(&got, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &request);
    MPI_Send(&one, 1, MPI_INT, other, 6, MPI_COMM_WORLD);
    TELL(Test, &request, &flag, MPI_STATUS_IGNORE);
    printf("rank %d: %s\n", rank, got == 1 ? "it is there" : "not yet");
    if (!flag)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

const struct wrong wrong_messages[] = {
    {"truncated", truncated, WITHIN, 0},
    {"truncated, large", truncated_large, WITHIN, 0},
    {"datatypes differ", types_differ, WITHIN, 2},
    {"datatypes of one size", types_of_one_size, WITHIN, 0},
    {"receive without a send", no_send, WITHIN, 1},
    {"wrong tag", wrong_tag, WITHIN, 1},
    {"both send first", both_send, WITHIN, 1},
    {"both send first, large", both_send_large, WITHIN, 1},
    {"both send first, small", both_send_small, WITHIN, 0},
    {"probe for ever", probe_forever, WITHIN, 1},
    {"one message too many", send_too_many, WITHIN, 0},
    {"messages never received", never_received, WITHIN, 0},
    {"one message too few", one_too_few, WITHIN, 1},
    {"race of two senders", race, WITHIN, 0},
    {"buffer reused too early", buffer_reused, WITHIN, 0},
    {"test taken for wait", poll_instead_of_wait, WITHIN, 0},
    {NULL, NULL, WITHIN, 0},
};
