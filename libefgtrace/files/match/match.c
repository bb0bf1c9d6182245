/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brings both ends of all channels together: the sends travel to the receiver, which finds out what the
 * leads are (leads.c); those that are negative travel back, and so does which sends are needed in margins.
 *
 *     block: clock | number of channels, then each:
 *            key | sends | kept | (time, 4 x bytes + 2 x is margin + is before) of those
 *     block back: number of channels, then each: key | sends that were received before
 *     block of needs: number of channels, then each: key | sends that were received before | those that are
 *            received after the last receive that is known | number of needs | these sends, each by its
 *            distance from the one before it
 */
#include "channels.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

void efg_channels_fini(struct efg_channels *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        free(c->channels[i].sends.all);
        free(c->channels[i].receives.all);
    }
    free(c->channels);
    free(c->windows);
    free(c->fronts);
    efg_map_fini(&c->index);
    *c = (struct efg_channels){0};
}

static void empty(struct efg_channel_ends *ends)
{
    *ends = (struct efg_channel_ends){.all = ends->all, .most = ends->most};
}

void efg_channels_empty(struct efg_channels *c)
{
    struct efg_channels left = {.channels = c->channels,
                                .count = c->count,
                                .index = c->index,
                                .is_here = c->is_here,
                                .inside = c->inside,
                                .inside_count = c->inside_count,
                                .is_trimmed = c->is_trimmed,
                                .gone = c->gone};
    free(c->windows);
    free(c->fronts);
    *c = left;
    for (uint32_t i = 0; i < c->count; i++) {
        empty(&c->channels[i].sends);
        empty(&c->channels[i].receives);
        c->channels[i].received = 0;
    }
}

/* --- sends, on their way to the receiver --- */

static int compare_destinations(const void *a, const void *b)
{
    const struct efg_channel *x = a, *y = b;
    return (x->key.destination > y->key.destination) - (x->key.destination < y->key.destination);
}

static int compare_sources(const void *a, const void *b)
{
    const struct efg_channel *x = a, *y = b;
    return (x->key.source > y->key.source) - (x->key.source < y->key.source);
}

static void sort(struct efg_channels *c, int (*compare)(const void *, const void *))
{
    if (c->count)
        qsort(c->channels, c->count, sizeof *c->channels, compare);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct efg_channel_key *key = &c->channels[i].key;
        uint64_t *number = efg_map_find(&c->index, efg_hash_bytes(0, key, sizeof *key));
        if (number)
            *number = i + 1;
    }
}

void efg_channels_sort(struct efg_channels *c)
{
    sort(c, compare_destinations);
}

static void put_key(struct efg_buffer *out, const struct efg_channel_key *key)
{
    efg_buffer_u64(out, key->comm);
    efg_buffer_number(out, key->source);
    efg_buffer_number(out, key->destination);
    efg_buffer_number(out, key->tag);
    efg_buffer_number(out, key->window);
}

static void put_channel(struct efg_buffer *out, const struct efg_channel *channel)
{
    const struct efg_channel_ends *sends = &channel->sends;
    uint64_t before = 0;
    put_key(out, &channel->key);
    efg_buffer_number(out, sends->count);
    efg_buffer_number(out, sends->kept);
    for (uint32_t i = 0; i < sends->kept; before = sends->all[i++].time) {
        efg_buffer_number(out, sends->all[i].time - before);
        efg_buffer_number(out, sends->all[i].bytes << 2 | (uint64_t)sends->all[i].is_margin << 1 |
                                   sends->all[i].is_before);
    }
}

uint32_t efg_channels_put(const struct efg_channels *c, uint32_t *at, struct efg_buffer *out)
{
    uint32_t destination = c->channels[*at].key.destination, some = 0, end = *at;
    const struct efg_sync *clock = NULL; /* of all that a rank sends */
    for (; end < c->count && c->channels[end].key.destination == destination; end++)
        if (c->channels[end].sends.count) {
            clock = &c->channels[end].sends.clock;
            some++;
        }
    if (some) {
        efg_buffer_u64(out, clock->ticks);
        efg_buffer_u64(out, clock->realtime);
        efg_buffer_number(out, some);
    }
    for (; *at < end; ++*at)
        if (c->channels[*at].sends.count)
            put_channel(out, &c->channels[*at]);
    return destination;
}

