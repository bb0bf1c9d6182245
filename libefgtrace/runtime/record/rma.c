/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided calls as records. An operation gets a match id; it is complete at the target
 * when the next synchronisation that covers the target returns, and only then its
 * completion is written: if it was the same thread that called both. Of two threads, each with
 * a location of its own, none would know when the other one's operation began.
 */
#include "recorder.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/mpi/ask.h"

#define ANY_TARGET (-1)

static uint64_t key_of(MPI_Win win)
{
    uint64_t key = 0;
    memcpy(&key, &win, sizeof win);
    return key;
}

/* With the name that the program has given to WIN, which may come after the first use. */
static void define(struct efg_recorder *r, const struct efg_object *o, MPI_Win win)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    efg_ask()->Win_get_name(win, name, &length);
    if (fnmatch("* window [0-9]*", name, 0) == 0) /* Open MPI's own */
        *name = '\0';
    efg_recorder_define_object(r, EFG_REC_DEF_WIN, o, name);
}

static struct efg_object *object_of(struct efg_recorder *r, const struct efg_call *c)
{
    struct efg_object *o = c->win ? efg_objects_find(EFG_OBJECT_WINDOW, key_of(c->win)) : NULL;
    if (!o || o->comm->is_foreign)
        return NULL;
    if (!efg_bits_has(&r->wins_known, o->id) || c->shape == EFG_SHAPE_WIN_FREE)
        define(r, o, c->win);
    return efg_recorder_room(r, 4 + r->pending_count) ? o : NULL;
}

static void put(struct efg_recorder *r, uint64_t time, int kind, uint32_t win, struct efg_record rest)
{
    rest.time = time;
    rest.kind = (uint16_t)kind;
    rest.a = win;
    efg_recorder_put(r, rest);
}

static void remember(struct efg_recorder *r, struct efg_pending operation)
{
    if (r->pending_count == r->pending_room) {
        uint32_t room = 2 * r->pending_room + 16;
        struct efg_pending *pending = realloc(r->pending, room * sizeof *pending);
        if (!pending)
            return;
        r->pending = pending;
        r->pending_room = room;
    }
    r->pending[r->pending_count++] = operation;
}

/* The operations on TARGET (or any) are complete there. */
static void complete_pending(struct efg_recorder *r, struct efg_object *o, int target, uint64_t time,
                             bool writes)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < r->pending_count; i++) {
        struct efg_pending p = r->pending[i];
        if (p.window != o->id || (target != ANY_TARGET && p.target != target))
            r->pending[left++] = p;
        else if (writes)
            put(r, time, EFG_REC_RMA_COMPLETE_REMOTE, o->id, (struct efg_record){.e = p.match});
    }
    r->pending_count = left;
}

static void enter_data(struct efg_recorder *r, struct efg_call *c, struct efg_object *o)
{
    int kind = c->shape == EFG_SHAPE_PUT   ? EFG_REC_RMA_PUT
               : c->shape == EFG_SHAPE_GET ? EFG_REC_RMA_GET
                                           : EFG_REC_RMA_ATOMIC;
    if (c->peer == MPI_PROC_NULL)
        return;
    c->match = r->next_match++;
    put(r, c->enter, kind, o->id,
        (struct efg_record){
            .b = (uint32_t)c->peer, .c = c->atomic, .d = efg_decode_bytes(c->count, c->type), .e = c->match});
    remember(r, (struct efg_pending){o->id, c->peer, c->match});
}

static void enter_free(struct efg_recorder *r, struct efg_call *c, bool writes)
{
    c->win = c->newwin ? *c->newwin : 0; /* the call sets it to null */
    struct efg_object *o = writes ? object_of(r, c) : NULL;
    c->object = o ? o->id : UINT32_MAX;
    if (o) {
        put(r, c->enter, EFG_REC_RMA_COLLECTIVE_BEGIN, 0, (struct efg_record){0});
        put(r, c->enter, EFG_REC_RMA_DESTROY, o->id, (struct efg_record){0});
    }
}

