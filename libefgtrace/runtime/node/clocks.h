/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks: the common time of all nodes, which is that of rank 0's.
 */
#ifndef EFG_CLOCKS_H
#define EFG_CLOCKS_H

#include "files/log/log.h"
#include "nodes.h"

struct efg_moment {
    struct efg_sync sync; /* the same one on all ranks of a node */
    uint64_t error;       /* ns that realtime may be wrong by; 0 on the node of rank 0 */
};

/* Compare the clocks of all nodes; NOW becomes a recent moment, of this node's clock and of the
 * common time. START: what the first comparison found, NULL for that one itself. Collective
 * over all ranks; takes some 4 ms for each doubling of the number of nodes. */
void efg_clocks_compare(const struct efg_nodes *nodes, const struct efg_moment *start,
                        struct efg_moment *now);

#endif
