/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The made-up program. A tick of a rank is one call or none, and then a look at the rounds.
 * Calls of an iteration:
 *
 *     pivot 0, world collective, pivot 1, world collective .., pivot 2 (itself a world
 * collective, if there are any), polls
 *
 * Invariant: what a rank does depends on others by results of rounds and by collectives only.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulated_ranks.h"

#define MOST_TICKS 40000000

static uint32_t seed;

void sim_seed(uint32_t s)
{
    seed = s * 2654435761u;
}

uint32_t sim_roll(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * below >> 24);
}

/* With a sanitizer each schedule takes several times as long: a quarter of them, too few to tell what
 * part of them makes a window. */
#ifdef __SANITIZE_ADDRESS__
enum { QUARTERS = 1 };
#else
enum { QUARTERS = 4 };
#endif

uint32_t sim_schedules(uint32_t few)
{
    const char *times = getenv("EFG_TEST_SCHEDULES");
    return few * (times ? (uint32_t)atoi(times) : 1) * QUARTERS / 4;
}

void sim_assert_part(int some, uint32_t percent, uint32_t few)
{
    if (QUARTERS == 4)
        assert_true((uint32_t)some * 100 >= percent * sim_schedules(few));
}

void sim_assert_right(const struct sim_world *world, uint64_t apart)
{
    const struct efg_agree *agree = &world->rank[0].control.agree;
    assert_true(!apart || agree->drifted);
}

struct sim_plan *sim_plan_any(struct sim_world *world, uint32_t run)
{
    struct sim_plan *p = &world->plan;
    memset(p, 0, sizeof *p);
    sim_seed(run);
    p->ranks = 1 + (int)sim_roll(SIM_RANKS);
    p->phases = 1;
    p->iterations[0] = 100 + sim_roll(1000);
    p->every = sim_roll(2) ? 1 : 1 + sim_roll(20);
    p->worlds = 1 + (int)sim_roll(5);
    p->last_world = UINT64_MAX;
    p->is_synchronous = (int)sim_roll(2);
    p->lead = sim_roll(2) ? 1 + sim_roll(4) : 1 + sim_roll(50);
    p->polls = (int)sim_roll(4);
    p->sample = 1 + sim_roll(30);
    p->slow = 1 + sim_roll(20);
    p->windows = 1;
    p->length = 5;
    for (int i = 0; i < p->ranks; i++) {
        p->rank[i].found = 1 + sim_roll(30);
        p->rank[i].gives_up = UINT64_MAX;
        p->rank[i].start_up = sim_roll(10);
        p->rank[i].period = 1000000 + 30000 * (uint64_t)i;
    }
    return p;
}

static uint64_t total_of(const struct sim_world *w, const struct sim_rank *r)
{
    return w->total[r - w->rank];
}

static void visit_or_drift(struct sim_world *w, struct sim_rank *r, int pivot)
{
    int drifts =
        (r - w->rank) == w->plan.drifts && pivot < w->plan.drifting && sim_roll((uint32_t)w->plan.drift) == 0;
    int times = drifts ? 2 * (int)sim_roll(2) : 1;
    if (w->plan.rank[(r - w->rank)].lacks >> pivot & 1)
        return;
    while (times--)
        sim_visit(w, r, pivot);
}

/* 1 if R may make its next world collective. */
static int may_collect(const struct sim_world *w, const struct sim_rank *r)
{
    for (int i = 0; i < w->plan.ranks && w->plan.is_synchronous; i++)
        if (w->rank[i].tally.worlds < r->tally.worlds)
            return 0;
    return 1;
}

/* The slots of an iteration: even ones are pivots, as long as there are; odd ones collectives.
 */
static int is_collective(const struct sim_world *w, const struct sim_rank *r)
{
    if (!w->plan.every || total_of(w, r) % w->plan.every || total_of(w, r) > w->plan.last_world)
        return 0;
    return r->slot == 2 * (SIM_PIVOTS - 1) || (r->slot % 2 && r->slot / 2 < w->plan.worlds - 1);
}

static int slots(const struct sim_world *w)
{
    int calls = w->plan.worlds > SIM_PIVOTS ? w->plan.worlds : SIM_PIVOTS;
    return 2 * calls + w->plan.polls;
}

static void add_iteration(struct sim_world *w, const struct sim_rank *r)
{
    w->total[r - w->rank]++;
    w->slowest = UINT64_MAX;
    for (int i = 0; i < w->plan.ranks; i++)
        w->slowest = w->total[i] < w->slowest ? w->total[i] : w->slowest;
}

