/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agreement on simulated ranks: thousands of random schedules in which ranks run ahead,
 * learn results late, find their loop late or never, and leave early. What must hold in each:
 *
 *   every rank comes to its end, and waits for nobody before MPI_Finalize; a window that one
 * rank keeps is kept by all ranks, with the same first and last iteration; where world
 * collectives tell, these are the same iterations in truth, or `drifted` says that they are
 * not.
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

static int windows_of(int rank)
{
    return world->rank[rank].window_count;
}

static int owners(void)
{
    int owners = 0;
    for (int i = 0; i < world->plan.ranks; i++)
        owners += world->rank[i].control.agree.role == EFG_OWNER;
    return owners;
}

static void test_all_ranks_record_the_same_iterations(void **state)
{
    int made = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        sim_plan_any(world, run);
        made += sim_windows(world, &apart);
        sim_assert_right(world, apart);
        assert_true(!world->rank[0].control.agree.drifted || world->rank[0].control.agree.is_from_start);
        if (world->plan.every == 1)
            assert_int_equal(world->verdicts[EFG_VERDICT_DRIFT] + apart, 0);
    }
    sim_assert_part(made, 95, 500);
}

/* Nothing to calibrate with: it counts from the start of the run. */
static void test_without_world_collectives(void **state)
{
    int made = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(250); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->every = 0;
        for (int i = 0; i < p->ranks; i++)
            p->rank[i].start_up = 3;
        made += sim_windows(world, &apart);
        sim_assert_right(world, apart);
        assert_int_equal(world->rank[0].control.agree.anchor, 0);
    }
    sim_assert_part(made, 95, 250);
}

/* They come in the start-up and end before the loop is found, or in the middle of the
 * agreement. */
static void test_world_collectives_that_end(void **state)
{
    int made = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(250); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->every = 1;
        p->last_world = sim_roll(60);
        p->iterations[0] = 1000;
        p->lead = 1 + sim_roll(5);
        for (int i = 0; i < p->ranks; i++)
            p->rank[i].start_up = 3;
        made += sim_windows(world, &apart);
        sim_assert_right(world, apart);
    }
    sim_assert_part(made, 95, 250);
}

/* Counts from the start differ, and a collective tells it later. */
static void test_numbers_from_the_start_are_put_right(void **state)
{
    int made = 0, right = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(125); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->every = 100 + sim_roll(100);
        p->iterations[0] = 5000;
        p->sample = 1 + sim_roll(5);
        made += sim_windows(world, &apart);
        right += !apart;
        assert_true(!apart || world->rank[0].control.agree.drifted);
    }
    sim_assert_part(made, 95, 125);
    sim_assert_part(right, 20, 125);
}

static void test_ranks_without_the_loop_follow(void **state)
{
    int made = 0, followers = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        for (int i = 0; i < p->ranks; i++) {
            p->rank[i].gives_up = 5 + sim_roll(100);
            if (sim_roll(4) == 0) {
                p->rank[i].lacks = (1 << SIM_PIVOTS) - 1;
                p->rank[i].found = UINT64_MAX;
            }
        }
        made += sim_windows(world, &apart);
        sim_assert_right(world, apart);
        followers += windows_of(0) ? p->ranks - owners() : 0;
    }
    sim_assert_part(made, 80, 500);
    sim_assert_part(followers, 50, 500);
}

/* Who finds the loop while its pivot is being chosen and its iterations get numbers owns it, too. */
static void test_ranks_that_find_the_loop_later(void **state)
{
    int made = 0, all = 0;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(125); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->every = 0;
        for (int i = 0; i < p->ranks; i++) {
            p->rank[i].found = p->rank[i].blind = i ? 15 + sim_roll(10) : 10;
            p->rank[i].gives_up = 5;
        }
        made += sim_windows(world, NULL);
        all += windows_of(0) && owners() == p->ranks;
    }
    sim_assert_part(made, 95, 125);
    sim_assert_part(all, 70, 125);
}

