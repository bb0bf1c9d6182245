/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels from logs. One pass over the records of a log; a request that is under way
 * has a slot, which is free again when it is complete.
 *
 * Invariant: the kept ends of a channel are the first ones in the order of posting, which
 * is the order in which MPI matches them. A receive is known by its channel only when it is
 * complete, and then finds its place among those before it.
 *
 * A clock is as good as it was compared, at the start and at the end. In between it may be
 * wrong by what its rate changed on the way: that of a quartz is wrong by up to 50 ppm or so,
 * and a tenth of it is more than temperature and NTP change over longer times. A job that was
 * killed has no comparison at its end, and all of it counts.
 */
#include "channels.h"

#include <stdlib.h>
#include <string.h>

#include "core/signature.h"
#include "otf2_parts.h"

#define SENDS_KEPT 64       /* of a channel */
#define RECEIVES_KEPT 128   /* so that as many again may belong to sends before the window */
#define DRIFT 20000         /* ns in which a clock drifts by 1 ns at worst: 50 ppm */
#define DRIFT_CHANGE 200000 /* ... between two comparisons */

enum open_kind { FREE, SEND, RECEIVE, COLLECTIVE };

struct slot { /* a request under way */
    enum open_kind kind;
    uint32_t channel; /* of a send */
    uint64_t posted, order;
    uint64_t next; /* free ones: the next + 1 */
};

struct comm {
    uint64_t hash;
    uint32_t kind;
    const struct efg_members *members;
};

struct pass { /* over a log */
    struct efg_channels *c;
    const struct efg_log_view *log;
    struct efg_otf2_clock clock;
    struct efg_map comms, requests; /* id -> place + 1 in the arrays below */
    struct comm *comm;
    struct slot *slot;
    uint64_t comm_count, slot_count, unused; /* unused: the first free slot + 1 */
    uint64_t at, now;                        /* of the present record; ns */
    uint64_t enter;                          /* ticks, of the present call */
    uint32_t windows;
};

/* Make room for one more thing of SIZE in *THINGS, of which there are COUNT; rooms are powers
 * of two. */
static int grow(struct efg_channels *c, void *things, uint64_t count, size_t size)
{
    void *more, *old;
    if (count & (count - 1))
        return !c->failed;
    memcpy(&old, things, sizeof old);
    more = realloc(old, (count ? 2 * count : 1) * size);
    if (more)
        memcpy(things, &more, sizeof more);
    else
        c->failed = 1;
    return more != NULL;
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
        c->failed = 1;
        return NULL;
    }
    if (!*number) {
        if (!grow(c, &c->channels, c->count, sizeof *c->channels))
            return NULL;
        c->channels[c->count] = (struct efg_channel){.key = *key};
        *number = ++c->count;
    }
    return &c->channels[*number - 1];
}

static int is_later(const struct efg_transfer *a, const struct efg_transfer *b)
{
    return a->posted != b->posted ? a->posted > b->posted : a->order > b->order;
}

static int make_room(struct efg_channels *c, struct efg_channel_ends *ends, uint32_t most)
{
    if (ends->kept < ends->room)
        return 1;
    uint32_t room = ends->room ? 2 * ends->room : 8;
    struct efg_transfer *first = realloc(ends->first, room * sizeof *first);
    c->failed |= !first;
    if (!first)
        return 0;
    ends->first = first;
    ends->room = room < most ? room : most;
    return 1;
}

/* Into its place among the first ones, if it is one of them. */
static void keep(struct efg_channels *c, struct efg_channel_ends *ends,
                 const struct efg_transfer *t, uint32_t most)
{
    if (ends->kept == most && !is_later(&ends->first[most - 1], t))
        return;
    ends->kept -= ends->kept == most;
    if (!make_room(c, ends, most))
        return;
    uint32_t i = ends->kept++;
    for (; i > 0 && is_later(&ends->first[i - 1], t); i--)
        ends->first[i] = ends->first[i - 1];
    ends->first[i] = *t;
}

static uint64_t between(uint64_t one, uint64_t other)
{
    return one < other ? other - one : one - other;
}

