/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strays are kept in one array, sorted by log, so that whoever writes a log finds its own as a stretch of it.
 */
#include "strays.h"

#include <stdlib.h>

#include "base/array.h"

void efg_strays_fini(struct efg_strays *strays)
{
    free(strays->all);
    *strays = (struct efg_strays){0};
}

struct efg_stray *efg_strays_grow(struct efg_strays *strays, size_t count)
{
    if (!count || efg_array_grow(&strays->all, strays->count, count, sizeof *strays->all))
        return NULL;
    strays->count += count;
    return strays->all + strays->count - count;
}

static int compare_logs(const struct efg_stray *a, const struct efg_stray *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

static int compare(const void *one, const void *other)
{
    const struct efg_stray *a = one, *b = other;
    int logs = compare_logs(a, b);
    return logs ? logs : (a->place > b->place) - (a->place < b->place);
}

void efg_strays_sort(struct efg_strays *strays)
{
    if (strays->count)
        qsort(strays->all, strays->count, sizeof *strays->all, compare);
}

/* How many are before the place of WHERE. */
static size_t before(const struct efg_strays *strays, struct efg_stray where)
{
    size_t low = 0, high = strays->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&strays->all[middle], &where) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct efg_strays efg_strays_of(const struct efg_strays *strays, uint32_t rank, uint32_t thread)
{
    size_t first = before(strays, (struct efg_stray){rank, thread, 0});
    size_t end = before(strays, (struct efg_stray){rank, thread, UINT64_MAX});
    return (struct efg_strays){strays->count ? strays->all + first : NULL, end - first};
}
