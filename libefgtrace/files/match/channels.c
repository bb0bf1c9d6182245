/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels from logs. One pass over the records of a log; a request that is under way
 * has a slot, which is free again when it is complete.
 *
 * Invariant: the kept ends of a channel are the first ones in the order of posting, which
 * is the order in which MPI matches them. A receive is known by its channel only when it is
 * complete, and then finds its place among those before it.
 *
 * A collective is as many messages as its meaning promises: nobody leaves a barrier, or has
 * what it takes a part from all members to know, before the last one has entered; what a root
 * gives nobody has before the root has entered, and the root has nothing before all that give
 * have. Each such pair of members has a channel. Where members give different amounts
 * (Alltoallv and its like) or none, nothing is promised.
 */
#include "channels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/none.h"
#include "files/log/clock.h"

#define ALL_PAIRS 64 /* members of a communicator whose collectives are seen in all pairs */

enum open_kind { FREE, SEND, RECEIVE, COLLECTIVE };

struct slot { /* a request under way */
    enum open_kind kind;
    bool is_inside;
    uint32_t channel; /* of a send */
    uint64_t posted, order;
    uint64_t next; /* free ones: the next + 1 */
};

struct comm {
    uint64_t identity;
    uint32_t kind;
    const struct efg_members *members;
};

struct recent { /* the channel of the last message */
    const struct comm *comm;
    uint32_t partner, tag, windows;
    uint32_t number; /* its place + 1; 0: there was none */
};

struct pass { /* over a log */
    struct efg_channels *c;
    const struct efg_log_header *log;
    struct efg_log_reader reader;
    struct efg_log_clock clock;
    struct efg_map comms, requests; /* id -> place + 1 in the arrays below */
    struct efg_map classes;         /* id of a call -> enum efg_class */
    struct comm *comm;
    struct slot *slot;
    uint64_t comm_count, slot_count, unused; /* unused: the first free slot + 1 */
    struct recent sent, received;
    uint64_t ticks, now; /* of the present record; ns */
    uint64_t enter;      /* ticks, of the present call */
    uint64_t entered;    /* ns, the present collective */
    uint16_t call;
    uint32_t windows;
    uint64_t inside_from;     /* ticks: when the present window begins, without its margin */
    bool is_inside, is_front; /* the present call; neither: it is behind the window */
};

/* Make room for one more thing of SIZE in *THINGS, of which there are COUNT. Returns 0 or
 * -ENOMEM. */
static int grow(struct efg_channels *c, void *things, uint64_t count, size_t size)
{
    c->failed |= efg_array_grow(things, count, 1, size) != 0;
    return c->failed ? -ENOMEM : 0;
}

/* --- channels --- */

static uint64_t hash_of(const struct efg_channel_key *key)
{
    return efg_hash_bytes(0, key, sizeof *key);
}

/* Two keys with one hash of 64 bits would share a channel: the counts would suffer, no more. */
struct efg_channel *efg_channels_find(struct efg_channels *c, const struct efg_channel_key *key)
{
    uint64_t *number = c->failed ? NULL : efg_map_put(&c->index, hash_of(key));
    if (!number) {
        c->failed = true;
        return NULL;
    }
    if (!*number) {
        if (grow(c, &c->channels, c->count, sizeof *c->channels))
            return NULL;
        c->channels[c->count] = (struct efg_channel){.key = *key};
        *number = ++c->count;
    }
    return &c->channels[*number - 1];
}

int efg_channel_ends_grow(struct efg_channel_ends *ends, uint32_t more)
{
    if (more <= ends->most - ends->kept)
        return 0;
    if (more > UINT32_MAX - ends->kept ||
        efg_array_grow(&ends->all, ends->most, ends->kept + more - ends->most, sizeof *ends->all))
        return -ENOMEM;
    ends->most = ends->kept + more;
    return 0;
}

static bool is_later(const struct efg_transfer *a, const struct efg_transfer *b)
{
    return a->posted != b->posted ? a->posted > b->posted : a->order > b->order;
}

