/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Votes of random ranks, combined in random orders and trees, against a count of them all; the
 * tally against a list of all counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/window/ballot.h"
#include "core/window/tally.h"

#define VOTES 40
#define COLLECTIVES 5000

/* --- ballot --- */

static struct efg_vote some_vote(int loops)
{
    struct efg_vote v;
    efg_ballot_init(&v);
    v.flags = 1u << rand() % 10;
    v.dropped = 1u << rand() % 10;
    v.worlds = rand() % 1000;
    v.passed = -v.worlds;
    if (rand() % 2)
        v.end = -(rand() % 1000);
    if (rand() % 3)
        v.loops[0] = (struct efg_candidate){.loop = 1 + (uint64_t)(rand() % loops), .ranks = 1};
    if (v.loops[0].loop) {
        v.loops[0].least = v.loops[0].most = (uint64_t)(rand() % 50);
        v.loops[0].place = (efg_place)(rand() % 3);
    }
    struct efg_choice choices[3];
    for (int i = 0; i < 3; i++)
        choices[i] =
            (struct efg_choice){(uint64_t)rand(), (enum efg_pivot_class)(rand() % EFG_PIVOT_CLASSES)};
    if (rand() % 2)
        efg_ballot_choose(&v, choices, 3);
    if (rand() % 2)
        efg_ballot_time(&v, efg_ballot_period((uint64_t)rand()));
    return v;
}

/* Combines votes FROM to TO: a tree with its branches anywhere, and either side first. */
static struct efg_vote combined(const struct efg_vote *votes, int from, int to)
{
    if (to - from == 1)
        return votes[from];
    int middle = from + 1 + rand() % (to - from - 1), swap = rand() % 2;
    struct efg_vote a = combined(votes, from, middle);
    struct efg_vote b = combined(votes, middle, to);
    efg_ballot_combine(swap ? &b : &a, swap ? &a : &b);
    return swap ? b : a;
}

static void shuffle(struct efg_vote *votes)
{
    for (int i = VOTES - 1; i > 0; i--) {
        int j = rand() % (i + 1);
        struct efg_vote one = votes[i];
        votes[i] = votes[j];
        votes[j] = one;
    }
}

static void test_order_does_not_matter(void **state)
{
    static struct efg_vote votes[VOTES];
    (void)state;
    srand(1);
    for (int run = 0; run < 500; run++) {
        for (int i = 0; i < VOTES; i++)
            votes[i] = some_vote(1 + run % 60);
        struct efg_vote one = combined(votes, 0, VOTES);
        for (int again = 0; again < 5; again++) {
            shuffle(votes);
            struct efg_vote other = combined(votes, 0, VOTES);
            assert_memory_equal(&one, &other, sizeof one);
        }
    }
}

/* The rows of the table are the loops with the lowest hashes and places, with all that have them. */
static void assert_counted(const struct efg_vote *votes, const struct efg_vote *result)
{
    int row = 0;
    for (uint64_t number = 3; number <= 302 && row < EFG_BALLOT_LOOPS; number++) {
        struct efg_candidate expected = {
            .loop = number / 3, .least = UINT64_MAX, .place = (efg_place)(number % 3)};
        for (int i = 0; i < VOTES; i++) {
            const struct efg_candidate *c = &votes[i].loops[0];
            if (c->loop != expected.loop || c->place != expected.place)
                continue;
            expected.ranks++;
            expected.least = c->least < expected.least ? c->least : expected.least;
            expected.most = c->most > expected.most ? c->most : expected.most;
        }
        if (!expected.ranks)
            continue;
        assert_memory_equal(&result->loops[row++], &expected, sizeof expected);
    }
    for (; row < EFG_BALLOT_LOOPS; row++)
        assert_int_equal(result->loops[row].loop, 0);
}

static void test_loops_are_counted(void **state)
{
    static struct efg_vote votes[VOTES];
    (void)state;
    srand(2);
    for (int run = 0; run < 1000; run++) {
        for (int i = 0; i < VOTES; i++)
            votes[i] = some_vote(1 + run % 100);
        struct efg_vote result = combined(votes, 0, VOTES);
        assert_counted(votes, &result);
    }
}

static struct efg_vote table(const struct efg_candidate *rows, int count)
{
    struct efg_vote v;
    efg_ballot_init(&v);
    memcpy(v.loops, rows, (size_t)count * sizeof *rows);
    return v;
}

/* Loop, least and most iterations, ranks, place. */
#define ROW(loop, least, most, ranks, place)     \
    {                                            \
        loop, least, most, ranks, place, 0, 0, 0 \
    }

