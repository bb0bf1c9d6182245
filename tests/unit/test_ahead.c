/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that were received before the window and sent in it: channels of pipelines whose
 * leads are known, at random. What is proven is right; what is not is in doubt.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>

#include "files/match/channels.h"

#define US 1000
#define MS 1000000
#define RANKS 4
#define BEGIN 100 /* the first step of the window */
#define STEPS 10
#define START (UINT64_C(1700000000) * 1000 * MS)

static int below(int n)
{
    return rand() % n;
}

/* --- jobs --- */

/* Rank R is in its step J at J ms + DELAY[R], more or less. A channel has RATE messages in
 * each step; those of step K are received in step K - DEPTH. Steps before the window, and behind it, are in
 * the margins of the rank. */
struct job {
    struct efg_channels c;
    int64_t delay[RANKS]; /* ms */
    int before[RANKS], behind[RANKS];
    int64_t truth[64]; /* by channel: the lead */
    uint64_t alone;    /* ends of messages whose other ends are not there */
    int is_sized;      /* the length of a message tells its step */
};

static uint64_t records; /* put so far, of all jobs: their places in the logs */

static struct job new_job(void)
{
    struct job job = {0};
    job.c.windows = calloc(1, sizeof *job.c.windows);
    job.c.windows[job.c.window_count++] = (struct efg_channels_window){.first = BEGIN, .last = BEGIN + STEPS};
    return job;
}

static struct efg_transfer *put(struct efg_channel_ends *ends, uint64_t time, uint64_t bytes)
{
    ends->all = realloc(ends->all, (ends->count + 1) * sizeof *ends->all);
    ends->all[ends->kept] =
        (struct efg_transfer){.posted = time, .time = time, .order = ++records, .bytes = bytes};
    ends->count++;
    return &ends->all[ends->kept++];
}

static uint64_t moment(const struct job *job, uint32_t rank, int64_t step, int64_t us)
{
    return START + (uint64_t)((step + job->delay[rank]) * MS + us * US);
}

/* What RANK has of a channel: the messages of step K in its step K - DEPTH, so many US after that began. */
static void put_ends(const struct job *job, struct efg_channel_ends *ends, uint32_t rank, int64_t depth,
                     int rate, int64_t us)
{
    for (int64_t step = BEGIN - job->before[rank]; step < BEGIN + STEPS + job->behind[rank]; step++)
        for (int i = 0; i < rate; i++) {
            struct efg_transfer *end = put(ends, moment(job, rank, step, us + 20 * i + below(10)),
                                           job->is_sized ? (uint64_t)(step + depth) : 8);
            end->is_before = step < BEGIN;
            end->is_margin = end->is_before || step >= BEGIN + STEPS;
        }
}

static void channel(struct job *job, struct efg_channel_key key, int64_t depth, int rate)
{
    struct efg_channel *channel = efg_channels_find(&job->c, &key);
    int64_t lead = (job->before[key.destination] - job->before[key.source] - depth) * rate;
    struct efg_flight led = {0};
    put_ends(job, &channel->sends, key.source, 0, rate, 0);
    put_ends(job, &channel->receives, key.destination, depth, rate, 500);
    job->truth[job->c.count - 1] = lead;
    if (efg_channel_is_collective(channel))
        return; /* all have entered the same ones */
    job->alone += 2 * (uint64_t)llabs(lead);
    efg_flight_add(&led, efg_flight_channel(key.comm, key.source, key.destination, key.tag), lead);
    efg_flight_join(&job->c.windows[0].flight, led);
}

/* --- what is said of them --- */

static uint64_t count_strays(const struct job *job)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < job->c.count; i++)
        count += (uint64_t)llabs(job->truth[i]);
    return count;
}

/* Those that are sure without a proof; they are some of them. */
static uint64_t count_early(const struct job *job)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < job->c.count; i++) {
        uint32_t early = efg_channels_early(&job->c.channels[i]);
        assert_true(early <= (job->truth[i] > 0 ? job->truth[i] : 0));
        assert_true(early <= efg_channels_lead(&job->c, &job->c.channels[i]) || !early);
        count += early;
    }
    return count;
}

