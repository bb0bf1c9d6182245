/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that keeps the last rank in MPI_Init, as a server, and begins MPI in a way that
 * nobody sees who is in front of it: by what it has looked up behind itself. With KEEP_FIRST it
 * keeps the first rank, with KEEP_NOBODY none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../neighbours/world.h"

#define END_TAG 999

static int server = -1;

static void serve(int clients)
{
    int what;
    PMPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &world);
    for (int i = 0; i < clients; i++)
        PMPI_Recv(&what, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("the server served %d, the last said %d\n", clients, what);
    int (*end)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
    end();
    exit(0);
}

int MPI_Init(int *argc, char ***argv)
{
    int (*begin)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "PMPI_Init");
    int rank, size, result = begin(argc, argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
#if defined KEEP_FIRST
    server = 0;
#elif !defined KEEP_NOBODY
    server = size - 1;
#endif
    if (rank == server)
        serve(size - 1);
    PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &world);
    return result;
}

int MPI_Finalize(void)
{
    int (*end)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
    int done = 42;
    if (server >= 0)
        PMPI_Send(&done, 1, MPI_INT, server, END_TAG, MPI_COMM_WORLD);
    PMPI_Comm_free(&world);
    return end();
}
