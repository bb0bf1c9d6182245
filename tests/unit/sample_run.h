/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run for tests: a stencil on 4 ranks, as it would have been recorded.
 *
 *     MPI_Bcast                                    stencil.c:12 main
 *     1000 steps:
 *         MPI_Irecv x 2, MPI_Isend x 2, MPI_Waitall   halo.c:21..31 exchange
 *         MPI_Allreduce                            stencil.c:48 residual (inlined into step)
 *         each 20th: MPI_Gather                    output.c:9 write_field
 *     MPI_Reduce                                   stencil.c:70 main
 *
 * 4 ms a step and longer on rank 3, which the others wait for. 10 iterations were recorded.
 */
#ifndef EFG_SAMPLE_RUN_H
#define EFG_SAMPLE_RUN_H

#include "whole_run.h"

#define SAMPLE_RANKS 4
#define SAMPLE_NODE 2 /* ranks of a node */
#define SAMPLE_STEPS 1000
#define SAMPLE_FUNCTION UINT64_C(0x123456789abcdef0) /* main, as the loops name it */

enum sample_call { /* ids of calls; the path of call c is c */
                   SAMPLE_BCAST = 1,
                   SAMPLE_IRECV_LEFT,
                   SAMPLE_IRECV_RIGHT,
                   SAMPLE_ISEND_LEFT,
                   SAMPLE_ISEND_RIGHT,
                   SAMPLE_WAITALL,
                   SAMPLE_ALLREDUCE,
                   SAMPLE_GATHER,
                   SAMPLE_REDUCE,
                   SAMPLE_CALLS
};

/* Fill WHOLE; free it with whole_run_fini. */
void sample_run(struct whole_run *whole);

/* The same with any number of ranks, none of which computes as long as another: most take a
 * little longer than the fastest one in each step, a few nearly the 400 us of rank 3. */
void sample_run_uneven(struct whole_run *whole, uint32_t ranks);

/* The same as sample_run, with an end that makes MPI_Bcast from COUNT functions more, three
 * times in a row, each of them faster than the one before it: main > phase > part > solve. */
void sample_run_paths(struct whole_run *whole, uint32_t count);

#endif
