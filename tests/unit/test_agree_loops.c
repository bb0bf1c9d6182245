/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which loops get windows, and how many: elections, majorities, phases, and several windows of
 * one loop, on the simulated ranks of test_agree.c and by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/window/election.h"
#include "simulated_ranks.h"

static struct sim_world the_world, *const world = &the_world;

static int windows_of(int rank)
{
    return world->rank[rank].window_count;
}

/* RANKS vote for loops; 0 is one that has none. Returns the verdict of one of them. */
static enum efg_verdict propose(struct efg_agree *agree, const uint64_t *loops, int ranks)
{
    static const struct efg_tally none;
    struct efg_vote result;
    efg_ballot_init(&result);
    for (int i = 0; i < ranks; i++) {
        struct efg_standing s = {.loop = loops[i], .iterations = 1000 >> loops[i], .tally = &none};
        struct efg_agree other = *agree;
        struct efg_vote one = efg_agree_vote(&other, &s);
        efg_ballot_combine(&result, &one);
    }
    agree->pending = 1;
    return efg_agree_result(agree, &result, &none);
}

static void test_elections(void **state)
{
    static struct efg_agree agree;
    const uint64_t lacking[] = {5, 5, 0, 5}, all[] = {5, 5, 5, 5};
    const uint64_t three[] = {5, 9, 5, 5}, two[] = {5, 9, 9, 5};
    (void)state;
    efg_agree_init(&agree, 1, 10, 0);
    for (int i = 0; i < 50; i++)
        assert_int_equal(propose(&agree, lacking, 4), EFG_VERDICT_NONE);
    assert_int_equal(propose(&agree, all, 4), EFG_VERDICT_ELECTED);
    assert_int_equal(agree.loop, 5);
    efg_agree_init(&agree, 1, 10, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(propose(&agree, three, 4), EFG_VERDICT_NONE);
    assert_int_equal(propose(&agree, three, 4), EFG_VERDICT_ELECTED);
    assert_int_equal(agree.loop, 5);
    efg_agree_init(&agree, 1, 10, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(propose(&agree, two, 4), EFG_VERDICT_NONE);
    assert_int_equal(propose(&agree, two, 4), EFG_VERDICT_ELECTED);
    assert_int_equal(agree.loop, 9); /* less than half of the iterations */
}

/* Whether a loop is elected by RESULT; it gets a window at once. */
static bool is_elected_by(struct efg_agree *agree, const struct efg_vote *result)
{
    static const struct efg_tally none;

    if (efg_agree_result(agree, result, &none) != EFG_VERDICT_ELECTED)
        return false;
    agree->made = 1;
    efg_election_made(agree);
    agree->round = EFG_ROUND_PROPOSE;
    return true;
}

/* A rank that votes for LOOP with this MARK, NUMBER in the code, at TIME. Returns whether it was elected. */
static bool elected_in(struct efg_agree *agree, uint64_t loop, uint16_t mark, efg_place number, uint64_t time)
{
    static const struct efg_tally none;
    struct efg_standing s = {.loop = loop,
                             .mark = mark,
                             .place = number << 16 | number,
                             .time = time,
                             .iterations = 9,
                             .tally = &none};
    struct efg_vote vote = efg_agree_vote(agree, &s);
    return is_elected_by(agree, &vote);
}

static bool elected(struct efg_agree *agree, uint64_t loop, uint16_t mark, uint64_t time)
{
    return elected_in(agree, loop, mark, 0, time);
}

static uint64_t time_of(const struct efg_agree *agree, uint32_t phase)
{
    for (uint32_t i = 0; i < agree->loop_count; i++)
        if (agree->loops[i].phase == phase)
            return agree->loops[i].time;
    return UINT64_MAX;
}

/* Each has its time; a loop that comes again is the phase that it was, and has no further window, unless
 * these are spread; loops of one function are told apart by their marks. */
static void test_loops_one_after_the_other(void **state)
{
    static struct efg_agree agree;
    (void)state;
    for (uint64_t windows = 1; windows <= 2; windows++) {
        efg_agree_init(&agree, windows, 1, 0);
        assert_true(elected(&agree, 5, 1, 10));
        assert_int_equal(elected(&agree, 5, 1, 100), windows > 1);
        assert_true(elected(&agree, 6, 1, 120));
        assert_true(elected(&agree, 5, 2, 150)); /* another one of its function */
        assert_int_equal(efg_agree_phase(&agree), 3);
        assert_int_equal(elected(&agree, 5, 1, 300), windows > 1);
        assert_int_equal(efg_agree_phase(&agree), windows > 1 ? 1 : 3);
        assert_int_equal(elected(&agree, 5, 0, 301), windows > 1); /* ranks differ: the present one */
        assert_int_equal(time_of(&agree, 1), 90 + 150 + (windows > 1));
    }
}

/* One rank has elected a loop, and those that join in have another mark for it: it is one loop. */
static void test_marks_that_differ(void **state)
{
    static struct efg_agree agree;
    static const struct efg_tally none;
    const struct efg_choice choice = {7, EFG_PIVOT_CALL};
    struct efg_vote all;
    (void)state;
    efg_agree_init(&agree, 1, 1, 0);
    assert_true(elected(&agree, 5, 1, 10));
    agree.round = EFG_ROUND_PIVOT;
    agree.made = agree.loops[agree.present].is_made = 0;
    efg_ballot_init(&all);
    for (uint16_t mark = 1; mark <= 2; mark++) {
        struct efg_agree other = agree;
        struct efg_standing s = {
            .loop = 5, .mark = mark, .time = 20, .choices = &choice, .choice_count = 1, .tally = &none};
        struct efg_vote one = efg_agree_vote(&other, &s);
        efg_ballot_combine(&all, &one);
    }
    assert_int_equal(efg_agree_result(&agree, &all, &none), EFG_VERDICT_PIVOT);
    agree.made = 1;
    efg_election_made(&agree);
    agree.round = EFG_ROUND_PROPOSE;
    assert_false(elected(&agree, 5, 1, 30));
    assert_false(elected(&agree, 5, 2, 40));
    assert_true(elected(&agree, 5, 3, 50));
}

/* A loop that was taken too early, for one around it in its function, is given up: this one has windows of
 * its own, and those of the other are forgotten. While ranks do not mean the same one, nothing happens. */
static void test_loops_around_others(void **state)
{
    static struct efg_agree agree;
    (void)state;
    for (uint64_t windows = 1; windows <= 2; windows++) {
        efg_agree_init(&agree, windows, 1, 0);
        assert_true(elected_in(&agree, 5, 1, 7, 10));
        assert_int_equal(elected_in(&agree, 5, 1, 0, 20), windows > 1);
        assert_int_equal(efg_agree_phase(&agree), 1);
        assert_true(elected_in(&agree, 5, 1, 3, 30));
        assert_int_equal(efg_agree_phase(&agree), 2);
        assert_int_equal(elected_in(&agree, 5, 1, 0, 40), windows > 1);
        assert_int_equal(efg_agree_phase(&agree), 2);
        assert_int_equal(time_of(&agree, 1), UINT64_MAX);
        assert_true(elected_in(&agree, 5, 1, 7, 50));
        assert_int_equal(efg_agree_phase(&agree), 3);
        assert_int_equal(time_of(&agree, 2), UINT64_MAX);
    }
}

/* Ranks vote for loop 5: half of them for number ONE in the code, others for OTHER, each within those with
 * lower numbers. Returns whether one was elected. */
static bool elected_by_halves(struct efg_agree *agree, efg_place one, efg_place other)
{
    static const struct efg_tally none;
    struct efg_vote all;

    efg_ballot_init(&all);
    for (uint64_t i = 0; i < 4; i++) {
        efg_place number = i % 2 ? one : other;
        struct efg_standing s = {.loop = 5,
                                 .mark = 1,
                                 .place = 9 << 16 | number,
                                 .iterations = 10 * number,
                                 .time = 1,
                                 .tally = &none};
        struct efg_agree voter = *agree;
        struct efg_vote vote = efg_agree_vote(&voter, &s);
        efg_ballot_combine(&all, &vote);
    }
    agree->pending = 1;
    return is_elected_by(agree, &all);
}

/* Some ranks mean a loop, and others one inside of it. That may be a matter of timing. If it is not, the
 * outer one has windows, until all mean the other. */
static void test_levels_that_differ(void **state)
{
    static struct efg_agree agree;
    (void)state;
    efg_agree_init(&agree, 1, 1, 0);
    for (int i = 0; i < 3; i++)
        assert_false(elected_by_halves(&agree, 3, 7));
    assert_true(elected_by_halves(&agree, 3, 7));
    assert_int_equal(agree.loops[agree.present].level, 9 << 16 | 3);
    assert_false(elected_by_halves(&agree, 3, 7));
    assert_false(elected_by_halves(&agree, 3, 3));
    assert_true(elected_by_halves(&agree, 7, 7));
    assert_int_equal(efg_agree_phase(&agree), 2);
    assert_int_equal(time_of(&agree, 1), UINT64_MAX);
    assert_false(elected_by_halves(&agree, 3, 7));
}

/* The longest one keeps its place, whatever comes; what is wanted is divided by time. */
static void test_more_loops_than_places(void **state)
{
    static struct efg_agree agree;
    uint64_t now = 0, parts = 0;
    (void)state;
    efg_agree_init(&agree, 2, 1, 0);
    for (uint64_t loop = 1; loop <= 3 * EFG_AGREE_LOOPS; loop++) {
        assert_true(elected(&agree, loop, 1, now += 1));
        elected(&agree, loop, 1, now += loop == 3 ? 1000 : loop);
    }
    assert_int_equal(agree.loop_count, EFG_AGREE_LOOPS);
    assert_int_equal(time_of(&agree, 3), 1000);
    for (uint32_t i = 0; i < agree.loop_count; i++) {
        uint64_t part = efg_agree_part_of(&agree, &agree.loops[i], 100);
        assert_true(part >= 1);
        assert_true(agree.loops[i].phase != 3 || part >= 50);
        parts += part;
    }
    assert_true(parts >= 90 && parts <= 110);
}

static bool is_brief(uint64_t lasted, uint64_t busy)
{
    static struct efg_agree agree;

    efg_agree_init(&agree, 1, 1, 0);
    assert_true(elected(&agree, 1, 1, 1));
    assert_true(elected(&agree, 2, 1, 21));
    efg_election_settle(&agree, (const uint64_t[EFG_AGREE_TURNS]){lasted, 100},
                        (const uint64_t[EFG_AGREE_TURNS]){busy, 1000});
    assert_false(agree.loops[1].is_brief);
    return agree.loops[0].is_brief;
}

/* One that was there before the program got to its work. Neither time may be above 5%: each of them is
 * changed by what else the machine does. */
static void test_brief_loops(void **state)
{
    (void)state;
    assert_true(is_brief(4, 49));
    assert_true(is_brief(0, 0));
    assert_false(is_brief(5, 49));
    assert_false(is_brief(4, 50));
    assert_false(is_brief(90, 900));
}

/* Numbers of a loop whose windows are not kept do not matter, nor do they for the next one. */
static void test_drift_is_of_a_loop(void **state)
{
    static struct efg_agree agree;
    (void)state;
    efg_agree_init(&agree, 1, 1, 0);
    assert_true(elected(&agree, 1, 1, 1));
    agree.drifted = true;
    assert_true(efg_agree_has_drifted(&agree));
    assert_true(elected(&agree, 2, 1, 21));
    assert_false(agree.drifted);
    assert_true(efg_agree_has_drifted(&agree));
    agree.loops[0].is_brief = true;
    assert_false(efg_agree_has_drifted(&agree));
    agree.drifted = true;
    assert_true(efg_agree_has_drifted(&agree));
}

static uint32_t main_of(uint64_t a, uint64_t b, uint64_t c)
{
    return efg_election_main((const uint64_t[]){a, b, c}, (const uint64_t[]){a, b, c},
                             (const uint64_t[]){0, 0, 0}, 3);
}

/* Phases of about the same time: the first of them, whichever is a bit longer. */
static void test_which_phase_is_the_main_one(void **state)
{
    (void)state;
    assert_int_equal(main_of(100, 100, 100), 0);
    assert_int_equal(main_of(70, 100, 30), 0);
    assert_int_equal(main_of(100, 70, 30), 0);
    assert_int_equal(main_of(44, 100, 30), 0);
    assert_int_equal(main_of(35, 55, 100), 1);
    assert_int_equal(main_of(33, 100, 30), 1);
    assert_int_equal(main_of(0, 0, 1), 2);
    const uint64_t one[] = {39, 100, 50}, other[] = {30, 50, 100};
    assert_int_equal(efg_election_main(one, one, (const uint64_t[]){5, 6, 5}, 3), 0);
    assert_int_equal(efg_election_main(one, one, (const uint64_t[]){5, 6, 7}, 3), 1);
    assert_int_equal(efg_election_main(other, other, (const uint64_t[]){5, 6, 6}, 3), 1);
    const uint64_t lasted[] = {19, 1000, 150}; /* the second one had a processor for a tenth of it */
    assert_int_equal(efg_election_main(lasted, one, (const uint64_t[]){5, 6, 7}, 3), 1);
    assert_int_equal(efg_election_main(lasted, other, (const uint64_t[]){5, 6, 7}, 3), 1);
    assert_int_equal(efg_election_main(lasted, one, (const uint64_t[]){5, 6, 6}, 3), 1);
    assert_int_equal(main_of(0, 0, 0), EFG_NONE);
}

/* An owner that is in ROUND, with loop 5 and a window from iteration 7 on. */
static struct efg_agree *in_round(enum efg_round round)
{
    static struct efg_agree agree;
    efg_agree_init(&agree, 1, 10, 0);
    agree.round = round;
    agree.role = EFG_OWNER;
    agree.loop_count = 1;
    agree.loop = agree.loops[0].loop = 5;
    agree.first = 7;
    agree.margin = 2;
    agree.tries = 3;
    return &agree;
}

/* The result of the votes of two ranks. */
static enum efg_verdict both(struct efg_agree *agree, const struct efg_standing *one,
                             const struct efg_standing *two)
{
    struct efg_vote a = efg_agree_vote(agree, one), b = efg_agree_vote(agree, two);
    efg_ballot_combine(&a, &b);
    return efg_agree_result(agree, &a, one->tally);
}

/* Loop 5 was elected; by now one rank has LOOP, and the other one has 5 or is without. */
static enum efg_round round_after(uint64_t loop, bool has_given_up, bool leaving)
{
    static const struct efg_tally tally = {.visits = 3};
    static struct efg_choice choice = {.hash = 1, .class = EFG_PIVOT_CALL};
    struct efg_standing one = {
        .loop = 5, .tally = &tally, .choices = &choice, .choice_count = 1, .period = 9, .leaving = leaving};
    struct efg_standing two = one;
    struct efg_agree *agree = in_round(EFG_ROUND_PIVOT);
    two.loop = loop;
    two.has_given_up = has_given_up;
    two.iterations = 4;
    one.iterations = loop == 5 ? 4 : 9;
    enum efg_verdict verdict = both(agree, &one, &two);
    assert_int_equal(verdict, agree->round == EFG_ROUND_PROPOSE ? EFG_VERDICT_NONE : EFG_VERDICT_PIVOT);
    return agree->round;
}

/* Votes are older than their result: what is over by then is proposed again. */
static void test_what_is_elected_is_over(void **state)
{
    (void)state;
    assert_int_equal(round_after(5, false, false), EFG_ROUND_CALIBRATE);
    assert_int_equal(round_after(0, false, false), EFG_ROUND_PROPOSE);  /* over on one rank */
    assert_int_equal(round_after(0, true, false), EFG_ROUND_CALIBRATE); /* which never had it */
    assert_int_equal(round_after(6, false, false), EFG_ROUND_PROPOSE);  /* another one wins now */
    assert_int_equal(round_after(6, false, true), EFG_ROUND_CALIBRATE); /* there will be no other round */
}

/* Until something else comes of the round, at most MOST times. */
static enum efg_verdict both_again(struct efg_agree *agree, struct efg_standing *two_ranks, int most)
{
    enum efg_verdict verdict = EFG_VERDICT_NONE;
    enum efg_round round = agree->round;

    while (verdict == EFG_VERDICT_NONE && agree->round == round && most-- > 0)
        verdict = both(agree, &two_ranks[0], &two_ranks[1]);
    return verdict;
}

/* Two ranks have no pivot of loop 5 in common, and see it go round unequally often. With more of it that may
 * change: they wait until the run is twice as long, and do so three times. Another loop need not wait. */
static void test_levels_that_differ_are_put_off(void **state)
{
    static const struct efg_tally tally = {.visits = 3};
    static struct efg_choice one = {.hash = 1, .class = EFG_PIVOT_CALL},
                             two = {.hash = 2, .class = EFG_PIVOT_CALL};
    struct efg_standing ranks[] = {
        {.loop = 5, .iterations = 9, .tally = &tally, .choices = &one, .choice_count = 1},
        {.loop = 5, .iterations = 9, .tally = &tally, .choices = &two, .choice_count = 1}};
    struct efg_agree *agree = in_round(EFG_ROUND_PROPOSE);

    (void)state;
    ranks[0].period = 1000;
    ranks[1].period = 3000;
    for (uint64_t time = 100; time <= 400; time *= 2) {
        ranks[0].time = ranks[1].time = time;
        assert_int_equal(both_again(agree, ranks, 1), EFG_VERDICT_ELECTED);
        assert_int_equal(both_again(agree, ranks, 20), EFG_VERDICT_NONE);
        assert_int_equal(agree->round, EFG_ROUND_PROPOSE);
        ranks[0].time = ranks[1].time = 2 * time - 1;
        assert_int_equal(both_again(agree, ranks, 20), EFG_VERDICT_NONE);
    }
    ranks[0].loop = ranks[1].loop = 6;
    assert_int_equal(both_again(agree, ranks, 1), EFG_VERDICT_ELECTED);
    agree->round = EFG_ROUND_PROPOSE;
    ranks[0].loop = ranks[1].loop = 5;
    ranks[0].time = ranks[1].time = 800;
    assert_int_equal(both_again(agree, ranks, 1), EFG_VERDICT_ELECTED);
    assert_int_equal(both_again(agree, ranks, 20), EFG_VERDICT_PIVOT);
    assert_true(agree->pivot < 0);
}

/* Two owners in CHECK, the second one in STATE, vote for LOOP. */
static enum efg_verdict check(enum efg_state state, int is_lost, uint64_t loop)
{
    static const struct efg_tally tally = {.visits = 3};
    struct efg_standing one = {.loop = loop, .tally = &tally, .state = EFG_ARMED, .is_lost = is_lost};
    struct efg_standing two = one;
    two.state = state;
    two.end = 17;
    return both(in_round(EFG_ROUND_CHECK), &one, &two);
}

/* A window that lies ahead ends with its loop; one that is open goes on, unless somebody else
 * will never make it. */
static void test_windows_that_are_lost(void **state)
{
    (void)state;
    assert_int_equal(check(EFG_ARMED, 0, 5), EFG_VERDICT_NONE);
    assert_int_equal(check(EFG_ARMED, 0, 9), EFG_VERDICT_LOST);
    assert_int_equal(check(EFG_ARMED, 1, 5), EFG_VERDICT_LOST);
    assert_int_equal(check(EFG_RECORDING, 0, 9), EFG_VERDICT_NONE);
    assert_int_equal(check(EFG_RECORDING, 1, 5), EFG_VERDICT_NONE);
    assert_int_equal(check(EFG_DONE, 0, 9), EFG_VERDICT_NONE);
    assert_int_equal(check(EFG_DONE, 1, 5), EFG_VERDICT_LOST);
}

/* It is moved further each time, and given up in the end. */
static void test_windows_that_are_late(void **state)
{
    static const struct efg_tally tally = {.visits = 30};
    struct efg_standing one = {.loop = 5, .tally = &tally, .state = EFG_PROPOSED};
    struct efg_agree *agree = in_round(EFG_ROUND_CONFIRM);
    (void)state;
    for (uint64_t margin = 4; margin <= 64; margin *= 2) {
        assert_int_equal(both(agree, &one, &one), EFG_VERDICT_MOVED);
        assert_int_equal(agree->first, 30 + margin);
        assert_int_equal(agree->round, EFG_ROUND_CONFIRM);
    }
    assert_int_equal(both(agree, &one, &one), EFG_VERDICT_FAILED);
    assert_int_equal(agree->round, EFG_ROUND_OVER);
}

/* Numbers that count from the start are put right once; if that was in vain, it is said. */
static void test_numbers_are_put_right_once(void **state)
{
    struct efg_tally more = {0}, fewer = {0};
    struct efg_agree *agree = in_round(EFG_ROUND_CHECK);
    (void)state;
    efg_tally_visit(&more);
    efg_tally_world(&more);
    efg_tally_world(&fewer);
    struct efg_standing one = {.loop = 5, .tally = &more, .state = EFG_ARMED}, two = one;
    two.tally = &fewer;
    agree->is_from_start = 1;
    agree->pivot = 3;
    agree->watched = 1;
    assert_int_equal(both(agree, &one, &two), EFG_VERDICT_DRIFT);
    assert_int_equal(agree->round, EFG_ROUND_CALIBRATE);
    assert_int_equal(agree->refusals, 0);
    agree->round = EFG_ROUND_CHECK;
    agree->watched = 1;
    assert_false(agree->drifted);
    assert_int_equal(both(agree, &one, &two), EFG_VERDICT_NONE);
    assert_true(agree->drifted);
    agree->is_from_start = 0;
    agree->watched = 1;
    assert_int_equal(both(agree, &one, &two), EFG_VERDICT_DRIFT);
    assert_int_equal(agree->refusals, 1);
}

/* Before the end, numbers are compared at the last collective of all. */
static void test_the_last_collective_is_compared(void **state)
{
    static struct efg_tally many, fewer;
    struct efg_agree *agree = in_round(EFG_ROUND_PROPOSE);
    struct efg_standing one = {.loop = 5, .leaving = 1, .tally = &many};
    struct efg_standing two = {.loop = 5, .tally = &fewer};
    (void)state;
    agree->spread.count = 1;
    agree->pivot = 3;
    for (int i = 0; i < 1001; i++) {
        efg_tally_world(&many);
        if (i < 995)
            efg_tally_world(&fewer);
    }
    assert_int_equal(both(agree, &one, &two), EFG_VERDICT_NONE);
    assert_int_equal(agree->watched, 995);
    for (int i = 995; i < 1001; i++)
        efg_tally_world(&fewer);
    two.leaving = 1;
    assert_int_equal(both(agree, &one, &two), EFG_VERDICT_NONE);
    assert_int_equal(agree->watched, 1001);
    fewer.kept[0][1001 / 2 % EFG_TALLY_KEPT]++; /* a visit that the other rank has not */
    assert_int_equal(agree->round, EFG_ROUND_PROPOSE);
    assert_false(agree->drifted);
    assert_int_equal(both(agree, &one, &two), EFG_VERDICT_NONE);
    assert_int_equal(agree->round, EFG_ROUND_OVER);
    assert_true(agree->drifted);
}

/* All owners have given up their pivot. */
static void test_nobody_owns_the_window(void **state)
{
    static const struct efg_tally tally;
    struct efg_standing one = {.loop = 5, .tally = &tally};
    (void)state;
    for (int round = EFG_ROUND_CALIBRATE; round < EFG_ROUND_OVER; round++) {
        struct efg_agree *agree = in_round((enum efg_round)round);
        agree->role = EFG_FOLLOWER;
        assert_int_equal(both(agree, &one, &one), EFG_VERDICT_LOST);
        assert_int_equal(agree->round, EFG_ROUND_PROPOSE);
    }
}

static void test_the_majority_has_it(void **state)
{
    int made = 0;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(125); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->ranks = 4;
        for (int i = 0; i < 4; i++) {
            p->rank[i].loop = i == (int)(run % 4);
            p->rank[i].found = 2;
            p->rank[i].gives_up = UINT64_MAX;
        }
        made += sim_windows(world, NULL);
        for (int i = 0; i < 4 && windows_of(0); i++) {
            assert_int_equal(world->rank[i].windows[0].loop, sim_loop(0, 0, 0));
            assert_int_equal(world->rank[i].windows[0].is_owner, i != (int)(run % 4));
        }
    }
    sim_assert_part(made, 95, 125);
}

/* A window, then single iterations of the whole run. */
static void test_windows_that_are_spread_behind_the_first(void **state)
{
    int made = 0, far = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(250); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->more = 2 + sim_roll(6);
        p->iterations[0] = 1000 + sim_roll(4000);
        int windows = sim_windows(world, &apart);
        sim_assert_right(world, apart);
        made += windows > (int)p->more;
        for (int i = 0; i < windows; i++) {
            const struct sim_window *w = &world->rank[0].windows[i];
            assert_int_equal(w->part, i > 0);
            assert_int_equal(w->end - w->first, i ? 1 : p->length);
        }
        far += windows && world->rank[0].windows[windows - 1].from > p->iterations[0] / 2;
    }
    sim_assert_part(made, 80, 250);
    sim_assert_part(far, 80, 250);
}