static struct efg_channel *get_channel(struct efg_channels *c, struct efg_reader *in)
{
    struct efg_channel_key key = {.comm = efg_reader_u64(in)};
    key.source = (uint32_t)efg_reader_number(in);
    key.destination = (uint32_t)efg_reader_number(in);
    key.tag = (uint32_t)efg_reader_number(in);
    key.window = (uint32_t)efg_reader_number(in);
    return in->failed ? NULL : efg_channels_find(c, &key);
}

/* In place of what is there: a channel has one source. */
static void get_sends(struct efg_reader *in, const struct efg_sync *clock, struct efg_channel_ends *sends)
{
    uint64_t time = 0;
    sends->clock = *clock;
    sends->count = efg_reader_number(in);
    size_t kept = efg_reader_count(in, 2);
    sends->kept = 0;
    if (kept > UINT32_MAX || efg_channel_ends_grow(sends, (uint32_t)kept))
        in->failed = true;
    for (size_t i = 0; !in->failed && i < kept; i++) {
        time += efg_reader_number(in);
        uint64_t word = efg_reader_number(in);
        sends->all[i] = (struct efg_transfer){.posted = time,
                                              .time = time,
                                              .order = i,
                                              .bytes = word >> 2,
                                              .is_margin = word & 2,
                                              .is_before = word & 1};
    }
    sends->kept = in->failed ? 0 : (uint32_t)kept;
}

int efg_channels_get(struct efg_channels *c, const void *block, size_t size)
{
    struct efg_reader in = efg_reader(block, size);
    struct efg_sync clock = {.ticks = efg_reader_u64(&in)};
    clock.realtime = efg_reader_u64(&in);
    size_t count = efg_reader_count(&in, 14);
    for (size_t i = 0; i < count && !in.failed; i++) {
        struct efg_channel *channel = get_channel(c, &in);
        if (!channel)
            return in.failed ? -EBADMSG : -ENOMEM;
        get_sends(&in, &clock, &channel->sends);
    }
    return in.failed || in.at != in.size ? -EBADMSG : 0;
}

/* --- what the receiver found out, on its way back to the sender --- */

void efg_channels_sort_back(struct efg_channels *c)
{
    sort(c, compare_sources);
}

/* PUT_ONE puts what is to be told of one channel; nothing if there is nothing. */
static uint32_t put_back(const struct efg_channels *c, uint32_t *at, struct efg_buffer *out,
                         void (*put_one)(const struct efg_channels *c, const struct efg_channel *channel,
                                         struct efg_buffer *out))
{
    uint32_t source = c->channels[*at].key.source, some = 0;
    struct efg_buffer told = {0};
    for (; *at < c->count && c->channels[*at].key.source == source; ++*at) {
        size_t before = told.size;
        put_one(c, &c->channels[*at], &told);
        some += told.size > before;
    }
    if (some) {
        efg_buffer_number(out, some);
        efg_buffer_put(out, told.data, told.size);
        out->failed |= told.failed;
    }
    efg_buffer_fini(&told);
    return source;
}

/* Each channel takes LEAST bytes or more. */
static int get_back(struct efg_channels *c, const void *block, size_t size, size_t least,
                    void (*get_one)(struct efg_reader *in, struct efg_channel *channel))
{
    struct efg_reader in = efg_reader(block, size);
    size_t count = efg_reader_count(&in, least);
    for (size_t i = 0; i < count && !in.failed; i++) {
        struct efg_channel *channel = get_channel(c, &in);
        if (!channel)
            return in.failed ? -EBADMSG : -ENOMEM;
        get_one(&in, channel);
    }
    return in.failed || in.at != in.size ? -EBADMSG : 0;
}

static void put_ahead(const struct efg_channels *c, const struct efg_channel *channel, struct efg_buffer *out)
{
    int64_t lead = efg_channel_is_collective(channel) ? 0 : efg_channels_lead(c, channel);
    if (lead >= 0 || !efg_channels_has_proven(c, channel->key.window))
        return;
    put_key(out, &channel->key);
    efg_buffer_number(out, (uint64_t)-lead);
}

static void get_ahead(struct efg_reader *in, struct efg_channel *channel)
{
    uint64_t received = efg_reader_number(in);
    channel->received = received <= channel->sends.kept ? (uint32_t)received : 0;
}

