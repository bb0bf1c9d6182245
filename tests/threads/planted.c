/* SPDX-License-Identifier: BSD-3-Clause */
/* Between a program and MPI, as efgtrace is: a data race, which the thread sanitizer has to
 * see. */
#include <mpi.h>

static long planted;

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    planted++;
    return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}
