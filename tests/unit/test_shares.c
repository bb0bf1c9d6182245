/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of loops while pivots come and go: made-up iterations, of which all is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "core/window/shares.h"

#define FUNCTION 7

static uint32_t lowest = 1; /* phases below are forgotten */

static bool is_known(uint32_t phase)
{
    return phase >= lowest;
}

static bool is_even(uint32_t phase, uint64_t first)
{
    (void)phase;
    return first % 2 == 0;
}

/* The present pivot counts iterations [FROM, TO) of PHASE, in which part 0 has this SHARE; each STEPth is a
 * sample. */
static void run(struct efg_shares *s, uint32_t phase, uint64_t from, uint64_t to, double share, uint64_t step)
{
    for (uint64_t i = from; i < to; i++) {
        struct efg_accuracy_sample one = {
            .first = i, .iterations = 1, .time = 1000, .part[0] = 1000 * (share + (i % 3 ? 0.001 : -0.002))};
        if (!s->all.iterations)
            s->all.first = i;
        s->all.iterations++;
        s->all.time += one.time;
        s->all.part[0] += one.part[0];
        if (i % step)
            continue;
        assert_int_equal(efg_shares_add(s, phase, FUNCTION, &one), 0);
        efg_shares_name(s, phase, FUNCTION, is_known);
    }
}

/* The share changes when another pivot of the same loop is marked, which cuts its iterations elsewhere, so
 * that their numbers are a little different. Samples of both stand for the run; those of one do not. */
static void test_pivots(void **state)
{
    struct efg_shares s = {0};
    (void)state;

    run(&s, 1, 0, 1000, 0.2, 20);
    efg_shares_restart(&s);
    run(&s, 1, 1001, 2001, 0.4, 20);
    assert_int_equal(s.loops[0].accuracy.count, 100);
    assert_true(efg_shares_error(&s, 1, 1) < 0.03);
    assert_true(efg_shares_error(&s, 1, 0.5) > efg_shares_error(&s, 1, 1));
    efg_shares_keep(&s, 1, is_even);
    assert_int_equal(s.loops[0].accuracy.count, 100);
    s.loops[0].accuracy.count = 50; /* no more than the first pivot has */
    assert_true(efg_shares_error(&s, 1, 1) > 0.09);
    efg_shares_fini(&s);
}

/* Another loop comes between; what has begun before it goes on behind it. */
static void test_between(void **state)
{
    struct efg_shares s = {0};
    (void)state;

    run(&s, 1, 0, 1000, 0.2, 20);
    efg_shares_restart(&s);
    run(&s, 2, 0, 3000, 0.9, 20);
    efg_shares_restart(&s);
    assert_int_equal(efg_shares_longest(&s), 2);
    run(&s, 1, 1000, 2000, 0.2, 20);
    assert_int_equal(s.count, 2);
    assert_true(efg_shares_error(&s, 1, 1) < 0.01);
    assert_true(efg_shares_error(&s, 2, 1) < 0.01);
    assert_true(efg_shares_error(&s, 3, 1) < 0);
    efg_shares_fini(&s);
}

/* Numbers may begin again, as those of another pivot do: only what is before them stays. */
static void test_numbers(void **state)
{
    struct efg_shares s = {0};
    (void)state;

    run(&s, 1, 0, 1000, 0.2, 20);
    efg_shares_restart(&s);
    run(&s, 1, 500, 600, 0.2, 20);
    assert_int_equal(s.loops[0].accuracy.count, 25 + 5);
    for (uint32_t i = 1; i < s.loops[0].accuracy.count; i++)
        assert_true(s.loops[0].accuracy.samples[i].first > s.loops[0].accuracy.samples[i - 1].first);
    efg_shares_fini(&s);
}

/* Half of the time went by in iterations of another level. It had other shares, and no samples are left of
 * it: the error is what that makes of the share of both. */
static void test_levels(void **state)
{
    struct efg_shares s = {0};
    (void)state;

    run(&s, 1, 0, 10000, 0.2, 100);
    efg_shares_restart(&s);
    lowest = 2;
    run(&s, 2, 0, 10000, 0.4, 100);
    assert_int_equal(s.count, 1);
    assert_true(fabs(efg_shares_error(&s, 2, 1) - 0.1) < 0.01);
    lowest = 1;
    efg_shares_fini(&s);
}

/* Before a loop has a name, its iterations are counted. */
static void test_before_name(void **state)
{
    struct efg_shares s = {0};
    (void)state;

    run(&s, 1, 1, 1000, 0.2, 1000);
    assert_true(efg_shares_error(&s, 1, 1) < 0);
    assert_int_equal(efg_shares_longest(&s), 0);
    run(&s, 1, 1000, 2000, 0.4, 20);
    assert_true(efg_shares_error(&s, 1, 1) > 0.09);
    efg_shares_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pivots), cmocka_unit_test(test_between),     cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_levels), cmocka_unit_test(test_before_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
