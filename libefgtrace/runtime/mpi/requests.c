/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the requests that are under way. A hash table of chains for each thread, each in the order of
 * adding. Requests come from slabs and go back to a list of free ones: memory follows the largest number
 * of requests under way.
 *
 * The thread of a table is the only one that changes its chains. Others read along (claim):
 * memory that was once a request or a chain stays one, and a request that is taken out still
 * leads on to the next one. To claim is one atomic instruction on the state of the request,
 * whose number in the table never comes again: a request that was removed, or claimed by
 * another thread, is not the one any more that was found. That there is none is believed if the
 * version says that none was put to another place meanwhile.
 *
 * Who removes a request of another table only hands it back; its thread takes it out when it
 * comes here next.
 */
#include "requests.h"

#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hot.h"
#include "runtime/base/memory.h"

#define SLAB 64 /* requests allocated at a time */
#define SLAB_BYTES (SLAB * sizeof(struct efg_request))
#define FIRST_CHAINS 64
#define MOST_TRIES 1000                         /* to read a table that is being changed */
#define MOST_STEPS 4096                         /* along chains, before the version is looked at */
#define CLAIMER 0xffffu                         /* in a state; all of it: it is free */
#define OWN offsetof(struct efg_request, table) /* from here on no other thread looks */

struct chain {
    struct efg_request *first, *last;
};

struct efg_request_chains {
    uint64_t count;                   /* a power of two */
    struct efg_request_chains *older; /* half as many, for who still reads them; or NULL */
    struct chain chain[];
};

EFG_HOT_DATA uint32_t efg_requests_tables;
static struct efg_requests *tables; /* of all threads, the latest first; atomic */
static uint64_t refused;            /* found no memory; atomic */