/* Into its place. */
static void keep(struct efg_channels *c, struct efg_channel_ends *ends, const struct efg_transfer *t)
{
    c->failed |= efg_channel_ends_grow(ends, 1) != 0;
    if (c->failed)
        return;
    uint32_t i = ends->kept++;
    for (; i > 0 && is_later(&ends->all[i - 1], t); i--)
        ends->all[i] = ends->all[i - 1];
    ends->all[i] = *t;
}

static void add_end(const struct pass *p, struct efg_channel_ends *ends, const struct efg_transfer *t)
{
    if (!ends->count++)
        ends->clock = p->log->sync[0];
    if (!p->c->is_full) /* then there is nothing before the window, and too much in it */
        keep(p->c, ends, t);
}

/* --- communicators --- */

static bool members_fit(const struct efg_record *r, const struct efg_members *m)
{
    return m && r->d >= sizeof *m && m->local &&
           (r->d - sizeof *m) / sizeof *m->rank >= (uint64_t)m->local + m->remote;
}

static void define_comm(struct pass *p, const struct efg_record *r, const void *payload)
{
    bool is_fixed = r->b == EFG_COMM_WORLD || r->b == EFG_COMM_SELF;
    if (!is_fixed && !members_fit(r, payload))
        return;
    uint64_t *place = efg_map_put(&p->comms, r->a);
    if (!place || grow(p->c, &p->comm, p->comm_count, sizeof *p->comm)) {
        p->c->failed = true;
        return;
    }
    p->sent = p->received = (struct recent){0}; /* the array may have moved */
    p->comm[p->comm_count++] = (struct comm){r->e, r->b, is_fixed ? NULL : payload};
    *place = p->comm_count;
}

static void define_call(struct pass *p, const struct efg_record *r)
{
    uint64_t *class = efg_map_put(&p->classes, (uint64_t)r->call + 1);
    if (class)
        *class = r->a;
    else
        p->c->failed = true;
}

static bool is_in(const uint32_t *ranks, uint32_t count, uint32_t rank)
{
    for (uint32_t i = 0; i < count; i++)
        if (ranks[i] == rank)
            return true;
    return false;
}

/* The world rank that the log's rank means by PARTNER, EFG_NONE if there is no such one. */
static uint32_t world_rank(const struct pass *p, const struct comm *comm, uint32_t partner)
{
    const struct efg_members *m = comm->members;
    uint32_t own = p->log->rank, rank = EFG_NONE;
    if (!m)
        rank = comm->kind == EFG_COMM_SELF ? own : partner;
    else if (comm->kind == EFG_COMM_INTER && is_in(m->rank, m->local, own))
        rank = partner < m->remote ? m->rank[m->local + partner] : EFG_NONE;
    else
        rank = partner < m->local ? m->rank[partner] : EFG_NONE;
    return rank < p->log->ranks ? rank : EFG_NONE;
}

/* --- margins --- */

static void enter_call(struct pass *p, const struct efg_record *r)
{
    struct efg_channels *c = p->c;
    p->enter = r->time;
    p->call = r->call;
    p->is_inside = true;
    if (!c->inside)
        return;
    p->is_inside = efg_spans_have(c->inside, c->inside_count, r->time);
    p->is_front = !p->is_inside && r->time < p->inside_from;
    c->has_margins |= !p->is_inside;
}

/* COUNT messages of CHANNEL were sent, or received, in the present call. */
static void count_front(struct pass *p, uint64_t channel, int count)
{
    if (p->is_front && p->c->front_count)
        efg_flight_add(&p->c->fronts[p->c->front_count - 1].flight, channel, count);
}

static void begin_front(struct pass *p, const struct efg_record *r, struct efg_flight begin)
{
    struct efg_channels *c = p->c;
    size_t i = efg_spans_at(c->inside, c->inside_count, r->time);
    p->inside_from = i < c->inside_count ? c->inside[i].from : 0;
    if (c->inside && !grow(c, &c->fronts, c->front_count, sizeof *c->fronts))
        c->fronts[c->front_count++] =
            (struct efg_channels_front){.thread = p->log->thread, .window = p->windows, .begin = begin};
}

static uint64_t hash_of_channel(const struct efg_channel_key *key)
{
    return efg_flight_channel(key->comm, key->source, key->destination, key->tag);
}

/* --- messages --- */

