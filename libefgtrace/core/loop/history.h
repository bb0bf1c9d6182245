/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * History: the time of each node of a graph in about the last half of the run, in bounded memory.
 *
 * Sums that only grow are copied now and then; the difference of two copies is what
 * happened in between. At most EFG_SNAPSHOTS copies are kept, spaced so that each is
 * at least 1.1 times as old as the one before it is; one of them is always near to half
 * the time.
 *
 *     zero ----+-----+------+------+-------+-------- now
 *                    base |<------- window -------->|
 *
 * A node's first visit does not count: it includes start-up, and the first wait for others.
 * Memory: 8 bytes per copy, for each node that the graph has room for.
 */
#ifndef EFG_HISTORY_H
#define EFG_HISTORY_H

#include "core/graph/graph.h"

#define EFG_SNAPSHOTS 12

struct efg_snapshot {
    uint64_t time; /* ns */
    uint32_t nodes, room;
    uint64_t *spent; /* per node, ns so far */
};

struct efg_history {
    const struct efg_graph *graph;
    uint64_t zero;                                 /* ns: when the history began */
    struct efg_snapshot snapshots[EFG_SNAPSHOTS]; /* by ascending time */
    uint32_t count;
};

/* Begin a history of GRAPH, which outlives it, at NOW ns. Returns 0, or -1
 * without memory. */
int efg_history_init(struct efg_history *history, const struct efg_graph *graph, uint64_t now);
void efg_history_fini(struct efg_history *history);

/* The graph's ids have changed: forget everything and begin again at NOW. */
int efg_history_restart(struct efg_history *history, uint64_t now);

/* Keep a copy at NOW ns, if one is due. Without memory the next sample tries again. */
void efg_history_sample(struct efg_history *history, uint64_t now);

/* The copy where the window [half the time, NOW] begins. */
const struct efg_snapshot *efg_history_base(const struct efg_history *history, uint64_t now);

/* ns of NODE since BASE. */
uint64_t efg_history_spent(const struct efg_history *history, const struct efg_snapshot *base,
                           uint32_t node);

#endif
