/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random events of few call sites, and the comparison of the graphs that they make.
 */
#ifndef EFG_SOME_GRAPHS_H
#define EFG_SOME_GRAPHS_H

#include "core/graph/graph.h"

#define ALL_DIMENSIONS                                                                                 \
    (EFG_DIM_PATH | EFG_DIM_SIZE | EFG_DIM_PARTNER | EFG_DIM_COMM | EFG_DIM_REGION | EFG_DIM_ELEMENT | \
     EFG_DIM_ADDRESS)

/* Some of AMONG, sizes or classes of sizes. */
unsigned random_dimensions(unsigned among);

/* The event after CLOCK, which is moved on, of one of SITES. Call paths need no table: a path
 * is its frames, one bit each, below a leading 1 that says how many there are (at most 16). The
 * innermost is the lowest bit; the hash is the same number. */
struct efg_event random_event(uint64_t *clock, uint32_t sites);

/* The same nodes and edges, with the same counts and times. */
void expect_same_graphs(const struct efg_graph *a, const struct efg_graph *b);

#endif
