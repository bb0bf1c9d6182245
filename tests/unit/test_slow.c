/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations that are kept after the fact, because they were slow: which ones, on one rank; and on
 * simulated ranks that all of them keep the same ones, on thousands of random schedules. A tick of the
 * simulation takes one of its units of time, so how long an iteration takes is a matter of chance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulated_ranks.h"

static struct sim_world the_world, *const world = &the_world;

/* --- one rank --- */

static struct efg_slow slow;
static uint32_t step = 1; /* that it asks for */

/* A round of this rank alone; returns what efg_slow_result does. */
static int round_of_one(void)
{
    struct efg_vote vote;

    efg_ballot_init(&vote);
    efg_slow_vote(&slow, &vote, &(struct efg_slow_state){.is_able = true, .step = step});
    return efg_slow_result(&slow, &vote);
}

static void rounds_of_one(void)
{
    int rounds = 0;

    while (round_of_one())
        assert_true(++rounds < 20);
}

static void begin(uint32_t wanted)
{
    efg_slow_init(&slow, wanted);
    efg_slow_start(&slow, false);
    efg_slow_begin(&slow, 100, 0);
}

/* COUNT iterations of NS each. */
static void go(uint32_t count, uint64_t ns)
{
    for (uint32_t i = 0; i < count; i++)
        efg_slow_add(&slow, ns, true);
}

static void test_the_slowest_are_kept(void **state)
{
    (void)state;
    begin(3);
    for (uint32_t i = 0; i < 1000; i++) {
        go(1, i == 50 ? 3000 : i == 500 ? 2000 : i == 700 ? 5000 : i == 900 ? 2500 : 1000 + i % 7);
        round_of_one();
    }
    rounds_of_one();
    assert_int_equal(slow.count, 3);
    for (uint64_t n = 100; n < 1100; n++) {
        int is_kept = (n >= 149 && n <= 151) || (n >= 799 && n <= 801) || (n >= 999 && n <= 1001);
        assert_int_equal(efg_slow_has(&slow, n), is_kept);
        if (n != 150 && n != 800 && n != 1000)
            assert_int_equal(efg_slow_times(&slow, n), 0);
    }
    assert_in_range(efg_slow_times(&slow, 150), 2940, 3060);
    assert_in_range(efg_slow_times(&slow, 800), 4900, 5100);
    assert_in_range(efg_slow_times(&slow, 1000), 2450, 2550);
}

/* A program that gets slower has no slow iterations but those that are slower than their neighbours. */
static void test_drift_is_not_slow(void **state)
{
    (void)state;
    begin(1);
    for (uint32_t i = 0; i < 5000; i++) {
        go(1, i == 40 ? 13000 : 10000 + 10 * i);
        round_of_one();
    }
    rounds_of_one();
    assert_int_equal(slow.kept[0].number, 140);
}

/* What made one iteration slow makes the next ones slow on other ranks: the slowest stands for them. */
static void test_of_several_close_together_one_is_kept(void **state)
{
    (void)state;
    begin(3);
    go(20, 1000);
    go(1, 2000);
    go(1, 1000);
    rounds_of_one();
    assert_int_equal(slow.count, 1);
    assert_int_equal(slow.kept[0].number, 120);
    go(1, 4000);
    go(2, 3000);
    go(20, 1000);
    rounds_of_one();
    assert_int_equal(slow.count, 1);
    assert_int_equal(slow.kept[0].number, 122);
}

/* It has to be in the ring with those around it. */
static void test_what_has_left_the_ring_is_not_kept(void **state)
{
    (void)state;
    begin(3);
    go(20, 1000);
    go(1, 9000);
    go(20, 1000);
    efg_slow_drop(&slow, 120); /* 119 goes with it */
    rounds_of_one();
    assert_false(efg_slow_has(&slow, 120));
}

