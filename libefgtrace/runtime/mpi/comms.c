/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives each communicator an identity that all its ranks compute alike: identity = hash(parent's identity,
 * members, how many such there were before)
 *
 * Invariant: a handle in the table is a live communicator, as far as its making and
 * freeing went through our wrappers. How many were made from a communicator is forgotten with
 * it, so the counts grow with the number of different members, not with that of communicators
 * made.
 */
#include "comms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "base/hash.h"
#include "base/hot.h"
#include "requests.h"
#include "runtime/base/lock.h"
#include "runtime/base/memory.h"
#include "runtime/base/recent.h"

static struct {
    struct efg_lock lock;
    struct efg_map by_handle; /* -> struct efg_comm * */
    struct efg_map made;      /* where the parent is not known */
    struct efg_comm *world;
    MPI_Group world_group;
    const struct efg_census *here;
    int world_size;
    uint32_t world_rank;
    uint32_t next_id;
    uint64_t map_memory;      /* as counted */
    struct efg_comm *removed; /* and in use by requests */
    int expected;             /* of MPI_Comm_idup */
} all = {.lock = EFG_LOCK};

__thread struct efg_comms_last efg_comms_last;
EFG_HOT_DATA uint64_t efg_comms_removed;

static uint64_t key_of(MPI_Comm handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle); /* a pointer in some MPIs, a number in others */
    return key;
}

static struct efg_comm *find(MPI_Comm handle)
{
    uint64_t *slot = efg_map_find(&all.by_handle, key_of(handle));
    return slot ? (struct efg_comm *)(uintptr_t)*slot : NULL;
}

/* World ranks of GROUP to RANKS; true if some are not of this world. */
static bool translate(MPI_Group group, int size, uint32_t *ranks)
{
    bool is_foreign = false;
    int *own = calloc(2 * (size_t)size + 1, sizeof *own);
    if (!own)
        return true;
    for (int i = 0; i < size; i++)
        own[i] = i;
    PMPI_Group_translate_ranks(group, size, own, all.world_group, own + size);
    for (int i = 0; i < size; i++) {
        is_foreign |= own[size + i] == MPI_UNDEFINED;
        ranks[i] = (uint32_t)own[size + i];
    }
    free(own);
    return is_foreign;
}

/* Whoever is asked has groups that are MPI's: MPI has one for MPI_COMM_SELF, which is nobody
 * else's to replace. */
static bool has_real_groups(const struct efg_asked *ask)
{
    static int known; /* 1: they are, -1: not */
    MPI_Group its = MPI_GROUP_NULL, mpis = MPI_GROUP_NULL;
    if (!efg_ask_is_another() || known)
        return known >= 0;
    ask->Comm_group(MPI_COMM_SELF, &its);
    PMPI_Comm_group(MPI_COMM_SELF, &mpis);
    known = its == mpis ? 1 : -1;
    ask->Group_free(&its);
    PMPI_Group_free(&mpis);
    return known > 0;
}

/* The same for one that has GROUP, if that is what GET gives. */
static bool group_ranks(MPI_Comm handle, int (*get)(MPI_Comm, MPI_Group *), int size, uint32_t *ranks)
{
    MPI_Group group;
    int members = -1;
    memset(ranks, 0, (size_t)size * sizeof *ranks);
    if (!has_real_groups(efg_ask()) || get(handle, &group) != MPI_SUCCESS)
        return true;
    PMPI_Group_size(group, &members);
    bool is_foreign = members == size ? translate(group, size, ranks) : true;
    efg_ask()->Group_free(&group);
    return is_foreign;
}

struct efg_members *efg_comms_group(MPI_Group group)
{
    int size = 0;
    if (!has_real_groups(efg_ask()) || PMPI_Group_size(group, &size) != MPI_SUCCESS)
        return NULL;
    struct efg_members *m = malloc(sizeof *m + (size_t)size * sizeof *m->rank);
    if (!m || translate(group, size, m->rank)) {
        free(m);
        return NULL;
    }
    m->local = (uint32_t)size;
    m->remote = 0;
    return m;
}

