/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes: which ranks read the same clock and share the same cores, and one leader of each.
 */
#ifndef EFG_NODES_H
#define EFG_NODES_H

#include <mpi.h>

struct efg_nodes {
    MPI_Comm node;    /* the ranks of this node, ascending; 0 leads */
    MPI_Comm leaders; /* of all nodes, ascending; MPI_COMM_NULL on other ranks */
};

/* Group the ranks of COMM; collective. Returns 0, or -EIO when MPI refuses. */
int efg_nodes_init(struct efg_nodes *nodes, MPI_Comm comm);
void efg_nodes_fini(struct efg_nodes *nodes);

/* Give all ranks of the node the SIZE bytes at DATA of its leader; collective over the node. */
void efg_nodes_share(const struct efg_nodes *nodes, void *data, int size);

#endif