static void test_majority(void **state)
{
    (void)state;
    struct efg_candidate three[] = {ROW(5, 9, 9, 1, 0), ROW(7, 10, 12, 3, 0)};
    struct efg_candidate tie[] = {ROW(5, 9, 25, 2, 0), ROW(7, 10, 12, 2, 0)};
    struct efg_candidate even[] = {ROW(5, 9, 24, 2, 0), ROW(7, 10, 12, 2, 0)};
    struct efg_vote a = table(three, 2), b = table(tie, 2), c = table(even, 2), d = table(tie, 1);
    assert_int_equal(efg_ballot_winner(&a).loop, 7); /* most ranks */
    assert_int_equal(efg_ballot_winner(&b).loop, 7); /* less than half of the iterations */
    assert_int_equal(efg_ballot_winner(&c).loop, 5); /* lower hash, whichever half is ahead */
    even[0].most = 6;
    c = table(even, 2);
    assert_int_equal(efg_ballot_winner(&c).loop, 5);
    assert_true(efg_ballot_is_split(&a) && !efg_ballot_is_split(&d));
    efg_ballot_init(&d);
    assert_int_equal(efg_ballot_winner(&d).loop, 0);
    assert_false(efg_ballot_is_split(&d));
}

/* Loops 2 and 4 of a function; 3 is in 2. */
#define TWO (3u << 16 | 2)
#define THREE (3u << 16 | 3)
#define FOUR (4u << 16 | 4)

/* Master and workers in one function: apart. A loop and one around it: one, of two levels. Or one whose place
 * is not known: one. */
static void test_loops_of_one_function(void **state)
{
    (void)state;
    struct efg_candidate apart[] = {ROW(5, 9, 9, 1, TWO), ROW(5, 3, 4, 3, FOUR)};
    struct efg_candidate nested[] = {ROW(5, 9, 9, 1, TWO), ROW(5, 3, 90, 3, THREE)};
    struct efg_candidate vague[] = {ROW(5, 9, 9, 1, 0), ROW(5, 9, 9, 2, TWO), ROW(5, 3, 4, 3, FOUR)};
    struct efg_candidate other[] = {ROW(5, 9, 9, 2, 0), ROW(5, 9, 9, 1, TWO), ROW(5, 3, 4, 1, FOUR),
                                    ROW(6, 3, 4, 4, 0)};
    struct efg_vote a = table(apart, 2), b = table(nested, 2), c = table(vague, 3), d = table(other, 4);
    struct efg_candidate one = efg_ballot_winner(&a), all = efg_ballot_winner(&b);
    assert_int_equal(one.ranks, 3);
    assert_int_equal(one.place, FOUR);
    assert_true(efg_ballot_is_split(&a));
    assert_int_equal(all.ranks, 4);
    assert_int_equal(all.place, EFG_PLACE_UNKNOWN);
    assert_int_equal(all.level, TWO);
    assert_true(all.least == 3 && all.most == 90 && efg_ballot_is_split(&b));
    assert_int_equal(efg_ballot_winner(&c).ranks, 4); /* those in FOUR, and the one that may be */
    assert_int_equal(efg_ballot_winner(&c).least, 3);
    assert_int_equal(efg_ballot_winner(&d).loop, 6); /* four ranks have it, no three one of the others */
}

static void test_pivots_in_common(void **state)
{
    struct efg_choice a[] = {{1000, EFG_PIVOT_CALL}, {3, EFG_PIVOT_ENTRY}};
    struct efg_choice b[] = {{3, EFG_PIVOT_ENTRY}, {1000, EFG_PIVOT_ENTRY}};
    struct efg_vote v, w, follower;
    (void)state;
    efg_ballot_init(&v);
    efg_ballot_init(&w);
    efg_ballot_init(&follower);
    efg_ballot_choose(&v, a, 2);
    efg_ballot_choose(&w, b, 2);
    efg_ballot_combine(&v, &w);
    efg_ballot_combine(&v, &follower);
    for (uint32_t bit = 0; bit < EFG_PIVOT_CLASSES * EFG_BALLOT_BITS; bit++)
        assert_int_equal(efg_ballot_is_common(&v, bit), bit == efg_ballot_bit(&b[0]));
}

/* Ranks see different things of one call: it has the worst of its classes, also if that is a matter of
 * timing. Calls and entries are not alike. */
static void test_pivots_of_different_classes(void **state)
{
    struct efg_choice a[] = {{7, EFG_PIVOT_SURE_CLEAN}, {9, EFG_PIVOT_SURE_CALL}};
    struct efg_choice b[] = {{7, EFG_PIVOT_CALL}, {9, EFG_PIVOT_ENTRY}};
    struct efg_choice agreed = {7, EFG_PIVOT_CALL}, timed = {7, EFG_PIVOT_UNORDERED};
    struct efg_vote v, w;
    (void)state;
    efg_ballot_init(&v);
    efg_ballot_init(&w);
    efg_ballot_choose(&v, a, 2);
    efg_ballot_choose(&w, b, 2);
    efg_ballot_combine(&v, &w);
    for (uint32_t bit = 0; bit < EFG_PIVOT_CLASSES * EFG_BALLOT_BITS; bit++)
        assert_int_equal(efg_ballot_is_common(&v, bit),
                         bit == efg_ballot_bit(&agreed) || bit == efg_ballot_bit(&timed));
    assert_true(efg_ballot_is_for(&a[0], efg_ballot_bit(&agreed)));
    assert_false(efg_ballot_is_for(&agreed, efg_ballot_bit(&a[0])));
}