/* Who never gives up holds up the others, but only with recording. */
static void test_a_rank_without_a_loop_stops_nobody(void **state)
{
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(75); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->rank[sim_roll((uint32_t)p->ranks)].found = UINT64_MAX;
        assert_int_equal(sim_windows(world, NULL), 0);
    }
}

/* Some have one pivot, some another: each takes its own, or the one that all have. */
static void test_pivots_in_common(void **state)
{
    int made = 0, uncommon = 0;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(250); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        int common = 0;
        for (int i = 0; i < p->ranks; i++) {
            p->rank[i].lacks = (int)sim_roll((1 << SIM_PIVOTS) - 1);
            common |= p->rank[i].lacks;
        }
        made += sim_windows(world, NULL);
        if (!windows_of(0))
            continue;
        int has_common = common != (1 << SIM_PIVOTS) - 1;
        assert_int_equal(world->rank[0].control.agree.pivot >= 0, has_common);
        if (has_common && !(common & 4) && p->every)
            assert_int_equal(world->rank[0].control.agree.pivot / EFG_BALLOT_BITS, EFG_PIVOT_WORLD);
        assert_int_equal(owners(), p->ranks);
        uncommon += !has_common;
    }
    sim_assert_part(made, 90, 250);
    sim_assert_part(uncommon, 30, 250);
}

/* Four ranks, of which two have one pivot and two have another; of the same period. */
static struct sim_plan *plan_without_common(uint32_t run)
{
    struct sim_plan *p = sim_plan_any(world, run);
    p->ranks = 4;
    for (int i = 0; i < 4; i++) {
        p->rank[i].lacks = i < 2 ? 3 : 4;
        p->rank[i].period = 1000000;
    }
    return p;
}

/* Without one in common, a rank whose period is not that of most follows. */
static void assert_rank_1_follows(uint64_t period)
{
    int made = 0;
    for (uint32_t run = 1; run <= sim_schedules(125); run++) {
        struct sim_plan *p = plan_without_common(run);
        p->rank[1].period = period;
        p->iterations[0] = 4000; /* it is put off three times */
        made += sim_windows(world, NULL);
        if (windows_of(0))
            assert_true(owners() == 3 && world->rank[1].control.agree.role != EFG_OWNER);
    }
    sim_assert_part(made, 95, 125);
}

static void test_a_longer_period_follows(void **state)
{
    (void)state;
    assert_rank_1_follows(3000000);
}

static void test_a_shorter_period_follows(void **state)
{
    (void)state;
    assert_rank_1_follows(300000);
}

/* One that only seems to be longer, as a rank has voted later than others, is measured again. */
static void test_periods_that_seem_longer(void **state)
{
    int made = 0;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(125); run++) {
        plan_without_common(run)->rank[3].late = 1 + sim_roll(4);
        made += sim_windows(world, NULL);
        if (windows_of(0))
            assert_int_equal(owners(), 4);
    }
    sim_assert_part(made, 95, 125);
}

/* As above, but nothing tells where they are; rank 2 is slower than the others by so many percent. */
static struct sim_plan *plan_without_worlds(uint32_t run, uint32_t slower)
{
    struct sim_plan *p = plan_without_common(run);
    p->every = 0;
    p->iterations[0] = 4000;
    p->rank[2].halts = slower;
    for (int i = 0; i < 4; i++)
        p->rank[i].start_up = 3;
    return p;
}

/* Whether all owners were in window number K at the same time. */
static int is_together(int k)
{
    uint64_t begun = 0, ended = UINT64_MAX;
    for (int i = 0; i < world->plan.ranks; i++) {
        const struct sim_window *v = &world->rank[i].windows[k];
        if (!v->is_owner)
            continue;
        begun = v->begun > begun ? v->begun : begun;
        ended = v->ended < ended ? v->ended : ended;
    }
    return begun <= ended;
}

static void assert_together(void)
{
    for (int k = 0; k < windows_of(0); k++)
        assert_true(is_together(k) || world->rank[0].control.agree.drifted);
}

/* Ranks that do not wait for one another number their iterations anew before the only window. So it is at the
 * same time on all of them, if rounds are short beside iterations. Of several the slowest one owns all. */
