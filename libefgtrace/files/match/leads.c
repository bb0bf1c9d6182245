/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds which send the first receive of a window belongs to. MPI receives the messages of a channel in the
 * order in which they were sent, so the k-th receive of a window belongs to the k-th send, except for
 * messages that cross its beginning, which is at a different time on each rank. A positive lead: the first
 * receives belong to sends before the window. A negative one: the first sends were received before it.
 *
 * Times only bound a lead from below: no receive is before its send, nor of another length.
 * Any larger lead is possible, as messages can wait. But all leads together have to be what
 * was under way when the windows began (flight.h). So simple rules are tried, each of
 * which gives a lower limit for the leads; a lead is then the least one that fits:
 *
 *     0                        what is received in the window was sent shortly before
 *     depth                    the same number of messages on all channels
 *     depth x messages of a channel per iteration
 *                              the same number of iterations
 *     ... on the channels to higher ranks only, or on those to lower ranks only
 *
 * The larger the depth, the fewer messages that were under way are left: bisection finds the depth
 * that leaves none. With the most negative depth, leads are the least that times allow. The
 * rule is believed if the leads are exactly the messages that were under way; the check is wrong
 * with one chance in 2^64.
 *
 * Times are those of the clocks. If these are wrong, too many messages lead with depth 0; the larger
 * the error that is allowed, the fewer do. So the least slack is sought with which no more messages
 * lead than were under way (by bisection again), and proven in the same way. Then the leads are
 * known, and if receives are still early, a clock is wrong, however large the
 * error, and however many messages really cross the edge, even if all go one way.
 *
 * Where windows have margins, which begin at any time, all this is about the moments when the windows
 * themselves begin: leads are those there, and what was sent and received in the margins before is added.
 *
 * If nothing is proven, nothing is known: a thread or a rank that has no window, or one that
 * was trimmed, does not say what was under way; or a message is lost for ever; or channels
 * differ in other ways; or clocks are wrong by more than what leads on another channel is
 * early. Clocks are left alone then.
 */
#include "channels.h"

#define MOST_LEAD 64    /* receives on a channel that may belong to sends before the window */
#define MOST_AHEAD 4096 /* sends that may have been received before it */
#define MOST_DEPTH 64
#define MOST_SLACK (INT64_C(1) << 50) /* ns, 13 days */

typedef void (*joiner)(struct efg_flight *flight);

static const struct efg_leads by_time;

/* --- the lead of a channel --- */

static int64_t count_before(const struct efg_channel_ends *ends)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < ends->kept; i++)
        count += ends->all[i].is_before;
    return count;
}

static void find_base(const struct efg_channels *c, struct efg_channel *channel)
{
    channel->base = 0;
    channel->margin = 0;
    if (!c->is_trimmed)
        channel->base = count_before(&channel->receives) - count_before(&channel->sends);
    for (uint32_t i = 0; i < channel->sends.kept; i++)
        channel->margin += channel->sends.all[i].is_margin;
}

static bool is_between_clocks(const struct efg_channel *channel)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    return s->kept && r->kept && !efg_skew_is_same(&s->clock, &r->clock);
}

struct pair { /* the first send and receive that belong together */
    uint32_t send, receive;
};

static struct pair first_pair(int64_t lead)
{
    return lead < 0 ? (struct pair){(uint32_t)-lead, 0} : (struct pair){0, (uint32_t)lead};
}

/* A clock that is wrong in the window may have been right then. */
static bool is_in_margins(const struct efg_transfer *send, const struct efg_transfer *receive)
{
    return send->is_margin && receive->is_margin;
}

/* Whether each send and its receive may be one message. */
static bool fits(const struct efg_channel *channel, int64_t lead, uint64_t slack)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    for (struct pair i = first_pair(lead); i.send < s->kept && i.receive < r->kept; i.send++, i.receive++)
        if (s->all[i.send].bytes != r->all[i.receive].bytes ||
            (s->all[i.send].time > r->all[i.receive].time + slack &&
             !is_in_margins(&s->all[i.send], &r->all[i.receive])))
            return false;
    return true;
}

/* 0 if they are not known. */
static int64_t iterations_of(const struct efg_channels *c, uint32_t window)
{
    if (window >= c->window_count || c->windows[window].first >= c->windows[window].last)
        return 0;
    return (int64_t)(c->windows[window].last - c->windows[window].first);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* No lead is as large. */
static int64_t most_lead(const struct efg_channel *channel)
{
    return channel->base > 0 ? channel->base + MOST_LEAD : MOST_LEAD;
}

/* By the rule of LEADS, but that one send is left, at least, for what was received. */
static int64_t least_lead(const struct efg_channels *c, const struct efg_channel *channel,
                          const struct efg_leads *leads)
{
    const struct efg_channel_key *key = &channel->key;
    enum efg_ways way = key->destination > key->source ? EFG_WAYS_UP : EFG_WAYS_DOWN;
    int64_t iterations = iterations_of(c, key->window), least = leads->depth;
    int64_t last = channel->sends.kept ? (int64_t)channel->sends.kept - 1 : 0;
    int64_t most_ahead = smaller(last, MOST_AHEAD - smaller(channel->base, 0));
    int64_t most = smaller(channel->receives.kept, most_lead(channel) - 1);
    if (!channel->receives.kept)
        return 0;
    if (leads->ways != EFG_WAYS_ALL && leads->ways != way)
        least = 0;
    else if (leads->is_by_iteration && iterations)
        least = least * (int64_t)(channel->sends.count - channel->margin) / iterations;
    least += channel->base;
    return least < -most_ahead ? -most_ahead : smaller(least, most);
}

/* The most_lead if none fits. */
static int64_t lead_by(const struct efg_channels *c, const struct efg_channel *channel,
                       const struct efg_leads *leads)
{
    uint64_t slack = is_between_clocks(channel) ? leads->slack : 0;
    if (efg_channel_is_collective(channel)) /* all have made the same number of them when windows begin */
        return channel->base;
    int64_t lead = least_lead(c, channel, leads);
    while (lead < most_lead(channel) && lead < channel->receives.kept && !fits(channel, lead, slack))
        lead++;
    return lead;
}

int64_t efg_channels_lead(const struct efg_channels *c, const struct efg_channel *channel)
{
    int64_t lead = lead_by(c, channel, c->leads.is_proven ? &c->leads : &by_time);
    return lead < most_lead(channel) ? lead : 0;
}

uint64_t efg_channels_suspects(const struct efg_channels *c, uint32_t rank)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (efg_channel_is_of(&c->channels[i], rank) && is_between_clocks(&c->channels[i]))
            count += (uint64_t)lead_by(c, &c->channels[i], &by_time);
    return count;
}

