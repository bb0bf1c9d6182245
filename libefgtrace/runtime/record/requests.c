/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests in the recorder: what a call starts and completes, whether it is recorded or not,
 * and the records of messages.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/hot.h"
#include "runtime/base/memory.h"

static bool completes_requests(const struct efg_call *c)
{
    return efg_shape_is_in(c, EFG_SHAPES_COMPLETING) && c->requests && c->nrequests > 0;
}

/* --- scratch memory --- */

bool efg_recorder_make_scratch(struct efg_recorder *r, int count)
{
    int room = count + count / 2 + 16;
    MPI_Request *handles = realloc(r->handles, (size_t)room * sizeof *handles);
    if (handles)
        r->handles = handles;
    MPI_Status *statuses = realloc(r->statuses, (size_t)room * sizeof *statuses);
    if (statuses)
        r->statuses = statuses;
    struct efg_request **claims = realloc(r->claims, (size_t)room * sizeof *claims);
    if (claims)
        r->claims = claims;
    if (!handles || !statuses || !claims)
        return false;
    efg_budget_add(&efg_memory,
                   (uint64_t)(room - r->handle_room) * (sizeof *handles + sizeof *statuses + sizeof *claims));
    r->handle_room = room;
    return true;
}

/* A call that was left by a jump may have left claims. */
static __attribute__((noinline)) void claim_requests(struct efg_recorder *r, int count)
{
    efg_recorder_release_requests(r);
    for (; r->claim_count < count; r->claim_count++)
        r->claims[r->claim_count] = efg_requests_claim(&r->table, r->handles[r->claim_count]);
}

void efg_recorder_release_claims(struct efg_recorder *r)
{
    for (int i = 0; i < r->claim_count; i++)
        if (r->claims[i])
            efg_requests_release(r->claims[i]);
    r->claim_count = 0;
}

/* Request Q, which the I-th handle is of, is no more. */
static void remove_request(struct efg_recorder *r, struct efg_request *q, int i)
{
    if (q->second)
        efg_requests_remove(&r->table, q->second);
    efg_requests_remove(&r->table, q);
    if (r->claim_count)
        r->claims[i] = NULL;
}

EFG_HOT void efg_recorder_save_requests(struct efg_recorder *r, struct efg_call *c)
{
    if (!c->requests || c->nrequests <= 0)
        return;
    if (!efg_recorder_scratch(r, c->nrequests))
        c->nrequests = 0;
    memcpy(r->handles, c->requests, (size_t)c->nrequests * sizeof *r->handles);
    if (efg_requests_are_shared())
        claim_requests(r, c->nrequests);
}

bool efg_recorder_lend(struct efg_recorder *r, struct efg_passing *passing)
{
    if (r->is_on || r->is_draining || efg_requests_are_shared() ||
        !efg_recorder_scratch(r, EFG_POLL_REQUESTS))
        return false;
    passing->requests = r->handles;
    passing->statuses = r->is_asking ? r->statuses : NULL;
    return true;
}

/* --- point to point --- */

void efg_recorder_put_plain(struct efg_recorder *r, int kind, uint64_t time, uint64_t e)
{
    efg_recorder_put(r, (struct efg_record){.time = time, .kind = (uint16_t)kind, .e = e});
}

/* --- requests --- */

EFG_HOT struct efg_request *efg_recorder_started(struct efg_recorder *r, const struct efg_call *c, int kind,
                                                 int recorded)
{
    struct efg_request *q = c->requests ? efg_requests_add(&r->table, *c->requests) : NULL;
    bool receives = kind == EFG_REQUEST_RECV;
    if (!q)
        return NULL;
    q->kind = (uint8_t)kind;
    q->op = c->op;
    q->is_recorded = recorded && r->request;
    q->number = r->request;
    q->window = r->window;
    efg_requests_set_comm(q, c->comm ? efg_comms_find(c->comm) : NULL);
    q->peer = receives ? c->rpeer : c->peer;
    q->tag = receives ? c->rtag : c->tag;
    r->open_requests += q->is_recorded;
    return q;
}

void efg_recorder_start_persistent(struct efg_recorder *r, struct efg_call *c, bool writes)
{
    for (int i = 0; i < c->nrequests; i++) {
        struct efg_request *q = efg_recorder_named(r, i);
        if (!q)
            continue;
        efg_requests_restart(&r->table, q);
        q->thread = r->thread;
        q->is_active = 1;
        q->is_cancelled = 0;
        q->is_recorded = 0;
        if (!writes || q->peer == MPI_PROC_NULL || !efg_recorder_room(r, 2))
            continue;
        q->number = r->next_request++;
        q->window = r->window;
        if (q->kind == EFG_REQUEST_SEND)
            q->is_recorded = (uint8_t)efg_recorder_put_message(r, EFG_REC_ISEND, c->enter, q->comm, false,
                                                               q->peer, q->tag, q->bytes, q->number);
        r->open_requests += q->is_recorded;
    }
}

