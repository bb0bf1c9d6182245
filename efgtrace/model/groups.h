/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The groups of ranks with the same graph, in the order that users see: the largest one first,
 * and of equal ones the one with the lowest rank. They are numbered from 1.
 */
#ifndef EFG_GROUPS_H
#define EFG_GROUPS_H

#include "files/run/runfile.h"

struct efg_group_size {
    uint32_t index; /* into the groups of the run */
    uint64_t ranks;
};

/* The groups of RUN in their order, run->common.group_count of them: free them. NULL without
 * memory. */
struct efg_group_size *efg_groups_sorted(const struct efg_run *run);

#endif
