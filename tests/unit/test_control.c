/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trigger alone, whatever comes; and what the control makes of each verdict, in each role. That
 * all ranks of a job together come to the same windows is in test_agree.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/window/control.h"

/* --- trigger --- */

static int is_recording(enum efg_state state)
{
    return state == EFG_PROVISIONAL || state == EFG_RECORDING || state == EFG_FOLLOWING;
}

/* Recording is begun and ended by turns, whatever comes; what is recorded is kept or thrown away.
 * */
static void test_recording_begins_and_ends_by_turns(void **state)
{
    struct efg_trigger t = {0};
    int opened = 0;
    (void)state;
    srand(2);
    for (int i = 0; i < 100000; i++) {
        enum efg_state before = t.state;
        enum efg_action action = efg_trigger_step(&t, (enum efg_trigger_input)(rand() % EFG_INPUTS));
        assert_in_range(t.state, 0, EFG_STATES - 1);
        if (action == EFG_DO_OPEN)
            assert_false(is_recording(before));
        if (action == EFG_DO_CLOSE || action == EFG_DO_CUT)
            assert_int_equal(before, EFG_RECORDING);
        if (action == EFG_DO_NOTHING)
            assert_int_equal(is_recording(before), is_recording(t.state));
        if (before == EFG_DONE && t.state != EFG_DONE) /* never forgotten */
            assert_true(action == EFG_DO_SETTLE || action >= EFG_DO_DISCARD);
        opened += action == EFG_DO_OPEN;
    }
    assert_true(opened > 1000);
}

/* Every state can be left, and the end leaves nothing that is recorded unsaid. */
static void test_the_end_ends_recording(void **state)
{
    (void)state;
    for (int i = 0; i < EFG_STATES; i++) {
        struct efg_trigger t = {.state = (enum efg_state)i};
        efg_trigger_step(&t, EFG_IN_END);
        assert_false(is_recording(t.state));
        t.state = (enum efg_state)i;
        efg_trigger_step(&t, EFG_IN_LOST);
        assert_int_equal(t.state, EFG_WATCHING);
    }
}

static void test_what_means_nothing_changes_nothing(void **state)
{
    struct efg_trigger t = {.state = EFG_DONE};
    (void)state;
    assert_int_equal(efg_trigger_step(&t, EFG_IN_FIRST), EFG_DO_NOTHING);
    assert_int_equal(efg_trigger_step(&t, EFG_IN_LONG), EFG_DO_NOTHING);
    assert_int_equal(t.state, EFG_DONE);
}

static void test_opens_and_closes_once(void **state)
{
    struct efg_trigger t = {.state = EFG_ARMED, .first = 10, .length = 3};
    int opened = 0, closed = 0;
    (void)state;
    for (uint64_t number = 1; number < 100; number++) {
        enum efg_action action = efg_trigger_visit(&t, number);
        opened += action == EFG_DO_OPEN && number == 10;
        closed += action == EFG_DO_CLOSE && number == 13;
    }
    assert_int_equal(opened, 1);
    assert_int_equal(closed, 1);
    assert_int_equal(t.state, EFG_DONE);
}

/* Provisionally recorded: kept, also if the window has ended, or thrown away. */
static void test_provisional(void **state)
{
    struct efg_trigger t = {.state = EFG_WATCHING, .first = 10, .length = 3};
    (void)state;
    assert_int_equal(efg_trigger_step(&t, EFG_IN_LONG), EFG_DO_NOTHING);
    assert_int_equal(efg_trigger_visit(&t, 1), EFG_DO_OPEN);
    assert_int_equal(efg_trigger_step(&t, EFG_IN_PIVOT), EFG_DO_NOTHING);
    struct efg_trigger other = t;
    assert_int_equal(efg_trigger_step(&t, EFG_IN_PAST), EFG_DO_KEEP);
    assert_int_equal(efg_trigger_visit(&t, 20), EFG_DO_CLOSE);
    assert_int_equal(efg_trigger_step(&other, EFG_IN_PLACED), EFG_DO_DISCARD);
    assert_int_equal(efg_trigger_visit(&other, 10), EFG_DO_OPEN);
    assert_int_equal(efg_trigger_step(&other, EFG_IN_LOST), EFG_DO_FORGET);
    assert_int_equal(other.state, EFG_WATCHING);
}

/* --- control --- */

static char done[200]; /* actions, one word each */

static void note(void *context, enum efg_action action)
{
    static const char *const names[] = {"nothing", "open", "follow",  "keep",   "close", "cut",
                                        "settle",  "trim", "discard", "forget", "mark"};
    (void)context;
    snprintf(done + strlen(done), sizeof done - strlen(done), "%s%s", *done ? " " : "", names[action]);
}

