/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Late clocks, told from messages that cross the beginning of a window: logs of jobs whose
 * true times are known, by hand and at random.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/match/channels.h"
#include "otf2_logs.h"

#define US 1000
#define MS 1000000
#define BEGIN (1000 * MS) /* of the window, ns after the job's start */
#define MOST 20000

/* What the window has of a message; its other end is before or after it: of its sender's, which may be over
 * sooner. */
enum where { BOTH, SENT_BEFORE, RECEIVED_AFTER, SENT_AFTER };

struct message {
    uint32_t from, to, tag;
    int64_t sent, received; /* true times, ns since BEGIN */
    enum where where;
};

struct collective {
    const char *call;
    uint16_t op;
    uint32_t root;
    int64_t enter[SYNTH_RANKS], leave[SYNTH_RANKS];
};

static struct { /* a job */
    struct message messages[MOST];
    int count;
    struct collective collectives[MOST];
    int collective_count;
    uint32_t node[SYNTH_RANKS];
    int64_t late[SYNTH_RANKS]; /* by node */
    uint64_t lost;             /* a channel with a message that nobody receives */
} job;

struct found {
    int is_proven, error;
    uint64_t slack, suspects, early;
    int64_t least, shift[SYNTH_RANKS]; /* by node */
};

static char folder[64];

static void new_job(void)
{
    memset(&job, 0, sizeof job);
    for (uint32_t i = 0; i < SYNTH_RANKS; i++)
        job.node[i] = i;
}

static void message(uint32_t from, uint32_t to, int64_t sent, int64_t received, enum where where)
{
    assert_true(job.count < MOST);
    job.messages[job.count++] = (struct message){from, to, 9, sent, received, where};
}

/* --- its logs --- */

struct event {
    int64_t time;
    int is_send, order;
    const struct message *m;
    const struct collective *c;
};

static int by_time(const void *one, const void *other)
{
    const struct event *a = one, *b = other;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->order - b->order;
}

static struct efg_flight flight_of(uint32_t rank)
{
    struct efg_flight flight = {0};
    for (int i = 0; i < job.count; i++) {
        const struct message *m = &job.messages[i];
        if (m->where == SENT_BEFORE && m->from == rank)
            efg_flight_add(&flight, efg_flight_channel(0, m->from, m->to, m->tag), 1);
    }
    if (rank == 0 && job.lost)
        efg_flight_add(&flight, job.lost, 1);
    return flight;
}

static void put(struct synth *s, const struct event *e)
{
    const struct message *m = e->m;
    s->now = (uint64_t)(BEGIN + e->time - job.late[job.node[s->log.header->rank]]) - 100;
    if (m) {
        synth_put(s, (struct efg_record){.kind = e->is_send ? EFG_REC_SEND : EFG_REC_RECV,
                                         .a = SYNTH_WORLD,
                                         .b = e->is_send ? m->to : m->from,
                                         .c = m->tag,
                                         .d = 8});
    } else if (e->is_send) {
        s->now -= 100;
        synth_enter(s, e->c->call, 1);
        synth_put(s, (struct efg_record){.kind = EFG_REC_COLLECTIVE_BEGIN});
    } else {
        synth_put(s, (struct efg_record){.kind = EFG_REC_COLLECTIVE_END,
                                         .call = e->c->op,
                                         .a = SYNTH_COPY,
                                         .b = e->c->root,
                                         .d = 8,
                                         .e = 8});
        synth_leave(s, e->c->call);
    }
}

static int events_of(uint32_t rank, struct event *events)
{
    int count = 0;
    for (int i = 0; i < job.count; i++) {
        const struct message *m = &job.messages[i];
        if (m->from == rank && m->where != SENT_BEFORE && m->where != SENT_AFTER)
            events[count++] = (struct event){m->sent, 1, i, m, NULL};
        if (m->to == rank && m->where != RECEIVED_AFTER)
            events[count++] = (struct event){m->received, 0, i, m, NULL};
    }
    for (int i = 0; i < job.collective_count; i++) {
        const struct collective *c = &job.collectives[i];
        events[count++] = (struct event){c->enter[rank], 1, i, NULL, c};
        events[count++] = (struct event){c->leave[rank], 0, i, NULL, c};
    }
    qsort(events, (size_t)count, sizeof *events, by_time);
    return count;
}

