/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the events of a trace. Events to items. Functions on the call path are passed over: calls of MPI
 * do not nest.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"

/* OTF2 hands over more than is needed here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Count an event at TIME in ticks. Returns its time in ns. */
static uint64_t tick(struct efg_recorded_reading *r, uint64_t time)
{
    const struct efg_recorded_definitions *d = &r->definitions;
    uint64_t ns = time < d->offset ? 0 : time - d->offset;
    if (d->resolution != EFG_OTF2_RESOLUTION)
        ns = (uint64_t)((double)ns * EFG_OTF2_RESOLUTION / (double)d->resolution);
    if (!r->most || ns < r->last)
        r->fault = r->most ? "times in it go backwards" : "it has more events than it says";
    r->most -= r->most > 0;
    r->last = ns < r->last ? r->last : ns;
    if (r->window.number == EFG_RECORDED_NONE)
        r->window = (struct efg_recorded_span){.number = r->windows++, .begin = r->last};
    return r->last;
}

static OTF2_CallbackCode go_on(const struct efg_recorded_reading *r)
{
    return r->fault ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

void efg_recorded_end_span(struct efg_recorded_reading *r, enum efg_recorded_kind kind,
                           struct efg_recorded_span *span)
{
    span->end = r->last;
    if (span->number != EFG_RECORDED_NONE) {
        efg_recorded_begin_item(r, kind)->span = *span;
        efg_recorded_say(r, NULL);
    }
    span->number = EFG_RECORDED_NONE;
}

static OTF2_CallbackCode on_off(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
    struct efg_recorded_reading *r = data;
    tick(r, time);
    if (mode == OTF2_MEASUREMENT_OFF)
        efg_recorded_end_span(r, EFG_RECORDED_WINDOW, &r->window);
    return go_on(r);
}

/* The row of texts of an attribute; 0, that of "", without it. */
static uint32_t text_of(const struct efg_recorded_reading *r, uint32_t attribute,
                        const OTF2_AttributeList *attributes)
{
    OTF2_StringRef string;
    if (OTF2_AttributeList_GetStringRef(attributes, attribute, &string) != OTF2_SUCCESS)
        return 0;
    const uint64_t *row = efg_map_find(&r->definitions.strings, string);
    return row ? (uint32_t)*row : 0;
}

static uint32_t site_of(struct efg_recorded_reading *r, uint32_t function, OTF2_AttributeList *attributes)
{
    uint32_t key[2] = {function, text_of(r, r->definitions.path, attributes)}, known = r->sites.count;
    uint32_t site = efg_otf2_intern(&r->sites, key, sizeof key);
    if (site == EFG_NONE)
        _exit(1);
    if (site == known) {
        const char *path = efg_otf2_key(&r->definitions.texts, key[1]);
        efg_recorded_begin(r, EFG_SIGN_SITE)->path = strtoull(path, NULL, 16);
        efg_recorded_say(r, efg_otf2_key(&r->definitions.texts, function));
    }
    return site;
}

static void begin_call(struct efg_recorded_reading *r, uint32_t function, uint64_t time,
                       OTF2_AttributeList *attributes)
{
    const char *name = efg_otf2_key(&r->definitions.texts, function);
    uint64_t polls = 0;
    if (r->depth++)
        return;
    OTF2_AttributeList_GetUint64(attributes, r->definitions.polls, &polls);
    r->is_start = strncmp(name, "MPI_Start", 9) == 0;
    r->call = (struct efg_recorded_call){
        .site = site_of(r, function, attributes),
        .begin = time,
        .iteration = r->iteration.number,
        .window = (uint32_t)r->window.number,
        .polls = polls < UINT32_MAX ? (uint32_t)polls : UINT32_MAX,
        .kept = r->iteration.number == EFG_RECORDED_NONE ? EFG_KEPT_UNKNOWN : (uint8_t)r->iteration.kept,
        .phase = (uint8_t)r->iteration.phase,
        .object = EFG_NONE,
    };
}

static uint32_t kept_of(const char *name)
{
    for (uint32_t kept = EFG_KEPT_FIRST; efg_otf2_kept(kept); kept++)
        if (strcmp(name, efg_otf2_kept(kept)) == 0)
            return kept;
    return EFG_KEPT_UNKNOWN;
}

static void begin_iteration(struct efg_recorded_reading *r, uint64_t time, OTF2_AttributeList *attributes)
{
    const struct efg_recorded_definitions *d = &r->definitions;
    uint64_t number = EFG_RECORDED_NONE;
    double times = 0;
    uint32_t phase = 0;
    OTF2_AttributeList_GetUint64(attributes, d->iteration, &number);
    OTF2_AttributeList_GetUint32(attributes, d->phase, &phase);
    OTF2_AttributeList_GetDouble(attributes, d->times, &times);
    r->iteration = (struct efg_recorded_span){
        .number = number,
        .begin = time,
        .window = r->window.number,
        .phase = phase <= UINT8_MAX ? (uint8_t)phase : 0,
        .kept = (uint16_t)kept_of(efg_otf2_key(&d->texts, text_of(r, d->kept, attributes))),
        .times = times > 0 && times < 4e6 ? (uint32_t)(1000 * times + 0.5) : 0,
    };
}

void efg_recorded_say_messages(struct efg_recorded_reading *r)
{
    struct efg_recorded_message message;
    while (efg_recorded_take(&r->order, &message)) {
        efg_recorded_begin_item(r, EFG_RECORDED_MESSAGE)->message = message;
        efg_recorded_say(r, NULL);
    }
}

static void end_call(struct efg_recorded_reading *r, uint64_t time)
{
    if (!r->depth || --r->depth)
        return;
    r->call.end = time;
    efg_recorded_begin_item(r, EFG_RECORDED_CALL)->call = r->call;
    efg_recorded_say(r, NULL);
    r->calls++;
    efg_recorded_say_behind(r);
    efg_recorded_say_messages(r);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    struct efg_recorded_reading *r = data;
    const uint64_t *what = efg_map_find(&r->definitions.regions, region);
    uint64_t now = tick(r, time);
    if (what && (*what & 3) == EFG_REGION_MPI)
        begin_call(r, (uint32_t)(*what >> 2), now, attributes);
    if (what && (*what & 3) == EFG_REGION_LOOP)
        begin_iteration(r, now, attributes);
    return go_on(r);
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    struct efg_recorded_reading *r = data;
    const uint64_t *what = efg_map_find(&r->definitions.regions, region);
    uint64_t now = tick(r, time);
    if (what && (*what & 3) == EFG_REGION_MPI)
        end_call(r, now);
    if (what && (*what & 3) == EFG_REGION_LOOP)
        efg_recorded_end_span(r, EFG_RECORDED_ITERATION, &r->iteration);
    return go_on(r);
}

/* --- messages and bytes --- */

static void add_bytes(struct efg_recorded_reading *r, uint64_t bytes)
{
    r->call.bytes += bytes;
    if (r->call.bytes_kind == EFG_BYTES_NONE)
        r->call.bytes_kind = EFG_BYTES_KNOWN;
}

/* An end of a message with the rank PEER of a communicator. Returns whether it has one. */
static bool make_message(struct efg_recorded_reading *r, bool is_send, uint64_t time, uint32_t peer,
                         uint32_t comm, uint32_t tag, uint64_t bytes, struct efg_recorded_message *m)
{
    uint32_t rank = efg_recorded_peer(&r->definitions, comm, r->rank, peer);
    uint64_t now = tick(r, time);
    efg_recorded_touch(r, EFG_OBJECT_COMM, comm, is_send ? bytes : 0);
    *m = (struct efg_recorded_message){.from = is_send ? r->rank : rank,
                                       .to = is_send ? rank : r->rank,
                                       .comm = comm,
                                       .tag = tag,
                                       .is_send = is_send,
                                       .time = now,
                                       .bytes = bytes,
                                       .begun = efg_recorded_present(r),
                                       .done = efg_recorded_present(r)};
    if (rank == EFG_NONE)
        r->fault = "a message in it has a partner that there is not";
    return rank != EFG_NONE;
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *data, OTF2_AttributeList *attributes, uint32_t receiver,
                                 OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    struct efg_recorded_reading *r = data;
    struct efg_recorded_message m;
    add_bytes(r, bytes);
    if (make_message(r, true, time, receiver, comm, tag, bytes, &m))
        efg_recorded_post(&r->order, m, false, 0);
    return go_on(r);
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, uint32_t receiver,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
    struct efg_recorded_reading *r = data;
    struct efg_recorded_message m;
    add_bytes(r, bytes);
    if (r->is_start)
        r->call.bytes_kind = EFG_BYTES_HIDDEN;
    if (make_message(r, true, time, receiver, comm, tag, bytes, &m)) {
        uint64_t *send = efg_map_put(&r->sends, request);
        if (!send)
            _exit(1);
        *send = comm;
        m.done = EFG_RECORDED_NONE;
        efg_recorded_post(&r->order, m, true, request);
    }
    return go_on(r);
}

static OTF2_CallbackCode on_isend_complete(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                           void *data, OTF2_AttributeList *attributes, uint64_t request)
{
    struct efg_recorded_reading *r = data;
    tick(r, time);
    const uint64_t *send = efg_map_find(&r->sends, request);
    if (send)
        efg_recorded_touch(r, EFG_OBJECT_COMM, (uint32_t)*send, 0);
    efg_map_remove(&r->sends, request);
    efg_recorded_complete(&r->order, request, efg_recorded_present(r), NULL);
    return go_on(r);
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                          void *data, OTF2_AttributeList *attributes, uint64_t request)
{
    struct efg_recorded_reading *r = data;
    tick(r, time);
    r->call.bytes_kind = EFG_BYTES_HIDDEN;
    struct efg_recorded_message m = {.begun = efg_recorded_present(r), .done = EFG_RECORDED_NONE};
    efg_recorded_post(&r->order, m, true, request);
    return go_on(r);
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *data, OTF2_AttributeList *attributes, uint32_t sender,
                                 OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    struct efg_recorded_reading *r = data;
    struct efg_recorded_message m;
    r->call.bytes_kind = EFG_BYTES_HIDDEN;
    if (make_message(r, false, time, sender, comm, tag, bytes, &m))
        efg_recorded_post(&r->order, m, false, 0);
    return go_on(r);
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, uint32_t sender,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
    struct efg_recorded_reading *r = data;
    struct efg_recorded_message m;
    if (make_message(r, false, time, sender, comm, tag, bytes, &m)) {
        m.begun = EFG_RECORDED_NONE; /* or the call that posted it, if that is known */
        efg_recorded_complete(&r->order, request, m.done, &m);
    }
    return go_on(r);
}

static OTF2_CallbackCode on_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                      void *data, OTF2_AttributeList *attributes, uint64_t request)
{
    struct efg_recorded_reading *r = data;
    tick(r, time);
    efg_recorded_cancel(&r->order, request);
    return go_on(r);
}