/* Both groups in the order that all members see: smaller first world rank first. */
static void order_groups(struct efg_members *m)
{
    uint32_t *swapped = malloc((m->local + m->remote) * sizeof *swapped);
    if (!swapped || !m->remote || m->rank[0] < m->rank[m->local]) {
        free(swapped);
        return;
    }
    memcpy(swapped, m->rank + m->local, m->remote * sizeof *swapped);
    memcpy(swapped + m->remote, m->rank, m->local * sizeof *swapped);
    memcpy(m->rank, swapped, (m->local + m->remote) * sizeof *swapped);
    uint32_t local = m->local;
    m->local = m->remote;
    m->remote = local;
    free(swapped);
}

static struct efg_members *find_members(struct efg_comm *c)
{
    int remote = c->kind == EFG_COMM_INTER ? c->peers : 0;
    struct efg_members *m = malloc(sizeof *m + (size_t)(c->size + remote) * sizeof *m->rank);
    if (!m)
        return NULL;
    m->local = (uint32_t)c->size;
    m->remote = (uint32_t)remote;
    c->is_foreign = group_ranks(c->handle, efg_ask()->Comm_group, c->size, m->rank);
    if (remote)
        c->is_foreign |= group_ranks(c->handle, efg_ask()->Comm_remote_group, remote, m->rank + c->size);
    bool is_first = remote && m->rank[0] < m->rank[c->size];
    order_groups(m);
    c->partners = m->rank + (is_first ? m->local : 0);
    return m;
}

struct efg_comm *efg_comms_copy(const struct efg_comm *comm)
{
    struct efg_comm *c = comm ? malloc(sizeof *c) : NULL;
    if (!c)
        return NULL;
    *c = *comm;
    c->made = (struct efg_map){0};
    if (comm->members) {
        size_t size =
            sizeof *c->members + (comm->members->local + comm->members->remote) * sizeof *c->members->rank;
        c->members = malloc(size);
        if (c->members)
            memcpy(c->members, comm->members, size);
    }
    return c;
}

void efg_comms_release(struct efg_comm *copy)
{
    if (copy)
        free(copy->members);
    free(copy);
}

static struct efg_comm *find_by_id(uint32_t id)
{
    if (id == all.world->id) /* most are made from that */
        return all.world;
    for (uint64_t i = 0; i <= all.by_handle.mask; i++) {
        struct efg_comm *c = (struct efg_comm *)(uintptr_t)all.by_handle.slots[i].value;
        if (all.by_handle.used[i] && c->id == id)
            return c;
    }
    return NULL;
}

struct efg_comm *efg_comms_parent(const struct efg_comm *comm)
{
    if (comm->parent == UINT32_MAX)
        return NULL;
    efg_lock_take(&all.lock);
    struct efg_comm *copy = efg_comms_copy(find_by_id(comm->parent));
    efg_lock_give(&all.lock);
    return copy;
}

void efg_comms_name(const struct efg_comm *comm, char *name)
{
    const struct efg_comm *known = efg_comms_known(comm->handle); /* it may be another one's by now */
    int length = 0;
    *name = '\0';
    if (known && known->id == comm->id)
        efg_ask()->Comm_get_name(comm->handle, name, &length);
}

/* What HASH stands for was made once more: how often by now. */
static uint64_t count_made(struct efg_map *made, uint64_t hash)
{
    uint64_t before = efg_map_memory(made);
    uint64_t *count = efg_map_put(made, hash);
    efg_budget_add(&efg_memory, efg_map_memory(made) - before);
    return count ? ++*count : 0;
}

/* The two sides of an intercommunicator may have made it from different parents. */
static uint64_t identify(const struct efg_comm *c, const struct efg_comm *parent)
{
    struct efg_comm *origin = c->kind == EFG_COMM_INTER ? NULL : (struct efg_comm *)parent;
    uint64_t hash = efg_hash_mix(origin ? origin->identity : 0, (uint64_t)c->kind);
    if (c->members)
        hash = efg_hash_bytes(hash, c->members->rank,
                              (c->members->local + c->members->remote) * sizeof(uint32_t));
    return efg_hash_mix(hash, count_made(origin ? &origin->made : &all.made, hash));
}