static void write_log(uint32_t rank)
{
    static struct event events[2 * MOST];
    struct efg_flight flight = flight_of(rank);
    struct synth s;
    synth_open(&s, folder, rank, 0, SYNTH_RANKS);
    s.log.header->full = 0;
    synth_define(&s);
    s.rank = 0; /* a clock without drift, that of its node */
    s.ticks = 1000000007ull * (job.node[rank] + 1);
    s.log.header->sync[0].ticks = s.ticks;
    synth_put(
        &s, (struct efg_record){.kind = EFG_REC_WINDOW_BEGIN, .a = (uint32_t)flight.count, .e = flight.sum});
    for (int i = 0, count = events_of(rank, events); i < count; i++)
        put(&s, &events[i]);
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    synth_close(&s, 1);
}

static void read_log(struct efg_channels *c, uint32_t rank)
{
    struct efg_log_view log;
    char path[128];
    snprintf(path, sizeof path, "%s/logs/%u.0.log", folder, rank);
    assert_int_equal(efg_log_open(&log, path, NULL), 0);
    efg_channels_add(c, &log);
    efg_log_unmap(&log);
    unlink(path);
}

static struct found look(void)
{
    struct efg_channels c = {0};
    struct efg_skew skew = {0};
    struct found f = {0};
    for (uint32_t rank = 0; rank < SYNTH_RANKS; rank++) {
        write_log(rank);
        read_log(&c, rank);
    }
    f.is_proven = efg_channels_prove(&c, UINT32_MAX, NULL);
    f.slack = c.leads.slack;
    f.suspects = efg_channels_suspects(&c, UINT32_MAX);
    if (f.is_proven)
        efg_channels_gaps(&c, UINT32_MAX, &skew);
    f.least = efg_skew_least(&skew);
    f.early = efg_skew_early(&skew);
    f.error = efg_skew_solve(&skew, EFG_SKEW_LATENCY);
    for (uint32_t i = 0; i < SYNTH_RANKS; i++) {
        struct efg_sync clock = {1000000007ull * (i + 1), SYNTH_START};
        f.shift[i] = efg_skew_shift(&skew, &clock);
    }
    efg_skew_fini(&skew);
    efg_channels_fini(&c);
    return f;
}

static int is_moved(const struct found *f)
{
    for (uint32_t i = 0; i < SYNTH_RANKS; i++)
        if (f->shift[i])
            return 1;
    return 0;
}

/* Receives before their sends, of all messages that have both ends, after the repair; and
 * members who leave a collective before another one has entered. */
static int early_ones(const struct found *f)
{
    int count = 0;
    int64_t ahead[SYNTH_RANKS];
    for (uint32_t i = 0; i < SYNTH_RANKS; i++)
        ahead[i] = f->shift[job.node[i]] - job.late[job.node[i]];
    for (int i = 0; i < job.count; i++) {
        const struct message *m = &job.messages[i];
        count += m->where == BOTH && m->received + ahead[m->to] < m->sent + ahead[m->from];
    }
    for (int i = 0; i < job.collective_count; i++)
        for (uint32_t a = 0; a < SYNTH_RANKS; a++)
            for (uint32_t b = 0; b < SYNTH_RANKS; b++)
                count += job.collectives[i].root == EFG_ROOT_NONE &&
                         job.collectives[i].enter[a] + ahead[a] > job.collectives[i].leave[b] + ahead[b];
    return count;
}

static void expect_repaired(int64_t shift0, int64_t shift1)
{
    struct found f = look();
    assert_true(f.is_proven);
    assert_int_equal(f.error, 0);
    assert_in_range(f.shift[0], shift0, shift0 ? shift0 + EFG_SKEW_LATENCY : 0);
    assert_in_range(f.shift[1], shift1, shift1 ? shift1 + EFG_SKEW_LATENCY : 0);
    assert_int_equal(early_ones(&f), 0);
}

