/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both ends of channels, brought together. MPI receives the messages of a channel in the
 * order in which they were sent, so the k-th receive has the k-th send, but for those at the
 * beginning of a window whose sends lie before it, the lead: as many of them are passed over as
 * it takes for each of the other receives to be as long as its send and not earlier.
 *
 * Earlier by the clocks, that is. If these are wrong, too many seem to lead; the more they
 * may be wrong by, the fewer lead. So the least slack is sought with which no more lead than
 * were under way when the window began (by bisection: the count only falls), and then the
 * messages that lead have to be the very ones that were under way (core/flight.h). If
 * they are, that is the truth about them, and where they are early nevertheless a clock is
 * wrong, however large the error, and however many messages really cross the edge, even if all
 * go one way. If they are not, nothing is known: a thread or a rank that has no window, or one
 * that was trimmed, does not say what was under way; or a message is lost for ever; or clocks
 * are wrong by more than what leads on another channel is early. Clocks are left alone then.
 *
 *     block: clock | number of channels, then each:
 *            key | sends | kept | (time, bytes) of those
 */
#include "channels.h"

#include <errno.h>
#include <stdlib.h>

#include "core/signature.h"

#define MOST_LEAD 64 /* receives on a channel that may belong to sends before the window */
#define MOST_SLACK (INT64_C(1) << 50) /* ns, 13 days */

void efg_channels_fini(struct efg_channels *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        free(c->channels[i].sends.all);
        free(c->channels[i].receives.all);
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
    efg_buffer_number(out, sends->kept);
    for (uint32_t i = 0; i < sends->kept; before = sends->all[i++].time) {
        efg_buffer_number(out, sends->all[i].time - before);
        efg_buffer_number(out, sends->all[i].bytes);
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
    size_t kept = efg_reader_count(in, 2);
    size_t room = 1; /* a power of two */
    while (room < kept)
        room *= 2;
    struct efg_transfer *all = kept ? calloc(room, sizeof *all) : NULL;
    for (size_t i = 0; all && i < kept; i++) {
        time += efg_reader_number(in);
        all[i] = (struct efg_transfer){time, time, i, efg_reader_number(in)};
    }
    if (kept && !all)
        in->failed = 1;
    free(sends->all);
    sends->all = all;
    sends->kept = in->failed ? 0 : (uint32_t)kept;
}

int efg_channels_get(struct efg_channels *c, const void *block, size_t size)
{
    struct efg_reader in = efg_reader(block, size);
    struct efg_sync clock = {.ticks = efg_reader_u64(&in)};
    clock.realtime = efg_reader_u64(&in);
    size_t count = efg_reader_count(&in, 14);
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

static int is_collective(const struct efg_channel *channel)
{
    return (channel->key.tag & EFG_FLIGHT_COLLECTIVE) != 0;
}

static int is_between_clocks(const struct efg_channel *channel)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    return s->kept && r->kept && !efg_skew_is_same(&s->clock, &r->clock);
}

/* Whether the (LEAD + I)-th receive may be that of the I-th send, for each I. */
static int fits(const struct efg_channel *channel, uint32_t lead, uint64_t slack)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    for (uint32_t i = 0; i < s->kept && lead + i < r->kept; i++)
        if (s->all[i].bytes != r->all[lead + i].bytes ||
            s->all[i].time > r->all[lead + i].time + slack)
            return 0;
    return 1;
}

/* How many receives belong to sends before the window, if receives from other nodes may be
 * earlier than their sends by SLACK ns: the fewest that fit; MOST_LEAD if not even these do. */
static uint32_t lead_of(const struct efg_channel *channel, uint64_t slack)
{
    uint32_t lead = 0;
    if (is_collective(channel))
        return 0;
    if (!is_between_clocks(channel))
        slack = 0;
    while (lead < MOST_LEAD && lead < channel->receives.kept && !fits(channel, lead, slack))
        lead++;
    return lead;
}

static int is_of(const struct efg_channel *channel, uint32_t rank)
{
    return rank == UINT32_MAX || channel->key.destination == rank;
}

static void match(struct efg_run_messages *m, const struct efg_channel *channel)
{
    uint64_t lead = lead_of(channel, 0) % MOST_LEAD, sends = channel->sends.count;
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
        if (is_of(&c->channels[i], rank) && !is_collective(&c->channels[i]))
            match(&messages, &c->channels[i]);
    return messages;
}

/* --- leads or clocks --- */

uint64_t efg_channels_suspects(const struct efg_channels *c, uint32_t rank)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (is_of(&c->channels[i], rank) && is_between_clocks(&c->channels[i]))
            count += lead_of(&c->channels[i], 0);
    return count;
}

/* What was under way, less what leads with SLACK: nothing left is the proof. */
static struct efg_flight rest_with(const struct efg_channels *c, uint32_t rank, uint64_t slack,
                                   void (*join)(struct efg_flight *))
{
    struct efg_flight rest = c->flight;
    rest.sum += c->failed != 0; /* what is not all there proves nothing */
    for (uint32_t i = 0; i < c->count; i++) {
        const struct efg_channel_key *key = &c->channels[i].key;
        uint32_t lead = is_of(&c->channels[i], rank) ? lead_of(&c->channels[i], slack) : 0;
        struct efg_flight led = {0};
        if (!lead)
            continue;
        efg_flight_add(&led,
                       efg_flight_channel(key->comm, key->source, key->destination, key->tag),
                       -(int64_t)lead);
        efg_flight_join(&rest, led, key->window);
    }
    if (join)
        join(&rest);
    return rest;
}

static int is_nothing(struct efg_flight flight)
{
    return flight.sum == 0 && flight.count == 0;
}

int efg_channels_slack(const struct efg_channels *c, uint32_t rank,
                       void (*join)(struct efg_flight *flight), uint64_t *slack)
{
    struct efg_flight rest = rest_with(c, rank, 0, join);
    uint64_t least = 1, most = MOST_SLACK;
    *slack = 0;
    if (is_nothing(rest) || rest.count >= 0)
        return is_nothing(rest);
    while (least < most) { /* with less than LEAST, too many lead */
        uint64_t middle = least + (most - least) / 2;
        if (rest_with(c, rank, middle, join).count < 0)
            least = middle + 1;
        else
            most = middle;
    }
    *slack = most;
    return is_nothing(rest_with(c, rank, most, join));
}

/* --- gaps --- */

static void add_gap(const struct efg_channel *channel, uint64_t slack, struct efg_skew *skew)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    uint32_t lead = lead_of(channel, slack);
    int64_t least = INT64_MAX;
    uint64_t early = 0;
    for (uint32_t i = 0; i < s->kept && lead + i < r->kept; i++) {
        int64_t gap = (int64_t)(r->all[lead + i].time - s->all[i].time);
        early += gap < 0;
        least = gap < least ? gap : least;
    }
    if (least < INT64_MAX)
        efg_skew_add(skew, &s->clock, &r->clock, least, early);
}

void efg_channels_gaps(const struct efg_channels *c, uint32_t rank, uint64_t slack,
                       struct efg_skew *skew)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (is_of(&c->channels[i], rank) && is_between_clocks(&c->channels[i]))
            add_gap(&c->channels[i], slack, skew);
}
