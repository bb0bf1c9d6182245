/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several windows in runs of 10 to a million iterations: evenly spread, at the end and at any
 * time before.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/window/spread.h"

/* Runs END iterations: a window takes LENGTH, and is known to be done up to LATE iterations
 * later. Kept windows are those in the spread. */
static void run(struct efg_spread *s, uint64_t end, uint64_t length, uint32_t late)
{
    uint64_t now = 3, first = efg_spread_next(s, now);
    while (first + length <= end) {
        now = first + length + (late ? (uint64_t)rand() % late : 0);
        efg_spread_add(s, first);
        assert_true(efg_spread_has(s, s->start));
        uint64_t next = efg_spread_next(s, now + 2);
        assert_true(next >= now + 2);
        first = next;
    }
}

static uint32_t choose(const struct efg_spread *s, uint64_t *first, uint64_t end, uint64_t *largest,
                       uint64_t *smallest, uint32_t *early)
{
    uint64_t *all = malloc((s->count + 1) * sizeof *all), before = 0;
    uint8_t *keep = malloc(s->count + 1);
    uint32_t kept, seen = 0;
    assert_true(all && keep);
    for (uint32_t i = 0; i < s->count; i++)
        all[i] = s->made[i].first;
    kept = efg_spread_choose(all, s->count, (uint32_t)s->wanted, keep);
    *largest = *early = 0;
    *smallest = UINT64_MAX;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!keep[i])
            continue;
        uint64_t gap = all[i] - before;
        if (seen++) {
            *largest = gap > *largest ? gap : *largest;
            *smallest = gap < *smallest ? gap : *smallest;
        } else {
            *first = all[i];
        }
        before = all[i];
        *early += (all[i] - *first) * 10 < end - *first;
    }
    assert_int_equal(seen, kept);
    free(all);
    free(keep);
    return kept;
}

static void check(const struct efg_spread *s, uint64_t end, uint64_t length)
{
    uint64_t first = 0, largest, smallest;
    uint32_t early;
    uint32_t kept = choose(s, &first, end, &largest, &smallest, &early);

    assert_int_equal(kept, s->count < s->wanted ? s->count : s->wanted);
    if (end > 3 + length)
        assert_true(kept > 0);
    if (kept > 1) /* no gap is much larger than the others */
        assert_true(largest * (kept - 1) <= 3 * (end - first));
    if (kept == s->wanted)
        assert_true(early <= s->wanted / 5 + 1);
    /* As many as were wanted, where there was room for twice as many. */
    if (end > 3 + 2 * s->wanted * s->stride)
        assert_int_equal(kept, s->wanted);
}

static void test_even(void **state)
{
    struct efg_spread *s = malloc(sizeof *s);
    (void)state;
    assert_non_null(s);
    for (uint64_t wanted = 2; wanted <= 20; wanted++)
        for (uint64_t end = 10; end <= 1000000; end += 1 + end / 7)
            for (uint64_t length = 1; length < 100; length *= 9) {
                efg_spread_init(s, wanted, length + 2);
                run(s, end, length, 0);
                check(s, end, length);
                if (end > 3 + 2 * wanted * (length + 2)) /* no run is too short for them */
                    assert_true(s->count >= wanted);
            }
    free(s);
}

/* Results that take longer than a slot: the slots become longer. */
static void test_late(void **state)
{
    struct efg_spread *s = malloc(sizeof *s);
    uint32_t even = 0, all = 0, early;
    uint64_t first, largest, smallest;
    (void)state;
    assert_non_null(s);
    srand(1);
    for (uint64_t wanted = 2; wanted <= 20; wanted++)
        for (uint64_t end = 10000; end <= 1000000; end += end / 3)
            for (uint32_t late = 1; late <= 64; late *= 4) {
                efg_spread_init(s, wanted, 12);
                run(s, end, 10, late);
                assert_int_equal(choose(s, &first, end, &largest, &smallest, &early), wanted);
                even += largest * (wanted - 1) <= 3 * (end - first);
                all++;
            }
    assert_true(even > all * 95 / 100);
    free(s);
}

/* What comes in every so many iterations is in as many windows as it should be. */
static void test_no_rhythm(void **state)
{
    struct efg_spread *s = malloc(sizeof *s);
    (void)state;
    assert_non_null(s);
    for (uint64_t period = 2; period <= 64; period++)
        for (uint64_t wanted = 250; wanted <= 500; wanted *= 2) {
            uint32_t hits[64] = {0};
            efg_spread_init(s, wanted, 8);
            run(s, 100000, 1, 3);
            for (uint32_t i = 0; i < s->count; i++)
                hits[s->made[i].first % period]++;
            double mean = s->count / (double)period;
            for (uint64_t i = 0; i < period; i++)
                assert_true(hits[i] <= mean + 5 * sqrt(mean) && hits[i] >= mean - 5 * sqrt(mean));
        }
    free(s);
}

/* Windows of one iteration, each 8 iterations, then longer ones, none of which is given up; once there is
 * enough, fewer, in all slots but one. */
static void test_stretch(void **state)
{
    struct efg_spread *s = malloc(sizeof *s);
    uint64_t length = 1, all = 0;
    (void)state;
    assert_non_null(s);
    efg_spread_init(s, 10, 8);
    uint64_t first = efg_spread_next(s, 5);
    while (first < 1000000 && length < 100000) {
        length += efg_spread_stretch(s);
        efg_spread_add(s, first);
        all += s->made[s->count - 1].first == first;
        first = efg_spread_next(s, first + length + 7);
    }
    assert_int_equal(s->count, all);
    assert_int_equal(length + 7, s->stride);
    assert_true(s->count - s->extra <= 10 && s->count > 60);
    while (first < 100 * length) {
        efg_spread_add(s, first);
        first = efg_spread_next(s, first + length + 7);
    }
    assert_int_equal(s->extra, 0);
    assert_true(s->count >= 9 && s->count < 20);
    assert_int_equal(efg_spread_stretch(s), 0); /* they do not follow one another closely any more */
    free(s);
}

static void test_one_is_never_given_up(void **state)
{
    struct efg_spread *s = malloc(sizeof *s);
    (void)state;
    assert_non_null(s);
    efg_spread_init(s, 1, 10);
    assert_int_equal(efg_spread_next(s, 17), 17);
    efg_spread_add(s, 17);
    assert_true(efg_spread_has(s, 17) && !efg_spread_has(s, 18));
    free(s);
}

static void test_choice_of_uneven_ones(void **state)
{
    uint64_t first[] = {0, 1, 2, 3, 50, 97, 98, 99, 100};
    uint8_t keep[9], expected[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    (void)state;
    assert_int_equal(efg_spread_choose(first, 9, 3, keep), 3);
    assert_memory_equal(keep, expected, 9);
    assert_int_equal(efg_spread_choose(first, 9, 20, keep), 9);
    assert_int_equal(efg_spread_choose(first, 9, 1, keep), 1);
    assert_int_equal(efg_spread_choose(first, 0, 3, keep), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_no_rhythm),
        cmocka_unit_test(test_stretch),
        cmocka_unit_test(test_one_is_never_given_up),
        cmocka_unit_test(test_choice_of_uneven_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
