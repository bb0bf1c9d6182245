/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * History: what each node and edge of a graph did in about the last half of the time, in
 * bounded memory.
 *
 * Counters that only grow are copied now and then; the difference of two copies is what
 * happened in between. At most EFG_SNAPSHOTS copies are kept, spaced so that each is
 * at least 1.1 times as old as the one before it is; one of them is always near to half
 * the time.
 *
 *     zero ----+-----+------+------+-------+-------- now
 *                    base |<------- window -------->|
 *
 * Memory: 56 bytes per copy and 72 besides, for each node and edge that the graph has room for.
 */
#ifndef EFG_HISTORY_H
#define EFG_HISTORY_H

#include "graph.h"

#define EFG_SNAPSHOTS 12

/* What a node or an edge did in the window. */
struct efg_pace {
    uint64_t visits;
    uint32_t firsts;  /* of an edge: first visits of a round, as in efg_rhythm */
    uint64_t time;    /* ns: from the end of the event before to its own end, summed */
    uint64_t longest; /* ns: largest time between two visits */
    uint64_t silence; /* ns since the last visit */
    double period;    /* ns: mean time between visits */
    double span;      /* share of the window between its first and last visit, 0 to 1 */
    double cv, lv;    /* variation of its gaps in events, of all and from one to the next */
};

struct efg_counters;

struct efg_snapshot {
    uint64_t time; /* ns */
    uint32_t nodes, edges;
    uint32_t room;
    struct efg_counters *counters; /* nodes first, then edges */
};

struct efg_history {
    struct efg_graph *graph;
    uint64_t zero;   /* ns: where we began to look */
    uint64_t last;   /* ns: time of the last sample, or zero */
    struct efg_snapshot snapshots[EFG_SNAPSHOTS]; /* by rising time */
    uint32_t count;
    uint32_t base;   /* the snapshot where the window of the last sample begins, while it is taken */
    uint64_t begin;  /* ns: its time */
    uint32_t node_room, edge_room;
    uint64_t *node_seen, *edge_seen; /* ns: the sample before the first visit; 0: none yet */
    struct efg_pace *nodes, *edges;  /* in the window, as of the last sample */
};

/* Look at GRAPH, which outlives the history, from time NOW in ns on. Returns 0, or -1
 * without memory. */
int efg_history_init(struct efg_history *history, struct efg_graph *graph, uint64_t now);
void efg_history_fini(struct efg_history *history);

/* Bytes held. */
uint64_t efg_history_memory(const struct efg_history *history);

/* Forget all and look from NOW on. Gaps begin anew: the graph's rhythms are told so. */
int efg_history_restart(struct efg_history *history, uint64_t now);

/* Fill history->nodes and ->edges for the window that ends at NOW ns. Returns 0, or -1
 * without memory, or if no time has passed. */
int efg_history_sample(struct efg_history *history, uint64_t now);

#endif
