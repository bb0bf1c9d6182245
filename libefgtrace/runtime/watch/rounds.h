/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds: the votes of the ranks travel by MPI_Iallreduce on a private communicator. A round is
 * posted and tested when the leader samples or visits its pivot, and waited for in MPI_Finalize
 * only. Only the leader calls this; NOW is in ticks.
 */
#ifndef EFG_ROUNDS_H
#define EFG_ROUNDS_H

#include <stdbool.h>

#include "threads.h"

/* Begin the agreement. Returns 0, or -EIO when MPI cannot. */
int efg_rounds_init(void);

/* Take results and vote, as far as that is possible without waiting; in the resting state, only if
 * a SAMPLE was taken. */
void efg_rounds_advance(struct efg_thread *thread, uint64_t now, bool sample);

/* If the others did not answer for too long, record without them. */
void efg_rounds_consider_alone(struct efg_thread *thread, uint64_t now);

/* In MPI_Finalize: rounds until nothing is under way. */
void efg_rounds_finish(struct efg_thread *thread, uint64_t now);
/* After that: what all ranks have in each of COUNT places is added up. */
void efg_rounds_sum(uint64_t *all, int count);
/* The last call, if MPI can still be used. */
void efg_rounds_fini(void);

/* Posted so far. */
uint64_t efg_rounds_count(void);

#endif
