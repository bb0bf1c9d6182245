/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds who waits for whom:
 *
 *     a message          the rank at its other end; of any source: all of the communicator
 *     requests           the ranks at their other ends; where some are not known, all of the communicator
 *     a collective       the members that are not in the same one
 *     a lock of a window who has locked it; if that is not known, all of the window
 *     polls              anybody
 *     MPI_Finalize       who is not there
 *
 * and from those that surely go on, by the waits backwards, all that may.
 */
#include "await.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/none.h"

#define HELD_AGE 3000000000u /* ns in a call that reads or writes, without a byte */

/* --- messages --- */

static uint64_t identity_of(const struct efg_where *w, uint32_t id)
{
    const struct efg_look_comm *comm = efg_look_comm(w->rank, id);

    return comm ? comm->identity : 0;
}

static struct efg_await_end end_of(const struct efg_where *w, bool sends, uint32_t comm, int peer, int tag)
{
    return (struct efg_await_end){sends, efg_look_partner(efg_look_comm(w->rank, comm), peer), tag,
                                  identity_of(w, comm)};
}

static uint32_t ends_of_requests(const struct efg_where *w, struct efg_await_end *ends)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->live->request_count && i < EFG_LIVE_REQUESTS; i++) {
        const struct efg_live_request *r = &w->live->requests[i];
        if (r->kind == EFG_LIVE_SEND || r->kind == EFG_LIVE_RECV)
            ends[count++] = end_of(w, r->kind == EFG_LIVE_SEND, r->comm, r->peer, r->tag);
    }
    return count;
}

static bool is_nobody(const struct efg_where *w, int peer)
{
    return peer == w->rank->node->head.proc_null;
}

uint32_t efg_await_ends(const struct efg_where *w, const struct efg_live_call *call,
                        struct efg_await_end ends[EFG_AWAIT_ENDS])
{
    uint32_t count = 0, kind = call->kind;

    if (kind == EFG_LIVE_WAIT_ALL || kind == EFG_LIVE_WAIT_ANY)
        return call == w->call ? ends_of_requests(w, ends) : 0;
    if ((kind == EFG_LIVE_SEND || kind == EFG_LIVE_ISEND || kind == EFG_LIVE_SENDRECV) &&
        !is_nobody(w, call->peer))
        ends[count++] = end_of(w, true, call->comm, call->peer, call->tag);
    if ((kind == EFG_LIVE_RECV || kind == EFG_LIVE_PROBE || kind == EFG_LIVE_SENDRECV) &&
        !is_nobody(w, call->rpeer))
        ends[count++] = end_of(w, false, call->comm, call->rpeer, call->rtag);
    return count;
}

bool efg_await_fits(const struct efg_where *w, const struct efg_await_end *one, uint32_t a,
                    const struct efg_await_end *other, uint32_t b)
{
    int any = w->rank->node->head.any_tag;

    return one->sends != other->sends && (one->peer == b || one->peer == EFG_NONE) &&
           (other->peer == a || other->peer == EFG_NONE) &&
           (one->tag == other->tag || one->tag == any || other->tag == any) &&
           (one->identity == other->identity || !one->identity || !other->identity);
}

/* Whether thread J is at the other end of END, which is of rank A; or may be, as not all of its requests are
 * known. */
static bool is_met(const struct efg_await *await, uint32_t a, const struct efg_await_end *end, uint32_t j)
{
    const struct efg_where *other = &await->wheres->list[j];
    struct efg_await_end ends[EFG_AWAIT_ENDS];

    if (other->doing != EFG_IN_CALL)
        return false;
    if (other->call->kind == EFG_LIVE_WAIT_ALL && other->live->request_count == EFG_LIVE_REQUESTS &&
        other->call->requests > EFG_LIVE_REQUESTS)
        return true;
    uint32_t count = efg_await_ends(other, other->call, ends);
    for (uint32_t i = 0; i < count; i++)
        if (efg_await_fits(other, end, a, &ends[i], other->rank->last.part.rank))
            return true;
    return false;
}

/* --- who waits for whom --- */

static bool each_thread(const struct efg_await *await, const struct efg_look_rank *rank,
                        efg_await_visit *visit, void *context)
{
    if (!rank)
        return false;
    for (uint32_t i = await->first[rank - await->look->ranks];
         i < await->first[rank - await->look->ranks + 1]; i++)
        if (visit(context, i))
            return true;
    return false;
}