static void test_ranks_out_of_step(void **state)
{
    int made = 0, all = 0;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(125); run++) {
        struct sim_plan *p = plan_without_worlds(run, 25 + sim_roll(30));
        p->lead = UINT64_MAX / 2;
        p->polls = 24;
        p->slow = 1;
        p->sample = 1 + sim_roll(10);
        p->length = 10;
        p->windows = 1 + sim_roll(3);
        made += sim_windows(world, NULL) > 0;
        all += p->windows == 1 && windows_of(0) && owners() == 4;
        assert_together();
    }
    sim_assert_part(made, 95, 125);
    sim_assert_part(all, 25, 125);
}

/* Where rounds take long beside iterations, windows lie apart even so, a few times: then they are those of
 * the slowest rank. */
static void test_ranks_far_out_of_step(void **state)
{
    int made = 0, alone = 0, together = 0;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(125); run++) {
        struct sim_plan *p = plan_without_worlds(run, 25 + sim_roll(30));
        p->lead = UINT64_MAX / 2;
        made += sim_windows(world, NULL);
        alone += windows_of(0) && owners() == 1;
        together += windows_of(0) && owners() == 4;
        assert_together();
    }
    sim_assert_part(made, 90, 125);
    sim_assert_part(alone, 60, 125);
    sim_assert_part(alone + together, 99, 125);
}

/* Nor do those with a pivot in common, once their windows lie apart, if a master follows them. In the other
 * schedules one of the next windows is at the same time on all of them. */
static void test_workers_out_of_step(void **state)
{
    int made = 0, alone = 0, together = 0;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(125); run++) {
        struct sim_plan *p = plan_without_worlds(run, 50 + sim_roll(30));
        p->lead = UINT64_MAX / 2;
        p->length = 5 + sim_roll(6);
        for (int i = 0; i < 4; i++)
            p->rank[i].lacks = 0;
        p->rank[3].found = UINT64_MAX;
        p->rank[3].lacks = (1 << SIM_PIVOTS) - 1;
        p->rank[3].gives_up = 5;
        made += sim_windows(world, NULL);
        alone += windows_of(0) && owners() == 1;
        together += windows_of(0) && owners() == 3;
        assert_together();
    }
    sim_assert_part(made, 90, 125);
    sim_assert_part(alone, 50, 125);
    sim_assert_part(alone + together, 99, 125);
}

/* Of those that do, one may lag behind the others, and be slower, and still all own it. */
static void test_ranks_that_lag_are_in_step(void **state)
{
    int made = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(125); run++) {
        struct sim_plan *p = plan_without_worlds(run, sim_roll(55));
        p->lead = 1 + sim_roll(2);
        made += sim_windows(world, &apart);
        assert_int_equal(apart, 0);
        if (windows_of(0))
            assert_int_equal(owners(), 4);
    }
    sim_assert_part(made, 95, 125);
}

/* The first bit in common is of two pivots; another one is not. */
static void test_two_pivots_of_one_bit(void **state)
{
    int made = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(125); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->ranks = 2 + (int)sim_roll(SIM_RANKS - 1);
        p->every = 0;
        p->collides = 1;
        for (int i = 0; i < p->ranks; i++) {
            p->rank[i].lacks = i % 2 ? 1 : 4;
            p->rank[i].start_up = 1;
        }
        made += sim_windows(world, &apart);
        assert_int_equal(apart, 0);
        for (int i = 0; i < p->ranks && windows_of(0); i++)
            assert_int_equal(world->rank[i].marked, 1);
    }
    sim_assert_part(made, 95, 125);
}

/* Ranks that drop detail on their own, at different times, still agree on names. */
static void test_less_detail(void **state)
{
    int made = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(250); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        for (int i = 0; i < p->ranks; i++)
            p->rank[i].drops = sim_roll(1 << 13);
        made += sim_windows(world, &apart);
        sim_assert_right(world, apart);
        assert_true(windows_of(0) <= 1);
    }
    sim_assert_part(made, 90, 250);
}

