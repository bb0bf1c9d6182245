/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all ranks sent, by pair of ranks and by size: the communication matrix. Threads of a
 * rank are taken together.
 */
#ifndef EFG_SENT_H
#define EFG_SENT_H

#include <stdbool.h>

#include "files/run/runfile.h"

struct efg_sent_pair {
    uint32_t from;              /* world rank */
    struct efg_traffic_item to; /* key: world rank or EFG_TRAFFIC_OTHERS */
};

/* Pairs with the same difference of world ranks, the shorter way around. */
struct efg_sent_distance {
    int64_t steps; /* from the sender on: -size/2 < steps <= size/2 */
    bool is_other; /* EFG_TRAFFIC_OTHERS */
    uint32_t pairs;
    struct efg_traffic_item sum; /* without a key */
};

struct efg_sent {
    struct efg_traffic_item all;                            /* all sends */
    struct efg_traffic_item sends[EFG_TRAFFIC_SIZES];       /* by size */
    struct efg_traffic_item collectives[EFG_TRAFFIC_SIZES]; /* by size, of each rank's call */
    uint32_t pair_count;
    struct efg_sent_pair *pairs; /* by descending bytes, at the end */
    uint32_t distance_count;
    struct efg_sent_distance *distances; /* by descending bytes */
};

/* Begin; add a rank, after those with smaller numbers; find the distances in a run of SIZE ranks,
 * and sort. The latter two return 0 or -ENOMEM. FINI in any case, also of what is all zero. */
void efg_sent_begin(struct efg_sent *sent);
int efg_sent_add(struct efg_sent *sent, const struct efg_run_rank *rank);
int efg_sent_end(struct efg_sent *sent, uint32_t size);
void efg_sent_fini(struct efg_sent *sent);

#endif
