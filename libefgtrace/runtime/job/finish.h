/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finish: before MPI_Finalize: the run file, the trace, the summary.
 */
#ifndef EFG_FINISH_H
#define EFG_FINISH_H

/* All ranks come to their end; collective over the private communicator. */
void efg_finish_run(void);

/* This rank alone ends, without MPI: what it has stays in pieces. */
void efg_finish_leave(void);

#endif
