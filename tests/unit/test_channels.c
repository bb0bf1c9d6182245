/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of logs, matched: all logs at once, and as ranks do it, each with its own logs and
 * what the others sent it.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/match/channels.h"
#include "otf2_logs.h"

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/efg_channels_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* --- logs --- */

static void begin(struct synth *s, uint32_t rank, uint32_t thread, int full)
{
    synth_open(s, folder, rank, thread, SYNTH_RANKS);
    s->log.header->full = (uint32_t)full;
    synth_define(s);
    synth_mark(s, EFG_REC_WINDOW_BEGIN, 0);
}

static void end(struct synth *s)
{
    synth_mark(s, EFG_REC_WINDOW_END, 0);
    synth_close(s, 1);
}

/* A message on the world, at NOW ns. */
static void put(struct synth *s, uint16_t kind, uint32_t peer, uint64_t bytes, uint64_t request, uint64_t now)
{
    s->now = now - 100; /* a record takes 100 ns */
    synth_put(
        s, (struct efg_record){.kind = kind, .a = SYNTH_WORLD, .b = peer, .c = 9, .d = bytes, .e = request});
}

static void add(struct efg_channels *c, uint32_t rank, uint32_t thread)
{
    char path[128];
    struct efg_log_view log;
    snprintf(path, sizeof path, "%s/logs/%u.%u.log", folder, rank, thread);
    assert_int_equal(efg_log_open(&log, path, NULL), 0);
    efg_channels_add(c, &log);
    efg_log_unmap(&log);
    assert_false(c->failed);
}

static void sum(struct efg_run_messages *to, struct efg_run_messages from)
{
    uint64_t *a = (uint64_t *)to, *b = (uint64_t *)&from;
    for (size_t i = 0; i < sizeof from / sizeof *a; i++)
        a[i] += b[i];
}

/* --- as the ranks of a job do it --- */

static void deliver(struct efg_channels *ranks, uint32_t count)
{
    for (uint32_t from = 0; from < count; from++) {
        efg_channels_sort(&ranks[from]);
        for (uint32_t at = 0, all = ranks[from].count; at < all;) {
            struct efg_buffer block = {0};
            uint32_t to = efg_channels_put(&ranks[from], &at, &block);
            if (block.size && to != from)
                assert_int_equal(efg_channels_get(&ranks[to], block.data, block.size), 0);
            efg_buffer_fini(&block);
        }
    }
}

static struct efg_run_messages match_apart(struct efg_channels *ranks, uint32_t count)
{
    struct efg_run_messages all = {0};
    for (uint32_t rank = 0; rank < count; rank++)
        add(&ranks[rank], rank, 0);
    deliver(ranks, count);
    for (uint32_t rank = 0; rank < count; rank++)
        sum(&all, efg_channels_match(&ranks[rank], rank));
    return all;
}

/* Of the first COUNT ranks, thread 0; the same as when all is known in one place, and read again. */
static struct efg_run_messages check(uint32_t count)
{
    struct efg_channels ranks[SYNTH_RANKS] = {0}, all = {0};
    struct efg_run_messages apart = match_apart(ranks, count), again, together;
    for (uint32_t rank = 0; rank < count; rank++) {
        add(&all, rank, 0);
        efg_channels_empty(&ranks[rank]);
        assert_int_equal(efg_channels_match(&ranks[rank], rank).sends, 0);
    }
    again = match_apart(ranks, count);
    for (uint32_t rank = 0; rank < count; rank++)
        efg_channels_fini(&ranks[rank]);
    together = efg_channels_match(&all, UINT32_MAX);
    assert_memory_equal(&apart, &together, sizeof apart);
    assert_memory_equal(&again, &together, sizeof again);
    efg_channels_fini(&all);
    return together;
}

/* --- tests --- */

/* Of every kind: on the world, a half, an intercommunicator; receives that were cancelled. */
static void every_message_is_matched(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < SYNTH_RANKS; rank++)
        synth_log(folder, rank);
    struct efg_run_messages m = check(SYNTH_RANKS);
    assert_int_equal(m.sends, 4 * 6); /* 4 around the ring and 2 others, in 4 iterations */
    assert_int_equal(m.receives, m.sends);
    assert_int_equal(m.matched, m.sends);
    assert_int_equal(m.open_sends + m.open_receives + m.open_collectives, 0);
}

static bool is_in_the_first_half(uint32_t rank)
{
    return rank < SYNTH_RANKS / 2;
}

/* The other half has no logs: on the world and between the halves they are half of the
 * partners. */