void efg_requests_init(struct efg_requests *t, uint16_t thread)
{
    *t = (struct efg_requests){.thread = thread, .next = __atomic_load_n(&tables, __ATOMIC_RELAXED)};
    while (!__atomic_compare_exchange_n(&tables, &t->next, t, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    __atomic_add_fetch(&efg_requests_tables, 1, __ATOMIC_RELEASE);
}

/* --- chains, by the thread of the table --- */

static struct chain *chain_of(struct efg_request_chains *chains, MPI_Request handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle);
    key *= 0x9e3779b97f4a7c15ull; /* Fibonacci hashing: handles differ in middle bits */
    return &chains->chain[(key ^ key >> 32) & (chains->count - 1)];
}

static void link_to(struct efg_request **place, struct efg_request *r)
{
    __atomic_store_n(place, r, __ATOMIC_RELEASE);
}

static void append(struct efg_request_chains *chains, struct efg_request *r)
{
    struct chain *chain = chain_of(chains, r->handle);
    link_to(&r->next, NULL);
    link_to(chain->first ? &chain->last->next : &chain->first, r);
    chain->last = r;
}

/* What is changed after this may lead readers astray. */
static void change_version(struct efg_requests *t, unsigned by)
{
    __atomic_store_n(&t->version, t->version + by, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Twice as many chains, while there is memory. Requests with the same handle stay in order.
 * Another thread may still read the old chains, so they stay. */
static __attribute__((noinline)) void grow(struct efg_requests *t)
{
    struct efg_request_chains *old = t->chains;
    uint64_t count = old ? 2 * old->count : FIRST_CHAINS;
    uint64_t bytes = sizeof *old + count * sizeof *old->chain;
    struct efg_request_chains *chains = calloc(1, bytes);
    if (!chains)
        return;
    efg_budget_add(&efg_memory, bytes);
    chains->count = count;
    chains->older = old;
    change_version(t, 1);
    for (uint64_t i = 0; old && i < old->count; i++)
        for (struct efg_request *r = old->chain[i].first, *next; r; r = next) {
            next = r->next;
            append(chains, r);
        }
    __atomic_store_n(&t->chains, chains, __ATOMIC_RELEASE);
    change_version(t, 1);
}

static void put_away(struct efg_requests *t, struct efg_request *r)
{
    __atomic_store_n(&r->state, CLAIMER, __ATOMIC_RELAXED);
    r->back = t->unused;
    t->unused = r;
}

static __attribute__((noinline)) void make_slab(struct efg_requests *t)
{
    if (!efg_budget_take(&efg_memory, SLAB_BYTES, efg_memory.limit / 2))
        return;
    struct efg_request *slab = calloc(SLAB, sizeof *slab);
    if (!slab)
        efg_budget_give(&efg_memory, SLAB_BYTES);
    for (int i = 0; slab && i < SLAB; i++)
        put_away(t, &slab[i]);
}

static __attribute__((noinline)) void refuse(void)
{
    __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
}

static void take_out(struct efg_requests *t, struct efg_request *r)
{
    struct chain *chain = chain_of(t->chains, r->handle);
    struct efg_request *before = NULL;
    for (struct efg_request *other = chain->first; other != r; other = other->next)
        before = other;
    link_to(before ? &before->next : &chain->first, r->next);
    if (chain->last == r)
        chain->last = before;
    put_away(t, r);
    t->count--;
}

static __attribute__((noinline)) void take_back(struct efg_requests *t)
{
    struct efg_request *r = __atomic_exchange_n(&t->back, NULL, __ATOMIC_ACQUIRE);
    for (struct efg_request *next; r; r = next) {
        next = r->back;
        take_out(t, r);
    }
}

static void look_after(struct efg_requests *t)
{
    if (__builtin_expect(__atomic_load_n(&t->back, __ATOMIC_RELAXED) != NULL, 0))
        take_back(t);
}

/* Others may still come by R, which nobody claims while its state says so. So what they look at
 * is written each by itself, and the state last. */
static void fill(struct efg_requests *t, struct efg_request *r, MPI_Request handle)
{
    __atomic_store_n(&r->handle, handle, __ATOMIC_RELAXED);
    __atomic_store_n(&r->is_second, 0, __ATOMIC_RELAXED);
    efg_requests_set_comm(r, NULL);
    memset((char *)r + OWN, 0, sizeof *r - OWN);
    r->table = t;
    r->thread = t->thread;
    r->serial = t->serial;
    __atomic_store_n(&r->state, t->serial << 16, __ATOMIC_RELEASE);
}

EFG_HOT struct efg_request *efg_requests_add(struct efg_requests *t, MPI_Request handle)
{
    if (handle == MPI_REQUEST_NULL)
        return NULL;
    look_after(t);
    if (!t->chains || t->count >= t->chains->count)
        grow(t);
    if (!t->unused)
        make_slab(t);
    struct efg_request *r = t->unused;
    if (!r || !t->chains) {
        refuse();
        return NULL;
    }
    t->unused = r->back;
    change_version(t, 2);
    fill(t, r, handle);
    t->serial++;
    t->count++;
    append(t->chains, r);
    return r;
}

EFG_HOT struct efg_request *efg_requests_find(struct efg_requests *t, MPI_Request handle)
{
    struct efg_request *r = NULL;
    look_after(t);
    if (t->count && handle != MPI_REQUEST_NULL)
        r = chain_of(t->chains, handle)->first;
    while (r &&
           (r->handle != handle || r->is_second || __atomic_load_n(&r->state, __ATOMIC_RELAXED) & CLAIMER))
        r = r->next;
    return r;
}

/* --- among threads --- */

static uint64_t claimer(const struct efg_requests *t)
{
    return t->thread + UINT64_C(1);
}

/* By the thread of MINE, if its STATE, which nobody claims, is still the same. */
static bool claim(const struct efg_requests *mine, struct efg_request *r, uint64_t state)
{
    return __atomic_compare_exchange_n(&r->state, &state, state | claimer(mine), 0, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* Its state, if nobody claims it. */
static uint64_t number_of(const struct efg_request *r)
{
    return __atomic_load_n(&r->state, __ATOMIC_RELAXED) & ~(uint64_t)CLAIMER;
}

void efg_requests_release(struct efg_request *r)
{
    __atomic_store_n(&r->state, number_of(r), __ATOMIC_RELEASE);
}

static bool is_as_it_was(const struct efg_requests *t, uint64_t version)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&t->version, __ATOMIC_RELAXED) == version;
}

/* The first one with HANDLE in a table, which is of another thread, and its STATE. */
static struct efg_request *find_theirs(const struct efg_requests *t, uint64_t version, MPI_Request handle,
                                       uint64_t *state)
{
    struct efg_request_chains *chains = __atomic_load_n(&t->chains, __ATOMIC_ACQUIRE);
    struct efg_request *r =
        chains ? __atomic_load_n(&chain_of(chains, handle)->first, __ATOMIC_ACQUIRE) : NULL;
    for (uint64_t steps = 1; r; steps++, r = __atomic_load_n(&r->next, __ATOMIC_ACQUIRE)) {
        *state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
        if (!(*state & CLAIMER) && !__atomic_load_n(&r->is_second, __ATOMIC_RELAXED) &&
            __atomic_load_n(&r->handle, __ATOMIC_RELAXED) == handle)
            return r;
        if (steps % MOST_STEPS == 0 && !is_as_it_was(t, version))
            return NULL;
    }
    return NULL;
}

static struct efg_request *claim_theirs(const struct efg_requests *mine, const struct efg_requests *t,
                                        MPI_Request handle)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        uint64_t version = __atomic_load_n(&t->version, __ATOMIC_ACQUIRE), state;
        struct efg_request *r = find_theirs(t, version, handle, &state);
        if (r ? claim(mine, r, state) : version % 2 == 0 && is_as_it_was(t, version))
            return r;
        if (version % 2) /* its thread may wait for a processor */
            sched_yield();
    }
    return NULL;
}

struct efg_request *efg_requests_claim(struct efg_requests *mine, MPI_Request handle)
{
    struct efg_request *r;
    if (handle == MPI_REQUEST_NULL)
        return NULL;
    while ((r = efg_requests_find(mine, handle)))
        if (claim(mine, r, number_of(r)))
            return r;
    struct efg_requests *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE);
    for (; t && !r; t = t->next)
        if (t != mine)
            r = claim_theirs(mine, t, handle);
    return r;
}

