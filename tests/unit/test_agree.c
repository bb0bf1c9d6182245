/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agreement on simulated ranks: thousands of random schedules in which ranks run ahead,
 * learn results late, find their pivot late or never, and leave early. What must hold in each:
 *
 *   every rank comes to its end; a window that one rank keeps is kept by all ranks that
 *   have a pivot, with the same first iteration; recording never begins in the past.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/agree.h"
#include "core/trigger.h"

#define RANKS 8
#define MOST_ROUNDS 4000
#define WINDOWS 4
#define LENGTH 5
#define COMMON 7 /* hash of a pivot */

struct rank {
    struct efg_agree agree;
    struct efg_trigger trigger;
    uint64_t visits, end;    /* of the pivot; where it leaves */
    uint64_t pivot_at;       /* visits at which it knows its pivot, UINT64_MAX: never */
    uint64_t period;         /* ns */
    uint64_t peers[2];       /* hashes: its pivot's, and of another one it could take */
    uint32_t drops, dropped; /* detail: what it will drop on its own, what it has dropped */
    uint64_t gives_up_at;    /* ... at which it no longer waits for one */
    uint32_t round;          /* voted in */
    int finalizing, finished;
    uint64_t kept[WINDOWS], open_first;
    int kept_count;
};

struct world {
    int ranks;
    struct rank rank[RANKS];
    struct efg_vote result[MOST_ROUNDS];
    int votes[MOST_ROUNDS];
    uint32_t named_with; /* detail dropped when they agreed on a pivot */
};

static uint32_t seed;

static uint32_t roll(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * below >> 24);
}

static int has_pivot(const struct rank *r)
{
    return r->visits >= r->pivot_at;
}

static void vote(struct world *w, struct rank *r, int leaving)
{
    struct efg_standing s = {
        .has_pivot = has_pivot(r),
        .has_given_up = r->visits >= r->gives_up_at,
        .period = r->period,
        .hash = r->peers[0],
        .peers = r->peers,
        .peer_count = 2,
        .dropped = r->dropped,
        .visits = r->visits,
        .is_open = r->trigger.state == EFG_RECORDING,
        .is_done = r->trigger.state == EFG_DONE,
        .leaving = leaving,
    };
    struct efg_vote v = efg_agree_vote(&r->agree, &s);
    assert_true(r->round < MOST_ROUNDS);
    efg_agree_combine(&w->result[r->round], &v);
    w->votes[r->round++]++;
}

static void act(struct rank *r, enum efg_action action)
{
    if (action == EFG_DO_OPEN)
        r->open_first = r->visits;
    if (action == EFG_DO_CLOSE && r->kept_count < WINDOWS)
        r->kept[r->kept_count++] = r->open_first;
    if (action == EFG_DO_DISCARD && r->trigger.state == EFG_PROPOSED && r->kept_count &&
        r->kept[r->kept_count - 1] == r->agree.first)
        r->kept_count--;
}

static int owns(const struct world *w, const struct rank *r)
{
    if (!has_pivot(r))
        return 0;
    return efg_agree_is_common(&r->agree, r->peers[0]) ||
           efg_agree_is_common(&r->agree, r->peers[1]) ||
           efg_agree_is_comparable(r->period, &w->result[r->round - 1], 0);
}

/* With less detail, the same thing has another name. */
static void drop(struct rank *r, uint32_t dropped)
{
    r->peers[0] = r->peers[1] += 100 * (uint64_t)(dropped & ~r->dropped);
    r->dropped |= dropped;
}

static void hear(struct world *w, struct rank *r)
{
    drop(r, (uint32_t)w->result[r->round - 1].dropped);
    switch (efg_agree_result(&r->agree, &w->result[r->round - 1], r->visits)) {
    case EFG_VERDICT_PIVOT:
        assert_true(efg_agree_is_same_detail(&w->result[r->round - 1]));
        w->named_with = (uint32_t)w->result[r->round - 1].dropped;
        r->agree.is_owner = owns(w, r);
        if (r->agree.is_owner)
            act(r, efg_trigger_step(&r->trigger, EFG_IN_PIVOT));
        break;
    case EFG_VERDICT_PLACED:
        r->trigger.first = r->agree.first;
        r->trigger.length = LENGTH;
        if (r->agree.is_owner && r->visits < r->agree.first)
            act(r, efg_trigger_step(&r->trigger, EFG_IN_PLACED));
        break;
    case EFG_VERDICT_LATE:
        act(r, efg_trigger_step(&r->trigger, EFG_IN_LATE));
        break;
    case EFG_VERDICT_NEXT:
        act(r, efg_trigger_step(&r->trigger, EFG_IN_NEXT));
        break;
    default:
        break;
    }
}

/* 1 if the round that R voted in is complete. */
static int is_complete(const struct world *w, const struct rank *r)
{
    return w->votes[r->round - 1] == w->ranks;
}