static void messages_of_absent_ranks_are_apart(void **state)
{
    struct efg_channels all = {.is_here = is_in_the_first_half};
    (void)state;
    for (uint32_t rank = 0; rank < SYNTH_RANKS / 2; rank++) {
        synth_log(folder, rank);
        add(&all, rank, 0);
    }
    struct efg_run_messages m = efg_channels_match(&all, UINT32_MAX);
    assert_true(m.sends > 0);
    assert_int_equal(m.matched, m.sends);
    assert_int_equal(m.matched, m.receives);
    assert_true(m.absent >= 2 * 4); /* around the ring, at both ends of the half */
    efg_channels_fini(&all);
    all.is_here = NULL;
    for (uint32_t rank = 0; rank < SYNTH_RANKS / 2; rank++)
        add(&all, rank, 0);
    struct efg_run_messages open = efg_channels_match(&all, UINT32_MAX);
    assert_int_equal(open.absent, 0);
    assert_int_equal(open.sends + open.receives, m.sends + m.receives + m.absent);
    assert_int_equal(open.matched, m.matched);
    efg_channels_fini(&all);
}

static void windows_are_known_by_their_iterations(void **state)
{
    struct efg_channels c = {0};
    (void)state;
    synth_log(folder, 0);
    add(&c, 0, 0);
    assert_int_equal(c.window_count, 2);
    assert_int_equal(c.windows[0].first, 5);
    assert_int_equal(c.windows[0].last, 8);
    assert_int_equal(c.windows[1].first, 100);
    assert_int_equal(c.windows[1].last, 101);
    efg_channels_fini(&c);
}

/* Rank 1 receives LEAD messages first that were sent before the window. */
static struct efg_run_messages with_lead(uint32_t lead, int full)
{
    struct synth s;
    begin(&s, 0, 0, full);
    for (uint32_t i = 0; i < 10; i++)
        put(&s, EFG_REC_SEND, 1, 8, 0, 10000 + 1000 * i);
    end(&s);
    begin(&s, 1, 0, full);
    for (uint32_t i = 0; i < 10; i++)
        put(&s, EFG_REC_RECV, 0, 8, 0, 10500 + 1000 * i - 1000 * lead);
    end(&s);
    return check(2);
}

static void receives_of_earlier_sends_are_told(void **state)
{
    (void)state;
    for (uint32_t lead = 0; lead < 4; lead++) {
        struct efg_run_messages m = with_lead(lead, 0);
        assert_int_equal(m.sends, 10);
        assert_int_equal(m.receives, 10);
        assert_int_equal(m.early, lead);
        assert_int_equal(m.matched, 10 - lead);
        tear_down(NULL);
        set_up(NULL);
    }
    /* In mode full nothing was before; a clock that is wrong changes nothing. */
    assert_int_equal(with_lead(3, 1).matched, 10);
}

/* The lengths tell as well as the times. */
static void lengths_tell_the_lead(void **state)
{
    struct synth s;
    (void)state;
    begin(&s, 0, 0, 0);
    for (uint32_t i = 1; i < 8; i++)
        put(&s, EFG_REC_SEND, 1, i, 0, 10000 + i * 200);
    end(&s);
    begin(&s, 1, 0, 0);
    for (uint32_t i = 0; i < 8; i++)
        put(&s, EFG_REC_RECV, 0, i, 0, 20000 + i * 200);
    end(&s);
    struct efg_run_messages m = check(2);
    assert_int_equal(m.matched, 7);
    assert_int_equal(m.early, 1);
}

/* Receives are matched as they were posted, not as they were completed. */
static void receives_count_as_posted(void **state)
{
    struct synth s;
    (void)state;
    begin(&s, 0, 0, 0);
    put(&s, EFG_REC_SEND, 1, 11, 0, 10000);
    put(&s, EFG_REC_SEND, 1, 22, 0, 10200);
    end(&s);
    begin(&s, 1, 0, 0);
    put(&s, EFG_REC_IRECV_REQUEST, 0, 0, 5, 9000);
    put(&s, EFG_REC_IRECV_REQUEST, 0, 0, 6, 9200);
    put(&s, EFG_REC_IRECV, 0, 22, 6, 11000);
    put(&s, EFG_REC_IRECV, 0, 11, 5, 11200);
    end(&s);
    struct efg_run_messages m = check(2);
    assert_int_equal(m.matched, 2);
    assert_int_equal(m.early, 0);
}

/* --- and others --- */

static void what_is_open_is_told(void **state)
{
    struct synth s;
    (void)state;
    begin(&s, 0, 0, 0);
    put(&s, EFG_REC_ISEND, 1, 8, 1, 10000);
    put(&s, EFG_REC_ISEND, 1, 8, 2, 10200);
    put(&s, EFG_REC_ISEND, 1, 8, 3, 10400);
    put(&s, EFG_REC_REQUEST_CANCELLED, 0, 0, 2, 10600); /* never sent */
    put(&s, EFG_REC_ISEND_COMPLETE, 0, 0, 3, 10800);
    put(&s, EFG_REC_COLLECTIVE_REQUEST, 0, 0, 4, 11000);
    end(&s);
    begin(&s, 1, 0, 0);
    synth_enter(&s, "MPI_Waitall", 1);
    uint64_t enter = s.now;
    for (uint64_t request = 1; request <= 3; request++) /* under way before the window */
        put(&s, EFG_REC_IRECV_REQUEST, 0, 0, request, enter);
    put(&s, EFG_REC_IRECV, 0, 8, 2, 12000);
    put(&s, EFG_REC_IRECV_REQUEST, 0, 0, 7, 12200);
    put(&s, EFG_REC_REQUEST_CANCELLED, 0, 0, 3, 12400);
    end(&s);
    struct efg_run_messages m = check(2);
    assert_int_equal(m.sends, 2);
    assert_int_equal(m.receives, 1);
    assert_int_equal(m.matched, 1);
    assert_int_equal(m.open_sends, 1);
    assert_int_equal(m.open_receives, 2);
    assert_int_equal(m.open_collectives, 1);
    assert_int_equal(m.taken_along, 3);
}