/* All but thread I that are in COMM and, if IS_OTHER, not in the same collective. */
static bool each_member(const struct efg_await *await, uint32_t i, uint32_t comm, bool is_other,
                        efg_await_visit *visit, void *context)
{
    const struct efg_look_comm *c = efg_look_comm(await->wheres->list[i].rank, comm);
    const struct efg_look *look = await->look;

    for (uint32_t r = 0; r < look->rank_count; r++) {
        bool is_same = look->ranks[r].last.part.rank == await->wheres->list[i].rank->last.part.rank;
        if (is_same || !efg_look_has(c, look->ranks[r].last.part.rank))
            continue;
        for (uint32_t j = await->first[r]; is_other && j < await->first[r + 1]; j++)
            is_same |= await->same[j] == await->same[i];
        if (!is_same && each_thread(await, &look->ranks[r], visit, context))
            return true;
    }
    return false;
}

static bool each_end(const struct efg_await *await, uint32_t i, efg_await_visit *visit, void *context)
{
    const struct efg_where *w = &await->wheres->list[i];
    struct efg_await_end ends[EFG_AWAIT_ENDS];
    uint32_t count = efg_await_ends(w, w->call, ends);

    if (w->call->requests > (int32_t)w->live->request_count &&
        each_member(await, i, w->live->request_count ? w->live->requests[0].comm : UINT32_MAX, false, visit,
                    context))
        return true;
    for (uint32_t e = 0; e < count; e++)
        if (ends[e].peer == EFG_NONE
                ? each_member(await, i, w->call->comm, false, visit, context)
                : each_thread(await, efg_look_find(await->look, ends[e].peer), visit, context))
            return true;
    for (uint32_t r = 0; w->call->requests && r < w->live->request_count && r < EFG_LIVE_REQUESTS; r++)
        if (w->live->requests[r].kind == EFG_LIVE_COLLECTIVE &&
            each_member(await, i, w->live->requests[r].comm, false, visit, context))
            return true;
    return false;
}

/* Whether thread W has locked OBJECT at PEER, a rank of the window, and not unlocked it, as far as its last
 * calls tell. */
static bool has_lock(const struct efg_where *w, const struct efg_live_call *wanted)
{
    bool has = false;

    for (uint64_t n = w->live->begun > EFG_LIVE_CALLS ? w->live->begun - EFG_LIVE_CALLS + 1 : 1;
         n < w->live->begun + !efg_where_is_in_call(w->live); n++) {
        const struct efg_live_call *call = efg_where_call(w->live, n);
        bool is_of = call && call->object == wanted->object &&
                     (call->peer == wanted->peer || call->peer < 0 || wanted->peer < 0);
        const char *name = is_of ? efg_look_call(w->rank, call->call) : "";
        if (is_of && call->kind == EFG_LIVE_LOCK)
            has = true;
        else if (strncmp(name, "MPI_Win_unlock", 14) == 0)
            has = false;
    }
    return has;
}

static bool each_holder(const struct efg_await *await, uint32_t i, efg_await_visit *visit, void *context)
{
    const struct efg_where *w = &await->wheres->list[i];
    bool is_known = false;

    for (uint32_t j = 0; j < await->wheres->count; j++)
        if (j != i && has_lock(&await->wheres->list[j], w->call)) {
            is_known = true;
            if (visit(context, j))
                return true;
        }
    return !is_known && each_member(await, i, w->call->comm, false, visit, context);
}

static bool each_in_call(const struct efg_await *await, uint32_t i, efg_await_visit *visit, void *context)
{
    const struct efg_live_call *call = await->wheres->list[i].call;

    switch (call->kind) {
    case EFG_LIVE_COLLECTIVE:
        return each_member(await, i, call->comm, true, visit, context);
    case EFG_LIVE_LOCK:
    case EFG_LIVE_UNLOCK:
        return each_holder(await, i, visit, context);
    case EFG_LIVE_EPOCH:
        return each_member(await, i, call->comm, false, visit, context);
    default:
        return each_end(await, i, visit, context);
    }
}

bool efg_await_each(const struct efg_await *await, uint32_t i, efg_await_visit *visit, void *context)
{
    const struct efg_where *w = &await->wheres->list[i];

    if (w->doing == EFG_IN_CALL)
        return each_in_call(await, i, visit, context);
    for (uint32_t j = 0; j < await->wheres->count; j++)
        if (j != i &&
            (w->doing == EFG_POLLS ||
             (w->doing == EFG_FINALIZES && await->wheres->list[j].doing != EFG_FINALIZES)) &&
            visit(context, j))
            return true;
    return false;
}

/* --- who goes on --- */

static bool is_same_collective(const struct efg_where *a, const struct efg_where *b)
{
    uint64_t identity = a->doing == EFG_IN_CALL ? identity_of(a, a->call->comm) : 0;

    if (a->doing != b->doing || a->doing == EFG_FINALIZES)
        return a->doing == b->doing;
    return a->call->call == b->call->call && a->call->root == b->call->root &&
           a->call->object == b->call->object && identity && identity == identity_of(b, b->call->comm);
}

