/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Backlog: events that have happened and are not yet in the graph. Putting one down touches one
 * cache line; adding it to the graph ten, the same ones for each event of the same node. A
 * program that fills the caches between two calls has them fetched for each event, unless many
 * events are added at once: then once for each node.
 *
 * Whoever looks at the graph settles first: has all that waits added to it. Then it is as if
 * there had been no backlog. A visit of the pivot cannot wait, so an event that may be one (see
 * efg_graph_may_count) is the last that is put down before.
 */
#ifndef EFG_BACKLOG_H
#define EFG_BACKLOG_H

#include "coarsen.h"
#include "graph.h"

#define EFG_BACKLOG 128 /* events */

struct efg_backlog {
    struct efg_event *event;
    uint32_t count; /* that wait; atomic: other threads may ask how many */
};

/* Returns 0, or -1 without memory. */
int efg_backlog_init(struct efg_backlog *backlog);
void efg_backlog_fini(struct efg_backlog *backlog);

/* COUNT wait now. */
static inline void efg_backlog_set(struct efg_backlog *backlog, uint32_t count)
{
    __atomic_store_n(&backlog->count, count, __ATOMIC_RELAXED);
}

/* What waits is of the detail FROM, and gets that of TO, as efg_graph_coarsen has it. */
void efg_backlog_coarsen(struct efg_backlog *backlog, struct efg_detail from,
                         struct efg_detail to, efg_cut_path *cut);

#endif
