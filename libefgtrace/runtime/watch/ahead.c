/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sees which loop may be the main loop before there is enough of it, and ends what is in its way. Invariant:
 * a pivot of a loop around is marked only while no window of the ranks is under way.
 */
#include "ahead.h"

#include "act.h"
#include "asked.h"
#include "mainloop.h"
#include "next.h"
#include "phases.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "visits.h"
#include "windows.h"

#define LONG_SHARE 10   /* a long round takes more than this part of the time so far, ... */
#define LONG 50000000u  /* ... and more ns than that */
#define FEW_CALLS 10000 /* of a round, to record it although it may be no iteration */
#define OVER 4          /* times as many are no round any more */
#define OVER_MORE 64    /* and so many more */

static const struct efg_job *const job = &efg_job;
static struct efg_steering *const s = &efg_steering;
static const struct efg_agree *const agree = &efg_steering.control.agree;
static const struct efg_trigger *const trigger = &efg_steering.control.trigger;

static struct {
    struct efg_pivot pivot; /* kind EFG_PIVOT_NONE: it is off */
    uint64_t since, calls;  /* events when it was marked; those of a round */
    uint64_t loop, refused; /* its function; one that was given up */
    uint32_t made;          /* windows that the ranks had done when it was last looked */
    bool is_due;            /* what was in the way has ended here, and not on all ranks yet */
    uint32_t blocked;       /* of which election a window is in the way; 0: none is */
} ahead;

/* --- which loop --- */

/* FOUND is around CHOSEN, has gone round a few times, and nobody has said that CHOSEN is the one, or wants
 * more of it than one window. */
static bool may_be_main(const struct efg_loop_found *found, const struct efg_loop_found *chosen)
{
    bool is_open = !job->conf.loop[0] && job->conf.level == EFG_LEVEL_AUTO && !chosen->is_marked;

    return is_open && agree->windows == 1 && found->loop.iterations < EFG_LEAST_ROUNDS &&
           found->rounds >= EFG_GOES_ROUND;
}

/* One that has gone round twice may be the main loop already, also where one inside of it is so far. */
static const struct efg_loop_found *likely(const struct efg_judge *judge)
{
    const struct efg_loop_found *chosen = judge->chosen != EFG_NONE ? &judge->chain[judge->chosen] : NULL;

    for (uint32_t i = 0; i < (chosen ? judge->chosen : judge->count); i++) {
        const struct efg_loop_found *found = &judge->chain[i];
        if (found->is_level && found->loop.iterations >= 2 && found->loop.share >= 0.5 &&
            (!chosen || may_be_main(found, chosen)))
            return found;
    }
    return chosen;
}

static bool is_long(const struct efg_loop_found *found, uint64_t now)
{
    uint64_t elapsed = now - job->start, round = elapsed / found->loop.iterations;

    return round * LONG_SHARE >= elapsed && round >= LONG;
}

static bool has_pivot(const struct efg_judge *judge, const struct efg_loop_found *found)
{
    struct efg_pivot pivots[EFG_CHOICES];
    uint32_t count = found ? efg_pivot_list(judge, found, pivots, EFG_CHOICES) : 0;

    for (uint32_t i = 0; i < count; i++)
        if (efg_visits_have(&pivots[i]))
            return true;
    return false;
}

/* --- the loop around that of this rank --- */

bool efg_ahead_is_on(void)
{
    return ahead.pivot.kind != EFG_PIVOT_NONE && efg_visits_have(&ahead.pivot);
}

bool efg_ahead_found(struct efg_thread *t, uint64_t now)
{
    struct efg_judge *judge = efg_next_judge(t);

    if (!efg_ahead_is_on())
        return false;
    if (has_pivot(judge, efg_judge_find(judge, s->loop.function, s->loop.iterations))) {
        efg_tell(now, "the loop around is the main loop: %llu iterations so far",
                 (unsigned long long)s->loop.iterations);
        ahead.pivot.kind = EFG_PIVOT_NONE;
        efg_phases_adopt();
    }
    return true;
}

static uint64_t calls_of_round(const struct efg_judge *judge, const struct efg_loop_found *found)
{
    return judge->flow->flow[found->site].events / found->loop.iterations;
}

/* Of several loops of one function, one that goes round half as often or less. */
static bool is_other(const struct efg_loop_found *found)
{
    return s->loop.function &&
           (s->loop.function != found->loop.function || s->loop.iterations >= 2 * found->loop.iterations);
}

/* FOUND is around the loop of FUNCTION, has no windows yet, and iterations that can be recorded. */
static bool is_around(const struct efg_judge *judge, const struct efg_loop_found *found, uint64_t function)
{
    uint32_t inner = efg_calltree_find(judge->flow->tree, function);

    return inner != EFG_NONE && efg_calltree_is_below(judge->flow->tree, inner, found->site) &&
           found->loop.function != ahead.refused && calls_of_round(judge, found) <= FEW_CALLS &&
           !agree->slow.is_on && efg_agree_lacks(agree, found->loop.function) && !has_pivot(judge, found);
}

/* What is under way is a window of FOUND itself: of a call that comes as often, though it is not the one that
 * would be taken now. */
static bool is_recorded(const struct efg_thread *t, const struct efg_loop_found *found)
{
    return found->loop.function == agree->loop && t->tally.visits < 2 * found->loop.iterations;
}

/* What is under way is the first window of a loop inside, and would last for more than a round; where FOUND
 * only may be the main loop, for more than one of all rounds but the first, in which there may be more. */