/* It was asked for here, so it stays until the answer. */
static void test_what_is_asked_for_stays(void **state)
{
    (void)state;
    begin(1);
    go(20, 1000);
    go(1, 9000);
    round_of_one();
    assert_int_equal(slow.asked.number, 120);
    round_of_one();
    assert_true(slow.asked.number == 120 && slow.asked.score); /* 121 is not whole */
    go(50, 1000);
    efg_slow_drop(&slow, 160);
    assert_true(efg_slow_has(&slow, 119) && efg_slow_has(&slow, 120) && efg_slow_has(&slow, 121));
    rounds_of_one();
    assert_int_equal(slow.count, 1);
    assert_int_equal(slow.kept[0].number, 120);
}

/* Whoever asks gets an answer, and what nobody can keep is not asked for. */
static void test_a_ring_that_ends(void **state)
{
    (void)state;
    begin(3);
    go(20, 1000);
    go(1, 9000);
    round_of_one();
    assert_true(slow.asked.number == 120 && slow.asked.score);
    efg_slow_end(&slow);
    rounds_of_one();
    assert_int_equal(slow.count, 0);
    begin(3);
    go(20, 1000);
    go(1, 9000);
    efg_slow_end(&slow);
    assert_int_equal(round_of_one(), 0);
}

/* What is usual is so in one phase: another one begins without, and one that goes on has it still. */
static void test_slow_is_relative_to_the_phase(void **state)
{
    (void)state;
    efg_slow_init(&slow, 3);
    for (uint32_t phase = 1; phase <= 2; phase++) {
        efg_slow_start(&slow, false);
        efg_slow_begin(&slow, 100, phase);
        go(10, 1000 * phase);
        efg_slow_end(&slow);
        efg_slow_begin(&slow, 200, phase);
        go(1, 1000 * phase);
        go(1, 9000);
        go(2, 1000 * phase);
        rounds_of_one();
        assert_int_equal(slow.count, 1);
        assert_int_equal(slow.kept[0].number, 201);
        assert_in_range(efg_slow_times(&slow, 201), 8800 / phase, 9200 / phase);
        efg_slow_end(&slow);
    }
    efg_slow_start(&slow, false);
    efg_slow_begin(&slow, 300, 1); /* which is the first one again */
    go(4, 1000);
    go(1, 9000);
    go(2, 1000);
    rounds_of_one();
    assert_int_equal(slow.count, 0);
}

/* Iterations 100, 103, 106 .. are chosen; of 1000 a round is held after each. */
static void choose(enum efg_slow_order order, uint32_t times)
{
    efg_slow_init(&slow, 5);
    efg_slow_choose(&slow, order, times);
    efg_slow_start(&slow, false);
    efg_slow_begin(&slow, 100, 0);
    for (uint32_t i = 0; i < 1000; i++) {
        efg_slow_add(&slow, i == 300 || i == 301 ? 5000 : i == 600 ? 3000 : 1000, i % 3 == 0);
        round_of_one();
    }
    rounds_of_one();
}

static void test_conditions(void **state)
{
    (void)state;
    choose(EFG_SLOW_FIRST, 0);
    assert_int_equal(slow.count, 5);
    for (uint64_t n = 100; n < 1100; n++)
        assert_int_equal(efg_slow_has(&slow, n), n <= 112 && (n - 100) % 3 == 0);
    choose(EFG_SLOW_SLOWEST, 0);
    assert_int_equal(slow.count, 5);
    assert_true(efg_slow_has(&slow, 400) && efg_slow_has(&slow, 700) && !efg_slow_has(&slow, 401));
    choose(EFG_SLOW_SLOWEST, 2000);
    assert_int_equal(slow.count, 2);
    assert_true(efg_slow_has(&slow, 400) && efg_slow_has(&slow, 700));
    choose(EFG_SLOW_FIRST, 4000);
    assert_true(slow.count == 1 && efg_slow_has(&slow, 400));
    choose(EFG_SLOW_EVENLY, 0);
    assert_int_equal(slow.count, 5);
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal((slow.kept[i].number - 100) % 3, 0);
        least = slow.kept[i].number < least ? slow.kept[i].number : least;
        most = slow.kept[i].number > most ? slow.kept[i].number : most;
    }
    assert_true(most - least > 300);
}