/* ns that the clock of a log may be wrong by at NOW. */
static uint64_t doubt_at(const struct efg_log_header *header, uint64_t now)
{
    uint64_t from_start = between(header->sync[0].realtime, now),
             end = header->sync[1].realtime;
    if (!end)
        return header->clock_error + from_start / DRIFT;
    uint64_t from_end = between(now, end);
    return header->clock_error + (from_start < from_end ? from_start : from_end) / DRIFT_CHANGE;
}

static void add_end(const struct pass *p, struct efg_channel_ends *ends,
                    const struct efg_transfer *t, uint32_t most)
{
    if (!ends->count++) {
        ends->clock = p->log->header->sync[0];
        ends->doubt = doubt_at(p->log->header, t->time);
    }
    if (!p->c->is_full) /* then there is nothing before the window */
        keep(p->c, ends, t, most);
}

/* --- communicators --- */

static int members_fit(const struct efg_record *r, const struct efg_members *m)
{
    return m && r->d >= sizeof *m && m->local &&
           (r->d - sizeof *m) / sizeof *m->rank >= (uint64_t)m->local + m->remote;
}

static void define_comm(struct pass *p, const struct efg_record *r, const void *payload)
{
    int is_fixed = r->b == EFG_COMM_WORLD || r->b == EFG_COMM_SELF;
    if (!is_fixed && !members_fit(r, payload))
        return;
    uint64_t *place = efg_map_put(&p->comms, r->a);
    if (!place || !grow(p->c, &p->comm, p->comm_count, sizeof *p->comm)) {
        p->c->failed = 1;
        return;
    }
    uint64_t hash = efg_hash_mix(r->e, r->b);
    if (!is_fixed)
        hash = efg_hash_bytes(hash, payload, r->d);
    p->comm[p->comm_count++] = (struct comm){hash, r->b, is_fixed ? NULL : payload};
    *place = p->comm_count;
}

static int is_in(const uint32_t *ranks, uint32_t count, uint32_t rank)
{
    for (uint32_t i = 0; i < count; i++)
        if (ranks[i] == rank)
            return 1;
    return 0;
}

/* The world rank that the log's rank means by PARTNER, UINT32_MAX if there is no such one. */
static uint32_t world_rank(const struct pass *p, const struct comm *comm, uint32_t partner)
{
    const struct efg_members *m = comm->members;
    uint32_t own = p->log->header->rank, rank = UINT32_MAX;
    if (!m)
        rank = comm->kind == EFG_COMM_SELF ? own : partner;
    else if (comm->kind == EFG_COMM_INTER && is_in(m->rank, m->local, own))
        rank = partner < m->remote ? m->rank[m->local + partner] : UINT32_MAX;
    else
        rank = partner < m->local ? m->rank[partner] : UINT32_MAX;
    return rank < p->log->header->ranks ? rank : UINT32_MAX;
}

/* --- messages --- */

/* The channel of the message R, which this rank sends or receives; NULL if it makes no sense.
 */
static struct efg_channel *channel_of(struct pass *p, const struct efg_record *r, int is_send)
{
    const uint64_t *place = efg_map_find(&p->comms, r->a);
    if (!place)
        return NULL;
    const struct comm *comm = &p->comm[*place - 1];
    uint32_t own = p->log->header->rank, other = world_rank(p, comm, r->b);
    struct efg_channel_key key = {comm->hash, is_send ? own : other, is_send ? other : own,
                                  r->c, p->windows ? p->windows - 1 : 0};
    return other == UINT32_MAX ? NULL : efg_channels_find(p->c, &key);
}

static struct efg_channel *add_send(struct pass *p, const struct efg_record *r)
{
    struct efg_channel *channel = channel_of(p, r, 1);
    struct efg_transfer t = {p->now, p->now, p->at, r->d};
    if (channel)
        add_end(p, &channel->sends, &t, SENDS_KEPT);
    return channel;
}

static void add_receive(struct pass *p, const struct efg_record *r, const struct slot *request)
{
    struct efg_channel *channel = channel_of(p, r, 0);
    struct efg_transfer t = {p->now, p->now, p->at, r->d};
    if (request) {
        t.posted = request->posted;
        t.order = request->order;
    }
    if (channel)
        add_end(p, &channel->receives, &t, RECEIVES_KEPT);
}