static bool is_in_collective(const struct efg_where *w)
{
    return w->doing == EFG_FINALIZES || (w->doing == EFG_IN_CALL && w->call->kind == EFG_LIVE_COLLECTIVE);
}

/* Few are different, so each is compared with the first ones only. */
static void find_same(struct efg_await *await)
{
    const struct efg_where *list = await->wheres->list;

    for (uint32_t i = 0; i < await->wheres->count; i++) {
        await->same[i] = i;
        for (uint32_t j = 0; is_in_collective(&list[i]) && j < i; j++)
            if (await->same[j] == j && is_in_collective(&list[j]) && is_same_collective(&list[i], &list[j])) {
                await->same[i] = j;
                break;
            }
    }
}

static bool note(void *context, uint32_t other)
{
    (void)other;
    *(bool *)context = true;
    return true;
}

/* All that it waits for is there: it is being done. */
static bool is_served(const struct efg_await *await, uint32_t i)
{
    const struct efg_where *w = &await->wheres->list[i];
    struct efg_await_end ends[EFG_AWAIT_ENDS];
    bool waits = false;

    if (w->call->kind == EFG_LIVE_COLLECTIVE) {
        efg_await_each(await, i, note, &waits);
        return !waits;
    }
    uint32_t count = efg_await_ends(w, w->call, ends), met = 0;
    for (uint32_t e = 0; e < count; e++)
        for (uint32_t j = 0; j < await->wheres->count; j++)
            if (is_met(await, w->rank->last.part.rank, &ends[e], j)) {
                met++;
                break;
            }
    return count && met == count;
}

static bool is_on_file(const struct efg_where *w)
{
    return w->call->kind == EFG_LIVE_FILE ||
           (w->call->kind == EFG_LIVE_COLLECTIVE && w->call->object &&
            strncmp(efg_look_call(w->rank, w->call->call), "MPI_File_", 9) == 0);
}

bool efg_await_is_held_by_file(const struct efg_where *w)
{
    return w->doing == EFG_IN_CALL && is_on_file(w) && w->is_idle && w->age >= HELD_AGE;
}

/* For a rank that is not shown, and so may do anything. */
static bool waits_for_unseen(const struct efg_await *await, const struct efg_where *w)
{
    struct efg_await_end ends[EFG_AWAIT_ENDS];
    uint32_t count = efg_await_ends(w, w->call, ends);

    if (await->look->rank_count == await->look->size)
        return false;
    for (uint32_t e = 0; e < count; e++)
        if (ends[e].peer == EFG_NONE || !efg_look_find(await->look, ends[e].peer))
            return true;
    return !count;
}

/* Without regard to others. */
static bool goes_on(const struct efg_await *await, uint32_t i)
{
    const struct efg_where *w = &await->wheres->list[i];

    switch (w->doing) {
    case EFG_MOVES:
        return true;
    case EFG_COMPUTES:
    case EFG_SLEEPS:
        return !efg_where_is_long(w);
    case EFG_IN_CALL:
        if (efg_await_is_held_by_file(w))
            return false;
        return w->call->kind == EFG_LIVE_OTHER || w->call->kind == EFG_LIVE_FILE ||
               waits_for_unseen(await, w) || is_served(await, i);
    case EFG_POLLS:
    case EFG_FINALIZES:
        return await->look->rank_count < await->look->size;
    default:
        return false;
    }
}

static bool goes_on_too(void *context, uint32_t other)
{
    return ((struct efg_await *)context)->goes_on[other];
}

static void spread(struct efg_await *await)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t i = 0; i < await->wheres->count; i++)
            if (!await->goes_on[i] && efg_await_each(await, i, goes_on_too, await))
                has_changed = await->goes_on[i] = true;
    }
}

int efg_await_find(struct efg_await *await, const struct efg_look *look, const struct efg_wheres *wheres)
{
    *await = (struct efg_await){
        .look = look,
        .wheres = wheres,
        .first = calloc((size_t)look->rank_count + 1, sizeof *await->first),
        .goes_on = calloc((size_t)wheres->count + 1, sizeof *await->goes_on),
        .same = calloc((size_t)wheres->count + 1, sizeof *await->same),
    };
    if (!await->first || !await->goes_on || !await->same)
        return -ENOMEM;
    for (uint32_t r = 0, i = 0; r <= look->rank_count; r++) {
        await->first[r] = i;
        while (r < look->rank_count && i < wheres->count && wheres->list[i].rank == &look->ranks[r])
            i++;
    }
    find_same(await);
    for (uint32_t i = 0; i < wheres->count; i++)
        await->goes_on[i] = goes_on(await, i);
    spread(await);
    return 0;
}

void efg_await_fini(struct efg_await *await)
{
    free(await->first);
    free(await->goes_on);
    free(await->same);
}