/* A receive that was started by MPI_Start is known to run when the call has returned. */
void efg_recorder_started_persistent(struct efg_recorder *r, const struct efg_call *c, uint64_t leave)
{
    for (int i = 0; i < c->nrequests; i++) {
        struct efg_request *q = efg_recorder_named(r, i);
        if (!q || q->kind != EFG_REQUEST_RECV || q->peer == MPI_PROC_NULL || !efg_recorder_room(r, 1))
            continue;
        q->is_recorded = 1;
        r->open_requests++;
        efg_recorder_put_plain(r, EFG_REC_IRECV_REQUEST, leave, q->number);
    }
}

static void put_collective(struct efg_recorder *r, int kind, uint64_t time, const struct efg_request *q)
{
    if (efg_recorder_names_comm(r, q->comm))
        efg_recorder_put(r, (struct efg_record){.time = time,
                                                .kind = (uint16_t)kind,
                                                .call = q->op,
                                                .a = q->comm->id,
                                                .b = q->root,
                                                .c = q->number,
                                                .d = q->bytes,
                                                .e = q->received});
}

/* MPICH 4.0 tells of MPI_Isendrecv, whose receive Q is, what it does inside. Then what was
 * asked for is all that is known. */
static bool is_of_another(const struct efg_request *q, const MPI_Status *status)
{
    return q->is_second && q->peer >= 0 && q->tag >= 0 && !efg_recorder_is_ignored(status) &&
           (status->MPI_SOURCE != q->peer || status->MPI_TAG != q->tag);
}

/* The records of the completion of Q, which was recorded when it started. */
static void put_completion(struct efg_recorder *r, const struct efg_request *q, const MPI_Status *status,
                           uint64_t time)
{
    int cancelled = 0;
    if (q->is_cancelled && !efg_recorder_is_ignored(status))
        PMPI_Test_cancelled(status, &cancelled);
    if (cancelled) {
        efg_recorder_put_plain(r,
                               q->kind == EFG_REQUEST_IO ? EFG_REC_IO_CANCELLED : EFG_REC_REQUEST_CANCELLED,
                               time, q->kind == EFG_REQUEST_IO ? q->match : q->number);
        return;
    }
    switch (q->kind) {
    case EFG_REQUEST_SEND:
        efg_recorder_put_plain(r, EFG_REC_ISEND_COMPLETE, time, q->number);
        break;
    case EFG_REQUEST_RECV:
        if (is_of_another(q, status))
            efg_recorder_put_message(r, EFG_REC_IRECV, time, q->comm, false, q->peer, q->tag, q->bytes,
                                     q->number);
        else
            efg_recorder_put_receive(r, EFG_REC_IRECV, time, q->comm, false, status, q->number);
        break;
    case EFG_REQUEST_COLLECTIVE:
    case EFG_REQUEST_IDUP:
        put_collective(r, EFG_REC_COLLECTIVE_COMPLETE, time, q);
        break;
    case EFG_REQUEST_RMA:
        efg_recorder_put(
            r, (struct efg_record){
                   .time = time, .kind = EFG_REC_RMA_COMPLETE_NONBLOCKING, .a = q->object, .e = q->match});
        break;
    case EFG_REQUEST_IO:
        efg_recorder_put(
            r, (struct efg_record){.time = time,
                                   .kind = EFG_REC_IO_COMPLETE,
                                   .a = q->object,
                                   .d = efg_recorder_is_ignored(status) ? q->bytes : efg_decode_done(status),
                                   .e = q->match});
        break;
    default:
        break;
    }
}

static bool is_in_window(const struct efg_recorder *r, const struct efg_request *q)
{
    return q->is_recorded && q->thread == r->thread && q->window == r->window;
}

/* Q, recorded when it started, is complete. WRITES: that may be recorded. */
static void end_recorded(struct efg_recorder *r, const struct efg_request *q, const MPI_Status *status,
                         uint64_t time, bool writes)
{
    if (q->is_recorded && q->thread != r->thread)
        efg_requests_tell(q, efg_recorder_is_ignored(status) ? NULL : status);
    if (!is_in_window(r, q))
        return;
    r->open_requests--;
    if (writes && efg_recorder_room(r, 4))
        put_completion(r, q, status, time);
}