static void copy(struct efg_channel_ends *to, const struct efg_channel_ends *from)
{
    for (uint32_t i = 0; i < from->kept; i++) {
        put(to, from->all[i].time, from->all[i].bytes);
        to->all[i].order = from->all[i].order;
    }
}

/* What RANK knows: the sends to it, and its own. */
static struct efg_channels known_to(const struct job *job, uint32_t rank)
{
    struct efg_channels own = {.leads = job->c.leads};
    own.windows = calloc(1, sizeof *own.windows);
    own.windows[own.window_count++] = job->c.windows[0];
    for (uint32_t i = 0; i < job->c.count; i++) {
        const struct efg_channel *channel = &job->c.channels[i];
        if (channel->key.source != rank && channel->key.destination != rank)
            continue;
        struct efg_channel *mine = efg_channels_find(&own, &channel->key);
        copy(&mine->sends, &channel->sends);
        mine->first = channel->first;
        if (channel->key.destination == rank)
            copy(&mine->receives, &channel->receives);
    }
    return own;
}

/* Each rank finds the same strays by what it knows and what the others reply. */
static void check_replies(const struct job *job, const struct efg_strays *all)
{
    struct efg_channels own[RANKS];
    for (uint32_t rank = 0; rank < RANKS; rank++)
        own[rank] = known_to(job, rank);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        efg_channels_sort_back(&own[rank]);
        for (uint32_t at = 0; at < own[rank].count;) {
            struct efg_buffer block = {0};
            uint32_t to = efg_channels_put_back(&own[rank], &at, &block);
            if (block.size && to != rank)
                assert_int_equal(efg_channels_get_back(&own[to], block.data, block.size), 0);
            efg_buffer_fini(&block);
        }
    }
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct efg_strays mine = {0}, wanted = efg_strays_of(all, rank, 0);
        efg_channels_strays(&own[rank], rank, &mine);
        assert_int_equal(mine.count, wanted.count);
        for (size_t i = 0; i < mine.count; i++)
            assert_int_equal(mine.all[i].place, wanted.all[i].place);
        efg_strays_fini(&mine);
        efg_channels_fini(&own[rank]);
    }
}

/* Returns whether the leads were proven: then they are right. */
static int is_proven(struct job *job)
{
    struct efg_strays strays = {0};
    int is_proven = efg_channels_prove(&job->c, UINT32_MAX, NULL);
    assert_int_equal(is_proven, job->c.leads.is_proven);
    assert_int_equal(is_proven, !job->c.leads.doubt);
    for (uint32_t i = 0; is_proven && i < job->c.count; i++)
        assert_int_equal(efg_channels_lead(&job->c, &job->c.channels[i]), job->truth[i]);
    struct efg_run_messages m = efg_channels_match(&job->c, UINT32_MAX);
    efg_channels_strays(&job->c, UINT32_MAX, &strays);
    assert_int_equal(strays.count, is_proven ? count_strays(job) : count_early(job));
    if (is_proven) {
        assert_int_equal(m.early + m.ahead, strays.count);
        assert_int_equal(m.sends - m.matched + m.receives - m.matched, job->alone);
    }
    check_replies(job, &strays);
    efg_strays_fini(&strays);
    efg_channels_fini(&job->c);
    return is_proven;
}

/* --- tests --- */

static struct efg_channel_key key(uint32_t source, uint32_t destination, uint32_t tag)
{
    return (struct efg_channel_key){.source = source, .destination = destination, .tag = tag};
}

/* One depth, but for a halo exchange beside it. A rank is behind the one before it by the DEPTH
 * and up to SLACK steps more, for which messages wait. */
static struct job pipeline(int depth, int slack, int rate, int with_halo)
{
    struct job job = new_job();
    for (uint32_t rank = 1; rank < RANKS; rank++) {
        job.delay[rank] = job.delay[rank - 1] + depth + (slack ? below(slack + 1) : 0);
        channel(&job, key(rank - 1, rank, 1), depth, rate);
        if (with_halo) /* what is sent back is received as many steps later, at once */
            channel(&job, key(rank, rank - 1, 2), job.delay[rank - 1] - job.delay[rank], 1);
    }
    return job;
}

