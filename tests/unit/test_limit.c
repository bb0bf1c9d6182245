/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is left out for the limit of what watching may take: with costs that are made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/window/limit.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define HALF_PERCENT 5000

static struct efg_limit limit;
static struct efg_limit_state now;

/* NS pass, of which watching takes PERCENT. */
static void pass(uint64_t ns, double percent)
{
    now.time += ns;
    now.cost += (uint64_t)((double)ns * percent / 100);
}

static void begin(uint64_t share, uint64_t init)
{
    efg_limit_init(&limit, share, init, true);
    now = (struct efg_limit_state){0};
}

/* Samples every 10 ms, for SECONDS. */
static void run(uint64_t seconds, double percent)
{
    for (uint64_t i = 0; i < seconds * 100; i++) {
        pass(10 * MS, percent);
        efg_limit_look(&limit, &now);
    }
}

static void test_what_is_allowed(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 10 * MS);
    uint64_t grace = 18750000;
    assert_int_equal(efg_limit_allowed(&limit, &now), grace);
    now.time = 5 * SECOND;
    assert_int_equal(efg_limit_allowed(&limit, &now), grace);
    now.time = 100 * SECOND;
    assert_int_equal(efg_limit_allowed(&limit, &now), 345 * MS);
    now.later = 100 * MS;
    assert_int_equal(efg_limit_allowed(&limit, &now), 245 * MS);
    now.later = 10 * SECOND;
    assert_int_equal(efg_limit_allowed(&limit, &now), 375 * MS / 4);
}

static void test_below_it_nothing_is_left_out(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 0);
    now.has_ring = true;
    run(100, 0.37);
    assert_int_equal(limit.thrift, EFG_THRIFT_NONE);
}

/* By default, no call of a short run is left out, whatever that takes. */
static void test_a_short_run(void **state)
{
    (void)state;
    efg_limit_init(&limit, HALF_PERCENT, 0, false);
    now = (struct efg_limit_state){0};
    for (int i = 0; i < 150; i++) {
        pass(10 * MS, 70);
        efg_limit_look(&limit, &now);
        assert_int_equal(limit.thrift, EFG_THRIFT_NONE);
        assert_int_equal(limit.thins_polls, i >= 1);
    }
    pass(500 * MS, 70);
    efg_limit_look(&limit, &now);
    assert_int_equal(limit.thrift, EFG_THRIFT_PAUSE);
}

/* By default, watching may take 750 ms in any case. */
static void test_a_longer_grace(void **state)
{
    (void)state;
    efg_limit_init(&limit, HALF_PERCENT, 0, false);
    now = (struct efg_limit_state){0};
    run(70, 1);
    assert_int_equal(limit.thrift, EFG_THRIFT_NONE);
    assert_true(limit.thins_polls);
    run(10, 1);
    assert_int_equal(limit.thrift, EFG_THRIFT_PAUSE);
}

/* Of a run of so many SECONDS in which watching would cost 20%: what it takes, of the time. */
static double share_after(uint64_t seconds, bool is_asked)
{
    efg_limit_init(&limit, HALF_PERCENT, 0, is_asked);
    now = (struct efg_limit_state){0};
    while (now.time < seconds * SECOND) {
        pass(EFG_LIMIT_BURST, 20);
        efg_limit_look(&limit, &now);
        uint64_t until = limit.thrift == EFG_THRIFT_PAUSE ? efg_limit_pause(&limit, &now) : now.time;
        now.time = until > seconds * SECOND ? seconds * SECOND : until;
        efg_limit_resume(&limit, &now);
    }
    return 100. * (double)now.cost / (double)now.time;
}

/* From 5 s on if it is asked for, else from 200 s on. */
static void test_how_long_a_run_keeps_the_limit(void **state)
{
    (void)state;
    assert_true(share_after(5, true) < 0.5);
    assert_true(share_after(30, true) < 0.5);
    assert_true(share_after(200, false) < 0.5);
}

/* Polls that find nothing leave what is allowed for what is worth more. */
static void test_polls_first(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 0);
    now.has_ring = true;
    pass(MS / 4, 100);
    efg_limit_look(&limit, &now);
    assert_false(limit.thins_polls);
    pass(MS / 4, 100);
    efg_limit_look(&limit, &now);
    assert_true(limit.thins_polls);
    pass(16 * MS, 100);
    efg_limit_look(&limit, &now);
    assert_int_equal(limit.thrift, EFG_THRIFT_NONE);
}

/* What is left out of them is not enough, if it is too late: that is seen at the next look. */
static void test_one_measure_at_a_look(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 0);
    pass(10 * MS, 0);
    now.cost = SECOND;
    efg_limit_look(&limit, &now);
    assert_true(limit.thins_polls && limit.thrift == EFG_THRIFT_NONE);
    run(10, 0.3);
    assert_int_equal(limit.thrift, EFG_THRIFT_NONE);
}

