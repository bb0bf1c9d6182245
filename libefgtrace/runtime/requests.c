/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A map from handles to lists; the first of a list knows the last, so that both adding and
 * taking out the first take constant time. Requests come from slabs and go back to a list of
 * free ones: memory follows the largest number of requests under way.
 */
#include "runtime/requests.h"

#include <stdlib.h>
#include <string.h>

#include "core/map.h"
#include "runtime/lock.h"

#define SLAB 256 /* requests allocated at a time */

static struct {
    struct efg_lock lock;
    struct efg_map by_handle;
    struct efg_request *unused;
    uint64_t slabs, serial, count;
} all = {.lock = EFG_LOCK};

static uint64_t key_of(MPI_Request handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle);
    return key;
}

void efg_requests_init(int threads)
{
    all.lock.is_needed = threads;
}

static struct efg_request *take(void)
{
    if (!all.unused) {
        struct efg_request *slab = calloc(SLAB, sizeof *slab);
        if (!slab)
            return NULL;
        all.slabs++;
        for (int i = 0; i < SLAB; i++) {
            slab[i].next = all.unused;
            all.unused = &slab[i];
        }
    }
    struct efg_request *r = all.unused;
    all.unused = r->next;
    return r;
}

/* Behind the others of its handle. */
static void append(uint64_t *slot, struct efg_request *r)
{
    struct efg_request *first = (struct efg_request *)(uintptr_t)*slot;
    if (first) {
        first->last->next = r;
        first->last = r;
    } else {
        r->last = r;
        *slot = (uintptr_t)r;
    }
}

struct efg_request *efg_requests_add(const struct efg_request *request)
{
    if (request->handle == MPI_REQUEST_NULL)
        return NULL;
    efg_lock_take(&all.lock);
    uint64_t *slot = efg_map_put(&all.by_handle, key_of(request->handle));
    struct efg_request *r = slot ? take() : NULL;
    if (r) {
        *r = *request;
        r->next = NULL;
        r->serial = all.serial++;
        all.count++;
        append(slot, r);
    }
    efg_lock_give(&all.lock);
    return r;
}

static struct efg_request *first_of(MPI_Request handle)
{
    uint64_t *slot = efg_map_find(&all.by_handle, key_of(handle));
    return slot ? (struct efg_request *)(uintptr_t)*slot : NULL;
}

struct efg_request *efg_requests_find(MPI_Request handle, uint16_t thread)
{
    if (handle == MPI_REQUEST_NULL)
        return NULL;
    efg_lock_take(&all.lock);
    struct efg_request *first = first_of(handle), *r = first;
    while (r && r->thread != thread)
        r = r->next;
    efg_lock_give(&all.lock);
    return r ? r : first;
}

void efg_requests_remove(struct efg_request *r)
{
    efg_lock_take(&all.lock);
    struct efg_request *first = first_of(r->handle), *before = first;
    if (r != first) {
        while (before->next != r)
            before = before->next;
        before->next = r->next;
        first->last = first->last == r ? before : first->last;
    } else if (r->next) {
        r->next->last = r->last;
        *efg_map_find(&all.by_handle, key_of(r->handle)) = (uintptr_t)r->next;
    } else {
        efg_map_remove(&all.by_handle, key_of(r->handle));
    }
    r->next = all.unused;
    all.unused = r;
    all.count--;
    efg_lock_give(&all.lock);
}

void efg_requests_restart(struct efg_request *r)
{
    efg_lock_take(&all.lock);
    r->serial = all.serial++;
    efg_lock_give(&all.lock);
}

static int compare_serials(const void *a, const void *b)
{
    const struct efg_request *x = *(struct efg_request *const *)a,
                             *y = *(struct efg_request *const *)b;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static uint64_t collect(struct efg_request **list)
{
    uint64_t count = 0;
    for (uint64_t i = 0; all.by_handle.slots && i <= all.by_handle.mask; i++) {
        if (!all.by_handle.used[i])
            continue;
        struct efg_request *r = (struct efg_request *)(uintptr_t)all.by_handle.slots[i].value;
        for (; r && count < all.count; r = r->next)
            list[count++] = r;
    }
    return count;
}

void efg_requests_each(void (*visit)(struct efg_request *request, void *data), void *data)
{
    efg_lock_take(&all.lock);
    struct efg_request **list = malloc((all.count + 1) * sizeof *list);
    uint64_t count = list ? collect(list) : 0;
    if (list)
        qsort(list, count, sizeof *list, compare_serials);
    for (uint64_t i = 0; i < count; i++)
        visit(list[i], data);
    efg_lock_give(&all.lock);
    free(list);
}

uint64_t efg_requests_memory(void)
{
    return all.slabs * SLAB * sizeof(struct efg_request) +
           (all.by_handle.mask + 1) * (sizeof(struct efg_map_slot) + 1);
}
