/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steer: when the tracer looks at its graph, and what comes of that. NOW is in ticks, outside of
 * calls.
 */
#ifndef EFG_STEER_H
#define EFG_STEER_H

#include <stdbool.h>

#include "threads.h"

/* A sample of THREAD is due. */
void efg_steer_sample(struct efg_thread *thread, uint64_t now);

/* The pivot was visited; of the leader. */
void efg_steer_visit(struct efg_thread *thread, uint64_t now);

/* The program ends: end the window and, if MPI can be used (COLLECTIVE), the rounds. */
void efg_steer_finish(uint64_t now, bool collective);

#endif
