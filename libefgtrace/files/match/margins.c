/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls in the margins of windows hold the other ends of messages inside, and so stay. Two ends belong
 * together by the leads that were found (leads.c); where one of them is inside, both are needed.
 */
#include "channels.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/compare.h"

void efg_channels_need(struct efg_channels *c, uint32_t rank)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct efg_channel *channel = &c->channels[i];
        if (!efg_channel_is_of(channel, rank) || efg_channel_is_collective(channel))
            continue;
        int64_t lead = efg_channels_lead(c, channel);
        struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
        uint64_t send = lead < 0 ? (uint64_t)-lead : 0, receive = lead > 0 ? (uint64_t)lead : 0;
        for (; send < s->kept && receive < r->kept; send++, receive++) {
            struct efg_transfer *a = &s->all[send], *b = &r->all[receive];
            a->is_needed = a->is_margin && !b->is_margin;
            b->is_needed = b->is_margin && !a->is_margin;
        }
    }
}

/* --- what stays --- */

struct margins { /* of one log, while they are filled in */
    uint64_t *needed;
    size_t count;
    struct efg_flight *stays; /* of each window: what is needed before it */
    uint32_t windows, thread;
    bool failed;
};

/* The ends of CHANNEL on this rank that stay, COUNT messages each. */
static void add_ends(struct margins *m, const struct efg_channel *channel,
                     const struct efg_channel_ends *ends, int count)
{
    const struct efg_channel_key *key = &channel->key;
    uint64_t hash = efg_flight_channel(key->comm, key->source, key->destination, key->tag);
    for (uint32_t i = 0; i < ends->kept && !m->failed; i++) {
        const struct efg_transfer *t = &ends->all[i];
        if (efg_order_thread(t->order) != m->thread || (t->is_margin && !t->is_needed))
            continue;
        if (t->is_before && key->window < m->windows)
            efg_flight_add(&m->stays[key->window], hash, count);
        if (!t->is_needed)
            continue;
        m->failed = efg_array_grow(&m->needed, m->count, 1, sizeof *m->needed) != 0;
        if (!m->failed)
            m->needed[m->count++] = efg_order_place(t->order);
    }
}

static const struct efg_channels_front *fronts_of(const struct efg_channels *c, uint32_t thread,
                                                  uint32_t *count)
{
    uint32_t first = 0;
    while (first < c->front_count && c->fronts[first].thread != thread)
        first++;
    for (*count = 0; first + *count < c->front_count && c->fronts[first + *count].thread == thread;)
        ++*count;
    return c->fronts + first;
}

int efg_channels_margins(const struct efg_channels *c, uint32_t rank, uint32_t thread,
                         struct efg_trim_margins *out)
{
    struct margins m = {.thread = thread};
    const struct efg_channels_front *fronts = fronts_of(c, thread, &m.windows);
    m.stays = calloc((size_t)m.windows + 1, sizeof *m.stays);
    struct efg_trim_flight *gone = calloc((size_t)m.windows + 1, sizeof *gone);
    m.failed = !m.stays || !gone;
    for (uint32_t i = 0; i < c->count && c->leads.is_proven && !m.failed; i++) {
        const struct efg_channel *channel = &c->channels[i];
        if (efg_channel_is_collective(channel))
            continue;
        if (channel->key.source == rank)
            add_ends(&m, channel, &channel->sends, 1);
        if (channel->key.destination == rank)
            add_ends(&m, channel, &channel->receives, -1);
    }
    for (uint32_t i = 0; i < m.windows && !m.failed; i++)
        gone[i] = (struct efg_trim_flight){(uint32_t)(fronts[i].flight.count - m.stays[i].count),
                                           fronts[i].flight.sum - m.stays[i].sum};
    free(m.stays);
    if (m.count)
        qsort(m.needed, m.count, sizeof *m.needed, efg_compare_numbers);
    *out = (struct efg_trim_margins){.inside = c->inside,
                                     .inside_count = c->inside_count,
                                     .needed = m.needed,
                                     .needed_count = m.count,
                                     .gone = gone,
                                     .gone_count = m.windows,
                                     .is_matched = c->leads.is_proven};
    if (m.failed)
        efg_channels_margins_fini(out);
    return m.failed ? -ENOMEM : 0;
}

void efg_channels_margins_fini(struct efg_trim_margins *margins)
{
    free((void *)(uintptr_t)margins->needed);
    free((void *)(uintptr_t)margins->gone);
    *margins = (struct efg_trim_margins){0};
}