/* By how many iterations the numbers of owners differ at the last collective of the run. */
static uint64_t apart_at_last(void)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (int i = 0; i < world->plan.ranks; i++) {
        const struct sim_rank *r = &world->rank[i];
        uint64_t visits;
        if (r->control.agree.role != EFG_OWNER ||
            efg_tally_at(&r->tally, r->tally.worlds, &visits) != EFG_TALLY_KNOWN)
            continue;
        uint64_t number = visits - r->control.agree.at_anchor + r->control.agree.base;
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    return most > least ? most - least : 0;
}

static void assert_refused_once(const struct efg_agree *agree)
{
    for (uint32_t i = 0; i < agree->refusals; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(agree->refused[i], agree->refused[j]);
}

/* One rank misses visits or has some more: the pivot is refused and another one taken, or the
 * windows are said to be in doubt. */
static void test_drift(void **state)
{
    int made = 0, refused = 0, flagged = 0, told = 0, untold = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        if (run % 2) /* the window is near the end, where few rounds are left to tell */
            p->iterations[0] = 40 + sim_roll(60);
        p->drift = 5 + sim_roll(200);
        p->drifts = (int)sim_roll((uint32_t)p->ranks);
        p->drifting = 1 + (int)sim_roll(SIM_PIVOTS);
        p->rank[sim_roll((uint32_t)p->ranks)].lacks = (int)sim_roll(2) * 4;
        made += sim_windows(world, &apart);
        refused += world->rank[0].control.agree.refusals > 0;
        assert_refused_once(&world->rank[0].control.agree);
        flagged += world->rank[0].control.agree.drifted;
        if (!world->rank[0].control.agree.drifted) /* or it came after the last one that tells */
            assert_true(apart_at_last() <= (world->rank[0].control.agree.pivot < 0));
        told += apart > 0 && world->rank[0].control.agree.drifted;
        untold += apart > 1 && !world->rank[0].control.agree.drifted;
    }
    sim_assert_part(made, 70, 500);
    sim_assert_part(refused, 6, 500);
    sim_assert_part(flagged, 20, 500);
    assert_true(told > 20 * untold);
}

/* Few, long iterations, recorded before anything is agreed: at least half of them are kept. */
static void test_provisional(void **state)
{
    int past = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->iterations[0] = 6 + sim_roll(15);
        p->length = 10;
        p->is_long = 1;
        p->polls = 300;
        p->lead = 1;
        p->sample = 10 + sim_roll(20);
        p->slow = 1 + sim_roll(60);
        p->every = sim_roll(2);
        for (int i = 0; i < p->ranks; i++) {
            p->rank[i].found = 2;
            p->rank[i].start_up = p->every ? sim_roll(10) : 1;
        }
        int made = sim_windows(world, &apart);
        if (world->rank[0].control.agree.is_from_start && p->every)
            continue; /* the pivot was agreed after the last collective, so numbers may be off
                       */
        assert_int_equal(made, 1);
        assert_int_equal(apart, 0);
        const struct sim_window *v = &world->rank[0].windows[0];
        assert_true(2 * (v->end - v->first) >= p->iterations[0]);
        past += world->rank[0].control.agree.is_past;
    }
    sim_assert_part(past, 90, 500);
}

/* Ranks end their windows, or let go of their pivots, for a loop around that is not elected yet, and come
 * back to the old one: what is recorded is the same everywhere. */
static void test_ranks_that_go_ahead(void **state)
{
    int made = 0;
    uint64_t apart;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        p->aheads = 10 + sim_roll(2000);
        p->windows = run % 3 ? 1 : 4;
        p->is_long = run % 2 ? 1 : 0;
        made += sim_windows(world, &apart) > 0;
        if (!world->rank[0].control.agree.is_from_start) /* then no collective may be left that tells */
            sim_assert_right(world, apart);
    }
    sim_assert_part(made, 80, 500);
}

/* --- what the program asks for, and when it shuts --- */