void efg_recorder_take_news(struct efg_recorder *r, uint64_t time, bool writes)
{
    struct efg_request_news *news = efg_requests_news(&r->table);
    for (struct efg_request_news *next; news; news = next) {
        next = news->next;
        end_recorded(r, &news->request, news->has_status ? &news->status : MPI_STATUS_IGNORE, time, writes);
        free(news);
    }
}

static void complete_part(struct efg_recorder *r, struct efg_request *q, const MPI_Status *status,
                          uint64_t time, bool writes)
{
    efg_recorder_landed(r, q, status);
    end_recorded(r, q, status, time, writes);
    q->is_active = q->is_recorded = 0;
}

/* The request that the I-th handle is of is complete. WRITES: its record may be written. */
static void complete(struct efg_recorder *r, int i, const MPI_Status *status, uint64_t time, bool writes)
{
    struct efg_request *q = efg_recorder_named(r, i);
    if (!q || (q->is_persistent && !q->is_active))
        return;
    complete_part(r, q, status, time, writes);
    if (q->second)
        complete_part(r, q->second, status, time, writes);
    if (q->kind == EFG_REQUEST_IDUP) {
        efg_comms_expect(-1);
        if (q->newcomm)
            efg_comms_add(*q->newcomm, q->comm);
    }
    if (!q->is_persistent)
        remove_request(r, q, i);
}

/* How many requests CALL completed; the i-th is handle *AT and status *STATUS. */
static int completed(const struct efg_call *c)
{
    switch (c->shape) {
    case EFG_SHAPE_WAITALL:
        return c->nrequests;
    case EFG_SHAPE_TESTALL:
        return *c->flag ? c->nrequests : 0;
    case EFG_SHAPE_WAITANY:
        return *c->indices != MPI_UNDEFINED;
    case EFG_SHAPE_TESTANY:
        return *c->flag && *c->indices != MPI_UNDEFINED;
    default:
        return *c->outcount == MPI_UNDEFINED ? 0 : *c->outcount;
    }
}

static int position(const struct efg_call *c, int i)
{
    return c->shape == EFG_SHAPE_WAITALL || c->shape == EFG_SHAPE_TESTALL ? i : c->indices[i];
}

EFG_HOT void efg_recorder_complete(struct efg_recorder *r, const struct efg_call *c, uint64_t leave,
                                   bool writes)
{
    int count = completes_requests(c) ? completed(c) : 0;
    for (int i = 0; i < count; i++)
        complete(r, position(c, i), efg_recorder_is_ignored(c->statuses) ? c->statuses : c->statuses + i,
                 leave, writes);
}

/* Whether CALL completed a request that was started in the window. */
bool efg_recorder_completes_window(struct efg_recorder *r, const struct efg_call *c)
{
    int count = completes_requests(c) ? completed(c) : 0;
    for (int i = 0; i < count; i++) {
        const struct efg_request *q = efg_recorder_named(r, position(c, i));
        if (q && is_in_window(r, q))
            return true;
    }
    return false;
}

/* Of what enter_shape does for these calls, only Start has changed more than the log. */
void efg_recorder_take_back_start(struct efg_recorder *r, const struct efg_call *c)
{
    for (int i = 0; i < c->nrequests; i++) {
        struct efg_request *q = efg_recorder_named(r, i);
        if (!q)
            continue;
        r->open_requests -= is_in_window(r, q);
        q->is_active = q->is_recorded = 0;
    }
}

/* A send that the application does not want to hear of again is as good as complete. */
static void free_part(struct efg_recorder *r, const struct efg_request *q, uint64_t leave, bool writes)
{
    if (!q->is_persistent || q->is_active)
        efg_recorder_landed(r, q, MPI_STATUS_IGNORE);
    if (is_in_window(r, q)) {
        r->open_requests--;
        if (writes && q->kind == EFG_REQUEST_SEND)
            efg_recorder_put_plain(r, EFG_REC_ISEND_COMPLETE, leave, q->number);
    }
}

void efg_recorder_free_request(struct efg_recorder *r, const struct efg_call *c, uint64_t leave, bool writes)
{
    struct efg_request *q = c->nrequests ? efg_recorder_named(r, 0) : NULL;
    if (!q)
        return;
    free_part(r, q, leave, writes);
    if (q->second)
        free_part(r, q->second, leave, writes);
    remove_request(r, q, 0);
}

void efg_recorder_cancel(struct efg_recorder *r, const struct efg_call *c)
{
    struct efg_request *q = c->nrequests ? efg_recorder_named(r, 0) : NULL;
    if (q)
        q->is_cancelled = r->is_asking = true;
}
