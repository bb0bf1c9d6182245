/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of a run joined: what they did, by MPI function or by call site. Call sites are
 * the same on two ranks when their nodes have the same hash (efg_node.hash).
 */
#ifndef EFG_JOIN_H
#define EFG_JOIN_H

#include "files/runfile.h"

struct efg_join_item {
    uint64_t key;
    const struct efg_run_rank *rank; /* the first one that has it, */
    const struct efg_node *node;     /* and its node there */
    uint64_t calls, time, bytes;     /* polls that found nothing included; ns */
    uint64_t max;                    /* ns: longest call */
    uint64_t *by_rank;               /* ns, by index of the rank */
};

struct efg_join {
    struct efg_join_item *items; /* by falling time */
    uint32_t count;
    uint32_t ranks;
    uint32_t *slots, slot_count, room; /* hash table: index + 1 */
};

enum efg_join_by { EFG_JOIN_CALLS, EFG_JOIN_SITES };

/* Join RUN, which outlives it. Returns 0, or -ENOMEM. */
int efg_join_make(struct efg_join *join, const struct efg_run *run, enum efg_join_by by);
void efg_join_fini(struct efg_join *join);

/* Smallest, middle and largest of COUNT values, in SORTED, which has room for them. */
struct efg_spread {
    uint64_t min, median, max;
};
struct efg_spread efg_join_spread(const uint64_t *values, uint32_t count, uint64_t *sorted);

#endif
