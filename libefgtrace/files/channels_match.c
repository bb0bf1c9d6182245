/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both ends of channels, brought together. MPI receives the messages of a channel in the
 * order in which they were sent, so the k-th receive has the k-th send, but for those at the
 * beginning of a window whose sends lie before it: as many of them are passed over as it takes
 * for each of the first receives to be as long as its send and not earlier. It is a guess
 * where messages are all of one length and a send is always earlier than the receive before its
 * own; numbers that are known for certain would cost a count per message all the time.
 *
 * Between nodes, a receive that is earlier than its send may also be a clock that is wrong: by
 * no more than clocks may be wrong by, and by less than each of the messages would be under way
 * with the first lead that makes none of them early. Of two explanations it is the smaller one
 * that is taken. (Where a message is sent in each iteration, that is half an iteration.)
 *
 * What is early on a channel is believed only if both of its ends counted the same messages,
 * and no send was under way at the end of the window: it would be received after it, and so
 * would a first receive be of a send before. Where nothing is early, the gap is a bound for how
 * far clocks may be moved, in any case. When a lead was not seen nevertheless, the clocks are
 * moved by less than they may be wrong by anyhow; and where messages go to and fro, both ways
 * then seem early, which no shift can be made of (skew.h).
 *
 *     block: clock | number of channels, then each:
 *            key | sends | doubt | open | kept | (time, bytes) of those
 */
#include "channels.h"

#include <errno.h>
#include <stdlib.h>

#include "core/signature.h"

#define MOST_LEAD 64 /* receives on a channel that may belong to sends before the window */

void efg_channels_fini(struct efg_channels *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        free(c->channels[i].sends.first);
        free(c->channels[i].receives.first);
    }
    free(c->channels);
    free(c->windows);
    efg_map_fini(&c->index);
    *c = (struct efg_channels){0};
}

/* --- sends, on their way to the receiver --- */

static int compare_destinations(const void *a, const void *b)
{
    const struct efg_channel *x = a, *y = b;
    return (x->key.destination > y->key.destination) -
           (x->key.destination < y->key.destination);
}

void efg_channels_sort(struct efg_channels *c)
{
    if (c->count)
        qsort(c->channels, c->count, sizeof *c->channels, compare_destinations);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct efg_channel_key *key = &c->channels[i].key;
        uint64_t *number = efg_map_find(&c->index, efg_hash_bytes(0, key, sizeof *key));
        if (number)
            *number = i + 1;
    }
}

static void put_channel(struct efg_buffer *out, const struct efg_channel *channel)
{
    const struct efg_channel_ends *sends = &channel->sends;
    uint64_t before = 0;
    efg_buffer_u64(out, channel->key.comm);
    efg_buffer_number(out, channel->key.source);
    efg_buffer_number(out, channel->key.destination);
    efg_buffer_number(out, channel->key.tag);
    efg_buffer_number(out, channel->key.window);
    efg_buffer_number(out, sends->count);
    efg_buffer_number(out, sends->doubt);
    efg_buffer_number(out, sends->open);
    efg_buffer_number(out, sends->kept);
    for (uint32_t i = 0; i < sends->kept; before = sends->first[i++].time) {
        efg_buffer_number(out, sends->first[i].time - before);
        efg_buffer_number(out, sends->first[i].bytes);
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

/* In place of what is there: a channel has one source. */
static void get_sends(struct efg_reader *in, const struct efg_sync *clock,
                      struct efg_channel_ends *sends)
{
    uint64_t time = 0;
    sends->clock = *clock;
    sends->count = efg_reader_number(in);
    sends->doubt = efg_reader_number(in);
    sends->open = efg_reader_number(in);
    size_t kept = efg_reader_count(in, 2);
    struct efg_transfer *first = kept ? calloc(kept, sizeof *first) : NULL;
    for (size_t i = 0; first && i < kept; i++) {
        time += efg_reader_number(in);
        first[i] = (struct efg_transfer){time, time, i, efg_reader_number(in)};
    }
    if (kept && !first)
        in->failed = 1;
    free(sends->first);
    sends->first = first;
    sends->kept = sends->room = in->failed ? 0 : (uint32_t)kept;
}

int efg_channels_get(struct efg_channels *c, const void *block, size_t size)
{
    struct efg_reader in = efg_reader(block, size);
    struct efg_sync clock = {.ticks = efg_reader_u64(&in)};
    clock.realtime = efg_reader_u64(&in);
    size_t count = efg_reader_count(&in, 16);
    for (size_t i = 0; i < count && !in.failed; i++) {
        struct efg_channel_key key = {.comm = efg_reader_u64(&in)};
        key.source = (uint32_t)efg_reader_number(&in);
        key.destination = (uint32_t)efg_reader_number(&in);
        key.tag = (uint32_t)efg_reader_number(&in);
        key.window = (uint32_t)efg_reader_number(&in);
        struct efg_channel *channel = in.failed ? NULL : efg_channels_find(c, &key);
        if (!channel)
            return in.failed ? -EBADMSG : -ENOMEM;
        get_sends(&in, &clock, &channel->sends);
    }
    return in.failed || in.at != in.size ? -EBADMSG : 0;
}

/* --- matching --- */

/* Whether the I-th send may be that of the (LEAD + I)-th receive, by their lengths. */
static int fits(const struct efg_channel *channel, uint32_t lead)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    for (uint32_t i = 0; i < s->kept && lead + i < r->kept; i++)
        if (s->first[i].bytes != r->first[lead + i].bytes)
            return 0;
    return 1;
}

/* The least time, ns, from a send to its receive; *EARLY: how many take less than nothing. */
static int64_t least_gap(const struct efg_channel *channel, uint32_t lead, uint64_t *early)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    int64_t least = INT64_MAX;
    *early = 0;
    for (uint32_t i = 0; i < s->kept && lead + i < r->kept; i++) {
        int64_t gap = (int64_t)(r->first[lead + i].time - s->first[i].time);
        *early += gap < 0;
        least = gap < least ? gap : least;
    }
    return least;
}