static void expect_untouched(void)
{
    struct found f = look();
    assert_true(f.is_proven);
    assert_int_equal(f.slack, 0);
    assert_true(f.least >= 0);
    assert_false(is_moved(&f));
}

/* --- by hand --- */

static enum where where_of(int i, int lead)
{
    return i < 0 ? SENT_BEFORE : i + lead >= 10 ? RECEIVED_AFTER : BOTH;
}

/* A message FROM one rank TO another in each of ten iterations of a ms, that takes 10 us. LEAD:
 * it is sent at the end of the iteration, and received in the next one. */
static void stream(uint32_t from, uint32_t to, int lead)
{
    for (int i = -lead; i < 10; i++) {
        int64_t sent = i * MS + (lead ? MS - 5 * US : 0);
        message(from, to, sent, sent + 10 * US, where_of(i, lead));
    }
}

/* The same, LEAD iterations long: the next message is sent before the last one is received. */
static void pipe_of(uint32_t from, uint32_t to, int lead)
{
    for (int i = -lead; i + lead < 10; i++)
        message(from, to, i * MS, (i + lead) * MS + 10 * US, where_of(i, lead));
}

/* By less than the time between two messages, by more, and by more than the window. */
static void late_clocks_are_seen_however_late(void **state)
{
    static const int64_t late[] = {300 * US, 600 * US, 3 * MS, 200 * MS};
    (void)state;
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        for (int ways = 1; ways <= 2; ways++) {
            new_job();
            stream(0, 1, 0);
            if (ways == 2)
                stream(1, 0, 0);
            job.late[1] = late[i];
            expect_repaired(0, late[i] - 10 * US);
            job.late[1] = -late[i];
            if (ways == 2)
                expect_repaired(late[i] - 10 * US, 0);
            else
                expect_untouched(); /* messages seem to take longer */
        }
}

/* The logs of the one are those of the other but for what was under way. */
static void leads_are_no_late_clocks(void **state)
{
    (void)state;
    for (int ways = 1; ways <= 3; ways++) {
        new_job();
        if (ways & 1)
            stream(0, 1, 1);
        if (ways & 2)
            stream(1, 0, 1);
        expect_untouched();
    }
}

/* The very same logs, but that nothing was under way: now it is a clock. */
static void the_flight_tells_leads_from_clocks(void **state)
{
    (void)state;
    new_job();
    for (int i = 0; i < 10; i++) /* as stream(0, 1, 1) has them, by the clocks */
        message(0, 1, i * MS + MS - 5 * US, i * MS + MS + 5 * US, BOTH);
    job.late[1] = MS;
    expect_repaired(0, MS - 10 * US);
    new_job();
    stream(0, 1, 1);
    expect_untouched();
}

/* Such messages are not seen to lead by their times. */
static void long_pipes_are_proven(void **state)
{
    (void)state;
    for (int lead = 1; lead < 10; lead++) {
        new_job();
        pipe_of(0, 1, lead);
        stream(1, 0, 0);
        expect_untouched();
    }
}

static void leads_and_late_clocks_at_once(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        new_job();
        stream(0, 1, 0);
        stream(1, 0, 0);
        stream(2, 1, way);
        stream(1, 2, !way);
        job.late[1] = 400 * US;
        expect_repaired(0, 390 * US);
        job.late[1] = 0;
        expect_untouched();
    }
}

/* What was under way is not what leads, as a message was lost. */
static void what_is_not_proven_is_left_alone(void **state)
{
    (void)state;
    new_job();
    stream(0, 1, 0);
    stream(1, 0, 0);
    job.late[1] = 400 * US;
    job.lost = efg_flight_channel(0, 2, 3, 4);
    for (int lost = 0; lost < 2; lost++) {
        struct found f = look();
        assert_int_equal(f.is_proven, !lost ? 0 : 1);
        assert_int_equal(is_moved(&f), !lost ? 0 : 1);
        assert_int_equal(f.suspects, 1);
        job.lost = 0;
    }
}

