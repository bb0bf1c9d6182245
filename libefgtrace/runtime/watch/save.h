/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Save: while the program runs, each thread now and then writes what it has measured and the
 * order of its calls to a file, its piece. If the job is killed, `efgtrace trace` makes the run
 * file from the pieces; if it ends normally, they are removed.
 *
 * With thousands of ranks, the file system is the bottleneck: a piece is as small
 * as the run file of one rank, is written rarely (key "save"), and not by all ranks at once.
 */
#ifndef EFG_SAVE_H
#define EFG_SAVE_H

#include <stdbool.h>

#include "threads.h"

/* On rank 0, which has made the folder: one for the pieces in it. Returns 0 or -errno. */
int efg_save_begin(void);

/* When a thread that begins at NOW ticks saves for the first time; UINT64_MAX: never. */
uint64_t efg_save_first(uint64_t now);

/* THREAD, the calling one, saves at NOW ticks, outside of calls. In a window that may
 * have to wait. An error is noted once, and ends saving for this thread. */
void efg_save(struct efg_thread *thread, uint64_t now);

/* The same where the process ends without MPI_Finalize. */
void efg_save_last(struct efg_thread *thread, uint64_t now);

/* In MPI_Finalize, by all ranks: remove the pieces if rank 0 says that the run file
 * IS_WRITTEN. */
void efg_save_end(bool is_written);

#endif
