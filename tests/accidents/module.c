/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls MPI from a module of its own. */
#include <mpi.h>

void call(void);
void call(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}
