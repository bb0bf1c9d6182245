/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls as records: what stands between ENTER and LEAVE of each shape of call, and what the
 * call means for the requests under way.
 *
 * A call that may find nothing (a poll) is written when it has returned, all others when they
 * are entered: a process that is killed inside a call leaves its ENTER behind.
 *
 * Source of what is recorded when: the tables of Score-P's MPI adapter.
 */
#include "runtime/recorder.h"

#include "files/trim.h"

#include <stdlib.h>
#include <string.h>

#define PLENTY 16 /* records of a call, those of its requests not counted */

static int completes_requests(const struct efg_call *c)
{
    switch (c->shape) {
    case EFG_SHAPE_WAITALL:
    case EFG_SHAPE_WAITANY:
    case EFG_SHAPE_WAITSOME:
    case EFG_SHAPE_TESTALL:
    case EFG_SHAPE_TESTANY:
    case EFG_SHAPE_TESTSOME:
        return c->requests && c->nrequests > 0;
    default:
        return 0;
    }
}

/* --- scratch memory --- */

static int make_room(struct efg_recorder *r, int count)
{
    if (count <= r->handle_room)
        return 1;
    int room = count + count / 2 + 16;
    MPI_Request *handles = realloc(r->handles, (size_t)room * sizeof *handles);
    if (handles)
        r->handles = handles;
    MPI_Status *statuses = realloc(r->statuses, (size_t)room * sizeof *statuses);
    if (statuses)
        r->statuses = statuses;
    if (!handles || !statuses)
        return 0;
    r->handle_room = room;
    return 1;
}

/* Handles as they are now: the call sets those that it completes to null. */
static void save_handles(struct efg_recorder *r, struct efg_call *c)
{
    if (!make_room(r, c->nrequests))
        c->nrequests = 0;
    memcpy(r->handles, c->requests, (size_t)c->nrequests * sizeof *r->handles);
}

static int is_ignored(const MPI_Status *statuses)
{
    return statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE;
}

/* Statuses of our own where the application wants none. */
static void substitute_statuses(struct efg_recorder *r, struct efg_call *c)
{
    switch (c->shape) {
    case EFG_SHAPE_RECV:
    case EFG_SHAPE_SENDRECV:
    case EFG_SHAPE_MRECV:
    case EFG_SHAPE_FILE_DATA:
    case EFG_SHAPE_FILE_END:
        break;
    default:
        if (!completes_requests(c))
            return;
    }
    if (is_ignored(c->statuses) && make_room(r, c->nrequests > 1 ? c->nrequests : 1))
        c->statuses = r->statuses;
}

/* --- point to point --- */

static int is_recorded_comm(const struct efg_comm *comm)
{
    return comm && !comm->is_foreign;
}

/* The record of a message, if it has a partner. */
static int put_message(struct efg_recorder *r, int kind, uint64_t time, MPI_Comm handle,
                       int peer, int tag, uint64_t bytes, uint32_t request)
{
    const struct efg_comm *comm = peer >= 0 ? efg_comms_find(handle) : NULL;
    if (!is_recorded_comm(comm))
        return 0;
    efg_recorder_define_comm(r, comm);
    if (!efg_recorder_room(r, 1))
        return 0;
    efg_recorder_put(r, (struct efg_record){.time = time,
                                            .kind = (uint16_t)kind,
                                            .a = comm->id,
                                            .b = (uint32_t)peer,
                                            .c = (uint32_t)tag,
                                            .d = bytes,
                                            .e = request});
    return 1;
}

static void put_plain(struct efg_recorder *r, int kind, uint64_t time, uint64_t e)
{
    efg_recorder_put(r, (struct efg_record){.time = time, .kind = (uint16_t)kind, .e = e});
}

