/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions: programs of MPI 4 that never call MPI_Init have no MPI_COMM_WORLD. The tracer makes
 * what it needs in its place from a session of its own, which lasts as long as the tracer.
 */
#ifndef EFG_SESSIONS_H
#define EFG_SESSIONS_H

#include <mpi.h>

/* All members of COMM call this. If they are all processes of the job, make the private
 * communicators of them (efg_job.comm and self) and return 0, else -ENOTSUP. */
int efg_sessions_begin(MPI_Comm comm);

/* Free them and end our session, if there is one. */
void efg_sessions_end(void);

#endif