static const struct comm *comm_of(const struct pass *p, const struct efg_record *r)
{
    const uint64_t *place = efg_map_find(&p->comms, r->a);
    return place ? &p->comm[*place - 1] : NULL;
}

static struct efg_channel *find_channel(struct pass *p, const struct comm *comm, uint32_t partner,
                                        uint32_t tag, bool is_send)
{
    uint32_t own = p->log->rank, other = world_rank(p, comm, partner);
    struct efg_channel_key key = {comm->identity, is_send ? own : other, is_send ? other : own, tag,
                                  p->windows ? p->windows - 1 : 0};
    return other == EFG_NONE ? NULL : efg_channels_find(p->c, &key);
}

/* The channel to or from PARTNER, a rank of COMM; NULL if it makes no sense. */
static struct efg_channel *channel_of(struct pass *p, const struct comm *comm, uint32_t partner, uint32_t tag,
                                      bool is_send)
{
    struct recent *last = is_send ? &p->sent : &p->received;
    if (!comm)
        return NULL;
    if (last->number && last->comm == comm && last->partner == partner && last->tag == tag &&
        last->windows == p->windows)
        return &p->c->channels[last->number - 1];
    struct efg_channel *channel = find_channel(p, comm, partner, tag, is_send);
    uint32_t number = channel ? (uint32_t)(channel - p->c->channels) + 1 : 0;
    *last = (struct recent){comm, partner, tag, p->windows, number};
    return channel;
}

/* Nothing will ever be known of the end that PARTNER, a rank of COMM, has. */
static bool is_lost(const struct pass *p, const struct comm *comm, uint32_t partner)
{
    uint32_t other = comm && p->c->is_here ? world_rank(p, comm, partner) : EFG_NONE;
    return other != EFG_NONE && !p->c->is_here(other);
}

static uint64_t order_of(const struct pass *p)
{
    return efg_order(p->log->thread, p->reader.at);
}

/* An end of a message of so many BYTES, in the present call. */
static struct efg_transfer transfer(const struct pass *p, uint64_t bytes)
{
    return (struct efg_transfer){.posted = p->now,
                                 .time = p->now,
                                 .order = order_of(p),
                                 .bytes = bytes,
                                 .is_margin = !p->is_inside,
                                 .is_before = p->is_front};
}

static void count_traffic(const struct pass *p, uint32_t partner, uint64_t bytes)
{
    if (p->c->traffic)
        efg_traffic_record(p->c->traffic, partner, bytes);
}

static struct efg_channel *add_send(struct pass *p, const struct efg_record *r)
{
    const struct comm *comm = comm_of(p, r);
    count_traffic(p, comm ? world_rank(p, comm, r->b) : EFG_TRAFFIC_OTHERS, r->d);
    if (is_lost(p, comm, r->b)) {
        p->c->open.absent++;
        return NULL;
    }
    struct efg_channel *channel = channel_of(p, comm, r->b, r->c, true);
    struct efg_transfer t = transfer(p, r->d);
    if (channel) {
        add_end(p, &channel->sends, &t);
        count_front(p, hash_of_channel(&channel->key), 1);
    }
    return channel;
}

static void add_receive(struct pass *p, const struct efg_record *r, const struct slot *request)
{
    const struct comm *comm = comm_of(p, r);
    if (is_lost(p, comm, r->b)) {
        p->c->open.absent++;
        return;
    }
    struct efg_channel *channel = channel_of(p, comm, r->b, r->c, false);
    struct efg_transfer t = transfer(p, r->d);
    if (request) {
        t.posted = request->posted;
        t.order = request->order;
        t.is_margin &= !request->is_inside;
    }
    if (channel) {
        add_end(p, &channel->receives, &t);
        count_front(p, hash_of_channel(&channel->key), -1);
    }
}

/* The place of the send of ORDER among those that are kept; sends->kept: it is not. */
static uint32_t send_of(const struct efg_channel_ends *sends, uint64_t order)
{
    uint32_t i = sends->kept;
    while (i > 0 && sends->all[i - 1].order != order)
        i--;
    return i > 0 ? i - 1 : sends->kept;
}

