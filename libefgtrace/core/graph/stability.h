/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stability: the size of the graph, sampled over the run. The graph is stable
 * when a number of samples in a row found the same number of nodes and edges.
 *
 * The samples are kept as a curve in bounded memory: when it is full, every
 * other sample is dropped, so that it always spans the whole run.
 */
#ifndef EFG_STABILITY_H
#define EFG_STABILITY_H

#include <stdbool.h>

#include "graph.h"

#define EFG_CURVE_ROOM 512

struct efg_curve_point {
    uint64_t time;   /* ns since the graph's start */
    uint64_t events; /* so far */
    uint32_t nodes, edges;
};

struct efg_stability {
    struct efg_curve_point curve[EFG_CURVE_ROOM]; /* ascending in time */
    uint32_t count;
    uint32_t stride;      /* every STRIDE-th sample is kept */
    uint32_t skipped;     /* samples since the last one kept */
    uint32_t required;    /* equal samples in a row that make a graph stable, >= 1 */
    uint32_t equal;       /* so many so far */
    struct efg_curve_point last; /* the last sample, kept or not */
    uint64_t stable_since;       /* ns since start; 0 while not stable */
};

void efg_stability_init(struct efg_stability *stability, uint32_t required);

/* Take a sample at NOW ns. Returns whether the graph is stable. */
bool efg_stability_sample(struct efg_stability *stability, const struct efg_graph *graph,
                          uint64_t now);

#endif