/* As long as one rank has not enough, windows become longer, on all ranks: most iterations are in them. */
static void test_windows_that_grow(void **state)
{
    int dense = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(100); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        uint64_t covered = 0;
        p->windows = 4;
        p->length = 1;
        p->is_rough = 1;
        p->iterations[0] = 3000 + sim_roll(4000);
        int windows = sim_windows(world, &apart);
        sim_assert_right(world, apart);
        for (int i = 0; i < windows; i++)
            covered += world->rank[0].windows[i].end - world->rank[0].windows[i].first;
        dense += 2 * covered > p->iterations[0];
    }
    sim_assert_part(dense, 80, 100);
}

/* Loops that take over get windows of their own. */
static void test_phases(void **state)
{
    int made = 0, all = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(250); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->phases = 1 + (int)sim_roll(SIM_PHASES);
        p->sample = 1 + sim_roll(10);
        for (int i = 0; i < p->phases; i++)
            p->iterations[i] = 300 + sim_roll(300);
        made += sim_windows(world, &apart);
        all += p->phases;
    }
    assert_true(made > all * 9 / 10 && made <= all);
}

/* Phases that are over before anything is agreed. */
static void test_short_phases(void **state)
{
    int made = 0;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->phases = 1 + (int)sim_roll(SIM_PHASES);
        p->windows = 1 + sim_roll(3);
        p->is_long = sim_roll(2);
        for (int i = 0; i < p->phases; i++)
            p->iterations[i] = 1 + sim_roll(sim_roll(2) ? 20 : 100);
        made += sim_windows(world, NULL);
    }
    sim_assert_part(made, 50, 500);
}