static void take_back(struct efg_channel_ends *sends, uint64_t order)
{
    uint32_t i = send_of(sends, order);
    sends->count--;
    if (i == sends->kept)
        return;
    sends->kept--;
    memmove(&sends->all[i], &sends->all[i + 1], (sends->kept - i) * sizeof *sends->all);
}

/* --- collectives --- */

static uint32_t size_of(const struct pass *p, const struct comm *comm)
{
    return comm->members ? comm->members->local : p->log->ranks;
}

/* This rank's place in COMM, which it is a member of; EFG_NONE if it is not. */
static uint32_t place_in(const struct pass *p, const struct comm *comm)
{
    uint32_t own = p->log->rank;
    for (uint32_t i = 0; comm->members && i < comm->members->local; i++)
        if (comm->members->rank[i] == own)
            return i;
    return comm->members ? EFG_NONE : own;
}

/* Whether two of SIZE members, so far apart around their ring, have a channel: all that are
 * few, of many those at the distances of a dissemination, whose number is the logarithm of
 * SIZE. */
static bool is_seen(uint32_t distance, uint32_t size)
{
    return distance && (size <= ALL_PAIRS || !(distance & (distance - 1)));
}

static void add_part(struct pass *p, const struct comm *comm, uint32_t partner, const struct efg_record *r,
                     bool is_send)
{
    if (is_lost(p, comm, partner))
        return;
    struct efg_channel *channel = channel_of(p, comm, partner, EFG_FLIGHT_COLLECTIVE | r->call, is_send);
    struct efg_transfer t = transfer(p, 0);
    t.posted = p->entered;
    if (is_send)
        t.time = p->entered;
    if (channel)
        add_end(p, is_send ? &channel->sends : &channel->receives, &t);
}

static void among_all(struct pass *p, const struct comm *comm, const struct efg_record *r)
{
    uint32_t own = place_in(p, comm), size = size_of(p, comm);
    for (uint32_t d = 1; d < size && !p->c->failed; d++)
        if (is_seen(d, size)) {
            add_part(p, comm, (uint32_t)(((uint64_t)own + d) % size), r, true);
            add_part(p, comm, (uint32_t)(((uint64_t)own + size - d) % size), r, false);
        }
}

static void with_root(struct pass *p, const struct comm *comm, const struct efg_record *r, bool is_from_root)
{
    uint32_t own = place_in(p, comm), size = size_of(p, comm);
    if (r->b >= size)
        return;
    if (own != r->b) {
        if (is_seen((uint32_t)(((uint64_t)own + size - r->b) % size), size))
            add_part(p, comm, r->b, r, !is_from_root);
        return;
    }
    for (uint32_t d = 1; d < size && !p->c->failed; d++)
        if (is_seen(d, size))
            add_part(p, comm, (uint32_t)(((uint64_t)own + d) % size), r, is_from_root);
}

static enum efg_class class_of(const struct pass *p)
{
    const uint64_t *class = efg_map_find(&p->classes, (uint64_t)p->call + 1);
    return class ? (enum efg_class) * class : EFG_CLASS_OTHER;
}

/* As it is counted while it runs (flight.h). All have made the same number of them when a window begins, but
 * not when its margin does. */
static void count_collective(struct pass *p, const struct comm *comm, const struct efg_record *r)
{
    uint32_t own = place_in(p, comm), size = size_of(p, comm), tag = EFG_FLIGHT_COLLECTIVE | r->call;
    if (!p->is_front || comm->kind == EFG_COMM_INTER || comm->kind == EFG_COMM_SELF || own >= size ||
        size < 2 || r->call >= EFG_COLL_CREATE_HANDLE)
        return;
    uint32_t next = (own + 1) % size, last = (own + size - 1) % size;
    uint32_t me = p->log->rank, to = world_rank(p, comm, next), from = world_rank(p, comm, last);
    struct efg_flight flight = {0};
    if (!is_lost(p, comm, next))
        efg_flight_add(&flight, efg_flight_channel(comm->identity, me, to, tag), 1);
    if (!is_lost(p, comm, last))
        efg_flight_add(&flight, efg_flight_channel(comm->identity, from, me, tag), -1);
    efg_flight_join(&p->c->windows[p->windows - 1].flight, flight);
    if (p->c->front_count) {
        struct efg_channels_front *front = &p->c->fronts[p->c->front_count - 1];
        efg_flight_join(&front->flight, flight);
        efg_flight_join(&front->collectives, flight);
    }
}

