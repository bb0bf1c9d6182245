/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of a run joined: what they did, by MPI function or by call site. Call sites are
 * the same on two ranks when their nodes have the same hash (efg_node.hash). Ranks are added
 * one after the other and need not stay.
 */
#ifndef EFG_JOIN_H
#define EFG_JOIN_H

#include "base/map.h"
#include "files/run/runfile.h"

enum efg_join_by { EFG_JOIN_CALLS, EFG_JOIN_SITES };

struct efg_join_item {
    uint64_t key;
    struct efg_signature signature; /* of the first node that has it */
    uint32_t flags;
    uint64_t calls, time, bytes; /* polls that found nothing included; ns */
    uint64_t polls, poll_time;   /* those that found nothing */
    uint64_t max;                /* ns: longest call that was no such poll */
    uint64_t *by_rank;           /* ns, by index of the rank; only by calls */
};

struct efg_join {
    enum efg_join_by by;
    struct efg_join_item *items;
    uint32_t count;
    uint32_t ranks;
    struct efg_map index; /* by key */
};

/* Begin to join RANKS ranks; add one of RUN, which has the INDEX; sort by descending time. Return
 * 0 or -ENOMEM. */
void efg_join_init(struct efg_join *join, enum efg_join_by by, uint32_t ranks);
int efg_join_add(struct efg_join *join, const struct efg_run *run,
                 const struct efg_run_rank *rank, uint32_t index);
void efg_join_sort(struct efg_join *join);
void efg_join_fini(struct efg_join *join);

/* Whether MAX is that of all of its calls: polls take longer in the mean, so that some took longer, or none
 * has found anything. */
bool efg_join_has_max(const struct efg_join_item *item);

/* ns of all items. */
uint64_t efg_join_time(const struct efg_join *join);

#endif
