/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the runtime does on a rank, without MPI: see the verdicts in agree.h. Results of rounds
 * are in the world; a rank looks at that of its own round only. Invariant: all vote in the same
 * rounds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/detail.h"
#include "simulated_ranks.h"

#define QUIET 6 /* iterations without a visit: the pivot is silent */

uint64_t sim_loop(int phase, int other, uint32_t dropped)
{
    uint64_t names = dropped & (EFG_DROP_ALL_FRAMES | EFG_DROP_PATH);
    return 1000 + (uint64_t)phase + (other ? 100 : 0) + 1000 * names;
}

/* --- what the runtime knows --- */

static int index_of(const struct sim_world *w, const struct sim_rank *r)
{
    return (int)(r - w->rank);
}

static uint64_t total_of(const struct sim_world *w, const struct sim_rank *r)
{
    return w->total[r - w->rank];
}

static int has_found(const struct sim_world *w, const struct sim_rank *r, int phase)
{
    uint64_t found = w->plan.rank[index_of(w, r)].found;
    if (found == UINT64_MAX || phase < 0)
        return 0;
    return phase < r->phase || r->iteration >= found;
}

static uint64_t hash_of(const struct sim_world *w, int pivot)
{
    if (w->plan.collides && pivot % SIM_PIVOTS == 2)
        return hash_of(w, pivot - 2) + 1000 * EFG_BALLOT_BITS;
    return (uint64_t)(10 * (pivot / SIM_PIVOTS) + pivot % SIM_PIVOTS + 1) * 7919;
}

static void gather(const struct sim_world *w, struct sim_rank *r)
{
    int phase = -1, lacks = w->plan.rank[index_of(w, r)].lacks;
    int other = w->plan.rank[index_of(w, r)].loop;

    r->choice_count = 0;
    for (int p = 0; p <= r->phase; p++)
        if (sim_loop(p, other, r->dropped) == r->agree.loop)
            phase = p;
    for (int i = 0; i < SIM_PIVOTS && phase >= 0; i++) {
        int mine = (i + index_of(w, r)) % SIM_PIVOTS; /* each has another favourite */
        uint64_t hash = hash_of(w, phase * SIM_PIVOTS + mine);
        enum efg_pivot_class class =
            mine == 2 && w->plan.every ? EFG_PIVOT_WORLD : EFG_PIVOT_CALL;
        if (!(lacks >> mine & 1) && r->visits[phase][mine])
            r->choices[r->choice_count++] = (struct efg_choice){hash, class};
    }
}

static int pivot_of(const struct sim_world *w, uint64_t hash)
{
    for (int i = 0; i < SIM_PHASES * SIM_PIVOTS; i++)
        if (hash_of(w, i) == hash)
            return i;
    return -1;
}

static int is_silent(const struct sim_world *w, const struct sim_rank *r)
{
    uint64_t iteration = (uint64_t)(SIM_PIVOTS + w->plan.worlds + w->plan.polls);
    return r->marked >= 0 && r->ticks - r->visited_at > QUIET * iteration;
}

/* The first visit of the marked pivot since recording began. */
static uint64_t first_recorded(const struct sim_rank *r)
{
    return r->opened_with[r->marked / SIM_PIVOTS][r->marked % SIM_PIVOTS] + 1;
}

static uint64_t first_whole(const struct sim_rank *r)
{
    if (r->trigger.state != EFG_PROVISIONAL || r->marked < 0)
        return UINT64_MAX;
    return r->tally.visits >= first_recorded(r) ? first_recorded(r) : UINT64_MAX;
}

static struct sim_window *present(struct sim_rank *r)
{
    assert_true(r->window_count < SIM_WINDOWS);
    return &r->windows[r->window_count];
}

static struct efg_standing standing(struct sim_world *w, struct sim_rank *r, int leaving)
{
    int i = index_of(w, r), is_known = has_found(w, r, r->phase);
    int phase = is_known ? r->phase : r->phase - 1;
    int has = has_found(w, r, phase);
    struct sim_window *now = present(r);
    return (struct efg_standing){
        .leaving = leaving,
        .dropped = r->dropped,
        .loop = has ? sim_loop(phase, w->plan.rank[i].loop, r->dropped) : 0,
        .iterations = phase == r->phase ? r->iteration
                      : phase >= 0      ? w->plan.iterations[phase]
                                        : 0,
        .has_given_up = total_of(w, r) >= w->plan.rank[i].gives_up,
        .choices = r->choices,
        .choice_count = r->choice_count,
        .period = w->plan.rank[i].period,
        .hash = r->marked >= 0 ? hash_of(w, r->marked) : 0,
        .tally = &r->tally,
        .whole = first_whole(r),
        .state = r->trigger.state,
        .is_lost = is_silent(w, r),
        .end = now->end,
        .begun = now->begun,
        .ended = now->ended,
    };
}

