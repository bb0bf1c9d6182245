/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is under way, and what was sent, all the time, recording or not: a message is added when
 * the call that sends it has returned, and taken away when the one that completes its receive
 * has. What is recorded of a call is recorded after the window began, and counted after that,
 * too, so each end of a message is either in the window or in what was counted before.
 *
 * A receive that says from whom and with which tag is known when it is posted, others
 * only by their statuses: from the first one of these on, the recorder asks for statuses
 * all the time. Not followed are receives from anybody whose request is freed: what is under
 * way is not known then, and nothing is proven by it (files/match/channels.h).
 */
#include "recorder.h"

#include "base/hot.h"
#include "worlds.h"

/* Of another job, or not known for want of memory. */
static inline bool is_foreign(const struct efg_comm *comm)
{
    return !comm || comm->is_foreign;
}

/* Not followed at the other end. */
static inline bool is_lost(const struct efg_comm *comm, uint32_t partner)
{
    return comm->is_partial && !efg_comms_is_here(partner);
}

/* 0: no message of this job, or of a rank that is not here. */
static inline uint64_t channel_from(const struct efg_comm *comm, int peer, int tag)
{
    if (peer < 0 || is_foreign(comm))
        return 0;
    uint32_t partner = efg_comms_world_rank(comm, peer);
    return is_lost(comm, partner)
               ? 0
               : efg_flight_channel(comm->identity, partner, comm->world_rank, (uint32_t)tag);
}

static inline uint64_t channel_to(const struct efg_comm *comm, uint32_t partner, int tag)
{
    if (is_lost(comm, partner))
        return 0;
    return efg_flight_channel(comm->identity, comm->world_rank, partner, (uint32_t)tag);
}

static bool is_any(int peer, int tag)
{
    return peer == MPI_ANY_SOURCE || (tag == MPI_ANY_TAG && peer != MPI_PROC_NULL);
}

static inline void add(struct efg_recorder *r, uint64_t channel, int count)
{
    if (channel)
        efg_flight_add(&r->flight, channel, count);
}

/* Q was sent COUNT times. */
static inline void add_send(struct efg_recorder *r, const struct efg_request *q, int count)
{
    add(r, q->channel, count);
    if (!q->channel)
        efg_worlds_add(q->comm, EFG_WAY_THERE, q->peer, q->tag, count);
}

/* A message from PEER, a rank of COMM, was received; on CHANNEL, if it is of this world. */
static inline void add_receive(struct efg_recorder *r, uint64_t channel, const struct efg_comm *comm,
                               int peer, int tag)
{
    add(r, channel, -1);
    if (!channel)
        efg_worlds_add(comm, EFG_WAY_BACK, peer, tag, 1);
}

/* --- calls --- */

#define SENDING (EFG_SHAPE_SET(SEND) | EFG_SHAPE_SET(SENDRECV))
#define RECEIVING (EFG_SHAPE_SET(RECV) | EFG_SHAPE_SET(SENDRECV) | EFG_SHAPE_SET(MRECV))

static __attribute__((noinline, cold)) void send_abroad(struct efg_recorder *r, const struct efg_call *c,
                                                        const struct efg_comm *comm, uint64_t bytes)
{
    efg_worlds_add(comm, EFG_WAY_THERE, c->peer, c->tag, 1);
    efg_traffic_add(r->traffic, EFG_TRAFFIC_OTHERS, bytes);
}

static void send(struct efg_recorder *r, const struct efg_call *c, const struct efg_comm *comm,
                 uint64_t bytes)
{
    if (c->peer < 0)
        return;
    if (is_foreign(comm)) {
        send_abroad(r, c, comm, bytes);
        return;
    }
    uint32_t partner = efg_comms_world_rank(comm, c->peer);
    add(r, channel_to(comm, partner, c->tag), 1);
    efg_traffic_add(r->traffic, partner, bytes);
}

/* MPI_Mrecv has a status only: what it receives, a probe has found. */
static void receive(struct efg_recorder *r, const struct efg_call *c, const struct efg_comm *comm)
{
    int peer = c->rpeer, tag = c->rtag;
    if (c->shape == EFG_SHAPE_MRECV || is_any(peer, tag)) {
        if (!comm || efg_recorder_is_ignored(c->statuses))
            return;
        peer = c->statuses->MPI_SOURCE;
        tag = c->statuses->MPI_TAG;
    }
    if (is_foreign(comm))
        efg_worlds_add(comm, EFG_WAY_BACK, peer, tag, 1);
    else
        add(r, channel_from(comm, peer, tag), -1);
}

void efg_recorder_count_collective(struct efg_recorder *r, uint64_t bytes)
{
    efg_traffic_add(r->traffic, EFG_TRAFFIC_COLLECTIVE, bytes);
}

static __attribute__((noinline)) void start(struct efg_recorder *r, const struct efg_call *c)
{
    for (int i = 0; i < c->nrequests; i++) {
        const struct efg_request *q = efg_recorder_named(r, i);
        if (q && q->kind == EFG_REQUEST_SEND && q->peer >= 0) {
            add_send(r, q, 1);
            efg_traffic_add(r->traffic, q->partner, q->bytes);
        } else if (q && q->kind == EFG_REQUEST_OTHER) {
            efg_recorder_count_collective(r, q->bytes + q->received);
        }
    }
}

