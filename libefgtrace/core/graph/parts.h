/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the graph share: its memory (room.c). graph.c adds to it event by
 * event, coarsen.c makes it smaller.
 */
#ifndef EFG_GRAPH_PARTS_H
#define EFG_GRAPH_PARTS_H

#include "graph.h"

#define EFG_FIRST_NODES 64
#define EFG_FIRST_EDGES 128

/* Slot of the node with signature S, or the free slot where it belongs. */
uint32_t *efg_graph_node_slot(const struct efg_graph *graph, const struct efg_signature *s);

/* Slot of the edge FROM -> TO, or the free slot where it belongs. */
uint32_t *efg_graph_edge_slot(const struct efg_graph *graph, uint32_t from, uint32_t to);

/* Room for NODES and EDGES, which is more than there are; tables fit the room and are filled
 * again. Returns 0, or -1 without memory and with the room as it was. */
int efg_graph_size(struct efg_graph *graph, uint32_t nodes, uint32_t edges);

/* Room for a node besides the overflow node. */
static inline int efg_graph_has_room(const struct efg_graph *graph)
{
    return graph->node_count + 1 + (graph->overflow == EFG_NONE) <= graph->node_room;
}

/* Grow, if need be, until there is room for a node and an edge more; says in graph->is_full
 * whether that went wrong. */
void efg_graph_make_room(struct efg_graph *graph);

#endif
