/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hybrid programs: parallel regions of OpenMP that the main thread begins, as libefgtrace-openmp.so tells of
 * them (runtime/calls/openmp.h). At its end a region is an event, so that it is a node of the graph and loops
 * are found by it; it takes no time there, for what it does is computed. In the trace it is a region like
 * those of the user. What its threads did is summed up for each call path; barriers of the main thread
 * likewise.
 */
#ifndef EFG_HYBRID_H
#define EFG_HYBRID_H

#include <stdint.h>

#include "runtime/calls/openmp.h"

/* The process begins to be traced: a note, if the key is on and nobody will tell. */
void efg_hybrid_begin(void);

/* As efg_openmp_tell. Of the main thread. */
void efg_hybrid_tell(int what, const struct efg_openmp_sums *sums, const uintptr_t *frame);

/* All sums so far, as files/run/openmp.h has them, to be freed; NULL: none, or no memory. */
char *efg_hybrid_text(void);

#endif