/* --- what the runtime does --- */

static uint64_t in_truth(const struct sim_rank *r, uint64_t number)
{
    return r->visited_in - (efg_agree_number(&r->agree, &r->tally) - number);
}

static void act(struct sim_world *w, struct sim_rank *r, enum efg_action action)
{
    struct sim_window *now = present(r);
    uint64_t number = efg_agree_number(&r->agree, &r->tally);
    uint64_t last = r->trigger.first + r->trigger.length;

    switch (action) {
    case EFG_DO_OPEN:
        assert_false(r->is_recording);
        r->is_recording = 1;
        memcpy(r->opened_with, r->visits, sizeof r->visits);
        w->opened_provisionally += r->trigger.state == EFG_PROVISIONAL;
        if (r->trigger.state == EFG_RECORDING)
            assert_int_equal(number, r->trigger.first);
        *now = (struct sim_window){
            .first = r->trigger.first, .from = r->visited_in, .begun = w->now};
        break;
    case EFG_DO_KEEP:
        assert_true(r->is_recording);
        assert_true(r->agree.is_past);
        assert_true(r->trigger.first >= number - r->tally.visits + first_recorded(r));
        now->first = r->trigger.first;
        now->from = in_truth(r, now->first);
        break;
    case EFG_DO_CLOSE:
        assert_true(r->is_recording);
        r->is_recording = 0;
        now->end = number < last ? number : last;
        now->to = in_truth(r, now->end);
        now->ended = w->now;
        break;
    case EFG_DO_DISCARD:
    case EFG_DO_FORGET:
        r->is_recording = 0;
        *now = (struct sim_window){0};
        if (action == EFG_DO_FORGET)
            r->marked = -1;
        break;
    case EFG_DO_NOTHING:
        break;
    }
}

static void feed(struct sim_world *w, struct sim_rank *r, enum efg_input input)
{
    act(w, r, efg_trigger_step(&r->trigger, input));
}

static void mark(struct sim_world *w, struct sim_rank *r)
{
    uint32_t taken = efg_agree_choice(&r->agree, r->choices, r->choice_count);
    r->marked = pivot_of(w, r->choices[taken].hash);
    assert_true(r->marked >= 0);
    efg_tally_mark(&r->tally, r->visits[r->marked / SIM_PIVOTS][r->marked % SIM_PIVOTS]);
    r->visited_at = r->ticks;
    r->visited_in = total_of(w, r) - (r->slot <= 2 * (r->marked % SIM_PIVOTS));
    feed(w, r, EFG_IN_PIVOT);
}

static void place(struct sim_world *w, struct sim_rank *r)
{
    r->is_following = !r->agree.is_owner;
    if (r->is_following)
        return;
    r->trigger.first = r->agree.first;
    r->trigger.length = w->plan.length;
    if (r->agree.is_past)
        feed(w, r, EFG_IN_PAST);
    else if (efg_agree_number(&r->agree, &r->tally) < r->agree.first)
        feed(w, r, EFG_IN_PLACED);
}

/* A window of this loop that others have given up is given up here. */
static void drop_windows(struct sim_rank *r)
{
    int left = 0;
    for (int i = 0; i < r->window_count; i++)
        if (r->windows[i].loop != r->agree.loop ||
            efg_spread_has(&r->agree.spread, r->windows[i].first))
            r->windows[left++] = r->windows[i];
    r->window_count = left;
}

static void settle(struct sim_world *w, struct sim_rank *r, uint64_t first)
{
    struct sim_window *now = present(r);

    if (r->agree.is_owner) {
        assert_int_equal(r->trigger.state, EFG_DONE);
        assert_int_equal(now->first, first);
        assert_true(now->end >= r->agree.end && r->agree.end > now->first);
        now->to -= now->end - r->agree.end;
    }
    now->first = first;
    now->end = r->agree.end;
    now->loop = r->agree.loop;
    now->is_owner = r->agree.is_owner;
    now->is_settled = 1;
    assert_true(r->agree.begun <= r->agree.ended && r->agree.ended <= w->now);
    r->window_count++;
    r->is_following = 0;
    *present(r) = (struct sim_window){0};
    feed(w, r, EFG_IN_NEXT);
    drop_windows(r);
}

