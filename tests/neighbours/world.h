/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For a library that keeps ranks for itself: what the programs of these tests call on
 * MPI_COMM_WORLD goes to another communicator. Defines these functions.
 */
#ifndef WORLD_H
#define WORLD_H

#include <mpi.h>

static MPI_Comm world = MPI_COMM_NULL; /* of the others */

/* What the application means by COMM. */
static MPI_Comm meant(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? world : comm;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    return PMPI_Comm_rank(meant(comm), rank);
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    return PMPI_Comm_size(meant(comm), size);
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    return PMPI_Comm_group(meant(comm), group);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    return PMPI_Comm_dup(meant(comm), copy);
}

int MPI_Send(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    return PMPI_Send(buffer, n, type, to, tag, meant(comm));
}

int MPI_Recv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    return PMPI_Recv(buffer, n, type, from, tag, meant(comm), status);
}

int MPI_Isend(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return PMPI_Isend(buffer, n, type, to, tag, meant(comm), request);
}

int MPI_Irecv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return PMPI_Irecv(buffer, n, type, from, tag, meant(comm), request);
}

int MPI_Sendrecv(const void *out, int n, MPI_Datatype type, int to, int tag, void *in, int m,
                 MPI_Datatype other, int from, int its_tag, MPI_Comm comm, MPI_Status *status)
{
    return PMPI_Sendrecv(out, n, type, to, tag, in, m, other, from, its_tag, meant(comm),
                         status);
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return PMPI_Allreduce(in, out, n, type, op, meant(comm));
}

int MPI_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    return PMPI_Reduce(in, out, n, type, op, root, meant(comm));
}

int MPI_Barrier(MPI_Comm comm)
{
    return PMPI_Barrier(meant(comm));
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return PMPI_Ibarrier(meant(comm), request);
}

#endif
