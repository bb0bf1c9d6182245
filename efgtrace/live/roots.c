/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds who has named another root than the others. Of roots that differ the right one is that of most ranks.
 * Those that have left the call are asked, too, by what they remember: with the right root, some go on while
 * others wait for the rank with the wrong one.
 */
#include "roots.h"

#include <string.h>

/* The others do not wait for all: some have left such a call while others are in it. */
static bool has_root(const struct efg_where *w, const struct efg_live_call *call)
{
    static const char *const names[] = {"Bcast", "Reduce", "Gather", "Gatherv", "Scatter", "Scatterv"};
    const char *name = efg_look_call(w->rank, call->call);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, "MPI_", 4) == 0 && strncmp(name + 4, names[i], length) == 0 &&
            (!name[4 + length] || strcmp(name + 4 + length, "_c") == 0))
            return true;
    }
    return false;
}

static uint64_t identity_of(const struct efg_where *w, const struct efg_live_call *call)
{
    const struct efg_look_comm *comm = efg_look_comm(w->rank, call->comm);

    return comm ? comm->identity : 0;
}

/* Whether W is in the collective that OTHER is in, or has been, as far as it is remembered. All have come to
 * the last one that W has left and that has no root: what was before is another one. */
static bool has_come_to(const struct efg_where *w, const struct efg_where *other)
{
    const struct efg_live_call *call, *wanted = other->call;
    uint64_t identity = identity_of(other, wanted);

    for (uint64_t n = w->live->begun; (call = efg_where_call(w->live, n)); n--) {
        bool is_left = n < w->live->begun || !efg_where_is_in_call(w->live);
        if (call->kind != EFG_LIVE_COLLECTIVE || identity_of(w, call) != identity)
            continue;
        if (call->call == wanted->call && call->root == wanted->root)
            return true;
        if (is_left && !has_root(w, call))
            return false;
    }
    return false;
}

/* Whether threads A and B cannot both be right: they are in one collective, with different roots. */
static bool differ_in_root(const struct efg_where *a, const struct efg_where *b)
{
    return a->call->call == b->call->call && a->call->root != b->call->root &&
           identity_of(a, a->call) == identity_of(b, b->call) && !has_come_to(a, b) && !has_come_to(b, a);
}

/* Thread I stands for those in the same collective: whether that has a root, and they cannot go on. */
static bool stands_for_root(const struct efg_await *await, uint32_t i)
{
    const struct efg_where *w = &await->wheres->list[i];

    return await->same[i] == i && !await->goes_on[i] && w->doing == EFG_IN_CALL &&
           w->call->kind == EFG_LIVE_COLLECTIVE && identity_of(w, w->call) && has_root(w, w->call);
}

static bool has_other_root(const struct efg_await *await, uint32_t i)
{
    for (uint32_t j = 0; j < await->wheres->count; j++)
        if (stands_for_root(await, j) && differ_in_root(&await->wheres->list[i], &await->wheres->list[j]))
            return true;
    return false;
}

/* How many name the root that thread I does, with those that have gone on since. */
static uint32_t count_root(const struct efg_await *await, uint32_t i)
{
    uint32_t count = 0;

    for (uint32_t j = 0; j < await->wheres->count; j++)
        count += has_come_to(&await->wheres->list[j], &await->wheres->list[i]);
    return count;
}

bool efg_roots_find(const struct efg_await *await, uint32_t *odd, uint32_t *most)
{
    uint32_t least = UINT32_MAX, largest = 0;

    for (uint32_t i = 0; i < await->wheres->count; i++) {
        if (!stands_for_root(await, i) || !has_other_root(await, i))
            continue;
        uint32_t count = count_root(await, i);
        if (count < least) {
            least = count;
            *odd = i;
        }
        if (count > largest) {
            largest = count;
            *most = i;
        }
    }
    return least < largest;
}