static void add_collective(struct pass *p, const struct efg_record *r)
{
    const struct comm *comm = comm_of(p, r);
    if (r->call < EFG_COLL_CREATE_HANDLE)
        count_traffic(p, EFG_TRAFFIC_COLLECTIVE, r->d + r->e);
    if (comm)
        count_collective(p, comm, r);
    if (!comm || comm->kind == EFG_COMM_INTER || comm->kind == EFG_COMM_SELF || p->c->is_full ||
        place_in(p, comm) >= size_of(p, comm) || class_of(p) == EFG_CLASS_OTHER_COLLECTIVE ||
        (r->call != EFG_COLL_BARRIER && !r->d && !r->e))
        return;
    switch (r->call) {
    case EFG_COLL_BARRIER:
    case EFG_COLL_ALLREDUCE:
    case EFG_COLL_ALLGATHER:
    case EFG_COLL_ALLTOALL:
    case EFG_COLL_REDUCE_SCATTER_BLOCK:
        among_all(p, comm, r);
        break;
    case EFG_COLL_BCAST:
    case EFG_COLL_SCATTER:
        with_root(p, comm, r, true);
        break;
    case EFG_COLL_REDUCE:
    case EFG_COLL_GATHER:
        with_root(p, comm, r, false);
        break;
    default:
        break;
    }
}

/* --- requests --- */

static void start(struct pass *p, uint64_t request, enum open_kind kind, uint32_t channel)
{
    uint64_t *place = efg_map_put(&p->requests, request), at = p->unused;
    if (!place || (!at && grow(p->c, &p->slot, p->slot_count, sizeof *p->slot))) {
        p->c->failed = true;
        return;
    }
    if (at)
        p->unused = p->slot[at - 1].next;
    else
        at = ++p->slot_count;
    p->slot[at - 1] = (struct slot){
        .kind = kind, .is_inside = p->is_inside, .channel = channel, .posted = p->now, .order = order_of(p)};
    *place = at;
}

/* The request is complete. Returns what it was, valid until the next start; or NULL. */
static const struct slot *finish(struct pass *p, uint64_t request)
{
    const uint64_t *place = efg_map_find(&p->requests, request);
    if (!place)
        return NULL;
    struct slot *slot = &p->slot[*place - 1];
    slot->next = p->unused;
    p->unused = *place;
    efg_map_remove(&p->requests, request);
    return slot;
}

static void start_send(struct pass *p, const struct efg_record *r)
{
    const struct efg_channel *channel = add_send(p, r);
    if (channel)
        start(p, r->e, SEND, (uint32_t)(channel - p->c->channels));
}

/* A receive that a call starts is known to run when the call has returned; one that was under
 * way when the window began is written where the first call is entered. */
static void start_receive(struct pass *p, const struct efg_record *r)
{
    p->c->open.taken_along += r->time == p->enter;
    start(p, r->e, RECEIVE, 0);
}

/* A send in the margin that is complete inside is of both. */
static void complete_send(struct pass *p, uint64_t request)
{
    const struct slot *slot = finish(p, request);
    if (!slot || slot->kind != SEND || slot->is_inside || !p->is_inside)
        return;
    struct efg_channel_ends *sends = &p->c->channels[slot->channel].sends;
    uint32_t i = send_of(sends, slot->order);
    if (i < sends->kept)
        sends->all[i].is_margin = false;
}

static void cancel(struct pass *p, uint64_t request)
{
    const struct slot *slot = finish(p, request);
    if (!slot || slot->kind != SEND)
        return;
    struct efg_channel *channel = &p->c->channels[slot->channel];
    take_back(&channel->sends, slot->order);
    count_front(p, hash_of_channel(&channel->key), -1);
}

static void count_open(struct pass *p)
{
    struct efg_run_messages *open = &p->c->open;
    for (uint64_t i = p->unused; i; i = p->slot[i - 1].next)
        p->slot[i - 1].kind = FREE;
    for (uint64_t i = 0; i < p->slot_count; i++) {
        open->open_sends += p->slot[i].kind == SEND;
        open->open_receives += p->slot[i].kind == RECEIVE;
        open->open_collectives += p->slot[i].kind == COLLECTIVE;
    }
}

