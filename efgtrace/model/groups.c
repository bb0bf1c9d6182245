/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorts the groups of ranks that have the same graph. What is needed of the groups is copied and sorted;
 * in the run they stay as they are.
 */
#include "groups.h"

#include <stdlib.h>

static int by_falling_size(const void *a, const void *b)
{
    const struct efg_group_size *x = a, *y = b;
    if (x->ranks != y->ranks)
        return x->ranks < y->ranks ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

struct efg_group_size *efg_groups_sorted(const struct efg_run *run)
{
    uint32_t count = run->common.group_count;
    struct efg_group_size *groups = calloc((size_t)count + 1, sizeof *groups);
    for (uint32_t i = 0; groups && i < count; i++)
        groups[i] = (struct efg_group_size){i, efg_ranklist_count(&run->common.groups[i].ranks)};
    if (groups)
        qsort(groups, count, sizeof *groups, by_falling_size);
    return groups;
}