void efg_rma_enter(struct efg_recorder *r, struct efg_call *c, bool writes)
{
    if (c->shape == EFG_SHAPE_WIN_FREE)
        enter_free(r, c, writes);
    if (!writes)
        return;
    switch (c->shape) {
    case EFG_SHAPE_WIN_NEW:
    case EFG_SHAPE_FENCE:
        efg_recorder_put(r, (struct efg_record){.time = c->enter, .kind = EFG_REC_RMA_COLLECTIVE_BEGIN});
        return;
    case EFG_SHAPE_PUT:
    case EFG_SHAPE_GET:
    case EFG_SHAPE_ATOMIC: {
        struct efg_object *o = object_of(r, c);
        if (o)
            enter_data(r, c, o);
        return;
    }
    default:
        return;
    }
}

enum side { SIDE_TARGET, SIDE_ORIGIN };

/* An epoch begins or ends; its group is told when it begins. Of one that had begun before this was recorded
 * it may not be known. */
static void put_epoch(struct efg_recorder *r, const struct efg_call *c, const struct efg_object *o,
                      uint64_t time, enum side side, uint32_t sync)
{
    uint32_t group = o->id << 1 | side;
    bool begins = c->shape == EFG_SHAPE_POST || c->shape == EFG_SHAPE_EPOCH_START;
    if (begins ? efg_recorder_define_group(r, group, c->group) : efg_map_find(&r->groups, group) != NULL)
        put(r, time, EFG_REC_RMA_GROUP_SYNC, o->id, (struct efg_record){.b = sync, .c = group});
}

/* What each synchronisation says: its record, and which operations are complete after it. */
static void leave_sync(struct efg_recorder *r, const struct efg_call *c, struct efg_object *o, uint64_t time)
{
    uint32_t target = (uint32_t)c->peer, all = EFG_SYNC_MEMORY | EFG_SYNC_LOCAL | EFG_SYNC_REMOTE;

    switch (c->shape) {
    case EFG_SHAPE_FENCE:
        complete_pending(r, o, ANY_TARGET, time, true);
        put(r, time, EFG_REC_RMA_COLLECTIVE_END, o->id,
            (struct efg_record){.call = EFG_COLL_BARRIER, .b = all, .c = EFG_ROOT_NONE});
        break;
    case EFG_SHAPE_COMPLETE:
        complete_pending(r, o, ANY_TARGET, time, true);
        put_epoch(r, c, o, time, SIDE_ORIGIN, EFG_SYNC_LOCAL);
        break;
    case EFG_SHAPE_EPOCH_START:
        put_epoch(r, c, o, time, SIDE_ORIGIN, EFG_SYNC_NONE);
        break;
    case EFG_SHAPE_POST:
        put_epoch(r, c, o, time, SIDE_TARGET, EFG_SYNC_NONE);
        break;
    case EFG_SHAPE_EPOCH_WAIT:
    case EFG_SHAPE_EPOCH_TEST:
        put_epoch(r, c, o, time, SIDE_TARGET, EFG_SYNC_MEMORY);
        break;
    case EFG_SHAPE_LOCK:
        put(r, time, EFG_REC_RMA_ACQUIRE, o->id, (struct efg_record){.b = target, .c = c->exclusive});
        break;
    case EFG_SHAPE_UNLOCK:
        complete_pending(r, o, c->peer, time, true);
        put(r, time, EFG_REC_RMA_RELEASE, o->id, (struct efg_record){.b = target});
        break;
    case EFG_SHAPE_LOCK_ALL:
        for (int i = 0; i < o->comm->size && efg_recorder_room(r, 1); i++)
            put(r, time, EFG_REC_RMA_ACQUIRE, o->id, (struct efg_record){.b = (uint32_t)i});
        break;
    case EFG_SHAPE_UNLOCK_ALL:
        complete_pending(r, o, ANY_TARGET, time, true);
        for (int i = 0; i < o->comm->size && efg_recorder_room(r, 1); i++)
            put(r, time, EFG_REC_RMA_RELEASE, o->id, (struct efg_record){.b = (uint32_t)i});
        break;
    case EFG_SHAPE_FLUSH:
        complete_pending(r, o, c->peer, time, true);
        put(r, time, EFG_REC_RMA_SYNC, o->id,
            (struct efg_record){.b = target, .c = EFG_SYNC_LOCAL | EFG_SYNC_REMOTE});
        break;
    case EFG_SHAPE_FLUSH_ALL:
        complete_pending(r, o, ANY_TARGET, time, true);
        break;
    case EFG_SHAPE_FLUSH_LOCAL:
        put(r, time, EFG_REC_RMA_SYNC, o->id, (struct efg_record){.b = target, .c = EFG_SYNC_LOCAL});
        break;
    default:
        break;
    }
}