static void advance(struct world *w, struct rank *r, int sample)
{
    for (;;) {
        if (r->agree.pending) {
            if (!is_complete(w, r) || roll(3) == 0) /* the result has not arrived yet */
                return;
            hear(w, r);
        }
        if (!efg_agree_is_due(&r->agree, sample, r->trigger.state == EFG_DONE))
            return;
        vote(w, r, 0);
        sample = 0;
    }
}

/* MPI_Finalize: one more vote, then wait; never anything else. */
static void finalize(struct world *w, struct rank *r)
{
    if (r->agree.round == EFG_ROUND_OVER) {
        r->finished = 1;
        return;
    }
    if (r->agree.pending && is_complete(w, r))
        hear(w, r);
    else if (!r->agree.pending && r->finalizing < 2) {
        vote(w, r, 1);
        r->finalizing = 2;
    }
}

static void step(struct world *w, struct rank *r)
{
    if (r->finished)
        return;
    if (r->visits >= r->end) {
        if (!r->finalizing && r->trigger.state == EFG_RECORDING) {
            r->trigger.state = EFG_DONE; /* ended early; kept as it is */
            act(r, EFG_DO_CLOSE);
        }
        r->finalizing = r->finalizing ? r->finalizing : 1;
        finalize(w, r);
        return;
    }
    r->visits++;
    if (r->drops && roll(20) == 0)
        drop(r, r->drops & (1 + roll(7)));
    if (has_pivot(r))
        act(r, efg_trigger_visit(&r->trigger, r->visits));
    advance(w, r, roll(5) == 0);
}

static void build(struct world *w, int stubborn)
{
    memset(w, 0, sizeof *w);
    w->ranks = 1 + (int)roll(RANKS);
    uint64_t end = 20 + roll(2000), patience = 5 + roll(400);
    for (int i = 0; i < MOST_ROUNDS; i++) {
        memset(&w->result[i], 0x80, sizeof w->result[i]);
        memset(w->result[i].absent, 0, sizeof w->result[i].absent);
        w->result[i].dropped = w->result[i].kept = 0;
    }
    for (int i = 0; i < w->ranks; i++) {
        struct rank *r = &w->rank[i];
        efg_agree_init(&r->agree, 1 + (uint64_t)(stubborn & 1) * 2, roll(4));
        r->agree.skip = 0;
        r->end = end;
        r->pivot_at = 1 + roll(100);
        r->gives_up_at = UINT64_MAX;
        r->period = 1000000 + roll(200000);
        r->peers[0] = r->peers[1] = COMMON;
        if (stubborn & 8 && roll(3) == 0) {
            r->period *= 4; /* another loop: follows */
            r->peers[0] = r->peers[1] = COMMON + 1;
        }
        if (stubborn & 16) { /* each prefers its own, but has the common one too */
            r->period *= 1 + roll(8);
            r->peers[0] = COMMON + 2 + (uint64_t)i;
        }
        if (stubborn & 32)
            r->drops = roll(8);
        if (stubborn & 2 && roll(4) == 0)
            r->pivot_at = UINT64_MAX;
        if (stubborn & 4)
            r->gives_up_at = patience;
    }
}

/* Ranks of one program drift apart by at most LEAD iterations. */
static int may_run(const struct world *w, const struct rank *r, uint64_t lead)
{
    uint64_t slowest = UINT64_MAX;
    for (int i = 0; i < w->ranks; i++)
        slowest = w->rank[i].visits < slowest ? w->rank[i].visits : slowest;
    return r->visits >= r->end || r->visits <= slowest + lead;
}

static int all_finished(const struct world *w)
{
    for (int i = 0; i < w->ranks; i++)
        if (!w->rank[i].finished)
            return 0;
    return 1;
}

static int simulate(struct world *w, uint64_t lead)
{
    int favourite = (int)roll((uint32_t)w->ranks);
    for (int steps = 0; steps < 2000000; steps++) {
        if (roll(50) == 0)
            favourite = (int)roll((uint32_t)w->ranks);
        int i = roll(2) ? favourite : (int)roll((uint32_t)w->ranks);
        if (may_run(w, &w->rank[i], lead))
            step(w, &w->rank[i]);
        if (all_finished(w))
            return 1;
    }
    return 0;
}

static void check(const struct world *w)
{
    const struct rank *one = NULL;
    for (int i = 0; i < w->ranks; i++) {
        const struct rank *r = &w->rank[i];
        if (!r->agree.is_owner)
            continue;
        if (!one)
            one = r;
        if (r->agree.failures || one->agree.failures)
            continue;
        assert_int_equal(r->kept_count, one->kept_count);
        assert_memory_equal(r->kept, one->kept, (size_t)r->kept_count * sizeof *r->kept);
    }
}