/* 20% of 5 ms are less than a sixteenth of what is allowed of 5 s, of 90 ms less than all. */
static void test_short_runs(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 0);
    for (int i = 0; i < 72; i++) {
        pass(MS / 4, 100);
        efg_limit_look(&limit, &now);
        assert_int_equal(limit.thins_polls, i >= 1);
    }
    assert_int_equal(limit.thrift, EFG_THRIFT_NONE);
}

static void test_one_after_the_other(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 0);
    now.has_ring = true;
    now.cost = SECOND;
    limit.thins_polls = true;
    for (int level = 1; level <= EFG_THRIFT_PAUSE; level++) {
        pass(10 * MS, 5);
        efg_limit_look(&limit, &now);
        assert_int_equal(limit.thrift, level);
        assert_int_equal(efg_limit_step(limit.thrift), level < EFG_THRIFT_NO_RING ? 1 << level : 0);
    }
    pass(10 * MS, 5);
    efg_limit_look(&limit, &now);
    assert_int_equal(limit.thrift, EFG_THRIFT_PAUSE);
}

/* There is nothing to be saved on it. */
static void test_without_a_ring(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 0);
    now.cost = 100 * MS;
    limit.thins_polls = true;
    pass(10 * MS, 5);
    efg_limit_look(&limit, &now);
    assert_int_equal(limit.thrift, EFG_THRIFT_PAUSE);
}

static void test_the_ring_comes_back(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 0);
    now.has_ring = true;
    now.cost = 100 * MS;
    for (int i = 0; i < 1 + 3; i++) {
        pass(10 * MS, 5);
        efg_limit_look(&limit, &now);
    }
    assert_int_equal(limit.thrift, EFG_THRIFT_RING + 2);
    run(100, 0.05);
    assert_int_equal(limit.thrift, EFG_THRIFT_NONE);
}

static void test_a_window_comes_first(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 0);
    now.is_searching = true;
    run(2, 20);
    assert_int_equal(limit.thrift, EFG_THRIFT_NONE);
    run(1, 20); /* more than half a second */
    assert_int_equal(limit.thrift, EFG_THRIFT_PAUSE);
}

/* Watching costs 20% while it does not pause: of all of the time, it takes its share, and no less. */
static void test_pauses_keep_the_limit(void **state)
{
    uint64_t watched = 0;

    (void)state;
    begin(HALF_PERCENT, 20 * MS);
    while (now.time < 200 * SECOND) {
        pass(EFG_LIMIT_BURST, 20);
        watched += EFG_LIMIT_BURST;
        efg_limit_look(&limit, &now);
        if (limit.thrift != EFG_THRIFT_PAUSE)
            continue;
        uint64_t until = efg_limit_pause(&limit, &now);
        assert_true(until >= now.time);
        now.time = until;
        efg_limit_resume(&limit, &now);
    }
    assert_true(now.cost + 60 * MS <= now.time * 3 / 800);
    assert_true(now.cost > now.time / 300);
    assert_true(watched < now.time / 30);
}

/* What MPI_Init and MPI_Finalize take is saved, three times 10 ms and what is to be written; but a quarter is
 * for watching. */
static void test_pauses_save_for_the_ends(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 10 * MS);
    now = (struct efg_limit_state){.time = 100 * SECOND, .cost = 360 * MS};
    assert_int_equal(efg_limit_pause(&limit, &now), 104 * SECOND);
    now.cost = 345 * MS;
    assert_int_equal(efg_limit_pause(&limit, &now), 100 * SECOND);
    now.later = 30 * MS;
    assert_int_equal(efg_limit_pause(&limit, &now), 108 * SECOND);
    begin(HALF_PERCENT, 10 * SECOND);
    now.cost = 120 * MS;
    assert_int_equal(efg_limit_pause(&limit, &now), 128 * SECOND);
}

static void test_no_pause_within_the_limit(void **state)
{
    (void)state;
    begin(HALF_PERCENT, 0);
    pass(SECOND, 1);
    limit.thrift = EFG_THRIFT_PAUSE;
    assert_int_equal(efg_limit_pause(&limit, &now), now.time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_allowed),
        cmocka_unit_test(test_below_it_nothing_is_left_out),
        cmocka_unit_test(test_a_short_run),
        cmocka_unit_test(test_a_longer_grace),
        cmocka_unit_test(test_how_long_a_run_keeps_the_limit),
        cmocka_unit_test(test_short_runs),
        cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_without_a_ring),
        cmocka_unit_test(test_polls_first),
        cmocka_unit_test(test_one_measure_at_a_look),
        cmocka_unit_test(test_the_ring_comes_back),
        cmocka_unit_test(test_a_window_comes_first),
        cmocka_unit_test(test_pauses_keep_the_limit),
        cmocka_unit_test(test_pauses_save_for_the_ends),
        cmocka_unit_test(test_no_pause_within_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