/* --- simulated ranks --- */

static int made, kept;

static void keep(struct sim_plan *p)
{
    uint64_t apart = 0, kept_apart = 0;
    int windows, iterations;

    p->slow_wanted = 1 + sim_roll(5);
    p->ring = 8 + sim_roll(200);
    windows = sim_windows(world, &apart);
    iterations = sim_kept(world, &kept_apart);
    made += windows > 0;
    kept += iterations > 0;
    assert_true((uint32_t)iterations <= p->slow_wanted * 3 * EFG_AGREE_LOOPS);
    assert_true(!kept_apart || world->rank[0].control.agree.drifted || apart);
}

static void test_all_ranks_keep_the_same_iterations(void **state)
{
    (void)state;
    made = kept = 0;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->iterations[0] = 100 + sim_roll(3000);
        keep(p);
    }
    sim_assert_part(made, 95, 500);
    sim_assert_part(kept, 80, 500);
}

/* One rank after the other can record no more, in the middle of everything. */
static void test_logs_that_are_full(void **state)
{
    (void)state;
    made = kept = 0;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->iterations[0] = 100 + sim_roll(1000);
        p->fills = 10 + sim_roll(1000);
        keep(p);
    }
    sim_assert_part(kept, 30, 500);
}

static void test_beside_windows_that_are_spread(void **state)
{
    (void)state;
    made = kept = 0;
    for (uint32_t run = 1; run <= sim_schedules(250); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->iterations[0] = 500 + sim_roll(3000);
        p->more = 2 + sim_roll(5);
        keep(p);
    }
    sim_assert_part(made, 95, 250);
    sim_assert_part(kept, 75, 250);
}

/* Ranks that follow keep, by time, what the others keep by number. */
static void test_beside_ranks_that_follow(void **state)
{
    int following = 0, kept_there = 0;
    (void)state;
    made = kept = 0;
    for (uint32_t run = 1; run <= sim_schedules(250); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->iterations[0] = 100 + sim_roll(2000);
        for (int i = 0; i < p->ranks; i++)
            p->rank[i].gives_up = 5 + sim_roll(100);
        p->rank[sim_roll((uint32_t)p->ranks)].found = UINT64_MAX;
        p->rank[sim_roll((uint32_t)p->ranks)].lacks = (1 << SIM_PIVOTS) - 1;
        if (run % 4 == 0)
            p->fills = 10 + sim_roll(1000);
        keep(p);
        int followers = 0;
        for (int i = 0; i < p->ranks; i++)
            followers += world->rank[i].control.agree.slow.follows;
        following += followers > 0;
        kept_there += followers && world->rank[0].kept_count;
    }
    sim_assert_part(following, 30, 250);
    sim_assert_part(kept_there, 20, 250);
}

/* One that is ahead of the others does not keep them from what they keep. */
static void test_ranks_that_go_on(void **state)
{
    (void)state;
    made = kept = 0;
    for (uint32_t run = 1; run <= sim_schedules(250); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->iterations[0] = 300 + sim_roll(2000);
        p->collides = 0;
        for (int i = 0; i < p->ranks; i++) {
            p->rank[i].lacks = p->rank[i].loop = 0;
            p->rank[i].found = 1 + sim_roll(50);
        }
        p->aheads = 2000 + sim_roll(20000);
        keep(p);
        assert_false(world->rank[0].control.agree.slow.is_barred);
    }
    sim_assert_part(kept, 60, 250);
}

/* Loops that follow one another, visits that are missed or double, detail that is dropped. */
static void test_loops_that_end_and_pivots_that_drift(void **state)
{
    (void)state;
    made = kept = 0;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->phases = 1 + (int)sim_roll(3);
        for (int i = 0; i < p->phases; i++)
            p->iterations[i] = 300 + sim_roll(2000);
        if (run % 2) {
            p->drift = 5 + sim_roll(1000);
            p->drifts = (int)sim_roll((uint32_t)p->ranks);
            p->drifting = 1 + (int)sim_roll(SIM_PIVOTS);
        }
        for (int i = 0; run % 3 == 0 && i < p->ranks; i++)
            p->rank[i].drops = sim_roll(1 << 13);
        p->more = sim_roll(3);
        keep(p);
    }
    sim_assert_part(kept, 60, 500);
}