static void assert_alike(const struct sim_window *v)
{
    for (int i = 1; i < world->plan.ranks; i++)
        for (int n = 0; n < windows_of(i); n++)
            if (world->rank[i].windows[n].first == v->first)
                assert_true(world->rank[i].windows[n].end == v->end &&
                            world->rank[i].windows[n].is_asked == v->is_asked);
}

/* The program asks on some ranks: all record, between other windows, which remain as they are. */
static void test_the_program_asks(void **state)
{
    int made = 0, asked = 0;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        uint64_t apart;
        int parts = 0, whole = 0;
        p->asks = 20 + sim_roll(200);
        p->iterations[0] = 4 * p->asks + sim_roll(100);
        p->windows = 1 + sim_roll(4);
        p->more = p->windows == 1 ? sim_roll(4) : 0;
        p->slow_wanted = sim_roll(3);
        p->ring = 100;
        made += sim_windows(world, &apart) > 0;
        sim_assert_right(world, apart);
        for (int n = 0; n < windows_of(0); n++) {
            const struct sim_window *v = &world->rank[0].windows[n];
            assert_alike(v);
            asked += v->is_asked;
            parts += !v->is_asked;
            whole += v->is_asked && v->end - v->first <= 4;
        }
        assert_true(parts <= 2 * (int)p->windows + 2 * (int)p->more);
        assert_int_equal(whole, windows_of(0) - parts);
    }
    sim_assert_part(made, 95, 500);
    sim_assert_part(asked, 150, 500);
}

/* While the program shuts, nothing is recorded; but for ranks that are ahead, which end with the last
 * iteration that all have. What lay ahead is placed later. */
static void test_the_program_shuts(void **state)
{
    int made = 0, windows = 0, held = 0;
    (void)state;
    for (uint32_t run = 1; run <= sim_schedules(500); run++) {
        struct sim_plan *p = sim_plan_any(world, run);
        uint64_t apart;
        p->shuts = 60 + sim_roll(200);
        p->iterations[0] = 6 * p->shuts;
        p->windows = 1 + sim_roll(4);
        p->asks = sim_roll(2) ? 30 + sim_roll(100) : 0;
        made += sim_windows(world, &apart) > 0;
        sim_assert_right(world, apart);
        held += world->verdicts[EFG_VERDICT_HELD] > 0;
        for (int n = 0; n < windows_of(0); n++) {
            const struct sim_window *v = &world->rank[0].windows[n];
            windows++;
            if (v->is_owner && v->to > v->from) /* both are in the same first half */
                assert_true(v->from % p->shuts <= p->shuts / 2 + 1 && v->to % p->shuts <= p->shuts / 2 + 1 &&
                            v->from / p->shuts == v->to / p->shuts);
        }
    }
    sim_assert_part(made, 90, 500);
    sim_assert_part(held, 5, 500);
    assert_true(windows > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_ranks_record_the_same_iterations),
        cmocka_unit_test(test_without_world_collectives),
        cmocka_unit_test(test_world_collectives_that_end),
        cmocka_unit_test(test_numbers_from_the_start_are_put_right),
        cmocka_unit_test(test_ranks_without_the_loop_follow),
        cmocka_unit_test(test_ranks_that_find_the_loop_later),
        cmocka_unit_test(test_a_rank_without_a_loop_stops_nobody),
        cmocka_unit_test(test_pivots_in_common),
        cmocka_unit_test(test_less_detail),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_a_longer_period_follows),
        cmocka_unit_test(test_a_shorter_period_follows),
        cmocka_unit_test(test_periods_that_seem_longer),
        cmocka_unit_test(test_ranks_out_of_step),
        cmocka_unit_test(test_ranks_far_out_of_step),
        cmocka_unit_test(test_workers_out_of_step),
        cmocka_unit_test(test_ranks_that_lag_are_in_step),
        cmocka_unit_test(test_two_pivots_of_one_bit),
        cmocka_unit_test(test_provisional),
        cmocka_unit_test(test_ranks_that_go_ahead),
        cmocka_unit_test(test_the_program_asks),
        cmocka_unit_test(test_the_program_shuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
