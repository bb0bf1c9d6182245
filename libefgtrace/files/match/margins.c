/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls in the margins of windows hold the other ends of messages inside, and so stay. Two ends belong
 * together by the leads that were found (leads.c); where one is inside, both are needed. An end inside whose
 * other end is in no log goes: readers match the k-th send of a channel with its k-th receive, and would give
 * it the end of another message, even of the next window. Behind the last window nothing follows, and what is
 * open at its end stays. A window whose leads are not known has no messages at all, unless that is so of all.
 */
#include "channels.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/compare.h"

/* Of the ends of a channel in WINDOW, the one at I has no other end, and goes. */
static bool is_stray(const struct efg_channels *c, const struct efg_channel_ends *ends, uint32_t window,
                     uint32_t i)
{
    bool is_open = i >= ends->to && window + 1 == c->window_count;
    bool has_other = i >= ends->from && i < ends->to;
    return !ends->all[i].is_margin && !(efg_channels_has_proven(c, window) && (is_open || has_other));
}

static uint64_t count_strays(const struct efg_channels *c, const struct efg_channel_ends *ends,
                             uint32_t window, uint64_t *ahead)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < ends->kept; i++) {
        count += is_stray(c, ends, window, i);
        *ahead += i < ends->from && is_stray(c, ends, window, i);
    }
    return count;
}

static void count_gone(struct efg_channels *c, const struct efg_channel *channel)
{
    struct efg_run_messages *gone = &c->gone;
    uint64_t sends = count_strays(c, &channel->sends, channel->key.window, &gone->ahead);
    uint64_t receives = count_strays(c, &channel->receives, channel->key.window, &gone->early);
    gone->sends += sends;
    gone->receives += receives;
    gone->left_out += sends + receives;
    if (!efg_channels_has_proven(c, channel->key.window))
        gone->unproven += sends + receives;
}

static void pair(struct efg_channel *channel, int64_t lead)
{
    struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    s->from = lead < 0 ? (uint32_t)-lead : 0;
    r->from = lead > 0 ? (uint32_t)lead : 0;
    uint32_t sends = s->kept - s->from, receives = r->kept - r->from;
    uint32_t pairs = sends < receives ? sends : receives;
    s->to = s->from + pairs;
    r->to = r->from + pairs;
    for (uint32_t i = 0; i < pairs; i++) {
        struct efg_transfer *a = &s->all[s->from + i], *b = &r->all[r->from + i];
        a->is_needed = a->is_margin && !b->is_margin;
        b->is_needed = b->is_margin && !a->is_margin;
    }
}

void efg_channels_need(struct efg_channels *c, uint32_t rank)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct efg_channel *channel = &c->channels[i];
        channel->sends.to = channel->sends.kept; /* until the destination says otherwise */
        if (!efg_channel_is_of(channel, rank) || efg_channel_is_collective(channel))
            continue;
        if (efg_channels_has_proven(c, channel->key.window))
            pair(channel, efg_channels_lead(c, channel));
        count_gone(c, channel);
    }
}

/* --- what stays --- */

struct places { /* of records in the log */
    uint64_t *all;
    size_t count;
};

struct margins { /* of one log, while they are filled in */
    const struct efg_channels *c;
    struct places needed, strays;
    struct efg_trim_flight *gone;
    uint32_t windows, thread;
    bool failed;
};

static void add_place(struct margins *m, struct places *places, uint64_t order)
{
    m->failed |= efg_array_grow(&places->all, places->count, 1, sizeof *places->all) != 0;
    if (!m->failed)
        places->all[places->count++] = efg_order_place(order);
}

/* The ends of CHANNEL on this rank, COUNT messages each: what was under way when recording began is not,
 * where nothing of it is left. */
static void add_ends(struct margins *m, const struct efg_channel *channel,
                     const struct efg_channel_ends *ends, int count)
{
    const struct efg_channel_key *key = &channel->key;
    uint64_t hash = efg_flight_channel(key->comm, key->source, key->destination, key->tag);
    for (uint32_t i = 0; i < ends->kept && !m->failed; i++) {
        const struct efg_transfer *t = &ends->all[i];
        if (efg_order_thread(t->order) != m->thread)
            continue;
        if (i < ends->from && key->window < m->windows) {
            m->gone[key->window].count += (uint32_t)count;
            m->gone[key->window].sum += hash * (uint64_t)(int64_t)count;
        }
        if (t->is_needed)
            add_place(m, &m->needed, t->order);
        else if (is_stray(m->c, ends, key->window, i))
            add_place(m, &m->strays, t->order);
    }
}

static void add_channels(struct margins *m, uint32_t rank)
{
    for (uint32_t i = 0; i < m->c->count && !m->failed; i++) {
        const struct efg_channel *channel = &m->c->channels[i];
        if (efg_channel_is_collective(channel))
            continue;
        if (channel->key.source == rank)
            add_ends(m, channel, &channel->sends, 1);
        if (channel->key.destination == rank)
            add_ends(m, channel, &channel->receives, -1);
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

/* Of what was under way when the window of FRONT began, so much more is not, besides messages that lead: the
 * collectives of its margin, or, if it has no messages, all. */
static struct efg_flight gone_of(const struct efg_channels *c, const struct efg_channels_front *front)
{
    if (efg_channels_has_proven(c, front->window))
        return front->collectives;
    return (struct efg_flight){-front->begin.sum, -front->begin.count};
}

static void sort_places(struct places *places)
{
    if (places->count)
        qsort(places->all, places->count, sizeof *places->all, efg_compare_numbers);
}

int efg_channels_margins(const struct efg_channels *c, uint32_t rank, uint32_t thread,
                         struct efg_trim_margins *out)
{
    struct margins m = {.c = c, .thread = thread};
    const struct efg_channels_front *fronts = fronts_of(c, thread, &m.windows);
    m.gone = calloc((size_t)m.windows + 1, sizeof *m.gone);
    bool is_matched = efg_channels_has_any_proven(c);
    m.failed = !m.gone;
    for (uint32_t i = 0; i < m.windows && !m.failed; i++) {
        struct efg_flight flight = is_matched ? gone_of(c, &fronts[i]) : fronts[i].flight;
        m.gone[i] = (struct efg_trim_flight){(uint32_t)flight.count, flight.sum};
    }
    if (is_matched)
        add_channels(&m, rank);
    sort_places(&m.needed);
    sort_places(&m.strays);
    *out = (struct efg_trim_margins){.inside = c->inside,
                                     .inside_count = c->inside_count,
                                     .needed = m.needed.all,
                                     .needed_count = m.needed.count,
                                     .strays = m.strays.all,
                                     .stray_count = m.strays.count,
                                     .gone = m.gone,
                                     .gone_count = m.windows,
                                     .is_matched = is_matched};
    if (m.failed)
        efg_channels_margins_fini(out);
    return m.failed ? -ENOMEM : 0;
}

void efg_channels_margins_fini(struct efg_trim_margins *margins)
{
    free((void *)(uintptr_t)margins->needed);
    free((void *)(uintptr_t)margins->strays);
    free((void *)(uintptr_t)margins->gone);
    *margins = (struct efg_trim_margins){0};
}
