/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds and finds strays. Strays are kept in one array, sorted by log, so that whoever writes a
 * log finds its own as a stretch of it.
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

bool efg_strays_have(struct efg_strays_ahead *ahead, const struct efg_record *r, uint64_t place)
{
    struct efg_strays *next = &ahead->next;
    bool has_request = r->kind == EFG_REC_ISEND || r->kind == EFG_REC_IRECV ||
                       r->kind == EFG_REC_ISEND_COMPLETE || r->kind == EFG_REC_IRECV_REQUEST ||
                       r->kind == EFG_REC_REQUEST_TEST || r->kind == EFG_REC_REQUEST_CANCELLED;
    for (; next->count && next->all->place < place; next->count--)
        next->all++;
    bool is_one = next->count && next->all->place == place;
    if (is_one && (r->kind == EFG_REC_ISEND || r->kind == EFG_REC_IRECV_REQUEST))
        ahead->failed |= !efg_map_put(&ahead->requests, r->e);
    return is_one || (has_request && efg_map_find(&ahead->requests, r->e));
}

void efg_strays_ahead_fini(struct efg_strays_ahead *ahead)
{
    efg_map_fini(&ahead->requests);
}
