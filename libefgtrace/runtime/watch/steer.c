/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples and visits of the pivot: here the graph becomes a decision.
 *
 *     sample -> loop found? (mainloop.c) -> votes, results (rounds.c) -> what to do (act.c)
 *     visit  -> first or last of a window? (act.c) -> recorder (windows.c)
 */
#include "steer.h"

#include <stdlib.h>

#include "act.h"
#include "ahead.h"
#include "asked.h"
#include "coarse.h"
#include "core/window/election.h"
#include "events.h"
#include "leader.h"
#include "live.h"
#include "mainloop.h"
#include "next.h"
#include "phases.h"
#include "ring.h"
#include "rounds.h"
#include "runtime/base/clock.h"
#include "runtime/base/roomy.h"
#include "runtime/base/signals.h"
#include "runtime/process/job.h"
#include "runtime/stack/code.h"
#include "save.h"
#include "threads.h"
#include "thrift.h"
#include "visits.h"
#include "windows.h"
#include "wish.h"

#define ROUND_PAUSE 1000000 /* ns between tests of a round */
#define LOOK_PAUSE 5000000  /* ns between looks at what is recorded */
#define LOOKS 1000          /* or fewer in a run, at what goes on */
#define SAMPLES 400         /* samples take at most 1/400 of the time so far ... */
#define SAMPLES_IN_A_ROW 40 /* ... and 1/40 where they have taken less before */

struct efg_steering efg_steering;

static const struct efg_job *const job = &efg_job;
static struct efg_steering *const s = &efg_steering;
static const struct efg_agree *const agree = &efg_steering.control.agree;
static const struct efg_trigger *const trigger = &efg_steering.control.trigger;

/* --- events --- */

/* The next visit may begin or end a window, or bring the ranks nearer to one. */
static void update_awaiting(struct efg_thread *t)
{
    enum efg_round round = agree->round;

    t->is_awaiting = s->pivot.kind != EFG_PIVOT_NONE &&
                     ((trigger->state >= EFG_READY && trigger->state <= EFG_RECORDING) ||
                      (round > EFG_ROUND_PROPOSE && round < EFG_ROUND_OVER) || agree->slow.is_on);
}

/* What may no longer be recorded ends with the last whole iteration. */
static void end_shut(struct efg_thread *t, uint64_t now)
{
    if ((trigger->state == EFG_RECORDING || trigger->state == EFG_PROVISIONAL) && efg_asked_is_shut(now))
        efg_act_feed(t, EFG_IN_OVER, now);
}

void efg_steer_visit(struct efg_thread *t, uint64_t now)
{
    int claim = efg_leader_claim(t);

    if (!claim)
        return;
    if (efg_visits_are_over(t)) /* before this visit is one of it */
        efg_act_feed(t, EFG_IN_OVER, now);
    end_shut(t, now);
    efg_visits_count(t, now);
    efg_act_visit(t, now);
    end_shut(t, now); /* a window that was agreed on before, and would begin now */
    efg_ring_visit(t, now);
    if (!efg_agree_is_resting(agree))
        efg_rounds_advance(t, now, false);
    update_awaiting(t);
    efg_leader_release(claim);
}

/* Judging never stops. */
static void look_for_loop(struct efg_thread *t, uint64_t now)
{
    uint64_t before = s->loop.function;
    bool is_new = efg_finder_sample(t->finder, now, &s->main);

    if (!efg_next_sample(t, now, is_new))
        efg_mainloop_look(t, now);
    else if (!efg_ahead_found(t, now))
        efg_mainloop_found(t, before, now);
    if (job->conf.mode == EFG_MODE_ADAPTIVE)
        efg_ahead_consider(t, now);
}

/* A window whose loop is over is not left to its pivot, nor is one that may no longer be recorded. */
static void end_window(struct efg_thread *t, uint64_t now)
{
    efg_ring_look(t, now);
    efg_windows_look_behind(t, now);
    if (trigger->state == EFG_RECORDING && efg_visits_are_over(t))
        efg_act_feed(t, EFG_IN_OVER, now);
    end_shut(t, now);
}