/* --- the proof --- */

/* What was under way, less what leads by the rule of C: nothing left is the proof. */
static struct efg_flight rest_of(const struct efg_channels *c, uint32_t rank, joiner join)
{
    struct efg_flight rest = c->flight;
    rest.sum += c->failed != 0; /* what is not all there proves nothing */
    for (uint32_t i = 0; i < c->count; i++) {
        const struct efg_channel_key *key = &c->channels[i].key;
        struct efg_flight led = {0};
        if (!efg_channel_is_of(&c->channels[i], rank) || efg_channel_is_collective(&c->channels[i]))
            continue;
        int64_t lead = lead_by(c, &c->channels[i], &c->leads);
        efg_flight_add(&led, efg_flight_channel(key->comm, key->source, key->destination, key->tag), -lead);
        efg_flight_join(&rest, led, key->window);
    }
    if (join)
        join(&rest);
    return rest;
}

static bool is_nothing(struct efg_flight flight)
{
    return flight.sum == 0 && flight.count == 0;
}

/* The least depth that leaves none of what was under way. */
static bool is_depth(struct efg_channels *c, uint32_t rank, joiner join)
{
    int32_t least = -MOST_DEPTH, most = MOST_DEPTH;
    while (least < most) {
        int32_t middle = least + (most - least) / 2;
        c->leads.depth = middle;
        if (rest_of(c, rank, join).count > 0)
            least = middle + 1;
        else
            most = middle;
    }
    c->leads.depth = most;
    return is_nothing(rest_of(c, rank, join));
}

static bool find_depth(struct efg_channels *c, uint32_t rank, joiner join)
{
    for (int by_iteration = 0; by_iteration < 2; by_iteration++)
        for (enum efg_ways ways = EFG_WAYS_ALL; ways <= EFG_WAYS_DOWN; ways++) {
            c->leads = (struct efg_leads){.ways = ways, .is_by_iteration = by_iteration};
            if (is_depth(c, rank, join))
                return true;
        }
    return false;
}

/* The least slack with which no more lead than were under way. */
static bool find_slack(struct efg_channels *c, uint32_t rank, joiner join)
{
    uint64_t least = 1, most = MOST_SLACK;
    c->leads = by_time;
    while (least < most) {
        uint64_t middle = least + (most - least) / 2;
        c->leads.slack = middle;
        if (rest_of(c, rank, join).count < 0)
            least = middle + 1;
        else
            most = middle;
    }
    c->leads.slack = most;
    return is_nothing(rest_of(c, rank, join));
}

bool efg_channels_prove(struct efg_channels *c, uint32_t rank, joiner join)
{
    c->leads = by_time;
    for (uint32_t i = 0; i < c->count; i++)
        find_base(c, &c->channels[i]);
    struct efg_flight rest = rest_of(c, rank, join);
    bool is_proven = is_nothing(rest) || find_depth(c, rank, join);
    if (!is_proven && rest.count < 0)
        is_proven = find_slack(c, rank, join);
    c->leads.is_proven = is_proven;
    if (!is_proven)
        c->leads.doubt = rest.count ? (uint64_t)(rest.count < 0 ? -rest.count : rest.count) : 1;
    return is_proven;
}

/* --- gaps --- */

static void add_gap(const struct efg_channel *channel, int64_t lead, struct efg_skew *skew)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    int64_t least = INT64_MAX;
    uint64_t early = 0;
    for (struct pair i = first_pair(lead); i.send < s->kept && i.receive < r->kept; i.send++, i.receive++) {
        if (is_in_margins(&s->all[i.send], &r->all[i.receive]))
            continue;
        int64_t gap = (int64_t)(r->all[i.receive].time - s->all[i.send].time);
        early += gap < 0;
        least = gap < least ? gap : least;
    }
    if (least < INT64_MAX)
        efg_skew_add(skew, &s->clock, &r->clock, least, early);
}

void efg_channels_gaps(const struct efg_channels *c, uint32_t rank, struct efg_skew *skew)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (efg_channel_is_of(&c->channels[i], rank) && is_between_clocks(&c->channels[i]))
            add_gap(&c->channels[i], lead_by(c, &c->channels[i], &c->leads), skew);
}