static void find_grid(struct efg_comm *c)
{
    int dims = 0, own[EFG_GRID_DIMS];
    struct efg_grid *g = &c->grid;

    if (efg_ask()->Cartdim_get(c->handle, &dims) != MPI_SUCCESS)
        return;
    c->in = c->out = 2 * dims;
    if (dims <= EFG_GRID_DIMS &&
        efg_ask()->Cart_get(c->handle, dims, g->size, g->is_periodic, own) == MPI_SUCCESS)
        g->dims = dims;
}

static void find_neighbours(struct efg_comm *c)
{
    int topology = MPI_UNDEFINED, weighted, dims = 0;
    efg_ask()->Topo_test(c->handle, &topology);
    if (topology == MPI_CART)
        find_grid(c);
    else if (topology == MPI_GRAPH &&
             efg_ask()->Graph_neighbors_count(c->handle, c->rank, &dims) == MPI_SUCCESS)
        c->in = c->out = dims;
    else if (topology == MPI_DIST_GRAPH)
        efg_ask()->Dist_graph_neighbors_count(c->handle, &c->in, &c->out, &weighted);
}

uint64_t efg_comms_memory(const struct efg_comm *c)
{
    const struct efg_members *m = c->members;
    return sizeof *c + (m ? sizeof *m + ((uint64_t)m->local + m->remote) * sizeof *m->rank : 0);
}

bool efg_comms_is_here(uint32_t rank)
{
    return efg_census_place(all.here, rank) >= 0;
}

static bool is_partial(const struct efg_comm *c)
{
    const struct efg_members *m = c->members;
    if (!all.here->member || c->kind == EFG_COMM_SELF)
        return false;
    for (uint32_t i = 0; m && i < m->local + m->remote; i++)
        if (!efg_comms_is_here(m->rank[i]))
            return true;
    return c->kind == EFG_COMM_WORLD;
}

/* MPI_Intercomm_create, unlike all else, makes C with members that PARENT does not have. */
static int brings_others(const struct efg_comm *c, const struct efg_comm *parent)
{
    return c->kind == EFG_COMM_INTER && parent->kind != EFG_COMM_INTER;
}

static struct efg_comm *add(MPI_Comm handle, const struct efg_comm *parent, int kind)
{
    struct efg_comm *c = calloc(1, sizeof *c);
    uint64_t *slot = c ? efg_map_put(&all.by_handle, key_of(handle)) : NULL;
    if (!slot) {
        free(c);
        return NULL;
    }
    const struct efg_asked *ask = efg_ask();
    int inter = 0;
    *slot = (uintptr_t)c;
    c->handle = handle;
    c->id = all.next_id++;
    c->parent = parent ? parent->id : UINT32_MAX;
    c->world_rank = all.world_rank;
    ask->Comm_rank(handle, &c->rank);
    ask->Comm_size(handle, &c->size);
    ask->Comm_test_inter(handle, &inter);
    c->kind = inter ? EFG_COMM_INTER : kind;
    c->peers = c->size;
    if (inter) {
        ask->Comm_remote_size(handle, &c->peers);
        c->parent = UINT32_MAX;
    }
    if (c->kind == EFG_COMM_INTRA || c->kind == EFG_COMM_INTER)
        c->members = find_members(c);
    if (c->kind == EFG_COMM_INTRA)
        find_neighbours(c);
    if (c->is_foreign && parent && !brings_others(c, parent))
        c->other = parent->other;
    c->is_partial = is_partial(c);
    c->is_world = c->kind == EFG_COMM_WORLD || (c->kind == EFG_COMM_INTRA && c->size == all.world_size);
    c->identity = identify(c, parent);
    efg_budget_add(&efg_memory, efg_comms_memory(c));
    efg_memory_settle(&all.map_memory, efg_map_memory(&all.by_handle));
    return c;
}