static void schedules(int stubborn, int count, int *windows)
{
    struct world *w = malloc(sizeof *w);
    assert_non_null(w);
    for (int run = 0; run < count; run++) {
        seed = (uint32_t)(run * 8 + stubborn + 1) * 2654435761u;
        build(w, stubborn);
        assert_true(simulate(w, roll(2) ? 1 + roll(4) : 1 + roll(200)));
        check(w);
        *windows += w->rank[0].kept_count;
    }
    free(w);
}

static void test_all_ranks_agree(void **state)
{
    int windows = 0;
    (void)state;
    schedules(0, 3000, &windows);
    assert_true(windows > 2000);
}

static void test_several_windows(void **state)
{
    int windows = 0;
    (void)state;
    schedules(1, 2000, &windows);
    assert_true(windows > 3000);
}

static void test_a_rank_without_a_pivot_stops_nobody(void **state)
{
    int windows = 0;
    (void)state;
    schedules(2, 1000, &windows);
    schedules(2 | 4, 2000, &windows);
    assert_true(windows > 500);
}

static void test_other_periods_follow(void **state)
{
    int windows = 0;
    (void)state;
    schedules(8, 2000, &windows);
    assert_true(windows > 1000);
}

/* Ranks that drop detail on their own, at different times, still agree on one name. */
static void test_less_detail(void **state)
{
    int windows = 0, fewer = 0;
    (void)state;
    schedules(32, 2000, &windows);
    assert_true(windows > 1300);
    struct world *w = malloc(sizeof *w);
    assert_non_null(w);
    for (uint32_t run = 1; run <= 200; run++) {
        seed = run * 2654435761u;
        build(w, 32);
        assert_true(simulate(w, 3));
        fewer += w->named_with != 0;
    }
    assert_true(fewer > 50);
    free(w);
}

static void test_what_all_could_take(void **state)
{
    int windows = 0;
    (void)state;
    schedules(16, 2000, &windows);
    assert_true(windows > 1300);
    struct world *w = malloc(sizeof *w);
    assert_non_null(w);
    for (seed = 1; seed < 200; seed += 2) {
        build(w, 16);
        assert_true(simulate(w, 3));
        for (int i = 0; i < w->ranks; i++)
            assert_true(w->rank[i].agree.is_owner || w->rank[i].end < 250);
    }
    free(w);
}

static void test_periods_compare(void **state)
{
    (void)state;
    for (uint64_t ns = 1; ns < 1ull << 60; ns += ns / 3 + 1) {
        struct efg_agree a;
        struct efg_standing s = {.has_pivot = 1, .period = ns, .hash = ns};
        efg_agree_init(&a, 1, 0);
        struct efg_vote vote = efg_agree_vote(&a, &s);
        assert_true(efg_agree_is_comparable(ns, &vote, 0));
        assert_true(efg_agree_is_comparable(ns + ns / 5, &vote, 0));
        assert_false(efg_agree_is_comparable(2 * ns + 1, &vote, 0));
        assert_true(efg_agree_is_comparable(2 * ns, &vote, 1));
        assert_false(efg_agree_is_comparable(3 * ns + 2, &vote, 1));
        assert_false(efg_agree_is_world(&vote));
        s.period = 2 * ns + 1;
        s.world = 1; /* beats the shorter period */
        assert_true(efg_agree_vote(&a, &s).best > vote.best);
    }
}

static void test_trigger_ignores_what_means_nothing(void **state)
{
    (void)state;
    for (int s = 0; s < EFG_STATES; s++)
        for (int i = 0; i < EFG_INPUTS; i++) {
            struct efg_trigger t = {.state = (enum efg_state)s};
            enum efg_action action = efg_trigger_step(&t, (enum efg_input)i);
            assert_in_range(t.state, 0, EFG_STATES - 1);
            if (action == EFG_DO_OPEN)
                assert_int_equal(s, EFG_ARMED);
            if (action == EFG_DO_CLOSE)
                assert_int_equal(s, EFG_RECORDING);
        }
}

static void test_trigger_opens_and_closes_once(void **state)
{
    struct efg_trigger t = {.state = EFG_ARMED, .first = 10, .length = 3};
    int opened = 0, closed = 0;
    (void)state;
    for (uint64_t visits = 1; visits < 100; visits++) {
        enum efg_action action = efg_trigger_visit(&t, visits);
        opened += action == EFG_DO_OPEN && visits == 10;
        closed += action == EFG_DO_CLOSE && visits == 13;
    }
    assert_int_equal(opened, 1);
    assert_int_equal(closed, 1);
    assert_int_equal(t.state, EFG_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_ranks_agree),
        cmocka_unit_test(test_several_windows),
        cmocka_unit_test(test_a_rank_without_a_pivot_stops_nobody),
        cmocka_unit_test(test_other_periods_follow),
        cmocka_unit_test(test_what_all_could_take),
        cmocka_unit_test(test_less_detail),
        cmocka_unit_test(test_periods_compare),
        cmocka_unit_test(test_trigger_ignores_what_means_nothing),
        cmocka_unit_test(test_trigger_opens_and_closes_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
