/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finish: before MPI_Finalize: the run file, the trace, the summary.
 */
#ifndef EFG_FINISH_H
#define EFG_FINISH_H

#include "base/buffer.h"

/* All ranks come to their end; collective over the private communicator. */
void efg_finish_run(void);

/* This rank alone ends, without MPI: what it has stays in pieces. */
void efg_finish_leave(void);

/* Write TEXT to the new file NAME in the folder; there is none if that is not possible. */
void efg_finish_write(const char *name, const struct efg_buffer *text);

#endif