/* --- windows --- */

static void begin_window(struct pass *p, const struct efg_record *r)
{
    struct efg_channels *c = p->c;
    struct efg_flight flight = {r->e, (int32_t)r->a};
    if (p->windows == c->window_count) {
        if (grow(c, &c->windows, c->window_count, sizeof *c->windows))
            return;
        c->windows[c->window_count++] = (struct efg_channels_window){.first = UINT64_MAX};
    }
    efg_flight_join(&c->windows[p->windows].flight, flight);
    begin_front(p, r, flight);
    p->windows++;
}

static void mark(struct pass *p, const struct efg_record *r)
{
    if (!p->windows || p->c->failed)
        return;
    struct efg_channels_window *span = &p->c->windows[p->windows - 1];
    if (r->kind == EFG_REC_ITERATION_BEGIN && r->d < span->first) {
        span->first = r->d;
        span->begin = p->now;
    }
    if (r->kind == EFG_REC_ITERATION_END && r->d >= span->last) {
        span->last = r->d + 1;
        span->end = p->now;
    }
}

/* --- the pass --- */

static void take_message(struct pass *p, const struct efg_record *r)
{
    switch (r->kind) {
    case EFG_REC_SEND:
        add_send(p, r);
        break;
    case EFG_REC_ISEND:
        start_send(p, r);
        break;
    case EFG_REC_RECV:
        add_receive(p, r, NULL);
        break;
    case EFG_REC_IRECV_REQUEST:
        start_receive(p, r);
        break;
    case EFG_REC_IRECV:
        add_receive(p, r, finish(p, r->e));
        break;
    case EFG_REC_ISEND_COMPLETE:
        complete_send(p, r->e);
        break;
    case EFG_REC_REQUEST_CANCELLED:
        cancel(p, r->e);
        break;
    }
}

static void take(struct pass *p, const struct efg_record *r, const void *payload)
{
    if (r->time != p->ticks) {
        p->ticks = r->time;
        p->now = efg_log_ns(&p->clock, r->time);
    }
    switch (r->kind) {
    case EFG_REC_DEF_COMM:
        define_comm(p, r, payload);
        break;
    case EFG_REC_WINDOW_BEGIN:
        begin_window(p, r);
        break;
    case EFG_REC_ITERATION_BEGIN:
    case EFG_REC_ITERATION_END:
        mark(p, r);
        break;
    case EFG_REC_ENTER:
        enter_call(p, r);
        break;
    case EFG_REC_DEF_CALL:
        define_call(p, r);
        break;
    case EFG_REC_COLLECTIVE_BEGIN:
        p->entered = p->now;
        break;
    case EFG_REC_COLLECTIVE_END:
        add_collective(p, r);
        break;
    case EFG_REC_COLLECTIVE_REQUEST:
        start(p, r->e, COLLECTIVE, 0);
        break;
    case EFG_REC_COLLECTIVE_COMPLETE:
        count_traffic(p, EFG_TRAFFIC_COLLECTIVE, r->d + r->e);
        finish(p, r->c);
        break;
    default:
        take_message(p, r);
    }
}

void efg_channels_add(struct efg_channels *c, const struct efg_log_view *log)
{
    struct pass p = {
        c, log->header, {.view = log}, .clock = efg_log_clock(log->header), .is_inside = !c->inside};
    p.now = efg_log_ns(&p.clock, p.ticks);
    const struct efg_record *r;
    const void *payload;
    uint32_t windows = c->window_count;
    c->is_full |= log->header->full != 0;
    if (c->traffic)
        efg_traffic_recount(c->traffic);
    while (!c->failed && (r = efg_log_read(&p.reader, &payload)))
        take(&p, r, payload);
    if (!c->failed)
        count_open(&p);
    c->is_partial |= !p.windows || p.windows != (windows ? windows : c->window_count);
    efg_map_fini(&p.comms);
    efg_map_fini(&p.requests);
    efg_map_fini(&p.classes);
    free(p.comm);
    free(p.slot);
}