static __attribute__((noinline)) void collective(struct efg_recorder *r, const struct efg_call *c,
                                                 const struct efg_comm *comm, uint64_t bytes)
{
    efg_recorder_count_collective(r, bytes);
    if (is_foreign(comm) || comm->kind == EFG_COMM_INTER || comm->size < 2)
        return;
    int tag = (int)(EFG_FLIGHT_COLLECTIVE | c->op);
    uint32_t next = efg_comms_world_rank(comm, (comm->rank + 1) % comm->size);
    add(r, channel_to(comm, next, tag), 1);
    add(r, channel_from(comm, (comm->rank + comm->size - 1) % comm->size, tag), -1);
}

static __attribute__((noinline)) void follow_other(struct efg_recorder *r, const struct efg_call *c,
                                                   const struct efg_comm *comm, uint64_t sent,
                                                   uint64_t received)
{
    if (efg_shape_is_in(c, RECEIVING))
        receive(r, c, comm);
    if (efg_shape_is_in(c, SENDING))
        send(r, c, comm, sent);
    else if (c->shape == EFG_SHAPE_START)
        start(r, c);
    else if (c->shape == EFG_SHAPE_COLLECTIVE)
        collective(r, c, comm, sent + received);
}

/* Messages to and from ranks that are named, with tags, on a communicator whose members are all followed:
 * nearly all messages. What has another meaning is negative in each MPI; what C does not have is 0. */
static inline bool is_ordinary(const struct efg_call *c, const struct efg_comm *comm)
{
    return efg_shape_is_in(c, SENDING | EFG_SHAPE_SET(RECV)) &&
           (c->peer | c->tag | c->rpeer | c->rtag) >= 0 && comm && !comm->is_foreign && !comm->is_partial;
}

/* The same as follow_other, for nearly all calls: so short that it keeps no registers. */
EFG_HOT void efg_recorder_follow(struct efg_recorder *r, const struct efg_call *c,
                                 const struct efg_comm *comm, uint64_t sent, uint64_t received)
{
    if (__builtin_expect(!is_ordinary(c, comm), 0)) {
        follow_other(r, c, comm, sent, received);
        return;
    }
    if (efg_shape_is_in(c, RECEIVING)) {
        uint32_t partner = efg_comms_world_rank(comm, c->rpeer);
        uint64_t channel = efg_flight_channel(comm->identity, partner, comm->world_rank, (uint32_t)c->rtag);
        efg_flight_add(&r->flight, channel, -1);
    }
    if (efg_shape_is_in(c, SENDING)) {
        uint32_t partner = efg_comms_world_rank(comm, c->peer);
        uint64_t channel = efg_flight_channel(comm->identity, comm->world_rank, partner, (uint32_t)c->tag);
        efg_flight_add(&r->flight, channel, 1);
        efg_traffic_add(r->traffic, partner, sent);
    }
}

/* --- requests --- */

EFG_HOT void efg_recorder_follow_request(struct efg_recorder *r, const struct efg_call *c,
                                         struct efg_request *q)
{
    if (q->kind == EFG_REQUEST_SEND) {
        if (q->peer < 0)
            return;
        q->partner = EFG_TRAFFIC_OTHERS;
        if (!is_foreign(q->comm)) {
            q->partner = efg_comms_world_rank(q->comm, q->peer);
            q->channel = channel_to(q->comm, q->partner, q->tag);
        }
        if (c->shape == EFG_SHAPE_SEND_INIT)
            return;
        add_send(r, q, 1);
        efg_traffic_add(r->traffic, q->partner, q->bytes);
        return;
    }
    if (q->kind != EFG_REQUEST_RECV)
        return;
    if (c->shape == EFG_SHAPE_IMRECV)
        q->peer = MPI_ANY_SOURCE;
    q->is_any = (uint8_t)is_any(q->peer, q->tag);
    r->is_asking |= q->is_any;
    if (!q->is_any)
        q->channel = channel_from(q->comm, q->peer, q->tag);
}

static bool was_cancelled(const struct efg_request *q, const MPI_Status *status)
{
    int cancelled = 0;
    if (q->is_cancelled && !efg_recorder_is_ignored(status))
        PMPI_Test_cancelled(status, &cancelled);
    return cancelled;
}

EFG_HOT void efg_recorder_landed(struct efg_recorder *r, const struct efg_request *q,
                                 const MPI_Status *status)
{
    bool is_cancelled = was_cancelled(q, status);
    if (q->kind == EFG_REQUEST_SEND && is_cancelled)
        add_send(r, q, -1);
    if (q->kind != EFG_REQUEST_RECV || is_cancelled)
        return;
    if (!q->is_any)
        add_receive(r, q->channel, q->comm, q->peer, q->tag);
    else if (!efg_recorder_is_ignored(status))
        add_receive(r, channel_from(q->comm, status->MPI_SOURCE, status->MPI_TAG), q->comm,
                    status->MPI_SOURCE, status->MPI_TAG);
}