static uint64_t status_bytes(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static void put_receive(struct efg_recorder *r, int kind, uint64_t time, MPI_Comm comm,
                        const MPI_Status *status, uint32_t request)
{
    if (!is_ignored(status))
        put_message(r, kind, time, comm, status->MPI_SOURCE, status->MPI_TAG,
                    status_bytes(status), request);
}

/* --- requests --- */

struct efg_request *efg_recorder_started(struct efg_recorder *r, const struct efg_call *c,
                                         struct efg_request request)
{
    if (!c->requests)
        return NULL;
    request.handle = *c->requests;
    request.thread = r->thread;
    request.number = r->request;
    request.window = r->window;
    request.is_recorded = request.is_recorded && r->request;
    struct efg_request *q = efg_requests_add(&request);
    r->open_requests += q && q->is_recorded;
    return q;
}

static struct efg_request request_of(const struct efg_call *c, int kind, int writes)
{
    int receives = kind == EFG_REQUEST_RECV;
    return (struct efg_request){
        .kind = (uint8_t)kind,
        .op = c->op,
        .is_recorded = (uint8_t)writes,
        .comm_handle = c->comm,
        .peer = receives ? c->rpeer : c->peer,
        .tag = receives ? c->rtag : c->tag,
        .bytes = receives ? 0 : efg_decode_bytes(c->count, c->type),
    };
}

static void start_persistent(struct efg_recorder *r, struct efg_call *c, int writes)
{
    for (int i = 0; i < c->nrequests; i++) {
        struct efg_request *q = efg_requests_find(r->handles[i], r->thread);
        if (!q)
            continue;
        efg_requests_restart(q);
        q->is_active = 1;
        q->is_cancelled = 0;
        q->is_recorded = 0;
        if (!writes || q->peer == MPI_PROC_NULL || !efg_recorder_room(r, 2))
            continue;
        q->number = r->next_request++;
        q->window = r->window;
        if (q->kind == EFG_REQUEST_SEND)
            q->is_recorded = (uint8_t)put_message(r, EFG_REC_ISEND, c->enter, q->comm_handle,
                                                  q->peer, q->tag, q->bytes, q->number);
        r->open_requests += q->is_recorded;
    }
}

/* A receive that was started by MPI_Start is known to run when the call has returned. */
static void started_persistent(struct efg_recorder *r, const struct efg_call *c, uint64_t leave)
{
    for (int i = 0; i < c->nrequests; i++) {
        struct efg_request *q = efg_requests_find(r->handles[i], r->thread);
        if (!q || q->kind != EFG_REQUEST_RECV || q->peer == MPI_PROC_NULL ||
            !efg_recorder_room(r, 1))
            continue;
        q->is_recorded = 1;
        r->open_requests++;
        put_plain(r, EFG_REC_IRECV_REQUEST, leave, q->number);
    }
}

static void put_collective(struct efg_recorder *r, int kind, uint64_t time,
                           const struct efg_request *q)
{
    const struct efg_comm *comm = efg_comms_find(q->comm_handle);
    if (!is_recorded_comm(comm))
        return;
    efg_recorder_define_comm(r, comm);
    if (efg_recorder_room(r, 1))
        efg_recorder_put(r, (struct efg_record){.time = time,
                                                .kind = (uint16_t)kind,
                                                .call = q->op,
                                                .a = comm->id,
                                                .b = q->root,
                                                .c = q->number,
                                                .d = q->bytes,
                                                .e = q->received});
}

/* The records of the completion of Q, which was recorded when it started. */
static void put_completion(struct efg_recorder *r, const struct efg_request *q,
                           const MPI_Status *status, uint64_t time)
{
    int cancelled = 0;
    if (q->is_cancelled && !is_ignored(status))
        PMPI_Test_cancelled(status, &cancelled);
    if (cancelled) {
        put_plain(r,
                  q->kind == EFG_REQUEST_IO ? EFG_REC_IO_CANCELLED : EFG_REC_REQUEST_CANCELLED,
                  time, q->kind == EFG_REQUEST_IO ? q->match : q->number);
        return;
    }
    switch (q->kind) {
    case EFG_REQUEST_SEND:
        put_plain(r, EFG_REC_ISEND_COMPLETE, time, q->number);
        break;
    case EFG_REQUEST_RECV:
        put_receive(r, EFG_REC_IRECV, time, q->comm_handle, status, q->number);
        break;
    case EFG_REQUEST_COLLECTIVE:
    case EFG_REQUEST_IDUP:
        put_collective(r, EFG_REC_COLLECTIVE_COMPLETE, time, q);
        break;
    case EFG_REQUEST_RMA:
        efg_recorder_put(r, (struct efg_record){.time = time,
                                                .kind = EFG_REC_RMA_COMPLETE_NONBLOCKING,
                                                .a = q->object,
                                                .e = q->match});
        break;
    case EFG_REQUEST_IO:
        efg_recorder_put(
            r, (struct efg_record){.time = time,
                                   .kind = EFG_REC_IO_COMPLETE,
                                   .a = q->object,
                                   .d = is_ignored(status) ? q->bytes : status_bytes(status),
                                   .e = q->match});
        break;
    default:
        break;
    }
}

static int is_in_window(const struct efg_recorder *r, const struct efg_request *q)
{
    return q->is_recorded && q->thread == r->thread && q->window == r->window;
}

/* The request with this HANDLE is complete. WRITES: its record may be written. */
static void complete(struct efg_recorder *r, MPI_Request handle, const MPI_Status *status,
                     uint64_t time, int writes)
{
    struct efg_request *q = efg_requests_find(handle, r->thread);
    if (!q || (q->is_persistent && !q->is_active))
        return;
    if (is_in_window(r, q)) {
        r->open_requests--;
        if (writes && efg_recorder_room(r, 4))
            put_completion(r, q, status, time);
    }
    if (q->kind == EFG_REQUEST_IDUP && q->newcomm)
        efg_comms_add(*q->newcomm, q->comm_handle);
    q->is_active = q->is_recorded = 0;
    if (!q->is_persistent)
        efg_requests_remove(q);
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

static void complete_all(struct efg_recorder *r, const struct efg_call *c, uint64_t leave,
                         int writes)
{
    int count = completed(c);
    for (int i = 0; i < count; i++)
        complete(r, r->handles[position(c, i)],
                 is_ignored(c->statuses) ? c->statuses : c->statuses + i, leave, writes);
}

/* 1 if CALL completed a request that was started in the window. */
static int completes_window(const struct efg_recorder *r, const struct efg_call *c)
{
    int count = completes_requests(c) ? completed(c) : 0;
    for (int i = 0; i < count; i++) {
        const struct efg_request *q = efg_requests_find(r->handles[position(c, i)], r->thread);
        if (q && is_in_window(r, q))
            return 1;
    }
    return 0;
}

/* --- what begins at enter --- */

static int is_partial(const struct efg_call *c)
{
    /* Not all members of the parent take part. */
    return c->id == EFG_CALL_Comm_create_group;
}

static void enter_comm_free(struct efg_recorder *r, struct efg_call *c, int writes)
{
    const struct efg_comm *comm = c->newcomm ? efg_comms_find(*c->newcomm) : NULL;
    c->object = UINT32_MAX;
    if (writes && is_recorded_comm(comm)) {
        efg_recorder_define_comm(r, comm);
        c->object = comm->id;
        efg_recorder_put(
            r, (struct efg_record){.time = c->enter, .kind = EFG_REC_COLLECTIVE_BEGIN});
    }
    if (c->newcomm) /* its handle may be given to another one as soon as it is free */
        efg_comms_remove(*c->newcomm);
}

static void enter_shape(struct efg_recorder *r, struct efg_call *c, int writes)
{
    switch (c->shape) {
    case EFG_SHAPE_SEND:
    case EFG_SHAPE_SENDRECV:
        if (writes)
            put_message(r, EFG_REC_SEND, c->enter, c->comm, c->peer, c->tag,
                        efg_decode_bytes(c->count, c->type), 0);
        break;
    case EFG_SHAPE_ISEND:
        if (writes && put_message(r, EFG_REC_ISEND, c->enter, c->comm, c->peer, c->tag,
                                  efg_decode_bytes(c->count, c->type), r->next_request))
            r->request = r->next_request++;
        break;
    case EFG_SHAPE_START:
        start_persistent(r, c, writes);
        break;
    case EFG_SHAPE_COLLECTIVE:
    case EFG_SHAPE_COMM_NEW:
        if (writes && !is_partial(c) && is_recorded_comm(efg_comms_find(c->comm)))
            efg_recorder_put(
                r, (struct efg_record){.time = c->enter, .kind = EFG_REC_COLLECTIVE_BEGIN});
        break;
    case EFG_SHAPE_COMM_FREE:
        enter_comm_free(r, c, writes);
        break;
    case EFG_SHAPE_MRECV:
    case EFG_SHAPE_IMRECV:
        if (c->message) {
            uint64_t key = 0;
            memcpy(&key, c->message, sizeof *c->message);
            uint64_t *comm = efg_map_find(&r->messages, key);
            if (comm)
                memcpy(&c->comm, comm, sizeof c->comm);
            efg_map_remove(&r->messages, key);
        }
        break;
    default:
        efg_rma_enter(r, c, writes);
        efg_io_enter(r, c, writes);
    }
}

void efg_recorder_enter(struct efg_recorder *r, struct efg_call *c)
{
    c->recording = 0;
    r->request = 0;
    if (c->requests && c->nrequests > 0 &&
        (completes_requests(c) || c->shape == EFG_SHAPE_START || c->shape == EFG_SHAPE_CANCEL ||
         c->shape == EFG_SHAPE_REQUEST_FREE))
        save_handles(r, c);
    if (r->is_on && !efg_decode_is_poll(c))
        c->recording = (uint8_t)efg_recorder_visit(
            r, c, PLENTY + 2 * (size_t)(c->nrequests > 0 ? c->nrequests : 0));
    if (r->is_on || r->is_draining)
        substitute_statuses(r, c);
    enter_shape(r, c, c->recording);
    if (c->recording)
        efg_log_commit(&r->log);
}

/* --- a call taken back --- */

int efg_recorder_starts(const struct efg_call *c)
{
    return c->shape == EFG_SHAPE_SEND || c->shape == EFG_SHAPE_ISEND ||
           c->shape == EFG_SHAPE_IRECV || c->shape == EFG_SHAPE_START;
}

/* Of what enter_shape does for these calls, only Start has changed more than the log. */
static void take_back_start(struct efg_recorder *r, const struct efg_call *c)
{
    for (int i = 0; i < c->nrequests; i++) {
        struct efg_request *q = efg_requests_find(r->handles[i], r->thread);
        if (!q)
            continue;
        r->open_requests -= is_in_window(r, q);
        q->is_active = q->is_recorded = 0;
    }
}

void efg_recorder_take_back(struct efg_recorder *r, struct efg_call *c)
{
    if (c->shape == EFG_SHAPE_START)
        take_back_start(r, c);
    if (!c->recording || !r->is_on)
        return;
    size_t count = (size_t)(r->log.next - r->visit);
    r->log.next = r->visit + efg_trim(r->visit, count, UINT64_MAX, 0);
    r->calls--;
    r->request = 0;
    c->recording = 0;
    efg_log_commit(&r->log);
}

void efg_recorder_enter_again(struct efg_recorder *r, struct efg_call *c)
{
    if (r->is_on)
        c->recording = (uint8_t)efg_recorder_visit(
            r, c, PLENTY + 2 * (size_t)(c->nrequests > 0 ? c->nrequests : 0));
    if (r->is_on || c->shape == EFG_SHAPE_START)
        enter_shape(r, c, c->recording);
}

/* --- what ends at leave --- */

static void leave_receive(struct efg_recorder *r, const struct efg_call *c, uint64_t leave,
                          int writes)
{
    if (writes && c->comm)
        put_receive(r, EFG_REC_RECV, leave, c->comm, c->statuses, 0);
}

static void leave_irecv(struct efg_recorder *r, const struct efg_call *c, uint64_t leave,
                        int writes)
{
    int recorded = writes && c->rpeer != MPI_PROC_NULL && c->comm &&
                   is_recorded_comm(efg_comms_find(c->comm));
    if (recorded) {
        r->request = r->next_request++;
        put_plain(r, EFG_REC_IRECV_REQUEST, leave, r->request);
    }
    efg_recorder_started(r, c, request_of(c, EFG_REQUEST_RECV, recorded));
}

static void leave_persistent_init(struct efg_recorder *r, const struct efg_call *c, int kind)
{
    struct efg_request q = request_of(c, kind, 0);
    q.is_persistent = 1;
    efg_recorder_started(r, c, q);
}

static void leave_icollective(struct efg_recorder *r, const struct efg_call *c,
                              const struct efg_facts *f, uint64_t leave, int writes)
{
    int is_idup = c->shape == EFG_SHAPE_COMM_IDUP;
    struct efg_request q = request_of(c, is_idup ? EFG_REQUEST_IDUP : EFG_REQUEST_COLLECTIVE,
                                      writes && is_recorded_comm(f->comm));
    q.bytes = f->sent;
    q.received = f->received;
    q.root = efg_decode_root(c, f->comm);
    q.newcomm = c->newcomm;
    if (q.is_recorded) {
        efg_recorder_define_comm(r, f->comm);
        r->request = r->next_request++;
        put_plain(r, EFG_REC_COLLECTIVE_REQUEST, leave, r->request);
    }
    efg_recorder_started(r, c, q);
}

static void put_collective_end(struct efg_recorder *r, const struct efg_call *c,
                               const struct efg_facts *f, uint64_t leave)
{
    if (!is_recorded_comm(f->comm) || is_partial(c))
        return;
    efg_recorder_define_comm(r, f->comm);
    efg_recorder_put(r, (struct efg_record){.time = leave,
                                            .kind = EFG_REC_COLLECTIVE_END,
                                            .call = c->op,
                                            .a = f->comm->id,
                                            .b = efg_decode_root(c, f->comm),
                                            .d = f->sent,
                                            .e = f->received});
}

static void remember_message(struct efg_recorder *r, const struct efg_call *c)
{
    uint64_t key = 0;
    if (!c->message || *c->message == MPI_MESSAGE_NULL || *c->message == MPI_MESSAGE_NO_PROC)
        return;
    memcpy(&key, c->message, sizeof *c->message);
    uint64_t *comm = efg_map_put(&r->messages, key);
    if (comm) {
        *comm = 0;
        memcpy(comm, &c->comm, sizeof c->comm);
    }
}

/* A send that the application does not want to hear of again is as good as complete. */
static void free_request(struct efg_recorder *r, const struct efg_call *c, uint64_t leave,
                         int writes)
{
    struct efg_request *q = c->nrequests ? efg_requests_find(r->handles[0], r->thread) : NULL;
    if (!q)
        return;
    if (is_in_window(r, q)) {
        r->open_requests--;
        if (writes && q->kind == EFG_REQUEST_SEND)
            put_plain(r, EFG_REC_ISEND_COMPLETE, leave, q->number);
    }
    efg_requests_remove(q);
}

static void leave_shape(struct efg_recorder *r, struct efg_call *c, const struct efg_facts *f,
                        uint64_t leave, int writes)
{
    switch (c->shape) {
    case EFG_SHAPE_RECV:
    case EFG_SHAPE_SENDRECV:
    case EFG_SHAPE_MRECV:
        leave_receive(r, c, leave, writes);
        break;
    case EFG_SHAPE_ISEND:
        efg_recorder_started(r, c, request_of(c, EFG_REQUEST_SEND, writes));
        break;
    case EFG_SHAPE_IRECV:
    case EFG_SHAPE_IMRECV:
        leave_irecv(r, c, leave, writes);
        break;
    case EFG_SHAPE_SEND_INIT:
        leave_persistent_init(r, c, EFG_REQUEST_SEND);
        break;
    case EFG_SHAPE_RECV_INIT:
        leave_persistent_init(r, c, EFG_REQUEST_RECV);
        break;
    case EFG_SHAPE_COLLECTIVE_INIT:
        leave_persistent_init(r, c, EFG_REQUEST_OTHER);
        break;
    case EFG_SHAPE_START:
        if (writes)
            started_persistent(r, c, leave);
        break;
    case EFG_SHAPE_WAITALL:
    case EFG_SHAPE_WAITANY:
    case EFG_SHAPE_WAITSOME:
    case EFG_SHAPE_TESTALL:
    case EFG_SHAPE_TESTANY:
    case EFG_SHAPE_TESTSOME:
        if (completes_requests(c))
            complete_all(r, c, leave, writes);
        break;
    case EFG_SHAPE_CANCEL: {
        struct efg_request *q =
            c->nrequests ? efg_requests_find(r->handles[0], r->thread) : NULL;
        if (q)
            q->is_cancelled = 1;
        break;
    }
    case EFG_SHAPE_REQUEST_FREE:
        free_request(r, c, leave, writes);
        break;
    case EFG_SHAPE_MPROBE:
        remember_message(r, c);
        break;
    case EFG_SHAPE_IMPROBE:
        if (!f->is_poll)
            remember_message(r, c);
        break;
    case EFG_SHAPE_COLLECTIVE:
        if (writes)
            put_collective_end(r, c, f, leave);
        break;
    case EFG_SHAPE_ICOLLECTIVE:
    case EFG_SHAPE_COMM_IDUP:
        leave_icollective(r, c, f, leave, writes);
        break;
    case EFG_SHAPE_COMM_NEW:
        if (writes)
            put_collective_end(r, c, f, leave);
        efg_comms_add(*c->newcomm, c->comm);
        break;
    case EFG_SHAPE_COMM_FREE:
        if (writes && c->object != UINT32_MAX)
            efg_recorder_put(r, (struct efg_record){.time = leave,
                                                    .kind = EFG_REC_COLLECTIVE_END,
                                                    .call = EFG_COLL_DESTROY_HANDLE,
                                                    .a = c->object,
                                                    .b = EFG_ROOT_NONE});
        break;
    default:
        efg_rma_leave(r, c, leave, writes);
        efg_io_leave(r, c, leave, writes);
    }
}

/* Whether a call that was not written at enter is to be written after all. */
static int is_worth_it(struct efg_recorder *r, const struct efg_call *c,
                       const struct efg_facts *f, uint64_t leave)
{
    if (r->is_on && f->is_poll) {
        efg_recorder_spin(r, c, leave);
        return 0;
    }
    return (r->is_on && efg_decode_is_poll(c)) || (r->is_draining && completes_window(r, c));
}

void efg_recorder_leave(struct efg_recorder *r, struct efg_call *c, const struct efg_facts *f,
                        uint64_t leave, int result)
{
    int writes = c->recording;

    if (result == MPI_SUCCESS && !writes && is_worth_it(r, c, f, leave))
        writes = efg_recorder_visit(r, c,
                                    PLENTY + 2 * (size_t)(c->nrequests > 0 ? c->nrequests : 0));
    if (result == MPI_SUCCESS)
        leave_shape(r, c, f, leave, writes);
    if (writes && efg_recorder_room(r, 4)) {
        efg_recorder_put(
            r, (struct efg_record){.time = leave, .kind = EFG_REC_LEAVE, .call = c->id});
        efg_log_commit(&r->log);
    }
    efg_recorder_drained(r, leave);
}