static __attribute__((noinline)) void hand_back(struct efg_request *r)
{
    struct efg_requests *t = r->table;
    r->back = __atomic_load_n(&t->back, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&t->back, &r->back, r, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

EFG_HOT void efg_requests_remove(struct efg_requests *mine, struct efg_request *r)
{
    if (r->table == mine)
        take_out(mine, r);
    else
        hand_back(r);
}

void efg_requests_tell(const struct efg_request *r, const MPI_Status *status)
{
    struct efg_requests *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE);
    struct efg_request_news *news = malloc(sizeof *news);
    while (t && t->thread != r->thread)
        t = t->next;
    if (!t || !news) {
        free(news);
        return;
    }
    news->request = (struct efg_request){.comm = r->comm, .is_second = r->is_second};
    memcpy((char *)&news->request + OWN, (const char *)r + OWN, sizeof *r - OWN);
    news->has_status = status != NULL;
    if (status)
        news->status = *status;
    news->next = __atomic_load_n(&t->news, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&t->news, &news->next, news, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

struct efg_request_news *efg_requests_news(struct efg_requests *t)
{
    struct efg_request_news *news = __atomic_exchange_n(&t->news, NULL, __ATOMIC_ACQUIRE);
    struct efg_request_news *oldest = NULL;
    for (struct efg_request_news *next; news; news = next) {
        next = news->next;
        news->next = oldest;
        oldest = news;
    }
    return oldest;
}

/* --- all of them --- */

void efg_requests_restart(struct efg_requests *t, struct efg_request *r)
{
    if (r->table == t)
        r->serial = t->serial++;
}

void efg_requests_forget(struct efg_requests *t)
{
    look_after(t);
    for (uint64_t i = 0; t->chains && i < t->chains->count; i++)
        for (struct efg_request *r = t->chains->chain[i].first, *next; r; r = next) {
            next = r->next;
            if (!r->is_persistent)
                take_out(t, r);
            r->is_active = 0;
        }
}

static int compare_serials(const void *a, const void *b)
{
    const struct efg_request *x = *(struct efg_request *const *)a, *y = *(struct efg_request *const *)b;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static uint64_t collect(const struct efg_requests *t, struct efg_request **list)
{
    uint64_t count = 0;
    for (uint64_t i = 0; t->count && i < t->chains->count; i++)
        for (struct efg_request *r = t->chains->chain[i].first; r; r = r->next)
            list[count++] = r;
    return count;
}

/* Those that the call at hand has claimed are its own. */
static void visit_one(const struct efg_requests *t, struct efg_request *r,
                      void (*visit)(struct efg_request *request, void *data), void *data)
{
    uint64_t number = number_of(r);
    bool is_claimed = __atomic_load_n(&r->state, __ATOMIC_RELAXED) == (number | claimer(t));

    if (!is_claimed && !claim(t, r, number))
        return;
    visit(r, data);
    if (!is_claimed)
        efg_requests_release(r);
}

void efg_requests_each(struct efg_requests *t, void (*visit)(struct efg_request *request, void *data),
                       void *data)
{
    struct efg_request **list = malloc((t->count + 1) * sizeof *list);
    uint64_t count = list ? collect(t, list) : 0;
    if (list)
        qsort(list, count, sizeof *list, compare_serials);
    change_version(t, 1);
    for (uint64_t i = 0; i < count; i++)
        visit_one(t, list[i], visit, data);
    change_version(t, 1);
    free(list);
}

static bool table_refers_to(const struct efg_requests *t, const struct efg_comm *comm)
{
    uint64_t version = __atomic_load_n(&t->version, __ATOMIC_ACQUIRE), steps = 1;
    struct efg_request_chains *chains = __atomic_load_n(&t->chains, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; chains && i < chains->count; i++) {
        struct efg_request *r = __atomic_load_n(&chains->chain[i].first, __ATOMIC_ACQUIRE);
        for (; r; r = __atomic_load_n(&r->next, __ATOMIC_ACQUIRE))
            if (__atomic_load_n(&r->comm, __ATOMIC_RELAXED) == comm ||
                (steps++ % MOST_STEPS == 0 && !is_as_it_was(t, version)))
                return true;
    }
    return version % 2 || !is_as_it_was(t, version);
}

bool efg_requests_refer_to(const struct efg_comm *comm)
{
    const struct efg_requests *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE);
    while (t && !table_refers_to(t, comm))
        t = t->next;
    return t != NULL;
}

uint64_t efg_requests_refused(void)
{
    return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}