static OTF2_CallbackCode on_collective(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                       void *data, OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                       OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
{
    struct efg_recorded_reading *r = data;
    tick(r, time);
    add_bytes(r, sent + received);
    r->call.bytes_kind = EFG_BYTES_KNOWN; /* receives that are taken along are not its own */
    efg_recorded_touch(r, EFG_OBJECT_COMM, comm, sent);
    efg_recorded_meet(r, op, comm, false, root, efg_recorded_present(r));
    return go_on(r);
}

static OTF2_CallbackCode on_request(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                    void *data, OTF2_AttributeList *attributes, uint64_t request)
{
    struct efg_recorded_reading *r = data;
    tick(r, time);
    uint64_t *begun = efg_map_put(&r->requests, request);
    if (!begun)
        _exit(1);
    *begun = efg_recorded_present(r);
    return go_on(r);
}

static OTF2_CallbackCode on_complete(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                     void *data, OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                     OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received,
                                     uint64_t request)
{
    struct efg_recorded_reading *r = data;
    tick(r, time);
    const uint64_t *begun = efg_map_find(&r->requests, request);
    efg_recorded_touch(r, EFG_OBJECT_COMM, comm, sent);
    efg_recorded_meet(r, op, comm, false, root, begun ? *begun : EFG_RECORDED_NONE);
    efg_map_remove(&r->requests, request);
    return go_on(r);
}

static OTF2_CallbackCode on_window(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                   void *data, OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                   OTF2_RmaSyncLevel level, OTF2_RmaWinRef win, uint32_t root, uint64_t sent,
                                   uint64_t received)
{
    struct efg_recorded_reading *r = data;
    tick(r, time);
    efg_recorded_touch(r, EFG_OBJECT_WIN, win, 0);
    efg_recorded_meet(r, op, win, true, root, efg_recorded_present(r));
    return go_on(r);
}

/* --- one-sided --- */

static OTF2_CallbackCode on_epoch(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, OTF2_RmaSyncLevel level,
                                  OTF2_RmaWinRef win, OTF2_GroupRef group)
{
    struct efg_recorded_reading *r = data;
    tick(r, time);
    efg_recorded_touch(r, EFG_OBJECT_WIN, win, 0);
    efg_recorded_epoch(r, win, group);
    return go_on(r);
}

static OTF2_CallbackCode put_access(struct efg_recorded_reading *r, uint64_t time, enum efg_recorded_act act,
                                    uint32_t win, uint32_t rank, uint64_t bytes)
{
    tick(r, time);
    efg_recorded_touch(r, EFG_OBJECT_WIN, win, bytes);
    efg_recorded_access(r, act, win, rank, bytes);
    return go_on(r);
}

static OTF2_CallbackCode on_lock(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *data, OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                 uint32_t rank, uint64_t lock, OTF2_LockType type)
{
    return put_access(data, time, type == OTF2_LOCK_EXCLUSIVE ? EFG_ACT_LOCK_EXCLUSIVE : EFG_ACT_LOCK, win,
                      rank, 0);
}

static OTF2_CallbackCode on_unlock(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                   void *data, OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                   uint32_t rank, uint64_t lock)
{
    return put_access(data, time, EFG_ACT_UNLOCK, win, rank, 0);
}

static OTF2_CallbackCode on_flush(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                  uint32_t rank, OTF2_RmaSyncType type)
{
    return put_access(data, time, EFG_ACT_FLUSH, win, rank, 0);
}

static OTF2_CallbackCode on_put(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                OTF2_AttributeList *attributes, OTF2_RmaWinRef win, uint32_t rank,
                                uint64_t bytes, uint64_t match)
{
    return put_access(data, time, EFG_ACT_PUT, win, rank, bytes);
}

static OTF2_CallbackCode on_get(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                OTF2_AttributeList *attributes, OTF2_RmaWinRef win, uint32_t rank,
                                uint64_t bytes, uint64_t match)
{
    return put_access(data, time, EFG_ACT_GET, win, rank, bytes);
}

static OTF2_CallbackCode on_atomic(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                   void *data, OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                   uint32_t rank, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
                                   uint64_t match)
{
    return put_access(data, time, EFG_ACT_ATOMIC, win, rank, sent + received);
}

/* --- files --- */

static OTF2_CallbackCode put_file(struct efg_recorded_reading *r, uint64_t time, uint32_t handle,
                                  uint64_t bytes)
{
    tick(r, time);
    efg_recorded_touch(r, EFG_OBJECT_IO, handle, bytes);
    return go_on(r);
}

static OTF2_CallbackCode on_open(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *data, OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                 OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
                                 OTF2_IoStatusFlag status)
{
    return put_file(data, time, handle, 0);
}

static OTF2_CallbackCode on_close(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, OTF2_IoHandleRef handle)
{
    return put_file(data, time, handle, 0);
}

static OTF2_CallbackCode on_seek(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *data, OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                 int64_t offset, OTF2_IoSeekOption whence, uint64_t reached)
{
    return put_file(data, time, handle, 0);
}

static OTF2_CallbackCode on_begin(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                  OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags, uint64_t bytes,
                                  uint64_t match)
{
    return put_file(data, time, handle, 0);
}

static OTF2_CallbackCode on_done(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *data, OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                 uint64_t bytes, uint64_t match)
{
    return put_file(data, time, handle, bytes);
}

OTF2_EvtReaderCallbacks *efg_recorded_callbacks(void)
{
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    if (!c)
        return NULL;
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, on_off);
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, on_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, on_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, on_complete);
    OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(c, on_window);
    OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(c, on_epoch);
    OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(c, on_lock);
    OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(c, on_unlock);
    OTF2_EvtReaderCallbacks_SetRmaSyncCallback(c, on_flush);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, on_put);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, on_get);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, on_atomic);
    OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(c, on_open);
    OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback(c, on_close);
    OTF2_EvtReaderCallbacks_SetIoSeekCallback(c, on_seek);
    OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(c, on_begin);
    OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(c, on_done);
    return c;
}