static void take_back(struct efg_channel_ends *sends, uint64_t order)
{
    sends->count--;
    for (uint32_t i = 0; i < sends->kept; i++)
        if (sends->first[i].order == order) {
            sends->kept--;
            memmove(&sends->first[i], &sends->first[i + 1],
                    (sends->kept - i) * sizeof *sends->first);
            return;
        }
}

/* --- requests --- */

static void start(struct pass *p, uint64_t request, enum open_kind kind, uint32_t channel)
{
    uint64_t *place = efg_map_put(&p->requests, request), at = p->unused;
    if (!place || (!at && !grow(p->c, &p->slot, p->slot_count, sizeof *p->slot))) {
        p->c->failed = 1;
        return;
    }
    if (at)
        p->unused = p->slot[at - 1].next;
    else
        at = ++p->slot_count;
    p->slot[at - 1] =
        (struct slot){.kind = kind, .channel = channel, .posted = p->now, .order = p->at};
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

static void cancel(struct pass *p, uint64_t request)
{
    const struct slot *slot = finish(p, request);
    if (slot && slot->kind == SEND)
        take_back(&p->c->channels[slot->channel].sends, slot->order);
}

static void count_open(struct pass *p)
{
    struct efg_run_messages *open = &p->c->open;
    for (uint64_t i = p->unused; i; i = p->slot[i - 1].next)
        p->slot[i - 1].kind = FREE;
    for (uint64_t i = 0; i < p->slot_count; i++) {
        if (p->slot[i].kind == SEND)
            p->c->channels[p->slot[i].channel].sends.open++;
        open->open_sends += p->slot[i].kind == SEND;
        open->open_receives += p->slot[i].kind == RECEIVE;
        open->open_collectives += p->slot[i].kind == COLLECTIVE;
    }
}

/* --- windows --- */

static void begin_window(struct pass *p)
{
    struct efg_channels *c = p->c;
    if (++p->windows <= c->window_count ||
        !grow(c, &c->windows, c->window_count, sizeof *c->windows))
        return;
    c->windows[c->window_count++] = (struct efg_channels_span){UINT64_MAX, 0};
}

static void mark(struct pass *p, const struct efg_record *r)
{
    if (!p->windows || p->c->failed)
        return;
    struct efg_channels_span *span = &p->c->windows[p->windows - 1];
    if (r->kind == EFG_REC_ITERATION_BEGIN && r->d < span->first)
        span->first = r->d;
    if (r->kind == EFG_REC_ITERATION_END && r->d >= span->last)
        span->last = r->d + 1;
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
        finish(p, r->e);
        break;
    case EFG_REC_REQUEST_CANCELLED:
        cancel(p, r->e);
        break;
    }
}

static void take(struct pass *p, const struct efg_record *r, const void *payload)
{
    p->now = efg_otf2_ns(&p->clock, r->time);
    switch (r->kind) {
    case EFG_REC_DEF_COMM:
        define_comm(p, r, payload);
        break;
    case EFG_REC_WINDOW_BEGIN:
        begin_window(p);
        break;
    case EFG_REC_ITERATION_BEGIN:
    case EFG_REC_ITERATION_END:
        mark(p, r);
        break;
    case EFG_REC_ENTER:
        p->enter = r->time;
        break;
    case EFG_REC_COLLECTIVE_REQUEST:
        start(p, r->e, COLLECTIVE, 0);
        break;
    case EFG_REC_COLLECTIVE_COMPLETE:
        finish(p, r->c);
        break;
    default:
        take_message(p, r);
    }
}

void efg_channels_add(struct efg_channels *c, const struct efg_log_view *log)
{
    struct pass p = {.c = c, .log = log, .clock = efg_otf2_clock(log->header)};
    const struct efg_record *r;
    const void *payload;
    c->is_full |= log->header->full != 0;
    while (!c->failed && (r = efg_log_read(log, &p.at, &payload)))
        take(&p, r, payload);
    if (!c->failed)
        count_open(&p);
    efg_map_fini(&p.comms);
    efg_map_fini(&p.requests);
    free(p.comm);
    free(p.slot);
}
