/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the graph share: its memory (room.c). graph.c adds to it event by
 * event, coarsen.c makes it smaller.
 */
#ifndef EFG_GRAPH_PARTS_H
#define EFG_GRAPH_PARTS_H

#include <stdbool.h>

#include "graph.h"

#define EFG_FIRST_NODES 64
#define EFG_FIRST_EDGES 128

/* Slot of the node with signature S, or the free slot where it belongs. */
uint32_t *efg_graph_node_slot(const struct efg_graph *graph, const struct efg_signature *s);

/* Slot of the edge FROM -> TO, or the free slot where it belongs. */
uint32_t *efg_graph_edge_slot(const struct efg_graph *graph, uint32_t from, uint32_t to);

/* Make room for NODES and EDGES, more than there are now; tables are resized and filled
 * again. Returns 0, or -ENOMEM, with the room unchanged. */
int efg_graph_size(struct efg_graph *graph, uint32_t nodes, uint32_t edges);

/* Whether there is room for a node besides the overflow node. */
static inline bool efg_graph_has_room(const struct efg_graph *graph)
{
    return graph->node_count + 1 + (graph->overflow == EFG_NONE) <= graph->node_room;
}

/* Grow, if necessary, until there is room for another node and edge; graph->is_full says
 * whether that failed, or a site of the call tree found none. */
void efg_graph_make_room(struct efg_graph *graph);

#endif
