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
#include "recorder.h"

#include <string.h>

#include "base/hot.h"
#include "files/log/trim.h"
#include "spawn.h"

/* --- what begins at enter ---
 *
 * MPI has not yet said whether the program is right: handles may be of what is freed, or of
 * nothing. So only what is known of them already is used.
 */

static bool is_partial(const struct efg_call *c)
{
    /* Not all members of the parent take part. */
    return c->id == EFG_CALL_Comm_create_group;
}

static void enter_comm_free(struct efg_recorder *r, struct efg_call *c, bool writes)
{
    const struct efg_comm *comm = c->newcomm ? efg_comms_known(*c->newcomm) : NULL;
    c->object = UINT32_MAX;
    if (writes && efg_recorder_names_comm(r, comm)) {
        c->object = comm->id;
        efg_recorder_put(r, (struct efg_record){.time = c->enter, .kind = EFG_REC_COLLECTIVE_BEGIN});
    }
    if (c->newcomm) /* its handle may be given to another one as soon as it is free */
        efg_comms_remove(*c->newcomm);
}

/* The communicator that MESSAGE was found on, or none: another thread may have found it, and
 * the communicator may be freed already. */
static MPI_Comm forget_message(struct efg_recorder *r, MPI_Message message)
{
    MPI_Comm handle = 0;
    uint64_t key = 0;
    memcpy(&key, &message, sizeof message);
    const uint64_t *comm = efg_map_find(&r->messages, key);
    if (!comm)
        return 0;
    memcpy(&handle, comm, sizeof handle);
    efg_map_remove(&r->messages, key);
    return efg_comms_known(handle) ? handle : 0;
}

static uint64_t sent_by(const struct efg_call *c, const struct efg_facts *known)
{
    return known ? known->sent : efg_decode_bytes(c->count, c->type);
}

static const struct efg_comm *comm_of(const struct efg_call *c, const struct efg_facts *known)
{
    return known ? known->comm : efg_comms_known(c->comm);
}

static void enter_shape(struct efg_recorder *r, struct efg_call *c, const struct efg_facts *known,
                        bool writes)
{
    switch (c->shape) {
    case EFG_SHAPE_SEND:
    case EFG_SHAPE_SENDRECV:
        if (writes)
            efg_recorder_put_message(r, EFG_REC_SEND, c->enter, comm_of(c, known), c->is_defined, c->peer,
                                     c->tag, sent_by(c, known), 0);
        break;
    case EFG_SHAPE_ISEND:
    case EFG_SHAPE_ISENDRECV:
        if (writes && efg_recorder_put_message(r, EFG_REC_ISEND, c->enter, comm_of(c, known), c->is_defined,
                                               c->peer, c->tag, sent_by(c, known), r->next_request))
            r->request = r->next_request++;
        break;
    case EFG_SHAPE_START:
        efg_recorder_start_persistent(r, c, writes);
        break;
    case EFG_SHAPE_COLLECTIVE:
    case EFG_SHAPE_COMM_NEW:
        r->has_begun = writes && !is_partial(c) && efg_recorder_has_comm(comm_of(c, known));
        if (r->has_begun)
            efg_recorder_put(r, (struct efg_record){.time = c->enter, .kind = EFG_REC_COLLECTIVE_BEGIN});
        break;
    case EFG_SHAPE_COMM_FREE:
        enter_comm_free(r, c, writes);
        break;
    case EFG_SHAPE_COMM_JOIN:
        efg_spawn_enter(c);
        break;
    case EFG_SHAPE_MRECV:
    case EFG_SHAPE_IMRECV:
        if (c->message)
            c->comm = forget_message(r, *c->message);
        break;
    default:
        if (c->shape < EFG_SHAPE_WIN_NEW)
            return;
        efg_rma_enter(r, c, writes);
        efg_io_enter(r, c, writes);
    }
}

EFG_HOT void efg_recorder_enter(struct efg_recorder *r, struct efg_call *c, const struct efg_facts *known)
{
    bool wants_statuses = r->is_on || r->is_draining || r->is_asking;
    if (efg_shape_is_in(c, EFG_SHAPES_NAMING))
        efg_recorder_save_requests(r, c);
    if (efg_shape_is_in(c, wants_statuses ? EFG_SHAPES_TELLING : EFG_SHAPES_TELLING_ALONE))
        efg_recorder_substitute_statuses(r, c);
    if (r->is_on || !efg_shape_is_in(c, EFG_SHAPES_COMPLETING)) {
        efg_recorder_enter_again(r, c, known);
        return;
    }
    c->recording = false; /* and nothing begins with such a call */
    r->request = 0;
}