/* One call. Returns 0 if it cannot be made yet. */
static int call(struct sim_world *w, struct sim_rank *r)
{
    if (is_collective(w, r)) {
        if (!may_collect(w, r))
            return 0;
        efg_tally_world(&r->tally);
    }
    if (r->slot % 2 == 0 && r->slot / 2 < SIM_PIVOTS)
        visit_or_drift(w, r, r->slot / 2);
    if (++r->slot < slots(w))
        return 1;
    r->slot = 0;
    add_iteration(w, r);
    if (++r->iteration == w->plan.iterations[r->phase]) {
        r->iteration = 0;
        r->phase++;
    }
    return 1;
}

static void tick(struct sim_world *w, struct sim_rank *r)
{
    uint32_t halts = w->plan.rank[r - w->rank].halts;

    w->now++;
    if (r->is_done || (halts && sim_roll(100) < halts))
        return;
    if (r->phase == w->plan.phases) {
        sim_finalize(w, r);
        return;
    }
    if (!call(w, r))
        return; /* in a collective, where nothing of ours is called */
    r->ticks++;
    if (r->phase < w->plan.phases)
        sim_steer(w, r);
}

/* Ranks of one program drift apart by at most some iterations. */
static int may_run(const struct sim_world *w, const struct sim_rank *r)
{
    return r->phase == w->plan.phases || total_of(w, r) <= w->slowest + w->plan.lead;
}

static void start(struct sim_world *w)
{
    struct sim_plan plan = w->plan;
    memset(w, 0, sizeof *w);
    w->plan = plan;
    for (int i = 0; i < plan.ranks; i++) {
        struct sim_rank *r = &w->rank[i];
        efg_control_init(&r->control, plan.windows, plan.length, plan.skip);
        efg_slow_init(&r->control.agree.slow, plan.slow_wanted);
        if (plan.more)
            efg_agree_continue(&r->control.agree, plan.more, 1);
        r->world = w;
        r->marked = -1;
        for (int p = 0; p < SIM_PIVOTS; p++)
            r->visits[0][p] = plan.rank[i].start_up;
    }
}

static int run(struct sim_world *w)
{
    uint32_t favourite = 0, ranks = (uint32_t)w->plan.ranks;
    start(w);
    for (int ticks = 0; ticks < MOST_TICKS && w->done < w->plan.ranks; ticks++) {
        if (sim_roll(50) == 0)
            favourite = sim_roll(ranks);
        struct sim_rank *r = &w->rank[sim_roll(2) ? favourite : sim_roll(ranks)];
        if (may_run(w, r))
            tick(w, r);
    }
    return w->done == w->plan.ranks;
}

/* --- what came of it --- */

static int is_same(const struct sim_window *a, const struct sim_window *b)
{
    return a->first == b->first && a->end == b->end && a->loop == b->loop;
}

static void widen(uint64_t *apart, uint64_t a, uint64_t b)
{
    uint64_t now = a > b ? a - b : b - a;
    *apart = now > *apart ? now : *apart;
}

static int is_agreed(const struct sim_world *w, uint64_t *apart)
{
    uint64_t most = 0;
    const struct sim_rank *one = &w->rank[0];
    for (int i = 0; i < w->plan.ranks; i++) {
        if (w->rank[i].window_count != one->window_count)
            return 0;
        for (int k = 0; k < one->window_count; k++)
            if (!is_same(&w->rank[i].windows[k], &one->windows[k]))
                return 0;
    }
    for (int i = 0; i < w->plan.ranks; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < one->window_count; k++) {
                const struct sim_window *a = &w->rank[i].windows[k];
                const struct sim_window *b = &w->rank[j].windows[k];
                if (a->is_owner && b->is_owner) {
                    widen(&most, a->from, b->from);
                    widen(&most, a->to, b->to);
                }
            }
    if (apart)
        *apart = most;
    return 1;
}

int sim_kept(const struct sim_world *w, uint64_t *apart)
{
    const struct sim_rank *one = &w->rank[0];

    for (int i = 1; i < w->plan.ranks; i++) {
        assert_int_equal(w->rank[i].kept_count, one->kept_count);
        for (int k = 0; k < one->kept_count; k++) {
            assert_int_equal(w->rank[i].kept[k].number, one->kept[k].number);
            if (w->rank[i].kept[k].truth != SIM_UNKNOWN && one->kept[k].truth != SIM_UNKNOWN)
                widen(apart, w->rank[i].kept[k].truth, one->kept[k].truth);
        }
    }
    return one->kept_count;
}

int sim_windows(struct sim_world *w, uint64_t *apart)
{
    assert_true(run(w));
    assert_true(is_agreed(w, apart));
    return w->rank[0].window_count;
}