/* As the panels of HPL have them: each message has a tag of its own, so nothing but the end that is there
 * tells of those that cross an edge. One was under way when the window began, and the last ones were sent
 * when that of their sender was over. */
static void tags_of_their_own_are_proven(void **state)
{
    (void)state;
    for (int after = 0; after < 3; after++) {
        new_job();
        for (int i = -1; i < 10; i++) {
            bool is_over = i >= 10 - after;
            message(0, 1, i * MS + MS - 5 * US, i * MS + MS + 5 * US,
                    i < 0     ? SENT_BEFORE
                    : is_over ? SENT_AFTER
                              : BOTH);
            job.messages[job.count - 1].tag = (uint32_t)(100 + i);
            if (i >= 0)
                message(1, 0, i * MS, i * MS + 10 * US, is_over ? RECEIVED_AFTER : BOTH);
        }
        expect_untouched();
    }
}

/* The last of 5000 messages. */
static void every_message_is_asked(void **state)
{
    (void)state;
    new_job();
    for (int i = 0; i < 5000; i++)
        message(0, 1, i * 100 * US, i * 100 * US + (i < 4999 ? 50 : 10) * US, BOTH);
    job.late[1] = 30 * US;
    expect_repaired(0, 20 * US);
}

static void a_node_has_one_clock(void **state)
{
    (void)state;
    new_job();
    stream(0, 1, 0);
    job.node[1] = 0;
    struct found f = look();
    assert_true(f.is_proven);
    assert_int_equal(f.least, INT64_MAX);
}

/* --- collectives --- */

/* One each ms, that all enter at once and leave 10 us later; rank 1 is late. */
static struct found collectives(const char *call, uint16_t op, uint32_t root)
{
    new_job();
    for (int i = 0; i < 10; i++) {
        struct collective *c = &job.collectives[job.collective_count++];
        *c = (struct collective){.call = call, .op = op, .root = root};
        for (uint32_t rank = 0; rank < SYNTH_RANKS; rank++) {
            c->enter[rank] = i * MS;
            c->leave[rank] = i * MS + 10 * US;
        }
    }
    job.late[1] = 300 * US;
    return look();
}

static void collectives_tell_of_clocks(void **state)
{
    static const struct {
        const char *call;
        uint16_t op;
        uint32_t root;
        int sees; /* that rank 1 is late */
    } cases[] = {
        {"MPI_Barrier", EFG_COLL_BARRIER, EFG_ROOT_NONE, 1},
        {"MPI_Allreduce", EFG_COLL_ALLREDUCE, EFG_ROOT_NONE, 1},
        {"MPI_Bcast", EFG_COLL_BCAST, 0, 1},
        {"MPI_Bcast", EFG_COLL_BCAST, 1, 0},
        {"MPI_Reduce", EFG_COLL_REDUCE, 1, 1},
        {"MPI_Reduce", EFG_COLL_REDUCE, 0, 0},
        {"MPI_Scan", EFG_COLL_SCAN, EFG_ROOT_NONE, 0},
        {"MPI_Allreduce", EFG_COLL_ALLTOALLV, EFG_ROOT_NONE, 0},
        {"MPI_Scan", EFG_COLL_ALLTOALL, EFG_ROOT_NONE, 0}, /* of a neighbourhood */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct found f = collectives(cases[i].call, cases[i].op, cases[i].root);
        assert_true(f.is_proven);
        assert_int_equal(f.error, 0);
        assert_int_equal(is_moved(&f), cases[i].sees);
        if (cases[i].sees) {
            assert_in_range(f.shift[1], 290 * US, 290 * US + EFG_SKEW_LATENCY);
            assert_int_equal(early_ones(&f), 0);
        }
    }
}

/* --- at random --- */

static int below(int n)
{
    return rand() % n;
}

