/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that hands out requests of its own, as some do that send again what was lost, and
 * gives MPI its real ones. A handle of its own means nothing to MPI.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 64

static struct {
    MPI_Request real;
    int is_used;
} slot[SLOTS];

#ifdef OPEN_MPI /* handles are pointers there, and numbers in MPICH */
#define OWN(i) ((MPI_Request)&slot[i])
#else
#define OWN(i) ((MPI_Request)(0x5eed0000 + (i)))
#endif

static int find(MPI_Request handle)
{
    for (int i = 0; i < SLOTS; i++)
        if (OWN(i) == handle)
            return i;
    fprintf(stderr, "requests: a handle that is none of mine\n");
    abort();
}

static int hand_out(int result, MPI_Request real, MPI_Request *request)
{
    int i = 0;
    while (slot[i].is_used)
        i++;
    slot[i].real = real;
    slot[i].is_used = 1;
    *request = OWN(i);
    return result;
}

/* The request behind HANDLE was completed if it is none any more. */
static void take_back(MPI_Request *handle, MPI_Request real)
{
    if (*handle == MPI_REQUEST_NULL)
        return;
    int i = find(*handle);
    slot[i].real = real;
    if (real == MPI_REQUEST_NULL) {
        slot[i].is_used = 0;
        *handle = MPI_REQUEST_NULL;
    }
}

static MPI_Request real_of(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL ? handle : slot[find(handle)].real;
}

int MPI_Isend(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    MPI_Request real;
    int result = PMPI_Isend(buffer, n, type, to, tag, comm, &real);
    return hand_out(result, real, request);
}

int MPI_Irecv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    MPI_Request real;
    int result = PMPI_Irecv(buffer, n, type, from, tag, comm, &real);
    return hand_out(result, real, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Request real = real_of(*request);
    int result = PMPI_Wait(&real, status);
    take_back(request, real);
    return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Request real = real_of(*request);
    int result = PMPI_Test(&real, flag, status);
    take_back(request, real);
    return result;
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status *statuses)
{
    MPI_Request real[SLOTS];
    for (int i = 0; i < n; i++)
        real[i] = real_of(requests[i]);
    int result = PMPI_Waitall(n, real, statuses);
    for (int i = 0; i < n; i++)
        take_back(&requests[i], real[i]);
    return result;
}