static void throw_away(struct sim_world *w, struct sim_rank *r, enum efg_input why)
{
    r->is_following = 0;
    feed(w, r, why);
}

static void hear(struct sim_world *w, struct sim_rank *r)
{
    const struct efg_vote *result = &w->result[r->round % 2];
    uint64_t first = r->agree.first;
    r->dropped |= (uint32_t)result->dropped;
    enum efg_verdict verdict = efg_agree_result(&r->agree, result, &r->tally);
    w->verdicts[verdict] += r == w->rank;
    switch (verdict) {
    case EFG_VERDICT_PIVOT:
        if (r->agree.is_owner)
            mark(w, r);
        else
            r->marked = -1;
        break;
    case EFG_VERDICT_PLACED:
        place(w, r);
        break;
    case EFG_VERDICT_MOVED:
        throw_away(w, r, EFG_IN_LATE);
        place(w, r);
        break;
    case EFG_VERDICT_NEXT:
        settle(w, r, first);
        place(w, r);
        break;
    case EFG_VERDICT_DONE:
        settle(w, r, first);
        break;
    case EFG_VERDICT_DRIFT:
    case EFG_VERDICT_FAILED:
        throw_away(w, r, EFG_IN_LATE);
        break;
    case EFG_VERDICT_LOST:
        throw_away(w, r, EFG_IN_LOST);
        break;
    case EFG_VERDICT_ELECTED:
    case EFG_VERDICT_HOLDS:
    case EFG_VERDICT_NONE:
        break;
    }
}

static void vote(struct sim_world *w, struct sim_rank *r, int leaving)
{
    gather(w, r);
    struct efg_standing s = standing(w, r, leaving);
    enum efg_round kind = r->agree.round;
    struct efg_vote one = efg_agree_vote(&r->agree, &s);
    int i = ++r->round % 2;

    if (w->votes[i] == w->plan.ranks) /* the round before the last one */
        w->votes[i] = 0;
    if (!w->votes[i]++) {
        efg_ballot_init(&w->result[i]);
        w->kind[i] = kind;
    }
    assert_int_equal(kind, w->kind[i]);
    efg_ballot_combine(&w->result[i], &one);
}

static int is_complete(const struct sim_world *w, const struct sim_rank *r)
{
    return w->votes[r->round % 2] == w->plan.ranks;
}

static void advance(struct sim_world *w, struct sim_rank *r, int sample)
{
    for (;;) {
        if (r->agree.pending) {
            if (!is_complete(w, r) || sim_roll(w->plan.slow))
                return;
            hear(w, r);
        }
        struct efg_standing s = standing(w, r, 0);
        if (!efg_agree_is_due(&r->agree, &s, sample))
            return;
        vote(w, r, 0);
        sample = 0;
    }
}

/* --- what the program calls --- */

void sim_visit(struct sim_world *w, struct sim_rank *r, int pivot)
{
    r->visits[r->phase][pivot]++;
    if (r->marked != r->phase * SIM_PIVOTS + pivot)
        return;
    efg_tally_visit(&r->tally);
    r->visited_at = r->ticks;
    r->visited_in = total_of(w, r);
    act(w, r, efg_trigger_visit(&r->trigger, efg_agree_number(&r->agree, &r->tally)));
}

/* MPI_Finalize: votes and waits; never anything else. */
void sim_finalize(struct sim_world *w, struct sim_rank *r)
{
    if (r->agree.pending && is_complete(w, r))
        hear(w, r);
    if (r->trigger.state == EFG_RECORDING)
        feed(w, r, EFG_IN_OVER);
    if (r->agree.round == EFG_ROUND_OVER)
        w->done += !r->is_done++;
    else if (!r->agree.pending)
        vote(w, r, 1);
}

void sim_steer(struct sim_world *w, struct sim_rank *r)
{
    int i = index_of(w, r);
    if (w->plan.rank[i].drops && sim_roll(100) == 0)
        r->dropped |= w->plan.rank[i].drops & (1u << sim_roll(20));
    if (w->plan.is_long && total_of(w, r) >= w->plan.is_long && !r->is_recording &&
        efg_agree_wants(&r->agree, standing(w, r, 0).loop))
        feed(w, r, EFG_IN_LONG);
    if (r->trigger.state == EFG_RECORDING && is_silent(w, r))
        feed(w, r, EFG_IN_OVER);
    advance(w, r, sim_roll(w->plan.sample) == 0);
}