static bool is_blocked(const struct efg_thread *t, const struct efg_judge *judge,
                       const struct efg_loop_found *found)
{
    bool is_under_way = trigger->state == EFG_ARMED || trigger->state == EFG_RECORDING;
    bool is_own = agree->loop == s->loop.function || !is_other(found);
    bool is_chosen = judge->chosen == EFG_NONE || found == &judge->chain[judge->chosen];

    return is_under_way && is_own && agree->windows == 1 && !agree->made && !agree->asking &&
           t->tally.visits < agree->length * (found->loop.iterations - !is_chosen) &&
           !is_recorded(t, found) && is_around(judge, found, agree->loop);
}

/* A window that is recorded ends as soon as it has an iteration; one that lies ahead is given up. */
static void unblock(struct efg_thread *t, uint64_t now)
{
    if (ahead.blocked != agree->turns)
        return;
    if (trigger->state == EFG_RECORDING && efg_windows_visits() > 1)
        efg_act_feed(t, EFG_IN_OVER, now);
    else if (trigger->state == EFG_ARMED)
        efg_act_lose(t, now);
    else
        return;
    ahead.blocked = 0;
    ahead.is_due = true;
}

static void begin(struct efg_thread *t, const struct efg_judge *judge, const struct efg_loop_found *found,
                  uint64_t now)
{
    efg_act_lose(t, now);
    if (!efg_mainloop_adopt(t, judge, found, now))
        return;
    efg_phases_lend();
    ahead.pivot = s->pivot;
    ahead.loop = found->loop.function;
    ahead.since = t->graph.events;
    ahead.calls = calls_of_round(judge, found);
    efg_act_feed(t, EFG_IN_LONG, now);
}

static void give_up(struct efg_thread *t, uint64_t now)
{
    efg_act_lose(t, now);
    ahead.refused = ahead.loop;
    ahead.pivot.kind = EFG_PIVOT_NONE;
    efg_mainloop_adopt_own(t, now);
}

/* Its pivot is silent, or there was no room to record it. */
static bool is_over(const struct efg_thread *t)
{
    bool is_silent = trigger->state == EFG_READY
                         ? t->graph.events - ahead.since > OVER * ahead.calls + OVER_MORE
                         : efg_visits_are_over(t);

    return is_silent || trigger->state < EFG_READY;
}

/* It has gone round often enough for the rule, which takes another one nevertheless. */
static bool is_refuted(const struct efg_thread *t, const struct efg_judge *judge)
{
    return t->tally.visits > EFG_LEAST_ROUNDS + 1 && judge->chosen != EFG_NONE &&
           !has_pivot(judge, &judge->chain[judge->chosen]);
}

/* The pivot that is marked may still be that of the loop before: then it counts no iterations of this one. */
static bool is_marked(struct efg_thread *t, const struct efg_judge *judge, const struct efg_loop_found *found,
                      uint64_t now)
{
    bool may_change = agree->round == EFG_ROUND_PROPOSE && !agree->slow.is_on;

    if (s->pivot.kind != EFG_PIVOT_NONE && (efg_next_is_later() || has_pivot(judge, found)))
        return true;
    return (s->pivot.kind == EFG_PIVOT_NONE || may_change) && efg_mainloop_adopt(t, judge, found, now);
}

/* No window of the ranks is under way, nor an election. */
static bool is_free(void)
{
    return trigger->state <= EFG_PROVISIONAL && agree->round == EFG_ROUND_PROPOSE;
}

/* This rank has no loop yet, and records one that is inside of FOUND, as that was not seen to go round. */
static bool records_inner(const struct efg_judge *judge, const struct efg_loop_found *found)
{
    const struct efg_callflow *flow = judge->flow;

    if (trigger->state != EFG_PROVISIONAL || !is_free() || s->loop.function ||
        s->pivot.kind == EFG_PIVOT_NONE)
        return false;
    uint32_t pivot = s->pivot.kind == EFG_PIVOT_NODE ? flow->graph->nodes[s->pivot.id].leaf : s->pivot.id;
    return pivot < flow->sites && efg_calltree_is_below(flow->tree, pivot, found->site) &&
           !has_pivot(judge, found);
}

static void consider(struct efg_thread *t, const struct efg_judge *judge, const struct efg_loop_found *found,
                     uint64_t now)
{
    if (records_inner(judge, found))
        efg_act_lose(t, now);
    bool is_waiting = trigger->state == EFG_WATCHING || trigger->state == EFG_PROPOSED;

    if (is_blocked(t, judge, found)) {
        ahead.blocked = agree->turns;
        unblock(t, now);
    } else if (is_other(found)) {
        if (is_free() && is_around(judge, found, s->loop.function))
            begin(t, judge, found, now);
    } else if (is_waiting && efg_agree_wants(agree, found->loop.function) &&
               is_marked(t, judge, found, now)) {
        efg_act_feed(t, EFG_IN_LONG, now);
    }
}

void efg_ahead_consider(struct efg_thread *t, uint64_t now)
{
    const struct efg_judge *judge = efg_finder_judge(t->finder);
    const struct efg_loop_found *found = likely(judge);

    ahead.blocked = 0;
    if (agree->role == EFG_ALONE || efg_asked_is_shut(now))
        return;
    if (!efg_ahead_is_on()) {
        if (found && is_long(found, now))
            consider(t, judge, found, now);
    } else if (is_over(t) || is_refuted(t, judge)) {
        give_up(t, now);
    }
}

bool efg_ahead_look(struct efg_thread *t, uint64_t now)
{
    unblock(t, now);
    ahead.is_due |= !ahead.made && agree->made; /* it may have been in the way on other ranks only */
    ahead.made = agree->made;
    if (!ahead.is_due || !is_free())
        return false;
    ahead.is_due = false;
    return true;
}

void efg_ahead_finish(struct efg_thread *t, uint64_t now)
{
    if (efg_ahead_is_on())
        efg_mainloop_adopt_own(t, now);
}