static const struct efg_control_hands hands = {note, NULL};

/* What is done if a rank of this ROLE is in STATE, and a result has this VERDICT; the state
 * afterwards. Its window begins at iteration 20; it is in iteration NUMBER. */
static enum efg_state obey(enum efg_role role, enum efg_state state, enum efg_verdict verdict,
                           uint64_t number)
{
    struct efg_control c;
    struct efg_tally tally = {.visits = number - 5};

    efg_control_init(&c, 1, 10, 0);
    c.agree.role = role;
    c.agree.first = 20;
    c.agree.base = 5;
    c.trigger.state = state;
    done[0] = '\0';
    efg_control_obey(&c, verdict, &tally, &hands);
    return c.trigger.state;
}

static void test_verdicts(void **state)
{
    static const struct {
        enum efg_role role;
        enum efg_state before;
        enum efg_verdict verdict;
        uint64_t number;
        enum efg_state after;
        const char *done;
    } cases[] = {
        {EFG_OWNER, EFG_WATCHING, EFG_VERDICT_PIVOT, 9, EFG_PROPOSED, "mark"},
        {EFG_OWNER, EFG_PROVISIONAL, EFG_VERDICT_PIVOT, 9, EFG_PROVISIONAL, "mark"},
        {EFG_FOLLOWER, EFG_PROPOSED, EFG_VERDICT_PIVOT, 9, EFG_WATCHING, "forget"},
        {EFG_OWNER, EFG_PROPOSED, EFG_VERDICT_PLACED, 9, EFG_ARMED, ""},
        {EFG_OWNER, EFG_READY, EFG_VERDICT_PLACED, 9, EFG_ARMED, ""},
        {EFG_OWNER, EFG_PROVISIONAL, EFG_VERDICT_PLACED, 9, EFG_ARMED, "discard"},
        {EFG_OWNER, EFG_PROPOSED, EFG_VERDICT_PLACED, 20, EFG_PROPOSED, "discard"}, /* too late */
        {EFG_FOLLOWER, EFG_WATCHING, EFG_VERDICT_PLACED, 9, EFG_FOLLOWING, "follow"},
        {EFG_OWNER, EFG_RECORDING, EFG_VERDICT_MOVED, 9, EFG_ARMED, "discard"},
        {EFG_FOLLOWER, EFG_FOLLOWING, EFG_VERDICT_MOVED, 9, EFG_FOLLOWING, ""},
        {EFG_OWNER, EFG_DONE, EFG_VERDICT_DONE, 30, EFG_PROPOSED, "settle"},
        {EFG_OWNER, EFG_DONE, EFG_VERDICT_NEXT, 9, EFG_ARMED, "settle"},
        {EFG_FOLLOWER, EFG_FOLLOWING, EFG_VERDICT_DONE, 30, EFG_WATCHING, "trim"},
        {EFG_FOLLOWER, EFG_FOLLOWING, EFG_VERDICT_NEXT, 9, EFG_FOLLOWING, "trim follow"},
        {EFG_OWNER, EFG_DONE, EFG_VERDICT_DRIFT, 30, EFG_PROPOSED, "discard"},
        {EFG_FOLLOWER, EFG_FOLLOWING, EFG_VERDICT_DRIFT, 30, EFG_WATCHING, "discard"},
        {EFG_OWNER, EFG_ARMED, EFG_VERDICT_LOST, 9, EFG_WATCHING, "forget"},
        {EFG_FOLLOWER, EFG_FOLLOWING, EFG_VERDICT_LOST, 9, EFG_WATCHING, "discard"},
        {EFG_OWNER, EFG_RECORDING, EFG_VERDICT_HOLDS, 25, EFG_RECORDING, ""},
        {EFG_ALONE, EFG_RECORDING, EFG_VERDICT_LOST, 25, EFG_RECORDING, ""},
        {EFG_ALONE, EFG_WATCHING, EFG_VERDICT_PIVOT, 9, EFG_WATCHING, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum efg_state after = obey(cases[i].role, cases[i].before, cases[i].verdict, cases[i].number);
        if (after != cases[i].after || strcmp(done, cases[i].done) != 0)
            fail_msg("case %zu: state %d, \"%s\"", i, (int)after, done);
    }
}

/* What an owner does that records iteration NUMBER of the window that began with 10, when it hears that
 * another one is done with it, at END. */
static enum efg_state hear_end(uint64_t number, uint64_t end)
{
    struct efg_control c, other;
    struct efg_tally tally = {.visits = number}, others = {.visits = end};

    efg_control_init(&c, 1, 10, 0);
    c.agree.role = EFG_OWNER;
    c.agree.round = EFG_ROUND_CHECK;
    c.agree.first = c.trigger.first = 10;
    c.trigger.state = EFG_RECORDING;
    other = c;
    other.trigger.state = EFG_DONE;
    struct efg_vote all =
        efg_agree_vote(&c.agree, &(struct efg_standing){.tally = &tally, .state = EFG_RECORDING});
    struct efg_vote one =
        efg_agree_vote(&other.agree, &(struct efg_standing){.tally = &others, .state = EFG_DONE, .end = end});
    efg_ballot_combine(&all, &one);
    done[0] = '\0';
    efg_control_obey(&c, efg_agree_result(&c.agree, &all, &tally), &tally, &hands);
    return c.trigger.state;
}

/* Nothing is kept of a window behind its end on another rank: there it ends here, too. */
static void test_ends_with_others(void **state)
{
    (void)state;
    assert_int_equal(hear_end(12, 13), EFG_RECORDING);
    assert_string_equal(done, "");
    assert_int_equal(hear_end(13, 13), EFG_DONE);
    assert_string_equal(done, "cut");
    assert_int_equal(hear_end(17, 13), EFG_DONE);
    assert_string_equal(done, "cut");
}

/* Whether this rank, which records nothing, says that a window cannot be one that has begun already. */
static bool is_unwhole(struct efg_agree *agree, bool leaving)
{
    struct efg_tally tally = {0};
    agree->round = EFG_ROUND_PLACE;
    struct efg_vote vote = efg_agree_vote(agree, &(struct efg_standing){.tally = &tally, .leaving = leaving});
    return vote.flags & EFG_VOTE_UNWHOLE;
}

/* The pivot is lost on one rank: what is recorded stays, and a window that lies ahead is followed,
 * unless the rank is alone. */
static void test_lost_pivots(void **state)
{
    static const struct {
        enum efg_role role;
        enum efg_state before, after;
        enum efg_role then;
        const char *done;
    } cases[] = {
        {EFG_OWNER, EFG_RECORDING, EFG_DONE, EFG_OWNER, "cut"},
        {EFG_OWNER, EFG_DONE, EFG_DONE, EFG_OWNER, ""},
        {EFG_OWNER, EFG_ARMED, EFG_FOLLOWING, EFG_FOLLOWER, "forget follow"},
        {EFG_ALONE, EFG_ARMED, EFG_WATCHING, EFG_ALONE, "forget"},
        {EFG_OWNER, EFG_PROPOSED, EFG_WATCHING, EFG_FOLLOWER, "forget"},
        {EFG_OWNER, EFG_PROVISIONAL, EFG_WATCHING, EFG_FOLLOWER, "discard"},
        {EFG_FOLLOWER, EFG_READY, EFG_WATCHING, EFG_FOLLOWER, "forget"},
        {EFG_FOLLOWER, EFG_WATCHING, EFG_WATCHING, EFG_FOLLOWER, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct efg_control c = {.agree.role = cases[i].role, .trigger.state = cases[i].before};
        done[0] = '\0';
        efg_control_lose(&c, &hands);
        if (c.trigger.state != cases[i].after || c.agree.role != cases[i].then ||
            strcmp(done, cases[i].done) != 0)
            fail_msg("case %zu: state %d, \"%s\"", i, (int)c.trigger.state, done);
        bool has_lost = cases[i].role == EFG_OWNER && cases[i].then == EFG_FOLLOWER;
        assert_int_equal(is_unwhole(&c.agree, false), cases[i].then == EFG_FOLLOWER);
        assert_int_equal(is_unwhole(&c.agree, true), has_lost);
    }
}

/* A window of its own, some iterations ahead, at a power of two; nothing that the others agree on
 * changes it. */
static void test_alone(void **state)
{
    struct efg_control c;
    struct efg_tally tally = {.visits = 100};
    (void)state;
    efg_control_init(&c, 1, 10, 0);
    c.trigger.state = EFG_PROPOSED;
    efg_control_go_alone(&c, &tally, &hands);
    assert_int_equal(c.trigger.state, EFG_ARMED);
    assert_int_equal(c.trigger.first, 128);
    efg_control_obey(&c, EFG_VERDICT_LOST, &tally, &hands);
    assert_int_equal(c.trigger.state, EFG_ARMED);
    tally.visits = 128;
    assert_int_equal(efg_control_visit(&c, &tally, &hands), EFG_DO_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recording_begins_and_ends_by_turns),
        cmocka_unit_test(test_the_end_ends_recording),
        cmocka_unit_test(test_what_means_nothing_changes_nothing),
        cmocka_unit_test(test_opens_and_closes_once),
        cmocka_unit_test(test_provisional),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_ends_with_others),
        cmocka_unit_test(test_lost_pivots),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
