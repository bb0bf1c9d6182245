/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Backlog: events that have happened but are not yet in the graph. Putting one here touches one
 * cache line; adding it to the graph touches ten, the same ones for each event of the same node.
 * If the program fills the caches between two calls, these are fetched again for each event; if
 * many events are added at once, only once for each node.
 *
 * Before anybody looks at the graph, the backlog is settled: all waiting events are added. Then it is
 * as if there had been no backlog. A visit of the pivot cannot wait, so the backlog is also settled
 * right after an event that may be one (see efg_graph_may_count).
 */
#ifndef EFG_BACKLOG_H
#define EFG_BACKLOG_H

#include "coarsen.h"
#include "graph.h"

#define EFG_BACKLOG 128 /* events */

struct efg_backlog {
    struct efg_event *event;
    uint32_t count; /* events that wait; atomic: other threads may ask how many */
};

/* Returns 0, or -ENOMEM. */
int efg_backlog_init(struct efg_backlog *backlog);
void efg_backlog_fini(struct efg_backlog *backlog);

/* COUNT wait now. */
static inline void efg_backlog_set(struct efg_backlog *backlog, uint32_t count)
{
    __atomic_store_n(&backlog->count, count, __ATOMIC_RELAXED);
}

/* Reduce the waiting events from the detail FROM to TO, as efg_graph_coarsen does. */
void efg_backlog_coarsen(struct efg_backlog *backlog, struct efg_detail from,
                         struct efg_detail to, efg_cut_path *cut);

#endif
