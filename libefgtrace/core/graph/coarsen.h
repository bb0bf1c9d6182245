/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coarsening: makes a graph with less detail from one with more. Nodes whose signatures are the
 * same without the detail become one, and so do edges between them: the graph is the one
 * that would have resulted if the detail had been left out from the first event on.
 *
 *     counts, sums, least, most and histograms of times, bytes, polls    exactly
 *     numbers and times of last visits, sums of gaps, last gaps          exactly, unless the
 *                                                                        history was restarted
 *     squares and variation of gaps, longest pauses, first visits of a round: those of the
 *     parts, taken together; they mean little, so their users start again (pivot.h)
 */
#ifndef EFG_COARSEN_H
#define EFG_COARSEN_H

#include "detail.h"
#include "graph.h"

/* The id of the call path PATH cut to its outermost DEPTH frames, and its *HASH. */
typedef uint32_t efg_cut_path(uint32_t path, unsigned depth, uint64_t *hash);

enum efg_coarsened {
    EFG_COARSENED_NOTHING, /* all nodes are still apart, on the same paths: ids are as they were */
    EFG_COARSENED,       /* ids have changed; so far the pivot would still have counted the
                            same visits */
    EFG_COARSENED_PIVOT, /* ids have changed; the pivot would have counted other visits, so
                            none counts any longer */
};

/* Reduce GRAPH from the detail FROM to the detail TO. graph->pivot_id is then what the pivot has
 * become, lost or not, and NEW_ID (one entry per node before) what each node has become. CUT is
 * called only if TO has call paths. */
enum efg_coarsened efg_graph_coarsen(struct efg_graph *graph, struct efg_detail from,
                                     struct efg_detail to, efg_cut_path *cut, uint32_t *new_id);

/* S, which has the detail FROM, reduced to the detail TO; *PATH_HASH: the hash of its path then. */
struct efg_signature efg_coarsen_signature(struct efg_signature s, struct efg_detail from,
                                           struct efg_detail to, efg_cut_path *cut,
                                           uint64_t *path_hash);

#endif
