/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table of chains, each in the order of adding. Requests come from slabs and go back to
 * a list of free ones: memory follows the largest number of requests under way.
 */
#include "runtime/requests.h"

#include <stdlib.h>
#include <string.h>

#include "core/hot.h"
#include "runtime/lock.h"
#include "runtime/memory.h"

#define SLAB 256 /* requests allocated at a time */
#define SLAB_BYTES (SLAB * sizeof(struct efg_request))
#define FIRST_CHAINS 64

struct chain {
    struct efg_request *first, *last;
};

static struct {
    struct efg_lock lock;
    struct chain *chains;
    uint64_t chain_count; /* a power of two, or 0 */
    struct efg_request *unused;
    uint64_t slabs, serial, count;
    uint64_t refused; /* that found no memory */
} all = {.lock = EFG_LOCK};

void efg_requests_init(int threads)
{
    all.lock.is_needed = threads;
}

static struct chain *chain_of(MPI_Request handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle);
    key *= 0x9e3779b97f4a7c15ull; /* Fibonacci hashing: handles differ in middle bits */
    return &all.chains[(key ^ key >> 32) & (all.chain_count - 1)];
}

static void append(struct efg_request *r)
{
    struct chain *chain = chain_of(r->handle);
    r->next = NULL;
    if (chain->first)
        chain->last->next = r;
    else
        chain->first = r;
    chain->last = r;
}

/* Twice as many chains, while there is memory. Requests with the same handle stay in order. */
static void grow(void)
{
    struct chain *old = all.chains;
    uint64_t count = all.chain_count;
    struct chain *chains = calloc(count ? 2 * count : FIRST_CHAINS, sizeof *chains);
    if (!chains)
        return;
    efg_budget_add(&efg_memory, (count ? count : FIRST_CHAINS) * sizeof *chains);
    all.chains = chains;
    all.chain_count = count ? 2 * count : FIRST_CHAINS;
    for (uint64_t i = 0; i < count; i++)
        for (struct efg_request *r = old[i].first, *next; r; r = next) {
            next = r->next;
            append(r);
        }
    free(old);
}

static struct efg_request *take(void)
{
    if (!all.unused) {
        if (!efg_budget_take(&efg_memory, SLAB_BYTES, efg_memory.limit / 2))
            return NULL;
        struct efg_request *slab = calloc(SLAB, sizeof *slab);
        if (!slab) {
            efg_budget_give(&efg_memory, SLAB_BYTES);
            return NULL;
        }
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

EFG_HOT struct efg_request *efg_requests_add(MPI_Request handle, uint16_t thread)
{
    if (handle == MPI_REQUEST_NULL)
        return NULL;
    efg_lock_take(&all.lock);
    if (all.count >= all.chain_count)
        grow();
    struct efg_request *r = all.chain_count ? take() : NULL;
    all.refused += !r;
    if (r) {
        *r = (struct efg_request){.handle = handle, .thread = thread, .serial = all.serial++};
        all.count++;
        append(r);
    }
    efg_lock_give(&all.lock);
    return r;
}

EFG_HOT struct efg_request *efg_requests_find(MPI_Request handle, uint16_t thread)
{
    struct efg_request *first = NULL, *r = NULL;
    if (handle == MPI_REQUEST_NULL)
        return NULL;
    efg_lock_take(&all.lock);
    if (all.count)
        r = chain_of(handle)->first;
    for (; r && !(r->handle == handle && r->thread == thread); r = r->next)
        if (!first && r->handle == handle)
            first = r;
    efg_lock_give(&all.lock);
    return r ? r : first;
}

EFG_HOT void efg_requests_remove(struct efg_request *r)
{
    efg_lock_take(&all.lock);
    struct chain *chain = chain_of(r->handle);
    struct efg_request *before = NULL;
    for (struct efg_request *other = chain->first; other != r; other = other->next)
        before = other;
    *(before ? &before->next : &chain->first) = r->next;
    if (chain->last == r)
        chain->last = before;
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
    for (uint64_t i = 0; i < all.chain_count; i++)
        for (struct efg_request *r = all.chains[i].first; r; r = r->next)
            list[count++] = r;
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

int efg_requests_refer_to(const struct efg_comm *comm)
{
    int found = 0;
    efg_lock_take(&all.lock);
    for (uint64_t i = 0; i < all.chain_count && all.count && !found; i++)
        for (struct efg_request *r = all.chains[i].first; r && !found; r = r->next)
            found = r->comm == comm;
    efg_lock_give(&all.lock);
    return found;
}

uint64_t efg_requests_refused(void)
{
    return all.refused;
}