/* What all would keep is in a block that all have recorded, with those around it. */
static void test_blocks(void **state)
{
    (void)state;
    step = 4;
    begin(3);
    for (uint32_t i = 0; i < 400; i++) {
        go(1, i == 53 || i == 101 || i == 300 ? 9000 : 1000);
        round_of_one();
        if (i > 8) {
            assert_int_equal(slow.step, 4);
            assert_int_equal(efg_slow_records(&slow), slow.newest / EFG_SLOW_BLOCK % 4 == 0);
        }
    }
    rounds_of_one();
    step = 1;
    /* 153 and 201 are between blocks, 400 is the first of one: 399 was not recorded */
    assert_int_equal(slow.count, 0);
}

static void test_a_slow_one_in_a_block(void **state)
{
    (void)state;
    step = 4;
    begin(3);
    for (uint32_t i = 0; i < 400; i++) {
        go(1, i == 160 ? 9000 : 1000);
        round_of_one();
    }
    rounds_of_one();
    step = 1;
    assert_int_equal(slow.count, 1);
    assert_true(efg_slow_has(&slow, 259) && efg_slow_has(&slow, 260) && efg_slow_has(&slow, 261));
}

/* What is kept stays; nothing comes to it. */
static void test_a_ring_that_costs_too_much(void **state)
{
    (void)state;
    begin(3);
    go(20, 1000);
    go(1, 9000);
    go(5, 1000);
    rounds_of_one();
    step = 0;
    round_of_one();
    step = 1;
    assert_false(slow.is_on);
    assert_true(slow.is_dear && efg_slow_has(&slow, 120));
    efg_slow_start(&slow, false);
    assert_false(slow.is_on);
}

/* Each rank hears of a step at another iteration. */
static void test_steps_that_change(void **state)
{
    (void)state;
    made = kept = 0;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->iterations[0] = 500 + sim_roll(3000);
        p->steps = 20 + sim_roll(10000);
        keep(p);
    }
    sim_assert_part(made, 95, 500);
    sim_assert_part(kept, 30, 500);
}

/* No rank pauses before all know that there is no further window. */
static void test_ranks_that_pause(void **state)
{
    int over = 0;

    (void)state;
    made = kept = 0;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->iterations[0] = 500 + sim_roll(3000);
        p->more = sim_roll(5);
        p->pauses = 1;
        for (int i = 0; i < p->ranks; i++)
            p->rank[i].pauses = sim_roll(3) ? UINT64_MAX : sim_roll((uint32_t)p->iterations[0]);
        keep(p);
        over += world->rank[0].control.agree.is_last;
    }
    sim_assert_part(made, 70, 500);
    sim_assert_part(over, 40, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_slowest_are_kept),
        cmocka_unit_test(test_drift_is_not_slow),
        cmocka_unit_test(test_of_several_close_together_one_is_kept),
        cmocka_unit_test(test_what_has_left_the_ring_is_not_kept),
        cmocka_unit_test(test_what_is_asked_for_stays),
        cmocka_unit_test(test_a_ring_that_ends),
        cmocka_unit_test(test_slow_is_relative_to_the_phase),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_all_ranks_keep_the_same_iterations),
        cmocka_unit_test(test_logs_that_are_full),
        cmocka_unit_test(test_beside_windows_that_are_spread),
        cmocka_unit_test(test_beside_ranks_that_follow),
        cmocka_unit_test(test_ranks_that_go_on),
        cmocka_unit_test(test_loops_that_end_and_pivots_that_drift),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_a_slow_one_in_a_block),
        cmocka_unit_test(test_a_ring_that_costs_too_much),
        cmocka_unit_test(test_steps_that_change),
        cmocka_unit_test(test_ranks_that_pause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
