/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shifts of clocks from gaps: by hand, and on random clocks against what must be true of them
 * and against a solver that only tries.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files/match/skew.h"

#define CLOCKS 6

static struct efg_sync clock_number(uint32_t i)
{
    return (struct efg_sync){1000 + i, 7};
}

static void add(struct efg_skew *s, uint32_t from, uint32_t to, int64_t least)
{
    struct efg_sync a = clock_number(from), b = clock_number(to);
    efg_skew_add(s, &a, &b, least, least < 0);
}

static int64_t shift(const struct efg_skew *s, uint32_t i)
{
    struct efg_sync clock = clock_number(i);
    return efg_skew_shift(s, &clock);
}

static void expect_shifts(const struct efg_skew *s, const int64_t *shifts, uint32_t count)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(shift(s, i), shifts[i]);
        moved += shifts[i] != 0;
    }
    assert_int_equal(efg_skew_shifted(s), moved);
}

/* --- by hand --- */

static void right_clocks_stay(void **state)
{
    struct efg_skew s = {0};
    (void)state;
    assert_int_equal(efg_skew_solve(&s, 0), 0);
    assert_int_equal(efg_skew_least(&s), INT64_MAX);
    add(&s, 0, 1, 5);
    add(&s, 1, 0, 0);
    add(&s, 1, 2, 100);
    assert_int_equal(efg_skew_least(&s), 0);
    assert_int_equal(efg_skew_solve(&s, 0), 0);
    expect_shifts(&s, (const int64_t[]){0, 0, 0}, 3);
    efg_skew_fini(&s);
}

/* The late clock is moved, by no more than what is needed. */
static void a_late_clock_is_moved(void **state)
{
    struct efg_skew s = {0};
    (void)state;
    add(&s, 0, 1, 40);
    add(&s, 0, 1, -30); /* the least one counts */
    add(&s, 0, 1, -20);
    add(&s, 1, 0, 50);
    assert_int_equal(efg_skew_least(&s), -30);
    assert_int_equal(efg_skew_early(&s), 2);
    assert_int_equal(efg_skew_solve(&s, 0), 0);
    expect_shifts(&s, (const int64_t[]){0, 30}, 2);
    efg_skew_fini(&s);
}

/* What is moved may push others, along a chain that was added in the worst order. */
static void shifts_are_handed_on(void **state)
{
    struct efg_skew s = {0};
    (void)state;
    add(&s, 3, 4, 5);
    add(&s, 2, 3, 5);
    add(&s, 1, 2, 5);
    add(&s, 0, 1, -18);
    add(&s, 4, 0, 100);
    assert_int_equal(efg_skew_solve(&s, 0), 0);
    expect_shifts(&s, (const int64_t[]){0, 18, 13, 8, 3}, 5);
    efg_skew_fini(&s);
}

/* Once a clock is moved, messages get their latency; if there is no room for it, nothing. */
static void latency_is_left_if_it_can_be(void **state)
{
    struct efg_skew s = {0};
    (void)state;
    add(&s, 0, 1, -30);
    add(&s, 1, 0, 50);
    assert_int_equal(efg_skew_solve(&s, 10), 0);
    expect_shifts(&s, (const int64_t[]){0, 40}, 2);
    assert_int_equal(efg_skew_solve(&s, 11), 0);
    expect_shifts(&s, (const int64_t[]){0, 30}, 2);
    efg_skew_fini(&s);
    add(&s, 0, 1, 3); /* nothing is early */
    assert_int_equal(efg_skew_solve(&s, 10), 0);
    expect_shifts(&s, (const int64_t[]){0, 0}, 2);
    efg_skew_fini(&s);
}

/* A message there and back that took less than nothing: no shift makes both right. */
static void contradictions_are_told(void **state)
{
    struct efg_skew s = {0};
    (void)state;
    add(&s, 0, 1, -30);
    add(&s, 1, 0, 29);
    add(&s, 0, 2, -500); /* would be possible alone */
    assert_int_equal(efg_skew_solve(&s, 0), -EDOM);
    expect_shifts(&s, (const int64_t[]){0, 0, 0}, 3);
    efg_skew_fini(&s);
    add(&s, 0, 1, -30);
    add(&s, 1, 0, 30);
    assert_int_equal(efg_skew_solve(&s, 0), 0);
    efg_skew_fini(&s);
}

/* A circle through all clocks by 1 ns is found without 10^6 rounds, each of them 1 ns higher.
 */
static void small_contradictions_are_found_soon(void **state)
{
    struct efg_skew s = {0};
    uint32_t count = 20000;
    (void)state;
    add(&s, 0, 1, -1000000000);
    add(&s, 1, 0, 999999999);
    for (uint32_t i = count; i-- > 1;)
        add(&s, i, (i + 1) % count, 10);
    assert_int_equal(efg_skew_solve(&s, 0), -EDOM);
    efg_skew_fini(&s);
}

static void a_clock_cannot_be_wrong_with_itself(void **state)
{
    struct efg_skew s = {0};
    (void)state;
    add(&s, 3, 3, -10);
    assert_int_equal(efg_skew_least(&s), INT64_MAX);
    assert_int_equal(efg_skew_solve(&s, 0), 0);
    assert_int_equal(s.clock_count, 0);
    efg_skew_fini(&s);
}