EFG_HOT void efg_recorder_enter_again(struct efg_recorder *r, struct efg_call *c,
                                      const struct efg_facts *known)
{
    c->recording = false;
    r->request = 0;
    if (r->is_on && !efg_decode_is_poll(c))
        c->recording = efg_recorder_visit(r, c);
    enter_shape(r, c, known, c->recording);
    if (c->recording)
        efg_log_commit(&r->log);
}

/* --- a call taken back --- */

void efg_recorder_take_back(struct efg_recorder *r, struct efg_call *c)
{
    if (c->shape == EFG_SHAPE_START)
        efg_recorder_take_back_start(r, c);
    if (!c->recording || !r->is_on)
        return;
    efg_trim_rest(&r->log, r->visit);
    if (r->first_enter == c->enter) /* what it has taken along, the next one does */
        r->first_enter = r->open_requests = 0;
    r->calls--;
    r->request = 0;
    c->recording = false;
    efg_log_commit(&r->log);
}

/* --- what ends at leave --- */

static struct efg_request *leave_irecv(struct efg_recorder *r, const struct efg_call *c, uint64_t leave,
                                       bool writes)
{
    bool recorded =
        writes && c->rpeer != MPI_PROC_NULL && c->comm && efg_recorder_has_comm(efg_comms_find(c->comm));
    if (recorded) {
        r->request = r->next_request++;
        efg_recorder_put_plain(r, EFG_REC_IRECV_REQUEST, leave, r->request);
    }
    struct efg_request *q = efg_recorder_started(r, c, EFG_REQUEST_RECV, recorded);
    if (q)
        efg_recorder_follow_request(r, c, q);
    return q;
}

static struct efg_request *leave_isend(struct efg_recorder *r, const struct efg_call *c,
                                       const struct efg_facts *f, bool writes)
{
    struct efg_request *q = efg_recorder_started(r, c, EFG_REQUEST_SEND, writes);
    if (!q)
        return NULL;
    q->bytes = f->sent;
    efg_recorder_follow_request(r, c, q);
    return q;
}

/* One request for the application, and two here. */
static void leave_isendrecv(struct efg_recorder *r, const struct efg_call *c, const struct efg_facts *f,
                            uint64_t leave, bool writes)
{
    struct efg_request *sent = leave_isend(r, c, f, writes);
    struct efg_request *received = leave_irecv(r, c, leave, writes);
    if (!sent || !received)
        return;
    sent->second = received;
    efg_requests_set_second(received);
    received->bytes = f->received;
}

static void leave_persistent_init(struct efg_recorder *r, const struct efg_call *c, const struct efg_facts *f,
                                  int kind)
{
    struct efg_request *q = efg_recorder_started(r, c, kind, 0);
    if (!q)
        return;
    q->is_persistent = 1;
    q->bytes = f->sent;
    q->received = f->received;
    efg_recorder_follow_request(r, c, q);
}

static void leave_icollective(struct efg_recorder *r, const struct efg_call *c, const struct efg_facts *f,
                              uint64_t leave, bool writes)
{
    bool is_idup = c->shape == EFG_SHAPE_COMM_IDUP;
    bool recorded = writes && efg_recorder_names_comm(r, f->comm);
    if (!is_idup)
        efg_recorder_count_collective(r, f->sent + f->received);
    if (recorded) {
        r->request = r->next_request++;
        efg_recorder_put_plain(r, EFG_REC_COLLECTIVE_REQUEST, leave, r->request);
    }
    struct efg_request *q =
        efg_recorder_started(r, c, is_idup ? EFG_REQUEST_IDUP : EFG_REQUEST_COLLECTIVE, recorded);
    if (!q)
        return;
    q->bytes = f->sent;
    q->received = f->received;
    q->root = efg_decode_root(c, f->comm);
    q->newcomm = c->newcomm;
    if (is_idup)
        efg_comms_expect(1);
}

