/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A coupling layer: one rank is a server, which never comes back from MPI_Init, and for the
 * others MPI_COMM_WORLD is a communicator without it. The last rank is the server, or with
 * SERVER_IS_FIRST the first one, so that the others have other numbers. It serves until
 * all others are in MPI_Finalize.
 *
 * For Fortran it defines what the ring calls, under the names that gfortran and Open MPI's
 * mpi_f08 give to it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

#define END_TAG 999

static int server;

static void serve(int clients)
{
    int served = 0, what;
    while (served < clients) {
        PMPI_Recv(&what, 1, MPI_INT, MPI_ANY_SOURCE, END_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        served++;
    }
    printf("the server served %d\n", served);
    PMPI_Comm_free(&world);
    PMPI_Finalize();
    exit(0);
}

static int begin(int result)
{
    int rank, size;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
#ifndef SERVER_IS_FIRST
    server = size - 1;
#endif
    PMPI_Comm_split(MPI_COMM_WORLD, rank == server, rank, &world);
    if (rank == server)
        serve(size - 1);
    return result;
}

int MPI_Init(int *argc, char ***argv)
{
    return begin(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return begin(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Finalize(void)
{
    int done = 1;
    PMPI_Send(&done, 1, MPI_INT, server, END_TAG, MPI_COMM_WORLD);
    PMPI_Comm_free(&world);
    return PMPI_Finalize();
}

/* --- Fortran --- */

#define F(name, parameters, call)                                               \
    void mpi_##name##_f08_ parameters __attribute__((alias("mpi_" #name "_"))); \
    void mpi_##name##_ parameters                                               \
    {                                                                           \
        int result = call;                                                      \
        if (error)                                                              \
            *error = result;                                                    \
    }
#define COMM PMPI_Comm_f2c(*comm)
#define TYPE PMPI_Type_f2c(*type)
typedef MPI_Fint I;

F(init, (I * error), MPI_Init(NULL, NULL))
F(finalize, (I * error), MPI_Finalize())
F(comm_rank, (I * comm, I *rank, I *error), MPI_Comm_rank(COMM, rank))
F(comm_size, (I * comm, I *size, I *error), MPI_Comm_size(COMM, size))
F(barrier, (I * comm, I *error), MPI_Barrier(COMM))
F(send, (void *buffer, I *n, I *type, I *to, I *tag, I *comm, I *error),
  MPI_Send(buffer, *n, TYPE, *to, *tag, COMM))
F(recv, (void *buffer, I *n, I *type, I *from, I *tag, I *comm, I *status, I *error),
  ((void)status, MPI_Recv(buffer, *n, TYPE, *from, *tag, COMM, MPI_STATUS_IGNORE)))
F(allreduce, (void *in, void *out, I *n, I *type, I *op, I *comm, I *error),
  MPI_Allreduce(in, out, *n, TYPE, PMPI_Op_f2c(*op), COMM))
