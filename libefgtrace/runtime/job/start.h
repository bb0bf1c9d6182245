/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The start of the tracer, as struct efg_runtime has it: what is done before MPI_Init, and then within it.
 */
#ifndef EFG_START_H
#define EFG_START_H

#include <mpi.h>
#include <stdbool.h>

#include "runtime/calls/call.h"

bool efg_start_prepare(const struct efg_front *front);

const struct efg_hooks *efg_start_run(const MPI_Comm *comm);

#endif