static void leave_new(struct efg_recorder *r, const struct efg_call *c, uint64_t time, bool writes)
{
    struct efg_object *o = efg_objects_add(EFG_OBJECT_WINDOW, key_of(*c->newwin), c->comm, NULL);
    if (!writes || !o)
        return;
    define(r, o, *c->newwin);
    if (!efg_recorder_room(r, 2))
        return;
    put(r, time, EFG_REC_RMA_CREATE, o->id, (struct efg_record){0});
    put(r, time, EFG_REC_RMA_COLLECTIVE_END, o->id,
        (struct efg_record){.call = c->op, .b = EFG_SYNC_NONE, .c = EFG_ROOT_NONE});
}

/* An operation with a request of its own. */
static void leave_data(struct efg_recorder *r, const struct efg_call *c, struct efg_object *o, uint64_t time,
                       bool writes)
{
    if (!c->requests)
        return;
    bool recorded = writes && c->match && o;
    if (recorded) {
        r->request = r->next_request++;
        put(r, time, EFG_REC_RMA_REQUEST, o->id, (struct efg_record){.e = c->match});
    }
    struct efg_request *q = efg_recorder_started(r, c, EFG_REQUEST_RMA, recorded);
    if (!q)
        return;
    q->match = c->match;
    q->object = o ? o->id : 0;
}

/* WIN is no more, nor what this thread has begun in it. */
static void forget(struct efg_recorder *r, MPI_Win win)
{
    struct efg_object *o = efg_objects_find(EFG_OBJECT_WINDOW, key_of(win));
    if (o)
        complete_pending(r, o, ANY_TARGET, 0, false);
    efg_objects_remove(EFG_OBJECT_WINDOW, key_of(win));
}

void efg_rma_leave(struct efg_recorder *r, struct efg_call *c, uint64_t time, bool writes)
{
    if (c->shape == EFG_SHAPE_WIN_NEW) {
        leave_new(r, c, time, writes);
        return;
    }
    if (c->shape == EFG_SHAPE_WIN_FREE) {
        if (writes && c->object != UINT32_MAX)
            put(r, time, EFG_REC_RMA_COLLECTIVE_END, c->object,
                (struct efg_record){.call = EFG_COLL_DESTROY_HANDLE, .b = EFG_SYNC_NONE, .c = EFG_ROOT_NONE});
        if (c->win)
            forget(r, c->win);
        return;
    }
    if (!c->win)
        return;
    struct efg_object *o = writes ? object_of(r, c) : efg_objects_find(EFG_OBJECT_WINDOW, key_of(c->win));
    if (c->shape == EFG_SHAPE_PUT || c->shape == EFG_SHAPE_GET || c->shape == EFG_SHAPE_ATOMIC)
        leave_data(r, c, o, time, writes);
    else if (o && writes)
        leave_sync(r, c, o, time);
    else if (o)
        complete_pending(r, o, ANY_TARGET, time, false); /* recording is over: not wanted any more */
}