/* A channel: a message in each iteration, received in the LAG-th after it. */
static void random_stream(int64_t starts[][32], uint32_t from, uint32_t to, uint32_t tag, int lag)
{
    int64_t last = INT64_MIN;
    for (int i = -lag; i < 10; i++) {
        int64_t sent = starts[from][i + 8] + (below(100) + (lag ? 700 : 0)) * US,
                received = starts[to][i + lag + 8] + (100 + below(100)) * US;
        if (received < sent + 1 + below(5) * US)
            received = sent + 1 + below(5) * US;
        if (received < last)
            received = last;
        last = received;
        message(from, to, sent, received, where_of(i, lag));
        job.messages[job.count - 1].tag = tag;
    }
}

/* Iterations of about a ms; a rank is ahead of another one by up to 200 us. */
static int random_job(int has_leads)
{
    int64_t starts[SYNTH_RANKS][32];
    int leads = 0;
    new_job();
    for (uint32_t rank = 0; rank < SYNTH_RANKS; rank++) {
        job.node[rank] = rank && below(4) == 0 ? rank - 1 : rank;
        for (int i = 0; i < 32; i++)
            starts[rank][i] = (i - 8) * MS + below(200) * US;
    }
    for (int i = 1 + below(8); i > 0; i--) {
        uint32_t from = (uint32_t)below(SYNTH_RANKS);
        uint32_t to = (from + 1 + (uint32_t)below(SYNTH_RANKS - 1)) % SYNTH_RANKS;
        int lag = has_leads && below(2) ? 1 + (below(4) == 0) : 0;
        leads += lag;
        random_stream(starts, from, to, (uint32_t)i, lag);
        if (below(2))
            random_stream(starts, to, from, (uint32_t)i, 0);
    }
    return leads;
}

static void right_clocks_are_never_moved(void **state)
{
    int crossed = 0;
    (void)state;
    srand(1);
    for (int round = 0; round < 150; round++) {
        crossed += random_job(1) > 0;
        struct found f = look();
        assert_true(!f.is_proven || f.slack == 0);
        assert_true(f.least >= 0);
        assert_false(is_moved(&f));
    }
    assert_true(crossed > 50);
}

/* Where no message crosses the edge, any clock is put right; where some do, it may be that
 * nothing is proven, but what is done is right. */
static void wrong_clocks_are_put_right(void **state)
{
    int repaired[2] = {0}, unproven[2] = {0};
    (void)state;
    srand(2);
    for (int round = 0; round < 150; round++) {
        int has_leads = round % 2;
        random_job(has_leads);
        for (uint32_t i = 1; i < SYNTH_RANKS; i++)
            job.late[i] = (below(2) ? 5000 : 400) * (int64_t)(below(2000) - 1000);
        struct found before = {0}, f = look();
        assert_int_equal(f.error, 0);
        if (f.is_proven) {
            assert_int_equal(early_ones(&f), 0);
            assert_int_equal(is_moved(&f), early_ones(&before) > 0);
        } else {
            assert_false(is_moved(&f));
        }
        repaired[has_leads] += is_moved(&f);
        unproven[has_leads] += !f.is_proven;
    }
    assert_int_equal(unproven[0], 0);
    assert_true(repaired[0] > 60 && repaired[1] > 10);
}

/* --- */

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/efg_leads_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    char logs[128];
    (void)state;
    snprintf(logs, sizeof logs, "%s/logs", folder);
    return rmdir(logs) || rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_clocks_are_seen_however_late),
        cmocka_unit_test(leads_are_no_late_clocks),
        cmocka_unit_test(the_flight_tells_leads_from_clocks),
        cmocka_unit_test(long_pipes_are_proven),
        cmocka_unit_test(leads_and_late_clocks_at_once),
        cmocka_unit_test(what_is_not_proven_is_left_alone),
        cmocka_unit_test(tags_of_their_own_are_proven),
        cmocka_unit_test(every_message_is_asked),
        cmocka_unit_test(a_node_has_one_clock),
        cmocka_unit_test(collectives_tell_of_clocks),
        cmocka_unit_test(right_clocks_are_never_moved),
        cmocka_unit_test(wrong_clocks_are_put_right),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
