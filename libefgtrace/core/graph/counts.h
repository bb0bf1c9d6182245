/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts: what counters (base/counters.h) have counted in the calls of a graph and between them. Beside the
 * graph, since few runs ask for it: sums of each counter for each node and edge, and over iterations.
 *
 * Ids are those of the graph, so they have to follow when it is coarsened. What finds no room, or no edge, is
 * in REST.
 */
#ifndef EFG_COUNTS_H
#define EFG_COUNTS_H

#include "base/counters.h"
#include "graph.h"

struct efg_counts_iterations {
    uint64_t count; /* of iterations */
    uint64_t sum[EFG_COUNTERS];
};

struct efg_counts {
    unsigned width; /* counters */
    char name[EFG_COUNTERS][EFG_COUNTER_NAME];
    uint32_t node_count, edge_count; /* that have sums */
    uint64_t *nodes, *edges;         /* WIDTH sums of each, see efg_counts_of; edges: between the calls */
    uint32_t (*ends)[2];             /* nodes of the edges */
    uint64_t rest[EFG_COUNTERS];     /* between calls, on no edge */
    struct efg_counts_iterations all, recorded;
    struct efg_budget *budget;
};

/* For these counters, within BUDGET (NULL: no limit); NULL without memory. */
struct efg_counts *efg_counts_new(unsigned width, struct efg_budget *budget);
void efg_counts_free(struct efg_counts *counts);

/* The sums of node or edge ID in NODES or EDGES, of which there are COUNT; NULL for none. */
static inline const uint64_t *efg_counts_of(const struct efg_counts *counts, const uint64_t *sums,
                                            uint32_t count, uint32_t id)
{
    return id < count ? sums + (size_t)id * counts->width : NULL;
}

/* Add VALUES to NODE; to EDGE of GRAPH, EFG_NONE for none. */
void efg_counts_add_node(struct efg_counts *counts, uint32_t node, const uint64_t *values);
void efg_counts_add_edge(struct efg_counts *counts, const struct efg_graph *graph, uint32_t edge,
                         const uint64_t *values);

/* An iteration with WIDTH values. */
void efg_counts_add_iteration(struct efg_counts_iterations *to, unsigned width, const uint64_t *values);

/* GRAPH has been coarsened (coarsen.h): its nodes now have the ids NEW_ID. */
void efg_counts_coarsen(struct efg_counts *counts, const struct efg_graph *graph, const uint32_t *new_id);

/* The sums of counter K in all calls, and between them. */
uint64_t efg_counts_in_calls(const struct efg_counts *counts, unsigned k);
uint64_t efg_counts_between(const struct efg_counts *counts, unsigned k);

#endif