int efg_comms_init(MPI_Comm world, MPI_Comm self, const struct efg_census *here, bool threads)
{
    int rank = 0;
    all.here = here;
    all.lock.is_needed = threads;
    PMPI_Comm_rank(world, &rank);
    all.world_rank = (uint32_t)rank;
    PMPI_Comm_size(world, &all.world_size);
    PMPI_Comm_group(world, &all.world_group);
    all.world = add(world, NULL, EFG_COMM_WORLD);
    return all.world && add(self, NULL, EFG_COMM_SELF) ? 0 : -ENOMEM;
}

/* WORLD, as it was made at the start, or what the application has for it, if another library
 * gives it a smaller one. That is found out at the first call. */
static struct efg_comm *take_for_world(struct efg_comm *world)
{
    static bool is_known;
    int rank = world->rank, size = world->size;
    if (is_known || !efg_ask_is_another())
        return world;
    is_known = true;
    efg_ask()->Comm_rank(world->handle, &rank);
    efg_ask()->Comm_size(world->handle, &size);
    if (rank == world->rank && size == world->size)
        return world;
    struct efg_comm *c = add(world->handle, NULL, EFG_COMM_INTRA);
    return c ? c : world;
}

static __thread struct efg_recent recent;

const struct efg_comm *efg_comms_look_up(MPI_Comm handle, bool may_add)
{
    uint64_t removed = __atomic_load_n(&efg_comms_removed, __ATOMIC_ACQUIRE);
    if (handle == MPI_COMM_NULL || !handle)
        return NULL;
    struct efg_comm *c = efg_recent_find(&recent, key_of(handle), removed);
    if (!c) {
        efg_lock_take(&all.lock);
        c = find(handle);
        if (!c && may_add)
            c = add(handle, NULL, EFG_COMM_INTRA);
        else if (c == all.world)
            c = take_for_world(c);
        efg_lock_give(&all.lock);
        efg_recent_put(&recent, key_of(handle), removed, c);
    }
    if (c)
        efg_comms_last = (struct efg_comms_last){handle, c, removed};
    return c;
}

void efg_comms_add(MPI_Comm handle, const struct efg_comm *parent)
{
    if (handle == MPI_COMM_NULL)
        return;
    efg_lock_take(&all.lock);
    if (!find(handle))
        add(handle, parent, EFG_COMM_INTRA);
    efg_lock_give(&all.lock);
}

void efg_comms_share(MPI_Comm handle, struct efg_world *other)
{
    efg_lock_take(&all.lock);
    struct efg_comm *c = find(handle);
    if (c && c->is_foreign)
        c->other = other;
    efg_lock_give(&all.lock);
}

void efg_comms_expect(int more)
{
    __atomic_fetch_add(&all.expected, more, __ATOMIC_RELAXED);
}

bool efg_comms_are_expected(void)
{
    return __atomic_load_n(&all.expected, __ATOMIC_RELAXED) > 0;
}

static struct efg_comm *take_removed(void)
{
    efg_lock_take(&all.lock);
    struct efg_comm *removed = all.removed;
    all.removed = NULL;
    efg_lock_give(&all.lock);
    return removed;
}

static void put_removed(struct efg_comm *c)
{
    efg_lock_take(&all.lock);
    c->next = all.removed;
    all.removed = c;
    efg_lock_give(&all.lock);
}

/* Those that no request refers to any longer. */
static void forget_removed(void)
{
    for (struct efg_comm *c = take_removed(), *next; c; c = next) {
        next = c->next;
        if (efg_requests_refer_to(c)) {
            put_removed(c);
            continue;
        }
        efg_budget_give(&efg_memory, efg_comms_memory(c) + efg_map_memory(&c->made));
        efg_map_fini(&c->made);
        free(c->members);
        free(c);
    }
}

void efg_comms_remove(MPI_Comm handle)
{
    if (handle == MPI_COMM_NULL || handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF)
        return;
    efg_lock_take(&all.lock);
    struct efg_comm *c = find(handle);
    efg_map_remove(&all.by_handle, key_of(handle));
    __atomic_fetch_add(&efg_comms_removed, 1, __ATOMIC_RELAXED);
    efg_lock_give(&all.lock);
    if (c)
        put_removed(c);
    forget_removed();
}
