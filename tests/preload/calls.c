/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kind of call from C, each a known number of times on every one of two ranks. */
#include <mpi.h>
#include <stdio.h>

#if defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Barrier_init MPIX_Barrier_init
#endif

static int rank, other;

static void point_to_point(void)
{
    int out = rank, in = -1, flag = 0;
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status;
    for (int i = 0; i < 5; i++) {
        MPI_Irecv(&in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Sendrecv(&out, 1, MPI_INT, other, 2, &in, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &status);
    MPI_Send_init(&out, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Isend(&out, 1, MPI_INT, other, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Mprobe(other, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    printf("%d got %d from %d with tag %d\n", rank, in, status.MPI_SOURCE, status.MPI_TAG);
}

static void collectives(void)
{
    int out[2] = {rank, 10}, in[2] = {-1, -1}, period = 1, size = 2;
    MPI_Request request;
    MPI_Comm ring;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(out, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &ring);
    MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring);
    MPI_Comm_free(&ring);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &ring);
    MPI_Comm_free(&ring);
    printf("%d gathered %d %d\n", rank, in[0], in[1]);
}

static void one_sided(void)
{
    int *memory;
    MPI_Win win;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, other, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
#ifdef OPEN_MPI /* Debian's MPICH 4.0.2 does not always put it there */
    printf("%d holds %d\n", rank, *memory);
#endif
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Pcontrol(1, "solve");
    MPI_Pcontrol(-1, "solve");
    MPI_Pcontrol(1, (const char *)8); /* what a register may hold when no name is passed */
    MPI_Pcontrol(-1, (const char *)NULL);
    MPI_Pcontrol(2);
    point_to_point();
    collectives();
    one_sided();
    return MPI_Finalize();
}