/* By how many ns a receive may be earlier than its send. */
static int64_t tolerance(const struct efg_channel *channel)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    if (s->kept < 2 || efg_skew_is_same(&s->clock, &r->clock))
        return 0;
    uint64_t most = s->doubt + r->doubt;
    return most < INT64_MAX ? (int64_t)most : INT64_MAX;
}

struct lead { /* receives whose sends were before the window */
    uint32_t count;
    int64_t gap; /* the least one then, INT64_MAX if none is known */
    uint64_t early;
};

/* The first lead that fits, with no gap below LEAST. Returns whether there is one. */
static int find_lead(const struct efg_channel *channel, int64_t least, struct lead *lead)
{
    for (uint32_t i = 0; i < MOST_LEAD && i < channel->receives.kept; i++) {
        if (!fits(channel, i))
            continue;
        *lead = (struct lead){.count = i};
        lead->gap = least_gap(channel, i, &lead->early);
        if (lead->gap >= least)
            return 1;
    }
    *lead = (struct lead){.gap = INT64_MAX};
    return 0;
}

static struct lead lead_of(const struct efg_channel *channel)
{
    struct lead lead, longer;
    if (!find_lead(channel, -tolerance(channel), &lead) || lead.gap >= 0)
        return lead;
    return find_lead(channel, 0, &longer) && longer.gap <= -lead.gap ? longer : lead;
}

static void match(struct efg_run_messages *m, const struct efg_channel *channel)
{
    uint64_t lead = lead_of(channel).count, sends = channel->sends.count;
    uint64_t rest = channel->receives.count - lead;
    m->sends += sends;
    m->receives += channel->receives.count;
    m->matched += sends < rest ? sends : rest;
    m->early += lead;
}

struct efg_run_messages efg_channels_match(const struct efg_channels *c, uint32_t rank)
{
    struct efg_run_messages messages = c->open;
    for (uint32_t i = 0; i < c->count; i++)
        if (rank == UINT32_MAX || c->channels[i].key.destination == rank)
            match(&messages, &c->channels[i]);
    return messages;
}

/* --- clocks --- */

static void add_gap(const struct efg_channel *channel, struct efg_skew *skew)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    struct lead lead = lead_of(channel);
    int is_certain = !lead.count && s->count == r->count && !s->open;
    if (lead.gap != INT64_MAX && (is_certain || lead.gap >= 0))
        efg_skew_add(skew, &s->clock, &r->clock, lead.gap, lead.early);
}

void efg_channels_gaps(const struct efg_channels *c, uint32_t rank, struct efg_skew *skew)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (rank == UINT32_MAX || c->channels[i].key.destination == rank)
            add_gap(&c->channels[i], skew);
}