/* Largest distance of the windows that are chosen in the end, and that from the first one to the last. */
static void measure(uint32_t wanted, uint64_t *largest, uint64_t *span)
{
    uint64_t first[SIM_WINDOWS] = {0}, before = UINT64_MAX;
    uint8_t keep[SIM_WINDOWS];
    uint32_t count = (uint32_t)windows_of(0);

    for (uint32_t i = 0; i < count; i++)
        first[i] = world->rank[0].windows[i].first;
    efg_spread_choose(first, count, wanted, keep);
    *largest = *span = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!keep[i])
            continue;
        uint64_t apart = before == UINT64_MAX ? 0 : first[i] - before;
        before = first[i];
        *span += apart;
        *largest = apart > *largest ? apart : *largest;
    }
}

static void test_several_windows(void **state)
{
    int even = 0, runs = 0, moved = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(75); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        uint64_t largest, span;
        p->iterations[0] = run % 25 ? 50 + sim_roll(5000) : 100000;
        p->ranks = run % 25 ? p->ranks : 2;
        p->windows = 5;
        sim_windows(world, &apart);
        sim_assert_right(world, apart);
        assert_true(windows_of(0) < 10);
        moved += world->verdicts[EFG_VERDICT_MOVED];
        if (windows_of(0) < 5)
            continue;
        measure(5, &largest, &span);
        even += 4 * largest <= 3 * span; /* no gap is much larger than the other three */
        runs++;
    }
    sim_assert_part(runs, 50, 75);
    assert_true(moved > 0);
    assert_true(even >= runs * 95 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elections),
        cmocka_unit_test(test_loops_one_after_the_other),
        cmocka_unit_test(test_marks_that_differ),
        cmocka_unit_test(test_loops_around_others),
        cmocka_unit_test(test_levels_that_differ),
        cmocka_unit_test(test_more_loops_than_places),
        cmocka_unit_test(test_brief_loops),
        cmocka_unit_test(test_drift_is_of_a_loop),
        cmocka_unit_test(test_which_phase_is_the_main_one),
        cmocka_unit_test(test_what_is_elected_is_over),
        cmocka_unit_test(test_levels_that_differ_are_put_off),
        cmocka_unit_test(test_windows_that_are_lost),
        cmocka_unit_test(test_windows_that_are_spread_behind_the_first),
        cmocka_unit_test(test_windows_that_grow),
        cmocka_unit_test(test_windows_that_are_late),
        cmocka_unit_test(test_numbers_are_put_right_once),
        cmocka_unit_test(test_the_last_collective_is_compared),
        cmocka_unit_test(test_nobody_owns_the_window),
        cmocka_unit_test(test_the_majority_has_it),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_short_phases),
        cmocka_unit_test(test_several_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