/* Threads of a rank share its channels. */
static void threads_are_one_rank(void **state)
{
    struct efg_channels all = {0};
    struct synth s;
    (void)state;
    for (uint32_t thread = 0; thread < 2; thread++) {
        begin(&s, 0, thread, 0);
        put(&s, EFG_REC_SEND, 1, 10 + 10 * thread, 0, 10000 + 200 * thread);
        end(&s);
        begin(&s, 1, thread, 0);
        put(&s, EFG_REC_RECV, 0, 20 - 10 * thread, 0, 12200 - 200 * thread);
        end(&s);
    }
    for (uint32_t i = 0; i < 4; i++)
        add(&all, i / 2, i % 2);
    struct efg_run_messages m = efg_channels_match(&all, UINT32_MAX);
    assert_int_equal(m.matched, 2);
    assert_int_equal(m.early, 0);
    efg_channels_fini(&all);
}

/* All messages but in mode full, where there may be any number of them. */
static void messages_are_kept_unless_all_are_recorded(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        struct efg_channels c = {0};
        struct synth s;
        begin(&s, 0, 0, full);
        for (uint32_t i = 0; i < 5000; i++)
            put(&s, EFG_REC_SEND, 0, 8, 0, 10000 + 400 * i); /* to itself */
        for (uint32_t i = 0; i < 5000; i++)
            put(&s, EFG_REC_RECV, 0, 8, 0, 10200 + 400 * i);
        end(&s);
        add(&c, 0, 0);
        assert_int_equal(c.count, 1);
        assert_int_equal(c.channels[0].sends.count, 5000);
        assert_int_equal(c.channels[0].sends.kept, full ? 0 : 5000);
        assert_int_equal(c.channels[0].receives.kept, full ? 0 : 5000);
        assert_int_equal(efg_channels_match(&c, 0).matched, 5000);
        assert_int_equal(efg_channels_match(&c, 1).sends, 0);
        efg_channels_fini(&c);
        tear_down(NULL);
        set_up(NULL);
    }
}

/* A partner or a communicator that is not there: no message, and no crash. */
static void nonsense_is_left_out(void **state)
{
    struct efg_channels c = {0};
    struct synth s;
    (void)state;
    begin(&s, 0, 0, 0);
    put(&s, EFG_REC_SEND, SYNTH_RANKS, 8, 0, 10000);
    synth_put(&s, (struct efg_record){.kind = EFG_REC_RECV, .a = 77, .b = 0});
    synth_put(&s, (struct efg_record){.kind = EFG_REC_SEND, .a = SYNTH_HALF, .b = 2});
    put(&s, EFG_REC_ISEND_COMPLETE, 0, 0, 99, 20000);
    put(&s, EFG_REC_REQUEST_CANCELLED, 0, 0, 98, 20200);
    end(&s);
    add(&c, 0, 0);
    assert_int_equal(c.count, 0);
    efg_channels_fini(&c);
}

static void damaged_blocks_are_refused(void **state)
{
    struct efg_channels c = {0}, to = {0};
    struct efg_buffer block = {0};
    uint32_t at = 0;
    (void)state;
    for (uint32_t rank = 0; rank < SYNTH_RANKS; rank++)
        synth_log(folder, rank);
    add(&c, 0, 0);
    efg_channels_sort(&c);
    while (at < c.count && !block.size)
        efg_channels_put(&c, &at, &block);
    assert_true(block.size > 36);
    for (size_t size = 1; size < block.size; size++)
        assert_int_equal(efg_channels_get(&to, block.data, size), -EBADMSG);
    for (int i = 0; i < 20000; i++) {
        unsigned char *noise = malloc(block.size);
        memcpy(noise, block.data, block.size);
        for (int k = 0; k < 3; k++)
            noise[(size_t)rand() % block.size] = (unsigned char)rand();
        efg_channels_get(&to, noise, block.size);
        free(noise);
    }
    efg_channels_match(&to, UINT32_MAX);
    efg_buffer_fini(&block);
    efg_channels_fini(&c);
    efg_channels_fini(&to);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_message_is_matched),
        TEST(messages_of_absent_ranks_are_apart),
        TEST(windows_are_known_by_their_iterations),
        TEST(receives_of_earlier_sends_are_told),
        TEST(lengths_tell_the_lead),
        TEST(receives_count_as_posted),
        TEST(what_is_open_is_told),
        TEST(threads_are_one_rank),
        TEST(messages_are_kept_unless_all_are_recorded),
        TEST(nonsense_is_left_out),
        TEST(damaged_blocks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
