/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uniting: the graphs of several threads or ranks as one. Nodes with the same signature become
 * one, and so do edges between them: the graph is that of all their calls, except that no edge
 * leads from the last call of one to the first of the next. Signatures can be reduced at the same
 * time, so that a graph added to an empty one is the same graph with less detail.
 *
 *     counts, sums, least, most of times, bytes, polls, visits and their times   exactly
 *     histograms                                  exactly, up to 2^32 - 1 in a bin
 *     gaps, marks, predictions                    none: the graph is for reading
 */
#ifndef EFG_UNITE_H
#define EFG_UNITE_H

#include "detail.h"
#include "graph.h"

/* Add counts, sums and times of FROM to those of TO; not its gaps, and not its edges. */
void efg_node_unite(struct efg_node *to, const struct efg_node *from);

/* Add MORE, whose signatures have the dimensions FROM, to GRAPH, which was made by
 * efg_graph_init and has the dimensions TO, the same or coarser. NEW_NODE and NEW_EDGE (one entry
 * for each that MORE has, or NULL): what they have become. The hash of a node is that of the first
 * one added. Returns 0, or -1 without memory: part of MORE is missing then. */
int efg_graph_unite(struct efg_graph *graph, const struct efg_graph *more, unsigned from,
                    unsigned to, uint32_t *new_node, uint32_t *new_edge);

#endif