/* Of ranks with the periods A, B, C and D, 0: there is no such rank, those whose period is the usual one. */
static void assert_usual(uint64_t a, uint64_t b, uint64_t c, uint64_t d, const char *usual)
{
    struct efg_vote all, one;
    const uint64_t ns[] = {a, b, c, d};

    efg_ballot_init(&all);
    for (int i = 0; i < 4; i++) {
        efg_ballot_init(&one);
        if (ns[i])
            efg_ballot_time(&one, efg_ballot_period(ns[i]));
        efg_ballot_combine(&all, &one);
    }
    for (int i = 0; i < 4; i++)
        if (ns[i])
            assert_int_equal(efg_ballot_is_usual(&all, efg_ballot_period(ns[i])), usual[i] == '+');
}

static void test_usual_period(void **state)
{
    (void)state;
    for (uint64_t ns = 1000; ns < 1ull << 40; ns += ns / 5) {
        assert_usual(ns, ns, ns, ns, "++++");
        assert_usual(ns, ns + ns / 10, ns + ns / 5, ns + 2 * ns / 5, "++++");
        assert_usual(ns, 3 * ns, 3 * ns, 3 * ns, "-+++");
        assert_usual(3 * ns, ns, ns, 0, "-++ ");
        assert_usual(ns, ns, 2 * ns, 2 * ns, "++--");
        assert_usual(2 * ns, ns, 0, 0, "-+  ");
        assert_usual(ns, 20 * ns, 21 * ns, 100 * ns, "-++-");
    }
    assert_usual(1000, 256000, 0, 0, "+-  "); /* they share a counter */
}

static void test_periods(void **state)
{
    (void)state;
    for (uint64_t ns = 1; ns < 1ull << 60; ns += ns / 3 + 1) {
        int64_t code = efg_ballot_period(ns);
        assert_in_range(efg_ballot_period(ns + ns / 5) - code, 0, 31);
        assert_in_range(efg_ballot_period(2 * ns) - code, 64, 64);
        if (ns > 1000)
            assert_in_range(efg_ballot_period(3 * ns) - code, 101, 102); /* 64 log2 3 = 101.4 */
    }
    assert_true(efg_ballot_period(0) > 0);
}

static void test_small_enough_to_be_sent(void **state)
{
    (void)state;
    assert_true(sizeof(struct efg_vote) <= 1024);
}

/* --- tally --- */

static void test_what_is_known(void **state)
{
    static uint64_t visits[COLLECTIVES + 1];
    struct efg_tally t = {0};
    uint64_t marked = 700, known = 0;
    (void)state;
    srand(3);
    for (uint64_t w = 1; w <= COLLECTIVES; w++) {
        for (int i = rand() % 3; i > 0; i--)
            efg_tally_visit(&t);
        efg_tally_world(&t);
        visits[w] = t.visits;
        if (w == marked)
            efg_tally_mark(&t, 5);
    }
    for (uint64_t w = 1; w <= COLLECTIVES; w++) {
        uint64_t n = UINT64_MAX;
        if (efg_tally_at(&t, w, &n) != EFG_TALLY_KNOWN)
            continue;
        assert_true(w > marked);
        assert_int_equal(n, visits[w]);
        known++;
    }
    assert_true(known > 40);
    assert_int_equal(efg_tally_at(&t, COLLECTIVES + 1, visits), EFG_TALLY_AHEAD);
    assert_int_equal(efg_tally_at(&t, marked, visits), EFG_TALLY_GONE);
    assert_int_equal(efg_tally_at(&t, 0, visits), EFG_TALLY_KNOWN);
    assert_int_equal(visits[0], 0);
}

/* A collective that is chosen is known to one who is ahead by as many as it says. */
static void test_what_stays_known(void **state)
{
    (void)state;
    for (uint64_t upto = 1; upto < 20000; upto += 1 + upto / 50) {
        struct efg_tally t = {0};
        uint64_t near = efg_tally_near(upto), n;
        assert_true(near <= upto && (upto - near) * 32 <= upto);
        for (uint64_t w = 1; w <= upto + upto / 5; w++)
            efg_tally_world(&t);
        assert_int_equal(efg_tally_at(&t, near, &n), EFG_TALLY_KNOWN);
        for (uint64_t after = 0; after < upto; after += 1 + upto / 20) {
            uint64_t between = efg_tally_between(after, upto);
            assert_true(after < between && between <= upto);
            if (upto - after >= upto / 5) /* then also the one between is known */
                assert_int_equal(efg_tally_at(&t, between, &n), EFG_TALLY_KNOWN);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_loops_are_counted),
        cmocka_unit_test(test_majority),
        cmocka_unit_test(test_loops_of_one_function),
        cmocka_unit_test(test_pivots_in_common),
        cmocka_unit_test(test_pivots_of_different_classes),
        cmocka_unit_test(test_usual_period),
        cmocka_unit_test(test_periods),
        cmocka_unit_test(test_small_enough_to_be_sent),
        cmocka_unit_test(test_what_is_known),
        cmocka_unit_test(test_what_stays_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