static void put_needs(const struct efg_channels *c, const struct efg_channel *channel, struct efg_buffer *out)
{
    const struct efg_channel_ends *sends = &channel->sends;
    uint32_t count = 0;
    (void)c;
    for (uint32_t i = 0; i < sends->kept; i++)
        count += sends->all[i].is_needed;
    if (!count && !sends->from && sends->to == sends->kept)
        return;
    put_key(out, &channel->key);
    efg_buffer_number(out, sends->from);
    efg_buffer_number(out, sends->kept - sends->to);
    efg_buffer_number(out, count);
    for (uint32_t i = 0, last = 0; i < sends->kept; i++)
        if (sends->all[i].is_needed) {
            efg_buffer_number(out, i - last);
            last = i;
        }
}

static void get_needs(struct efg_reader *in, struct efg_channel *channel)
{
    struct efg_channel_ends *sends = &channel->sends;
    uint64_t before = efg_reader_number(in), after = efg_reader_number(in);
    size_t count = efg_reader_count(in, 1);
    if (before <= sends->kept && after <= sends->kept - before) {
        sends->from = (uint32_t)before;
        sends->to = sends->kept - (uint32_t)after;
    }
    for (uint64_t i = 0, at = 0; i < count && !in->failed; i++) {
        at += efg_reader_number(in);
        if (at < sends->kept)
            sends->all[at].is_needed = true;
    }
}

uint32_t efg_channels_put_back(const struct efg_channels *c, uint32_t *at, struct efg_buffer *out)
{
    return put_back(c, at, out, put_ahead);
}

int efg_channels_get_back(struct efg_channels *c, const void *block, size_t size)
{
    return get_back(c, block, size, 13, get_ahead);
}

uint32_t efg_channels_put_needs(const struct efg_channels *c, uint32_t *at, struct efg_buffer *out)
{
    return put_back(c, at, out, put_needs);
}

int efg_channels_get_needs(struct efg_channels *c, const void *block, size_t size)
{
    return get_back(c, block, size, 15, get_needs);
}

/* --- matching --- */

static void match(struct efg_run_messages *m, const struct efg_channel *channel, int64_t lead)
{
    uint64_t early = lead > 0 ? (uint64_t)lead : 0, ahead = lead < 0 ? (uint64_t)-lead : 0;
    uint64_t sends = channel->sends.count - ahead, receives = channel->receives.count - early;
    m->sends += channel->sends.count;
    m->receives += channel->receives.count;
    m->matched += sends < receives ? sends : receives;
    m->early += early;
    m->ahead += ahead;
}

struct efg_run_messages efg_channels_match(const struct efg_channels *c, uint32_t rank)
{
    struct efg_run_messages messages = c->open;
    messages.sends = c->gone.sends;
    messages.receives = c->gone.receives;
    messages.early = c->gone.early;
    messages.ahead = c->gone.ahead;
    messages.left_out = c->gone.left_out;
    messages.unproven = c->gone.unproven;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct efg_channel *channel = &c->channels[i];
        if (efg_channel_is_of(channel, rank) && !efg_channel_is_collective(channel))
            match(&messages, channel, efg_channels_lead(c, channel));
    }
    return messages;
}

/* --- strays --- */

static void add_strays(struct efg_strays *strays, uint32_t rank, const struct efg_channel_ends *ends,
                       uint64_t count)
{
    struct efg_stray *stray = efg_strays_grow(strays, count);
    for (uint64_t i = 0; stray && i < count; i++, stray++) {
        uint64_t order = ends->all[i].order;
        *stray = (struct efg_stray){rank, efg_order_thread(order), efg_order_place(order)};
    }
}

/* By what RANK knows: of what it received, or what it is told of its sends. */
static int64_t known_lead(const struct efg_channels *c, const struct efg_channel *channel, uint32_t rank)
{
    bool is_own = efg_channel_is_of(channel, rank);
    if (!efg_channels_has_proven(c, channel->key.window))
        return is_own ? efg_channels_early(channel) : 0;
    return is_own ? efg_channels_lead(c, channel) : -(int64_t)channel->received;
}

void efg_channels_strays(const struct efg_channels *c, uint32_t rank, struct efg_strays *strays)
{
    for (uint32_t i = 0; i < c->count && !c->failed; i++) {
        const struct efg_channel *channel = &c->channels[i];
        const struct efg_channel_key *key = &channel->key;
        int64_t lead = known_lead(c, channel, rank);
        if (lead > 0)
            add_strays(strays, key->destination, &channel->receives, (uint64_t)lead);
        else if (rank == UINT32_MAX || key->source == rank)
            add_strays(strays, key->source, &channel->sends, (uint64_t)-lead);
    }
    efg_strays_sort(strays);
}