static void pipelines_are_proven(void **state)
{
    (void)state;
    for (int depth = 1; depth < 9; depth++)
        for (int slack = 0; slack < 4 && depth + slack < STEPS; slack++)
            for (int rate = 1; rate < 24; rate += 7)
                for (int back = 0; back < 2; back++) {
                    struct job job = pipeline(depth, slack, rate, back);
                    assert_true(is_proven(&job));
                }
}

/* Deeper than the window is long: no pair of it is in the window. */
static void what_is_not_in_the_window_is_in_doubt(void **state)
{
    (void)state;
    for (int depth = STEPS; depth < 2 * STEPS; depth++) {
        struct job job = pipeline(depth, 0, 1, 0);
        assert_int_equal(efg_channels_prove(&job.c, UINT32_MAX, NULL), 0);
        assert_int_equal(job.c.leads.doubt, (RANKS - 1) * depth);
        assert_false(is_proven(&job));
    }
}

/* A rank that receives in bursts: all that it received in the window was there before the first send of it.
 * However much that is, the trace is without it: readers would draw messages that arrive before they are
 * sent. */
static void what_is_surely_early_needs_no_proof(void **state)
{
    (void)state;
    for (int many = 1; many < 200; many++) {
        struct job job = new_job();
        struct efg_channel_key one = key(0, 1, 1);
        struct efg_channel *channel = efg_channels_find(&job.c, &one);
        for (int i = 0; i < many; i++)
            put(&channel->receives, 1000 + (uint64_t)i, 8);
        for (int i = 0; i < 10; i++)
            put(&channel->sends, 5000 + (uint64_t)i, 8);
        put(&channel->receives, 6000, 8); /* of the first send, or of one before */
        job.truth[0] = many + 1;
        job.c.windows[0].flight.count = 1; /* and more was under way that nobody knows of */
        assert_false(is_proven(&job));
        job = new_job();
        channel = efg_channels_find(&job.c, &one);
        for (int i = 0; i < many; i++)
            put(&channel->receives, 1000 + (uint64_t)i, 8);
        put(&channel->sends, 5000, 8);
        job.c.windows[0].flight.count = 1;
        assert_false(efg_channels_prove(&job.c, UINT32_MAX, NULL));
        struct efg_run_messages m = efg_channels_match(&job.c, UINT32_MAX);
        assert_int_equal(m.matched, 0);
        assert_int_equal(m.early, many);
        efg_channels_fini(&job.c);
    }
}

/* Two depths to choose from, neither of which the times tell, and on no side of their own. */
static void what_follows_no_rule_is_in_doubt(void **state)
{
    struct job job = new_job();
    (void)state;
    job.delay[1] = 9;
    channel(&job, key(0, 1, 1), 2, 1);
    channel(&job, key(0, 1, 2), 3, 1);
    assert_false(is_proven(&job));
    job = new_job();
    job.is_sized = 1; /* now they do */
    job.delay[1] = 9;
    channel(&job, key(0, 1, 1), 2, 1);
    channel(&job, key(0, 1, 2), 3, 1);
    assert_true(is_proven(&job));
}

/* As channel, but the message of each step has a tag of its own. */
static void channels_of_steps(struct job *job, uint32_t from, uint32_t to, int64_t depth)
{
    for (int64_t step = BEGIN - 50; step < BEGIN + STEPS + 50; step++) {
        struct efg_channel_key one = key(from, to, 1000 + (uint32_t)step);
        bool is_sent = step >= BEGIN && step < BEGIN + STEPS;
        bool is_received = step - depth >= BEGIN && step - depth < BEGIN + STEPS;
        struct efg_flight led = {0};
        if (!is_sent && !is_received)
            continue;
        struct efg_channel *channel = efg_channels_find(&job->c, &one);
        if (is_sent)
            put(&channel->sends, moment(job, from, step, 100), 8);
        if (is_received)
            put(&channel->receives, moment(job, to, step - depth, 500), 8);
        int64_t lead = !is_sent ? 1 : step - depth < BEGIN ? -1 : 0;
        job->truth[job->c.count - 1] = lead;
        job->alone += is_sent != is_received;
        efg_flight_add(&led, efg_flight_channel(one.comm, from, to, one.tag), lead);
        efg_flight_join(&job->c.windows[0].flight, led);
    }
}

