/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topology: where the ranks of a node are bound to.
 */
#ifndef EFG_TOPOLOGY_H
#define EFG_TOPOLOGY_H

#include "files/run/runfile.h"
#include "nodes.h"

#define EFG_TOPOLOGY_TEXT 64 /* bytes */

/* Find the PLACE of this rank; its cpus are written to TEXT, which PLACE then points to.
 * Collective over the node; takes a few ms. What is not known is EFG_NONE, 0 or "". */
void efg_topology_find(const struct efg_nodes *nodes, struct efg_run_place *place,
                       char text[EFG_TOPOLOGY_TEXT]);

#endif
