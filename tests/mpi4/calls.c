/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is new in MPI 4, COUNT times (argument, 20) each: functions whose counts are MPI_Counts,
 * if the library has them, MPI_Isendrecv, messages in parts, persistent collectives,
 * MPI_Comm_idup_with_info. The data is checked.
 */
#include "../programs/program.h"

#define PARTS 3
#define MOST 16 /* ranks */

static struct program p;
static int right, left;

#if MPI_VERSION >= 4
static void large(int turn)
{
    int out[2] = {p.rank, turn}, in[2] = {-1, -1}, sum = 0, all[2 * MOST];
    MPI_Count counts[MOST];
    MPI_Aint displs[MOST];
    MPI_Request requests[2];
    MPI_Irecv_c(in, 2, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend_c(out, 2, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    program_expect(&p, in[0] == left && in[1] == turn, "MPI_Irecv_c");
    MPI_Sendrecv_c(out, 2, MPI_INT, left, 2, in, 2, MPI_INT, right, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    program_expect(&p, in[0] == right, "MPI_Sendrecv_c");
    MPI_Allreduce_c(&p.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    program_expect(&p, sum == p.size * (p.size - 1) / 2, "MPI_Allreduce_c");
    for (int i = 0; i < p.size; i++) {
        counts[i] = 1 + i % 2;
        displs[i] = 2 * i;
    }
    MPI_Allgatherv_c(out, counts[p.rank], MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
    program_expect(&p, all[2 * left] == left, "MPI_Allgatherv_c");
}
#else /* Open MPI 5 */
static void large(int turn)
{
    (void)turn;
}
#endif

static void both_ways(int turn)
{
    int out = turn, in = -1, both = p.rank;
    MPI_Request request;
    MPI_Isendrecv(&out, 1, MPI_INT, right, 3, &in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    program_expect(&p, in == turn, "MPI_Isendrecv");
    MPI_Isendrecv_replace(&both, 1, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    program_expect(&p, both == left, "MPI_Isendrecv_replace");
}

static void in_parts(void)
{
    int out[PARTS], in[PARTS];
    MPI_Request requests[2];
    MPI_Precv_init(in, PARTS, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(out, PARTS, 1, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int turn = 0; turn < p.iterations; turn++) {
        int arrived = 0;
        MPI_Startall(2, requests);
        for (int i = 0; i < PARTS; i++) {
            out[i] = turn + i;
            MPI_Pready(i, requests[1]);
        }
        while (!arrived)
            MPI_Parrived(requests[0], 0, &arrived);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        program_expect(&p, in[PARTS - 1] == turn + PARTS - 1, "MPI_Precv_init");
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void persistent(void)
{
    int sum = 0;
    MPI_Request request;
    MPI_Allreduce_init(&p.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int turn = 0; turn < p.iterations; turn++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        program_expect(&p, sum == p.size * (p.size - 1) / 2, "MPI_Allreduce_init");
    }
    MPI_Request_free(&request);
}

static void copies(void)
{
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    p = program_init(argc, argv, 20, 0);
    right = program_right(&p);
    left = program_left(&p);
    program_expect(&p, p.size <= MOST, "too many ranks");
    for (int turn = 0; turn < p.iterations; turn++) {
        large(turn);
        both_ways(turn);
    }
    in_parts();
    persistent();
    copies();
    return program_end(&p, "times");
}