static void put_collective_end(struct efg_recorder *r, const struct efg_call *c, const struct efg_facts *f,
                               uint64_t leave)
{
    if (!r->has_begun || !(c->is_defined || efg_recorder_names_comm(r, f->comm)))
        return;
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

static void leave_comm_free(struct efg_recorder *r, const struct efg_call *c, uint64_t leave, bool writes)
{
    if (writes && c->object != UINT32_MAX)
        efg_recorder_put(r, (struct efg_record){.time = leave,
                                                .kind = EFG_REC_COLLECTIVE_END,
                                                .call = EFG_COLL_DESTROY_HANDLE,
                                                .a = c->object,
                                                .b = EFG_ROOT_NONE});
}

static void leave_shape(struct efg_recorder *r, struct efg_call *c, const struct efg_facts *f, uint64_t leave,
                        bool writes)
{
    switch (c->shape) {
    case EFG_SHAPE_RECV:
    case EFG_SHAPE_SENDRECV:
    case EFG_SHAPE_MRECV:
        if (writes)
            efg_recorder_put_receive(r, EFG_REC_RECV, leave, f->comm, c->is_defined, c->statuses, 0);
        break;
    case EFG_SHAPE_ISEND:
        leave_isend(r, c, f, writes);
        break;
    case EFG_SHAPE_ISENDRECV:
        leave_isendrecv(r, c, f, leave, writes);
        break;
    case EFG_SHAPE_IRECV:
    case EFG_SHAPE_IMRECV:
        leave_irecv(r, c, leave, writes);
        break;
    case EFG_SHAPE_SEND_INIT:
        leave_persistent_init(r, c, f, EFG_REQUEST_SEND);
        break;
    case EFG_SHAPE_RECV_INIT:
        leave_persistent_init(r, c, f, EFG_REQUEST_RECV);
        break;
    case EFG_SHAPE_COLLECTIVE_INIT:
        leave_persistent_init(r, c, f, EFG_REQUEST_OTHER);
        break;
    case EFG_SHAPE_START:
        if (writes)
            efg_recorder_started_persistent(r, c, leave);
        break;
    case EFG_SHAPE_WAITALL:
    case EFG_SHAPE_WAITANY:
    case EFG_SHAPE_WAITSOME:
    case EFG_SHAPE_TESTALL:
    case EFG_SHAPE_TESTANY:
    case EFG_SHAPE_TESTSOME:
        efg_recorder_complete(r, c, leave, writes);
        break;
    case EFG_SHAPE_CANCEL:
        efg_recorder_cancel(r, c);
        break;
    case EFG_SHAPE_REQUEST_FREE:
        efg_recorder_free_request(r, c, leave, writes);
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
        efg_comms_add(*c->newcomm, efg_comms_find(c->comm));
        break;
    case EFG_SHAPE_COMM_JOIN:
        efg_spawn_leave(c);
        break;
    case EFG_SHAPE_COMM_FREE:
        leave_comm_free(r, c, leave, writes);
        break;
    default:
        if (c->shape < EFG_SHAPE_WIN_NEW)
            return;
        efg_rma_leave(r, c, leave, writes);
        efg_io_leave(r, c, leave, writes);
    }
}

/* Whether a call that was not written at enter is to be written after all. */
static bool is_worth_it(struct efg_recorder *r, const struct efg_call *c, const struct efg_facts *f,
                        uint64_t leave)
{
    if ((r->is_on || r->is_draining) && efg_requests_has_news(&r->table))
        return true;
    if (r->is_on && f->is_poll) {
        efg_recorder_spin(r, c, leave);
        return false;
    }
    return (r->is_on && efg_decode_is_poll(c)) || (r->is_draining && efg_recorder_completes_window(r, c));
}

EFG_HOT void efg_recorder_leave(struct efg_recorder *r, struct efg_call *c, const struct efg_facts *f,
                                uint64_t leave, int result)
{
    bool writes = c->recording;

    if (result == MPI_SUCCESS && !writes && is_worth_it(r, c, f, leave))
        writes = efg_recorder_visit_late(r, c);
    if (result == MPI_SUCCESS)
        leave_shape(r, c, f, leave, writes);
    efg_recorder_release_requests(r);
    if (efg_requests_has_news(&r->table))
        efg_recorder_take_news(r, leave, writes);
    if (writes && efg_recorder_room(r, 4)) {
        efg_recorder_put(r, (struct efg_record){.time = leave, .kind = EFG_REC_LEAVE, .call = c->id});
        efg_log_commit(&r->log);
    }
    if (r->is_draining && r->open_requests == 0)
        efg_recorder_drained(r, leave);
}