static void lead(struct efg_thread *t, uint64_t now)
{
    look_for_loop(t, now);
    if (job->conf.mode != EFG_MODE_ADAPTIVE)
        return;
    end_window(t, now);
    efg_rounds_advance(t, now, true);
    efg_rounds_consider_alone(t, now);
}

static void full_sample(struct efg_thread *t, uint64_t now, bool leads)
{
    uint64_t since = leads ? efg_next_since() : job->start; /* which is the leader's to know */

    t->next_full_sample = now + efg_finder_pause(now - since, job->conf.interval);
    efg_coarse_follow(t, now);
    efg_stability_sample(&t->stability, &t->graph, now);
    efg_order_settle(&t->order);
    if (!leads || !t->finder || efg_thrift_has_paused())
        return;
    lead(t, now);
    update_awaiting(t);
}

/* Between samples. */
static void look(struct efg_thread *t, uint64_t now)
{
    end_window(t, now);
    if (job->conf.mode == EFG_MODE_ADAPTIVE && !efg_thrift_has_paused() && efg_next_look(t, now))
        t->next_full_sample = now;
    efg_rounds_advance(t, now, false);
    if (efg_ahead_look(t, now))
        t->next_full_sample = now;
    update_awaiting(t);
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* Samples of a graph of 100,000 nodes take some 50 ms: sampling is bounded by its share. What it has not used
 * so far is there for a new phase, whose first samples take ten times as long as others. */
static void bound_samples(struct efg_thread *t, uint64_t now, uint64_t took)
{
    t->sampled += took;
    t->next_full_sample = later(t->next_full_sample, now + took * SAMPLES_IN_A_ROW);
    t->next_full_sample = later(t->next_full_sample, job->start + t->sampled * SAMPLES);
}

/* ns until the next look; visits of the pivot, where they are awaited, move the rounds on as
 * well. */
static uint64_t pause_before_look(uint64_t now)
{
    uint64_t pause = (now - job->start) / LOOKS;

    if (trigger->state == EFG_RECORDING)
        return LOOK_PAUSE;
    if (agree->slow.is_on)
        return efg_ring_look_pause();
    if (efg_agree_is_pressing(agree) && !efg_asked_is_shut(now))
        return ROUND_PAUSE;
    if (agree->round > EFG_ROUND_PROPOSE && agree->round < EFG_ROUND_OVER)
        return ROUND_PAUSE;
    return pause > job->conf.interval ? pause : job->conf.interval;
}

struct due {
    struct efg_thread *thread;
    uint64_t now;
};

static void sample(void *what_is_due)
{
    const struct due *due = what_is_due;
    struct efg_thread *t = due->thread;
    uint64_t now = due->now;

    efg_events_add(t, now, false);
    uint64_t begin = efg_clock_cpu();
    bool is_full = now >= t->next_full_sample, is_new = is_full && efg_leader_elect(t);
    int claim = efg_leader_claim(t);
    if (is_new && claim && s->pivot.kind != EFG_PIVOT_NONE)
        efg_act_feed(t, EFG_IN_LOST, now);
    if (is_full) {
        uint64_t apart = efg_code_time();
        full_sample(t, now, claim);
        bound_samples(t, now, efg_clock_cpu() - begin - (efg_code_time() - apart));
        if (claim && t->finder && !efg_thrift_has_paused())
            efg_wish_look(t); /* which takes longest at first */
    } else if (claim && t->finder) {
        look(t, now);
    }
    t->next_sample = t->next_full_sample;
    if (claim && now + pause_before_look(now) < t->next_sample)
        t->next_sample = now + pause_before_look(now);
    t->cost.rare += efg_clock_cpu() - begin;
    if (now >= t->next_save) {
        efg_save(t, now);
        if (claim)
            efg_ring_save();
    }
    if (is_full && claim)
        efg_thrift_look(t, now);
    efg_live_sample(t, now, is_full);
    efg_leader_release(claim);
}

void efg_steer_sample(struct efg_thread *t, uint64_t now)
{
    struct due due = {t, now};
    struct efg_signals signals;

    efg_signals_defer(&signals);
    efg_roomy(sample, &due);
    efg_signals_resume(&signals);
}

/* --- the end --- */

/* Of the windows of a loop, as many as each part asks for: of those that are whole, if there are as many. A
 * brief one has none. */
static void choose_windows(const struct efg_agree_loop *loop, uint32_t number)
{
    const struct efg_part *part = &agree->parts[number];
    bool is_accurate = job->conf.accuracy && efg_windows_select(number) == EFG_SELECT_SPREAD;
    uint64_t wanted = loop->is_brief ? 0 : efg_agree_part_of(agree, loop, part->windows);
    enum efg_select select = efg_windows_select(number);
    uint64_t *first = calloc(s->window_count + 1, sizeof *first), last_length = 0;
    uint8_t *keep = calloc(s->window_count + 1, 1);
    uint32_t count = 0;

    for (uint32_t i = 0; first && part->windows && !is_accurate && i < s->window_count; i++)
        if (efg_windows_is_of(&s->windows[i], loop->phase, select)) {
            first[count++] = s->windows[i].first;
            last_length = s->windows[i].last - s->windows[i].first;
        }
    if (first && keep && count > wanted) {
        count -= last_length < part->length; /* the run ended in it */
        efg_spread_choose(first, count, (uint32_t)wanted, keep);
        efg_windows_choose(loop->phase, select, keep);
    }
    free(first);
    free(keep);
}

/* The iteration with which numbers began, where only those are wanted that the program asks for, or for which
 * a condition holds. */
static void drop_first(void)
{
    uint8_t *none = calloc(s->window_count + 1, 1);

    for (uint32_t i = 0; none && i < agree->loop_count; i++)
        efg_windows_choose(agree->loops[i].phase, EFG_SELECT_FIRST, none);
    free(none);
}

/* What is wanted is divided among the phases by their time. */
static void divide(void)
{
    efg_windows_drop_forgotten();
    for (uint32_t i = 0; i < agree->loop_count; i++) {
        const struct efg_agree_loop *loop = &agree->loops[i];
        for (uint32_t part = 0; part < EFG_AGREE_PARTS; part++)
            choose_windows(loop, part);
        if (agree->slow.wanted)
            efg_windows_choose_slow(loop->phase,
                                    (uint32_t)efg_agree_part_of(agree, loop, agree->slow.wanted));
    }
}

/* What the last sample saw; NULL if there was none. */
static const struct efg_callflow *flow_of(const struct efg_thread *t)
{
    return t->finder ? efg_finder_judge(t->finder)->flow : NULL;
}

/* Of this rank, by the NUMBER of that which all ranks take; EFG_AGREE_TURNS + 1: it has none, as its loop was
 * never elected. */
static const struct efg_phase *find_main(uint32_t number, uint64_t now)
{
    const struct efg_phase *own = efg_phases_find(&s->main);

    if (number <= EFG_AGREE_TURNS)
        return efg_phases_numbered(agree, number, now);
    return own && !efg_phases_number(agree, own) ? own : efg_phases_numbered(agree, 0, now);
}

/* The finder looks at the last half of the run. Of several phases, all ranks take the same one for that of
 * the main loop: the one that is asked for, or by the time that each had on all of them. */
static void settle_main(const struct efg_thread *t, uint64_t now)
{
    uint64_t lasted[2 * (EFG_AGREE_TURNS + 1)] = {0}, *time = lasted + EFG_AGREE_TURNS + 1;
    uint64_t loops[EFG_AGREE_TURNS + 1] = {0};
    const struct efg_callflow *flow = flow_of(t);

    if (flow)
        efg_phases_weigh(agree, flow, &s->main, lasted, time, now);
    efg_rounds_sum(lasted, 2 * (EFG_AGREE_TURNS + 1));
    for (uint32_t i = 0; i < agree->loop_count; i++)
        if (agree->loops[i].phase && agree->loops[i].phase <= EFG_AGREE_TURNS)
            loops[agree->loops[i].phase - 1] = agree->loops[i].loop;
    uint32_t number = efg_election_main(lasted, time, loops, EFG_AGREE_TURNS + 1) + 1;
    const struct efg_phase *main = find_main(number, now);
    const struct efg_phase *asked = efg_phases_asked(efg_wish_present(), main, now);
    const struct efg_phase *phase = asked ? asked : main;
    if (!phase || !flow || phase == efg_phases_find(&s->main))
        return;
    s->main = efg_phases_loop(flow, phase);
    s->is_earlier = true;
}

/* Its phase may have been over for long: the finder does not look back so far. */
static void count_main(const struct efg_thread *t)
{
    const struct efg_callflow *flow = flow_of(t);
    const struct efg_phase *phase = s->main.function ? efg_phases_find(&s->main) : NULL;

    if (!flow || !phase || phase->resumed || !phase->loop.iterations || phase->loop.key != s->main.key)
        return;
    uint64_t iterations = efg_phases_loop(flow, phase).iterations;
    if (iterations > s->main.iterations)
        s->main.iterations = iterations;
}

/* A loop that begins with a question whether it is over ends with one that nothing came behind. */
static void leave_out_last(const struct efg_thread *t)
{
    const struct efg_callflow *flow = flow_of(t);
    uint32_t function = flow ? efg_calltree_find(flow->tree, s->main.function) : EFG_NONE;

    if (function != EFG_NONE && s->main.key < flow->sites &&
        efg_calltree_is_below(flow->tree, s->main.key, function))
        s->main.iterations = efg_callflow_whole(flow, function, s->main.key, s->main.iterations);
}

static void settle_brief(const struct efg_thread *t, uint64_t now)
{
    uint64_t time[2 * EFG_AGREE_TURNS] = {0}, *busy = time + EFG_AGREE_TURNS;

    efg_phases_last(agree, flow_of(t), &s->main, now, time, busy);
    efg_rounds_sum(time, 2 * EFG_AGREE_TURNS);
    efg_election_settle(&efg_steering.control.agree, time, busy);
}

/* Some ranks may have the loop that is asked for, and others not: if all are here, one is enough. */
static void settle_wish(bool are_all_here)
{
    uint64_t ranks = efg_wish_is_met(&s->main);

    if (are_all_here && job->conf.loop[0])
        efg_rounds_sum(&ranks, 1);
    efg_wish_finish(ranks > 0);
}

void efg_steer_finish(uint64_t now, bool collective)
{
    struct efg_thread *t = efg_threads.leader;
    bool is_adaptive = job->conf.mode == EFG_MODE_ADAPTIVE;
    if (!t)
        return;
    efg_leader_claim_last(t);
    if (t->finder)
        efg_finder_sample(t->finder, now, &s->main);
    efg_ring_stop();
    if (is_adaptive && collective)
        efg_rounds_finish(t, now);
    if (collective)
        efg_rounds_fini();
    efg_asked_finish(agree->answered);
    efg_act_feed(t, EFG_IN_END, now);
    efg_ring_finish(t, now);
    if (!efg_next_is_later())
        s->loop = s->main;
    efg_ahead_finish(t, now);
    if (!efg_thrift_has_paused())
        efg_next_finish();
    if (s->pivot.kind == EFG_PIVOT_NONE && s->loop.function)
        efg_mainloop_adopt_own(t, now); /* to say where its iterations begin */
    if (is_adaptive && collective && agree->phases > 1) {
        settle_main(t, now);
        settle_brief(t, now);
    }
    count_main(t);
    leave_out_last(t);
    settle_wish(is_adaptive && collective);
    divide();
    if (job->conf.select == 1u << EFG_SELECT_ASKED || efg_when_is_afterwards(&job->conf.when))
        drop_first();
    for (struct efg_thread *other = efg_threads.list; other; other = other->next)
        if (other->recorder.is_on)
            efg_recorder_end(&other->recorder, now);
}