/* Of most only one end is in the window, or none; beside others, that a depth tells. */
static void messages_with_tags_of_their_own(void **state)
{
    (void)state;
    for (int depth = -STEPS - 2; depth < 9; depth++)
        for (int beside = 0; beside < 4; beside++) {
            struct job job = new_job();
            job.delay[1] = depth > 0 ? depth : 0;
            job.delay[2] = job.delay[1] + beside;
            channel(&job, key(1, 2, 1), beside, 3);
            channels_of_steps(&job, 0, 1, depth);
            assert_true(is_proven(&job));
        }
}

/* A message of another channel was under way, and nobody has ever received it. */
static void a_lost_message_is_in_doubt(void **state)
{
    struct job job = pipeline(3, 0, 1, 0);
    (void)state;
    efg_flight_join(&job.c.windows[0].flight, (struct efg_flight){efg_flight_channel(0, 2, 0, 77), 1});
    assert_false(is_proven(&job));
}

/* A window in doubt leaves the others proven, and clocks that these are right with are believed. */
static void each_window_has_its_own_proof(void **state)
{
    (void)state;
    for (int64_t left = -1; left <= 1; left += 2) {
        struct job job = pipeline(3, 0, 1, 0);
        job.c.windows = realloc(job.c.windows, 2 * sizeof *job.c.windows);
        job.c.windows[job.c.window_count++] =
            (struct efg_channels_window){.first = UINT64_MAX, .flight = {77, left}};
        assert_false(efg_channels_prove(&job.c, UINT32_MAX, NULL));
        assert_true(efg_channels_has_proven(&job.c, 0) && !efg_channels_has_proven(&job.c, 1));
        assert_int_equal(job.c.leads.doubt, 1);
        assert_int_equal(job.c.leads.slack, 0);
        for (uint32_t i = 0; i < job.c.count; i++)
            assert_int_equal(efg_channels_lead(&job.c, &job.c.channels[i]), job.truth[i]);
        efg_channels_fini(&job.c);
    }
}

/* With a sanitizer each takes several times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 250 };
#else
enum { ROUNDS = 2000 };
#endif

static uint64_t count_inside(const struct efg_channel_ends *ends)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < ends->kept; i++)
        count += !ends->all[i].is_margin;
    return count;
}

/* It loses its messages, those that are open at its end, too. */
static void no_end_of_a_last_window_in_doubt_stays(void **state)
{
    struct job job = pipeline(3, 0, 1, 0);
    uint64_t ends = 0;
    (void)state;
    job.c.windows = realloc(job.c.windows, 2 * sizeof *job.c.windows);
    job.c.windows[job.c.window_count++] = job.c.windows[0];
    job.c.windows[0] = (struct efg_channels_window){.first = UINT64_MAX};
    job.c.windows[1].flight.count++;
    for (uint32_t i = 0; i < job.c.count; i++) {
        job.c.channels[i].key.window = 1;
        ends += count_inside(&job.c.channels[i].sends) + count_inside(&job.c.channels[i].receives);
    }
    assert_false(efg_channels_prove(&job.c, UINT32_MAX, NULL));
    assert_true(efg_channels_has_proven(&job.c, 0) && !efg_channels_has_proven(&job.c, 1));
    efg_channels_need(&job.c, UINT32_MAX);
    assert_true(ends > 0);
    assert_int_equal(job.c.gone.left_out, ends);
    efg_channels_fini(&job.c);
}