/* No sums overflow, whatever a damaged log made of its times. */
static void nonsense_is_contradictory(void **state)
{
    struct efg_skew s = {0};
    (void)state;
    for (uint32_t i = 0; i < 20000; i++)
        add(&s, i, i + 1, INT64_MIN);
    assert_int_equal(efg_skew_solve(&s, 0), -EDOM);
    efg_skew_fini(&s);
    add(&s, 0, 1, INT64_MAX);
    add(&s, 1, 2, -5);
    assert_int_equal(efg_skew_solve(&s, 0), 0);
    expect_shifts(&s, (const int64_t[]){0, 0, 5}, 3);
    efg_skew_fini(&s);
}

/* --- random clocks --- */

struct gap {
    uint32_t from, to;
    int64_t least;
};

static int is_satisfied(const struct gap *gaps, int count, const int64_t *shifts)
{
    for (int i = 0; i < count; i++)
        if (gaps[i].least + shifts[gaps[i].to] - shifts[gaps[i].from] < 0)
            return 0;
    return 1;
}

/* Raise by 1 what has to be raised, until nothing has or it is too high for any solution.
 * Returns whether there is one. */
static int try(const struct gap *gaps, int count, int64_t *shifts)
{
    for (int i = 0; i < count;) {
        if (gaps[i].least + shifts[gaps[i].to] - shifts[gaps[i].from] >= 0) {
            i++;
            continue;
        }
        if (++shifts[gaps[i].to] > 20 * CLOCKS)
            return 0;
        i = 0;
    }
    return 1;
}

static void random_gaps_are_solved_as_by_trying(void **state)
{
    int solved = 0, contradictory = 0;
    (void)state;
    srand(1);
    for (int round = 0; round < 3000; round++) {
        struct gap gaps[12];
        struct efg_skew s = {0};
        int64_t tried[CLOCKS] = {0}, shifts[CLOCKS];
        int count = rand() % 13;
        for (int i = 0; i < count; i++) {
            uint32_t from = (uint32_t)(rand() % CLOCKS);
            uint32_t to = (from + 1 + (uint32_t)(rand() % (CLOCKS - 1))) % CLOCKS;
            gaps[i] = (struct gap){from, to, rand() % 30 - 8};
            add(&s, from, to, gaps[i].least);
        }
        int error = efg_skew_solve(&s, 0);
        assert_int_equal(error, try(gaps, count, tried) ? 0 : -EDOM);
        solved += !error;
        contradictory += error != 0;
        for (uint32_t i = 0; i < CLOCKS; i++)
            shifts[i] = shift(&s, i);
        if (!error) {
            assert_true(is_satisfied(gaps, count, shifts));
            assert_memory_equal(shifts, tried, sizeof shifts);
        }
        efg_skew_fini(&s);
    }
    assert_true(solved > 1000 && contradictory > 300);
}

/* --- on their way --- */

static void gaps_travel(void **state)
{
    struct efg_skew one = {0}, other = {0}, all = {0};
    struct efg_buffer block = {0};
    (void)state;
    add(&one, 0, 1, -30);
    add(&one, 1, 0, 60);
    add(&other, 0, 1, -50);
    add(&other, 1, 2, 20);
    efg_skew_put(&one, &block);
    efg_skew_put(&other, &block);
    struct efg_reader in = efg_reader(block.data, block.size);
    assert_int_equal(efg_skew_get(&all, &in), 0);
    assert_int_equal(efg_skew_get(&all, &in), 0);
    assert_int_equal(in.at, in.size);
    assert_int_equal(all.gap_count, 3);
    assert_int_equal(efg_skew_early(&all), 2);
    assert_int_equal(efg_skew_solve(&all, 0), 0);
    expect_shifts(&all, (const int64_t[]){0, 50, 30}, 3);
    efg_skew_fini(&all);
    for (size_t size = 0; size < block.size / 2; size++) {
        in = efg_reader(block.data, size);
        assert_int_equal(efg_skew_get(&all, &in), -EBADMSG);
        efg_skew_fini(&all);
    }
    efg_buffer_fini(&block);
    efg_skew_fini(&one);
    efg_skew_fini(&other);
}

static void without_memory_nothing_is_moved(void **state)
{
    struct efg_skew s = {0};
    struct efg_buffer block = {0};
    (void)state;
    add(&s, 0, 1, -30);
    s.failed = 1;
    assert_int_equal(efg_skew_solve(&s, 0), -ENOMEM);
    expect_shifts(&s, (const int64_t[]){0, 0}, 2);
    efg_skew_put(&s, &block);
    assert_true(block.failed);
    efg_buffer_fini(&block);
    efg_skew_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_clocks_stay),
        cmocka_unit_test(a_late_clock_is_moved),
        cmocka_unit_test(shifts_are_handed_on),
        cmocka_unit_test(latency_is_left_if_it_can_be),
        cmocka_unit_test(contradictions_are_told),
        cmocka_unit_test(small_contradictions_are_found_soon),
        cmocka_unit_test(a_clock_cannot_be_wrong_with_itself),
        cmocka_unit_test(nonsense_is_contradictory),
        cmocka_unit_test(random_gaps_are_solved_as_by_trying),
        cmocka_unit_test(gaps_travel),
        cmocka_unit_test(without_memory_nothing_is_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
