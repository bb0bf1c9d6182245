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
 *     ... and of a message with a tag of its own, the end that is there tells: its receive without
 *         its send leads; its send without its receive was received before, if it is older than all
 *         that its destination has
 *     ... and a receive without its send that is younger than all that its source has: the source was
 *         done with the window before it sent it
 *
 * The larger the depth, the fewer messages that were under way are left: bisection finds the depth
 * that leaves none. With the most negative depth, leads are the least that times allow. The
 * rule is believed if the leads are exactly the messages that were under way; the check is wrong
 * with one chance in 2^64. Each window has a rule of its own, and may be without one.
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
 * If nothing is proven, nothing is known but this: what was received before the first send of its channel
 * began, by one clock, was sent before the window. So it is when a thread or a rank that has no window, or
 * one that was trimmed, does not say what was under way; or a message is lost for ever; or channels
 * differ in other ways; or clocks are wrong by more than what leads on another channel is
 * early. Clocks are left alone then.
 */
#include "channels.h"

#define MOST_LEAD 64    /* receives on a channel that may belong to sends before the window */
#define MOST_AHEAD 4096 /* sends that may have been received before it */
#define MOST_DEPTH 64
#define MOST_SLACK (INT64_C(1) << 50) /* ns, 13 days */

typedef void (*joiner)(struct efg_channels_window *windows, uint32_t count);

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

/* Few messages of which both ends are there or only those of one side. */
static bool is_by_ends(const struct efg_channel *channel, const struct efg_leads *leads)
{
    uint32_t sends = channel->sends.kept, receives = channel->receives.kept;
    return leads->is_by_ends && sends < MOST_LEAD && receives < MOST_LEAD &&
           (!sends || !receives || sends + receives == 2);
}

static int64_t lead_by_ends(const struct efg_channel *channel, const struct efg_leads *leads)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    uint32_t before = 0, early = 0;
    if (s->kept && r->kept)
        return fits(channel, 0, 0) ? 0 : 1;
    while (before < s->kept && s->all[before].time < channel->first)
        before++;
    while (early < r->kept && !(leads->is_over_sooner && r->all[early].time > channel->last))
        early++;
    return (int64_t)early - before;
}

/* The most_lead if none fits. */
static int64_t lead_by(const struct efg_channels *c, const struct efg_channel *channel,
                       const struct efg_leads *leads)
{
    uint64_t slack = is_between_clocks(channel) ? leads->slack : 0;
    if (efg_channel_is_collective(channel)) /* all have made the same number of them when windows begin */
        return channel->base;
    if (is_by_ends(channel, leads))
        return lead_by_ends(channel, leads);
    int64_t lead = least_lead(c, channel, leads);
    while (lead < most_lead(channel) && lead < channel->receives.kept && !fits(channel, lead, slack))
        lead++;
    return lead;
}

static const struct efg_leads *leads_of(const struct efg_channels *c, const struct efg_channel *channel)
{
    uint32_t window = channel->key.window;
    return window < c->window_count ? &c->windows[window].leads : &by_time;
}

uint32_t efg_channels_early(const struct efg_channel *channel)
{
    const struct efg_channel_ends *s = &channel->sends, *r = &channel->receives;
    uint32_t early = 0;
    if (!s->kept || is_between_clocks(channel) || efg_channel_is_collective(channel))
        return 0;
    while (early < r->kept && r->all[early].time < s->all[0].time)
        early++;
    return early;
}

/* The least one that fits, not far from what is sure. */
static int64_t least_sure_lead(const struct efg_channel *channel)
{
    int64_t early = efg_channels_early(channel), most = early + MOST_LEAD, lead = early;
    while (lead < most && lead < channel->receives.kept && !fits(channel, lead, 0))
        lead++;
    return lead < most ? lead : early;
}