static struct job random_job(void)
{
    struct job job = new_job();
    int ahead = below(9);
    job.is_sized = below(4) == 0;
    for (uint32_t rank = 1; rank < RANKS; rank++)
        job.delay[rank] = below(2) ? ahead : below(9);
    for (uint32_t tag = 1 + (uint32_t)below(5); tag > 0; tag--) {
        uint32_t from = (uint32_t)below(RANKS), to = (from + 1 + (uint32_t)below(RANKS - 1)) % RANKS;
        int most = (int)(job.delay[to] - job.delay[from]), rate = 1 + below(3);
        channel(&job, key(from, to, tag), most - (below(3) ? 0 : below(4)), rate);
        if (below(2))
            channel(&job, key(to, from, tag), -most - (below(3) ? 0 : below(4)), rate);
    }
    return job;
}

static void random_jobs_are_right_or_in_doubt(void **state)
{
    int proven = 0;
    (void)state;
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        struct job job = random_job();
        proven += is_proven(&job);
    }
    assert_in_range(proven, ROUNDS / 5, ROUNDS * 95 / 100);
}

/* --- margins --- */

/* Of the messages that have both ends, those in margins are needed whose other ends are not. */
static void check_needs(struct job *job)
{
    efg_channels_need(&job->c, UINT32_MAX);
    for (uint32_t i = 0; i < job->c.count; i++) {
        const struct efg_channel_ends *s = &job->c.channels[i].sends, *r = &job->c.channels[i].receives;
        int64_t lead = job->truth[i];
        if (efg_channel_is_collective(&job->c.channels[i]))
            continue; /* nobody needs a part of one */
        for (int64_t k = 0; k < s->kept; k++) {
            bool has_other = k + lead >= 0 && k + lead < r->kept;
            assert_int_equal(k >= s->from && k < s->to, has_other);
            assert_int_equal(s->all[k].is_needed,
                             s->all[k].is_margin && has_other && !r->all[k + lead].is_margin);
        }
        for (int64_t k = 0; k < r->kept; k++) {
            bool has_other = k - lead >= 0 && k - lead < s->kept;
            assert_int_equal(k >= r->from && k < r->to, has_other);
            assert_int_equal(r->all[k].is_needed,
                             r->all[k].is_margin && has_other && !s->all[k - lead].is_margin);
        }
    }
}

/* Wherever margins begin and end, leads are as without them. */
static void margins_change_nothing(void **state)
{
    (void)state;
    srand(2);
    for (int round = 0; round < ROUNDS; round++) {
        struct job job = new_job();
        int depth = below(4), rate = 1 + below(3);
        for (uint32_t rank = 0; rank < RANKS; rank++) {
            job.before[rank] = below(2) ? below(300) : 0;
            job.behind[rank] = below(20);
            job.delay[rank] = rank ? job.delay[rank - 1] + depth + below(3) : 0;
        }
        for (uint32_t rank = 1; rank < RANKS; rank++)
            channel(&job, key(rank - 1, rank, 1), depth, rate);
        for (uint32_t rank = 1; rank < RANKS; rank++) /* nobody has it a step later */
            channel(&job, key(0, rank, EFG_FLIGHT_COLLECTIVE | 7), 0, 1);
        assert_true(efg_channels_prove(&job.c, UINT32_MAX, NULL));
        for (uint32_t i = 0; i < job.c.count; i++)
            assert_int_equal(efg_channels_lead(&job.c, &job.c.channels[i]), job.truth[i]);
        check_needs(&job);
        efg_channels_fini(&job.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipelines_are_proven),
        cmocka_unit_test(each_window_has_its_own_proof),
        cmocka_unit_test(no_end_of_a_last_window_in_doubt_stays),
        cmocka_unit_test(messages_with_tags_of_their_own),
        cmocka_unit_test(what_is_not_in_the_window_is_in_doubt),
        cmocka_unit_test(what_is_surely_early_needs_no_proof),
        cmocka_unit_test(what_follows_no_rule_is_in_doubt),
        cmocka_unit_test(a_lost_message_is_in_doubt),
        cmocka_unit_test(random_jobs_are_right_or_in_doubt),
        cmocka_unit_test(margins_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
