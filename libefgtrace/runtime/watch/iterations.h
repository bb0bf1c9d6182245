/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations: how long they take, from one visit of the pivot to the next. Only the leader calls
 * this; NOW is in ticks.
 */
#ifndef EFG_ITERATIONS_H
#define EFG_ITERATIONS_H

#include "threads.h"

/* Further iterations are of another pivot. Allocates. */
void efg_iterations_restart(struct efg_thread *thread);

/* The pivot is visited: iteration NUMBER begins. */
void efg_iterations_count(struct efg_thread *thread, uint64_t number, uint64_t now);

/* ns in MPI until NOW, when the last event ended, or began. */
uint64_t efg_iterations_mpi(const struct efg_graph *graph, uint64_t now);

/* ns in MPI of an iteration that took TIME: from BEFORE to AFTER it, but no more than it took. A call that
 * stands for others may have taken longer than they did. */
uint64_t efg_iterations_mpi_of(uint64_t time, uint64_t before, uint64_t after);

#endif
