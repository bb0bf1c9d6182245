/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives in which the ranks do not agree. */
#include "wrong.h"

static int one = 1, two[2], eight[8];

static void roots_differ(void)
{
    TELL(Bcast, &one, 1, MPI_INT, rank, MPI_COMM_WORLD);
}

static void roots_differ_gather(void)
{
    TELL(Gather, &one, 1, MPI_INT, eight, 1, MPI_INT, other, MPI_COMM_WORLD);
}

static void counts_differ(void)
{
    TELL(Bcast, eight, rank == 0 ? 8 : 2, MPI_INT, 0, MPI_COMM_WORLD);
}

static void counts_differ_sum(void)
{
    int sums[8];
    TELL(Allreduce, eight, sums, rank == 0 ? 8 : 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void types_differ(void)
{
    double wide = 0;
    if (rank == 0)
        TELL(Bcast, &wide, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
        TELL(Bcast, &one, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void ops_differ(void)
{
    int mine = rank + 2, all = 0;
    TELL(Allreduce, &mine, &all, 1, MPI_INT, rank ? MPI_PROD : MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, all);
}

static void calls_differ(void)
{
    if (rank == 0)
        TELL(Bcast, &one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        TELL(Reduce, &one, two, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void barrier_on_one(void)
{
    if (rank == 0)
        TELL(Barrier, MPI_COMM_WORLD);
}

/* The ranks take two communicators in different orders. */
static void order_differs(void)
{
    MPI_Comm comm[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    TELL(Barrier, comm[rank]);
    TELL(Barrier, comm[1 - rank]);
}

static void receive_for_collective(void)
{
    if (rank == 0)
        TELL(Bcast, &one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        TELL(Recv, &one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void counts_of_gatherv(void)
{
    int counts[2] = {1, 1}, places[2] = {0, 1};
    TELL(Gatherv, eight, 1 + rank, MPI_INT, eight + 4, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
}

static void counts_negative(void)
{
    int counts[2] = {1, -2}, places[2] = {0, 1};
    TELL(Allgatherv, &one, 1, MPI_INT, two, counts, places, MPI_INT, MPI_COMM_WORLD);
}

static void in_place_wrong(void)
{
    TELL(Alltoall, eight, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, MPI_COMM_WORLD);
}

static void neighbours_without_topology(void)
{
    TELL(Neighbor_allgather, &one, 1, MPI_INT, eight, 1, MPI_INT, MPI_COMM_WORLD);
}

static void split_on_one(void)
{
    MPI_Comm part;
    if (rank == 1)
        TELL(Comm_split, MPI_COMM_WORLD, 0, 0, &part);
}

static void leader_wrong(void)
{
    MPI_Comm comm;
    TELL(Intercomm_create, MPI_COMM_SELF, 3, MPI_COMM_WORLD, other, 14, &comm);
}

const struct wrong wrong_collectives[] = {
    {"roots differ", roots_differ, WITHIN, 2},
    {"roots of gather differ", roots_differ_gather, WITHIN, 2},
    {"counts differ", counts_differ, WITHIN, 2},
    {"counts of a sum differ", counts_differ_sum, WITHIN, 2},
    {"datatypes of a collective differ", types_differ, WITHIN, 2},
    {"operators differ", ops_differ, WITHIN, 0},
    {"collectives differ", calls_differ, WITHIN, 2},
    {"barrier on one rank", barrier_on_one, WITHIN, 2},
    {"order of communicators differs", order_differs, WITHIN, 1},
    {"receive for a broadcast", receive_for_collective, WITHIN, 1},
    {"counts of gatherv too small", counts_of_gatherv, WITHIN, 2},
    {"counts negative", counts_negative, WITHIN, 0},
    {"in place where it cannot be", in_place_wrong, WITHIN, 0},
    {"neighbours without a topology", neighbours_without_topology, WITHIN, 0},
    {"split on one rank", split_on_one, WITHIN, 2},
    {"leader that is not there", leader_wrong, WITHIN, 0},
    {NULL, NULL, WITHIN, 0},
};
