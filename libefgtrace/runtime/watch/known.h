/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known: what this process knows about itself and about the run, in the form of the run file.
 */
#ifndef EFG_KNOWN_H
#define EFG_KNOWN_H

#include "threads.h"

/* All names that signatures of this process may refer to. They belong to the tracer; FORGET
 * frees the lists of them. Returns 0, or -ENOMEM. */
int efg_known_names(struct efg_run_names *names);
void efg_known_forget(struct efg_run_names *names);

/* What this rank has measured up to NOW ticks: all its threads, or ONLY one. Everything belongs
 * to the tracer except the array of threads and what they sent, which FORGET frees, and which is
 * missing without memory. */
void efg_known_rank(struct efg_run_rank *rank, struct efg_thread *only, uint64_t now);
void efg_known_forget_rank(struct efg_run_rank *rank);

/* What each of the windows of THREAD, the leader, stands for, as efg_run_weigh says it. */
void efg_known_weigh(const struct efg_thread *thread, double *weight);

/* What counters counted in the iterations of the main loop, as far as THREAD, which has counts, measured
 * them: those of its pivot number *PIVOT. */
struct efg_counts_iterations efg_known_counted(const struct efg_thread *thread, uint32_t *pivot);

/* The facts of the run that all ranks know, to RUN, which owns them. */
void efg_known_run(struct efg_run *run);

#endif
