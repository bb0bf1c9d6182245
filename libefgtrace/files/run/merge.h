/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merge: what ranks have in common, put together. Each rank begins with its own names, a group
 * of one and totals of one; two neighbours' are added, and so on up a tree. The work and the
 * bytes of a step depend on how many different names and graphs there are, not on how many
 * ranks.
 *
 * Numbers of names and groups are given in the order of first appearance by rank: the result is
 * the same whatever tree it was made in, as long as later ranks are added to earlier ones.
 */
#ifndef EFG_MERGE_H
#define EFG_MERGE_H

#include "base/map.h"
#include "runfile.h"

struct efg_merge { /* all zero is that of no rank */
    struct efg_run_common common;
    struct efg_map calls, modules, paths, regions, groups, orders; /* number + 1 by hash */
    bool failed; /* no memory: the rest is not whole */
};

void efg_merge_fini(struct efg_merge *merge);

/* Add RANK, whose signatures refer to NAMES. */
void efg_merge_rank(struct efg_merge *merge, const struct efg_run_names *names,
                    const struct efg_run_rank *rank);

/* Say that RANK, the last one that was added, has a sequence with the hash and size of ORDER.
 */
void efg_merge_order(struct efg_merge *merge, uint32_t rank, const struct efg_run_order *order);

/* Add MORE, of later ranks, which is empty then. */
void efg_merge_add(struct efg_merge *merge, struct efg_run_common *more);

/* As bytes, for another process; to add them. GET returns 0, -EBADMSG, -ENOMEM. */
void efg_merge_put(struct efg_buffer *out, const struct efg_merge *merge);
int efg_merge_get(struct efg_merge *merge, const void *bytes, size_t size);

#endif