int64_t efg_channels_lead(const struct efg_channels *c, const struct efg_channel *channel)
{
    const struct efg_leads *leads = leads_of(c, channel);
    int64_t lead = lead_by(c, channel, leads->is_proven ? leads : &by_time);
    if (lead < most_lead(channel))
        return lead;
    return leads->is_proven ? 0 : least_sure_lead(channel);
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

static bool is_nothing(struct efg_flight flight)
{
    return flight.sum == 0 && flight.count == 0;
}

/* What was under way in each window, less what leads by its rule. */
static void find_rests(struct efg_channels *c, uint32_t rank, joiner join)
{
    for (uint32_t i = 0; i < c->window_count; i++) {
        c->windows[i].rest = c->windows[i].flight;
        c->windows[i].rest.sum += c->failed != 0; /* what is not all there proves nothing */
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const struct efg_channel_key *key = &c->channels[i].key;
        if (!efg_channel_is_of(&c->channels[i], rank) || efg_channel_is_collective(&c->channels[i]) ||
            key->window >= c->window_count)
            continue;
        struct efg_channels_window *w = &c->windows[key->window];
        efg_flight_add(&w->rest, efg_flight_channel(key->comm, key->source, key->destination, key->tag),
                       -lead_by(c, &c->channels[i], &w->leads));
    }
    if (join)
        join(c->windows, c->window_count);
}

/* Nothing left is the proof. */
static void settle(struct efg_channels *c, uint32_t rank, joiner join)
{
    find_rests(c, rank, join);
    for (uint32_t i = 0; i < c->window_count; i++)
        c->windows[i].leads.is_proven |= is_nothing(c->windows[i].rest);
}

static bool are_all_proven(const struct efg_channels *c)
{
    for (uint32_t i = 0; i < c->window_count; i++)
        if (!c->windows[i].leads.is_proven)
            return false;
    return !c->failed;
}

struct rule { /* with a number that is looked for */
    enum efg_ways ways;
    bool is_by_iteration, is_slack, is_by_ends, is_over_sooner;
};

static void set_rule(struct efg_channels_window *w, const struct rule *rule, int64_t number)
{
    w->leads.ways = rule->ways;
    w->leads.is_by_iteration = rule->is_by_iteration;
    w->leads.is_by_ends = rule->is_by_ends;
    w->leads.is_over_sooner = rule->is_over_sooner;
    w->leads.depth = rule->is_slack ? 0 : (int32_t)number;
    w->leads.slack = rule->is_slack ? (uint64_t)number : 0;
}

static int64_t middle_of(const struct efg_channels_window *w)
{
    return w->least + (w->most - w->least) / 2;
}

/* Too many lead with a slack that is too small, too few with a depth that is. */
static void halve(struct efg_channels_window *w, const struct rule *rule)
{
    if (rule->is_slack ? w->rest.count < 0 : w->rest.count > 0)
        w->least = middle_of(w) + 1;
    else
        w->most = middle_of(w);
}

/* The least number from LEAST to MOST that leaves none, in all windows at once: so all ranks take the same
 * steps, as many as the range has bits. */
static void look_for(struct efg_channels *c, uint32_t rank, joiner join, const struct rule *rule,
                     int64_t least, int64_t most)
{
    for (uint32_t i = 0; i < c->window_count; i++) {
        struct efg_channels_window *w = &c->windows[i];
        w->is_sought = !w->leads.is_proven && (w->is_early || !rule->is_slack);
        w->least = least;
        w->most = most;
    }
    for (int64_t range = most - least; range > 0; range /= 2) {
        for (uint32_t i = 0; i < c->window_count; i++)
            if (c->windows[i].is_sought)
                set_rule(&c->windows[i], rule, middle_of(&c->windows[i]));
        find_rests(c, rank, join);
        for (uint32_t i = 0; i < c->window_count; i++)
            if (c->windows[i].least < c->windows[i].most)
                halve(&c->windows[i], rule);
    }
    for (uint32_t i = 0; i < c->window_count; i++)
        if (c->windows[i].is_sought)
            set_rule(&c->windows[i], rule, c->windows[i].most);
    settle(c, rank, join);
}

/* RULE, with all ways and kinds of depth. */
static void find_depths(struct efg_channels *c, uint32_t rank, joiner join, struct rule rule)
{
    for (int by_iteration = 0; by_iteration < 2; by_iteration++)
        for (rule.ways = EFG_WAYS_ALL; rule.ways <= EFG_WAYS_DOWN && !are_all_proven(c); rule.ways++) {
            rule.is_by_iteration = by_iteration;
            look_for(c, rank, join, &rule, -MOST_DEPTH, MOST_DEPTH);
        }
}

/* --- what ranks have of a window --- */

static uint64_t name_of(uint32_t rank, uint32_t window)
{
    return (uint64_t)rank << 32 | window;
}

/* When ranks have the first and the last of what they have of a window. */
struct extents {
    struct efg_map firsts, lasts;
};

/* RANK has ENDS of WINDOW. */
static void note(struct extents *extents, uint32_t rank, uint32_t window, const struct efg_channel_ends *ends)
{
    uint64_t *first = ends->kept ? efg_map_put(&extents->firsts, name_of(rank, window)) : NULL;
    uint64_t *last = ends->kept ? efg_map_put(&extents->lasts, name_of(rank, window)) : NULL;
    if (first && (!*first || ends->all[0].time < *first))
        *first = ends->all[0].time;
    if (last && ends->all[ends->kept - 1].time > *last)
        *last = ends->all[ends->kept - 1].time;
}

/* Without memory, what was sent is taken to be received later, and what was received to be sent before. */
static void find_extents(struct efg_channels *c)
{
    struct extents extents = {0};
    for (uint32_t i = 0; i < c->count; i++) {
        const struct efg_channel_key *key = &c->channels[i].key;
        note(&extents, key->source, key->window, &c->channels[i].sends);
        note(&extents, key->destination, key->window, &c->channels[i].receives);
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const struct efg_channel_key *key = &c->channels[i].key;
        const uint64_t *first = efg_map_find(&extents.firsts, name_of(key->destination, key->window));
        const uint64_t *last = efg_map_find(&extents.lasts, name_of(key->source, key->window));
        c->channels[i].first = first ? *first : 0;
        c->channels[i].last = last ? *last : UINT64_MAX;
    }
    efg_map_fini(&extents.firsts);
    efg_map_fini(&extents.lasts);
}

static void find_by_ends(struct efg_channels *c, uint32_t rank, joiner join)
{
    if (are_all_proven(c))
        return;
    find_extents(c);
    find_depths(c, rank, join, (struct rule){.is_by_ends = true});
    find_depths(c, rank, join, (struct rule){.is_by_ends = true, .is_over_sooner = true});
}

/* The least slack with which no more lead than were under way. */
static void find_slacks(struct efg_channels *c, uint32_t rank, joiner join)
{
    if (!are_all_proven(c))
        look_for(c, rank, join, &(struct rule){.is_slack = true}, 1, MOST_SLACK);
}

static void begin_proof(struct efg_channels *c)
{
    for (uint32_t i = 0; i < c->window_count; i++)
        c->windows[i].leads = by_time;
    for (uint32_t i = 0; i < c->count; i++)
        find_base(c, &c->channels[i]);
}

/* What is left if all lead as times tell. */
static void note_doubt(struct efg_channels *c)
{
    for (uint32_t i = 0; i < c->window_count; i++) {
        int64_t count = c->windows[i].rest.count;
        c->windows[i].is_early = count < 0;
        c->windows[i].leads.doubt = count ? (uint64_t)(count < 0 ? -count : count) : 1;
    }
}

bool efg_channels_has_any_proven(const struct efg_channels *c)
{
    for (uint32_t i = 0; i < c->window_count; i++)
        if (c->windows[i].leads.is_proven)
            return true;
    return false;
}

/* Clocks that one window is proven with are not wrong because of another one, which is not proven. */
static void sum_up(struct efg_channels *c)
{
    bool has_any = efg_channels_has_any_proven(c);
    c->leads = (struct efg_leads){.is_proven = are_all_proven(c)};
    for (uint32_t i = 0; i < c->window_count; i++) {
        struct efg_leads *one = &c->windows[i].leads;
        if (one->is_proven)
            one->doubt = 0;
        c->leads.depth = one->is_proven && one->depth < c->leads.depth ? one->depth : c->leads.depth;
        c->leads.is_by_ends |= one->is_proven && one->is_by_ends;
        if ((one->is_proven || !has_any) && one->slack > c->leads.slack)
            c->leads.slack = one->slack;
        c->leads.doubt += one->doubt;
    }
}

bool efg_channels_prove(struct efg_channels *c, uint32_t rank, joiner join)
{
    begin_proof(c);
    settle(c, rank, join);
    note_doubt(c);
    find_depths(c, rank, join, (struct rule){0});
    find_by_ends(c, rank, join);
    find_slacks(c, rank, join);
    sum_up(c);
    return c->leads.is_proven;
}

void efg_channels_doubt(struct efg_channels *c)
{
    c->leads.is_proven = false;
    for (uint32_t i = 0; i < c->window_count; i++)
        c->windows[i].leads.is_proven = false;
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
        if (efg_channel_is_of(&c->channels[i], rank) && is_between_clocks(&c->channels[i]) &&
            efg_channels_has_proven(c, c->channels[i].key.window))
            add_gap(&c->channels[i], efg_channels_lead(c, &c->channels[i]), skew);
}
