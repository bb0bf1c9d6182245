/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors that calls which complete requests find: what they return, and what they say of each
 * request, depends on whether the program has asked for statuses.
 */
#include "wrong.h"

static int four[4], got[2];

/* The first of two messages is too long for its receive. Both are there at the end. */
static void begin(MPI_Request request[2])
{
    MPI_Irecv(&got[0], 1, MPI_INT, other, 2, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request[1]);
    MPI_Send(four, 4, MPI_INT, other, 2, MPI_COMM_WORLD);
    MPI_Send(four, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What is left of them. */
static void say(const MPI_Request request[2])
{
    for (int i = 0; i < 2; i++)
        printf("rank %d: request %d %s\n", rank, i, request[i] == MPI_REQUEST_NULL ? "is null" : "is left");
}

static void wait(void)
{
    MPI_Request request[2];
    begin(request);
    for (int i = 0; i < 2; i++)
        TELL(Wait, &request[i], MPI_STATUS_IGNORE);
    say(request);
}

static void waitall(void)
{
    MPI_Request request[2];
    begin(request);
    TELL(Waitall, 2, request, MPI_STATUSES_IGNORE);
    say(request);
}

static void waitall_statuses(void)
{
    MPI_Request request[2];
    MPI_Status status[2] = {{.MPI_ERROR = -1}, {.MPI_ERROR = -1}};
    begin(request);
    TELL(Waitall, 2, request, status);
    for (int i = 0; i < 2; i++)
        if (status[i].MPI_ERROR > 0)
            told("of its requests, one", status[i].MPI_ERROR);
    say(request);
}

static void waitany(void)
{
    MPI_Request request[2];
    int index = -1;
    begin(request);
    for (int i = 0; i < 2; i++)
        TELL(Waitany, 2, request, &index, MPI_STATUS_IGNORE);
    say(request);
}

static void waitsome(void)
{
    MPI_Request request[2];
    int indices[2], count = -1;
    begin(request);
    TELL(Waitsome, 2, request, &count, indices, MPI_STATUSES_IGNORE);
    say(request);
}

static void testall(void)
{
    MPI_Request request[2];
    begin(request);
    for (int i = 0, flag = 0, code = MPI_SUCCESS; i < 100 && !flag && code == MPI_SUCCESS; i++) {
        code = MPI_Testall(2, request, &flag, MPI_STATUSES_IGNORE);
        told("MPI_Testall", code);
    }
    say(request);
}

static void testsome(void)
{
    MPI_Request request[2];
    int indices[2], count = 0;
    begin(request);
    TELL(Testsome, 2, request, &count, indices, MPI_STATUSES_IGNORE);
    say(request);
}

static void cancelled(void)
{
    MPI_Request request;
    MPI_Irecv(got, 1, MPI_INT, other, 8, MPI_COMM_WORLD, &request);
    TELL(Cancel, &request);
    TELL(Cancel, &request);
    TELL(Wait, &request, MPI_STATUS_IGNORE);
}

static void never_waited(void)
{
    static int here[100];
    MPI_Request request;
    for (int i = 0; i < 100; i++) {
        MPI_Irecv(&here[i], 1, MPI_INT, other, 10, MPI_COMM_WORLD, &request);
        MPI_Isend(four, 1, MPI_INT, other, 10, MPI_COMM_WORLD, &request);
    }
}

/* They are under way when MPI ends. */
static void pending_at_the_end(void)
{
    static int large[200000], more[200000];
    MPI_Request request;
    TELL(Irecv, more, 200000, MPI_INT, other, 11, MPI_COMM_WORLD, &request);
    TELL(Irecv, four, 4, MPI_INT, MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, &request);
    TELL(Isend, large, 1000, MPI_INT, other, 13, MPI_COMM_WORLD, &request);
}

static void sum_never_waited(void)
{
    MPI_Request request;
    TELL(Iallreduce, four, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
}

const struct wrong wrong_completions[] = {
    {"truncated, wait", wait, WITHIN, 0},
    {"truncated, waitall", waitall, WITHIN, 0},
    {"truncated, waitall with statuses", waitall_statuses, WITHIN, 0},
    {"truncated, waitany", waitany, WITHIN, 0},
    {"truncated, waitsome", waitsome, WITHIN, 0},
    {"truncated, testall", testall, WITHIN, 0},
    {"truncated, testsome", testsome, WITHIN, 0},
    {"cancelled twice", cancelled, WITHIN, 0},
    {"requests never waited for", never_waited, WITHIN, 0},
    {"requests pending at the end", pending_at_the_end, WITHIN, 0},
    {"sum never waited for", sum_never_waited, WITHIN, 0},
    {NULL, NULL, WITHIN, 0},
};
