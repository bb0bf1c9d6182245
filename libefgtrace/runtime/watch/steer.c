/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples and pivot visits: here the graph becomes a decision. The ranks' votes
 * travel by MPI_Iallreduce on a private communicator; a round is posted and tested only
 * when the leader samples or visits its pivot, and waited for in MPI_Finalize only.
 *
 *     sample -> loop found? -> vote .. result -> pivot marked .. trigger: armed
 *     visit  -> trigger: first? last? -> recorder
 *
 * What follows for the loop and the pivot of this rank is in mainloop.c, what is recorded in
 * windows.c.
 */
#include "steering.h"

#include <stdlib.h>

#include "leader.h"
#include "mainloop.h"
#include "runtime/base/clock.h"
#include "runtime/base/signals.h"
#include "runtime/stack/code.h"
#include "save.h"
#include "windows.h"
#include "wish.h"

#define PATIENT_ROUNDS 5
#define ROUND_PAUSE 1000000 /* ns between tests of a round */
#define LOOK_PAUSE 5000000  /* ns between looks at what is recorded */
#define SAMPLES 400         /* sampling uses at most 1/400 of the time */

struct efg_steering efg_steering;

static struct efg_process *const p = &efg_process;
static struct efg_steering *const s = &efg_steering;

/* --- rounds --- */

static void combine(void *one, void *all, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        efg_ballot_combine((struct efg_vote *)all + i, (const struct efg_vote *)one + i);
}

int efg_steer_init(void)
{
    efg_agree_init(&s->agree, p->conf.mode == EFG_MODE_ADAPTIVE ? p->conf.windows : 0,
                   p->conf.iterations, p->conf.skip);
    s->trigger.length = p->conf.iterations;
    return PMPI_Type_contiguous((int)sizeof s->vote, MPI_BYTE, &s->vote_type) != MPI_SUCCESS ||
                   PMPI_Type_commit(&s->vote_type) != MPI_SUCCESS ||
                   PMPI_Op_create(combine, 1, &s->vote_op) != MPI_SUCCESS
               ? -1
               : 0;
}

/* This rank has found no loop, though others have, and has looked for one long enough. */
static int has_given_up(uint64_t now)
{
    return s->is_alone || (s->waiting_since && s->waited >= PATIENT_ROUNDS &&
                           now - s->waiting_since >= p->conf.patience);
}

static uint64_t realtime(uint64_t since_start)
{
    return p->sync.sync.realtime +
           (p->start + since_start - p->sync.sync.ticks); /* ticks are ns */
}

/* ns from one visit of what would be the pivot to the next. */
static uint64_t period_of(const struct efg_thread *t, const struct efg_pivot *pivot,
                          uint64_t now)
{
    uint64_t visits = efg_graph_visits(&t->graph, pivot->kind, pivot->id);

    return visits ? (now - p->start) / visits : now - p->start;
}

/* What was recorded of a window that this rank is done with. */
static void add_window(struct efg_standing *standing)
{
    const struct efg_run_window *w = efg_windows_present();

    standing->end = s->trigger.first;
    if (s->trigger.state != EFG_DONE || !w)
        return;
    standing->end = w->last < s->trigger.first ? s->trigger.first : w->last;
    standing->begun = realtime(w->start);
    standing->ended = realtime(w->end);
}

static struct efg_standing standing(struct efg_thread *t, struct efg_choice *choices,
                                    uint64_t now, int leaving)
{
    struct efg_standing standing = {
        .leaving = leaving,
        .dropped = t->graph.dropped,
        .loop = s->is_alone ? 0 : s->loop.function,
        .iterations = s->loop.iterations,
        .has_given_up = has_given_up(now),
        .choices = choices,
        .hash = s->pivot.kind != EFG_PIVOT_NONE ? s->pivot.hash : 0,
        .tally = &t->tally,
        .whole =
            s->trigger.state == EFG_PROVISIONAL && s->mark_count ? s->first_mark : UINT64_MAX,
        .state = s->trigger.state,
        .is_lost = s->trigger.state == EFG_ARMED && efg_mainloop_is_over(t),
    };
    if (s->agree.round == EFG_ROUND_PIVOT) {
        efg_mainloop_list_pivots(t);
        for (uint32_t i = 0; i < s->pivot_count; i++)
            choices[i] = (struct efg_choice){s->pivots[i].hash, s->pivots[i].class};
        standing.choice_count = s->pivot_count;
        standing.period = s->pivot_count ? period_of(t, &s->pivots[0], now) : 0;
    }
    add_window(&standing);
    return standing;
}

static void post(const struct efg_standing *standing, uint64_t now)
{
    s->vote = efg_agree_vote(&s->agree, standing);
    s->rounds++;
    s->posted_at = now;
    if (PMPI_Iallreduce(&s->vote, &s->result, 1, s->vote_type, s->vote_op, p->comm,
                        &s->round) != MPI_SUCCESS)
        s->agree.round = EFG_ROUND_OVER;
}

/* --- alone --- */

/* The next power of two leaves some iterations until then, and is likely to be the same on
 * ranks that count the same ones. */
static uint64_t lonely_place(uint64_t visits)
{
    uint64_t first = 1;
    while (first < visits + visits / 4 + 2)
        first *= 2;
    return first;
}

/* Without the others: they never answered, or no window held. */
static void go_alone(struct efg_thread *t, uint64_t now)
{
    if (!efg_mainloop_adopt_own(t, now))
        return;
    s->is_alone = 1;
    s->agree.is_owner = 0;
    s->trigger.first = lonely_place(efg_steering_number(t));
    efg_mainloop_step(t, EFG_IN_PIVOT, now);
    efg_mainloop_step(t, EFG_IN_PLACED, now);
    efg_tracer_tell(
        now, "the ranks do not agree in time: recording from iteration %llu on all the same",
        (unsigned long long)s->trigger.first);
}

/* A rank that makes no calls keeps the first round from its end. Others take a few samples. */
static int is_unanswered(uint64_t now)
{
    uint64_t patience =
        p->conf.patience + PATIENT_ROUNDS * efg_finder_pause(now - p->start, p->conf.interval);
    return s->trigger.state <= EFG_PROVISIONAL && s->agree.round == EFG_ROUND_PROPOSE &&
           s->agree.pending && s->loop.function && !s->is_alone && !s->window_count &&
           now - s->posted_at > patience;
}

static void wait_for_loop(uint64_t now)
{
    int waits = s->agree.round == EFG_ROUND_PROPOSE && efg_ballot_winner(&s->result) &&
                !s->loop.function;
    s->waiting_since = !waits ? 0 : s->waiting_since ? s->waiting_since : now;
    s->waited = waits ? s->waited + 1 : 0;
}

/* --- results --- */

static void take_pivot(struct efg_thread *t, uint64_t now)
{
    struct efg_choice choices[EFG_CHOICES];

    if (!s->agree.is_owner) {
        efg_mainloop_step(t, EFG_IN_LOST, now);
        return;
    }
    for (uint32_t i = 0; i < s->pivot_count; i++)
        choices[i] = (struct efg_choice){s->pivots[i].hash, s->pivots[i].class};
    efg_mainloop_adopt(t, &s->pivots[efg_agree_choice(&s->agree, choices, s->pivot_count)],
                       now);
    efg_mainloop_step(t, EFG_IN_PIVOT, now);
}

static void place(struct efg_thread *t, uint64_t now)
{
    uint64_t first = s->trigger.first = s->agree.first;

    efg_tracer_tell(now, "the ranks agreed to record from iteration %llu on",
                    (unsigned long long)first);
    if (!s->agree.is_owner) {
        efg_windows_follow(t, now);
        return;
    }
    if (s->agree.is_past) {
        efg_windows_renumber(s->agree.base - s->agree.at_anchor);
        efg_mainloop_step(t, EFG_IN_PAST, now);
    } else {
        efg_mainloop_step(t, EFG_IN_PLACED, now);
        s->offset = s->agree.base - s->agree.at_anchor;
        if (efg_steering_number(t) >= first) /* too late: nothing is recorded, and told so */
            efg_mainloop_step(t, EFG_IN_LATE, now);
    }
}

/* The window does not hold. */
static void give_back(struct efg_thread *t, uint64_t now, enum efg_input why)
{
    if (s->is_following) {
        s->is_following = 0;
        efg_windows_discard(t);
    }
    efg_mainloop_step(t, why, now);
}

/* Of the windows of this loop those that the ranks have given up go. */
static void drop_windows(void)
{
    uint8_t *keep = calloc(s->window_count + 1, 1);

    for (uint32_t i = 0, n = 0; keep && i < s->window_count; i++)
        if (s->windows[i].function == s->agree.loop)
            keep[n++] = (uint8_t)efg_spread_has(&s->agree.spread, s->windows[i].first);
    if (keep)
        efg_windows_choose(s->agree.loop, keep);
    free(keep);
}

/* All owners are done with the window, which began at trigger.first; agree.first may be that of
 * the next one. */
static void settle(struct efg_thread *t, uint64_t now)
{
    s->is_owner = s->agree.is_owner;
    if (s->is_following)
        efg_windows_trim(t, now, (struct efg_span){s->agree.begun, s->agree.ended},
                         s->trigger.first, s->agree.end);
    else if (s->agree.is_owner && s->trigger.state == EFG_DONE)
        efg_windows_keep(t, s->trigger.first, s->agree.end);
    efg_windows_settle();
    drop_windows();
    if (s->agree.is_owner)
        efg_mainloop_step(t, EFG_IN_NEXT, now);
}

static void obey(struct efg_thread *t, enum efg_verdict verdict, uint64_t now)
{
    switch (verdict) {
    case EFG_VERDICT_ELECTED:
        s->elected = efg_ballot_winner(&s->result)->least;
        break;
    case EFG_VERDICT_PIVOT:
        take_pivot(t, now);
        break;
    case EFG_VERDICT_PLACED:
        place(t, now);
        break;
    case EFG_VERDICT_MOVED:
        if (s->agree.is_owner)
            efg_mainloop_step(t, EFG_IN_LATE, now);
        place(t, now);
        break;
    case EFG_VERDICT_DONE:
        settle(t, now);
        break;
    case EFG_VERDICT_NEXT:
        settle(t, now);
        place(t, now);
        break;
    case EFG_VERDICT_DRIFT:
        give_back(t, now, EFG_IN_LATE);
        break;
    case EFG_VERDICT_LOST: /* in MPI_Finalize it is too late for another pivot */
        give_back(t, now, s->agree.is_leaving ? EFG_IN_LATE : EFG_IN_LOST);
        break;
    case EFG_VERDICT_FAILED:
        give_back(t, now, EFG_IN_LATE);
        if (s->agree.is_owner && !s->agree.is_leaving)
            go_alone(t, now);
        break;
    case EFG_VERDICT_HOLDS:
    case EFG_VERDICT_NONE:
        wait_for_loop(now);
        break;
    }
}

static void hear(struct efg_thread *t, uint64_t now)
{
    enum efg_verdict verdict = efg_agree_result(&s->agree, &s->result, &t->tally);

    efg_coarse_hear((uint32_t)s->result.dropped);
    efg_coarse_follow(t, now);
    if (!s->is_alone)
        obey(t, verdict, now);
}

/* Take results and vote, as far as that is possible without waiting. */
static void advance(struct efg_thread *t, uint64_t now, int sample)
{
    struct efg_choice choices[EFG_CHOICES];

    if (efg_comms_are_expected())
        return;
    for (;;) {
        int done = 0;
        if (s->agree.pending) {
            PMPI_Test(&s->round, &done, MPI_STATUS_IGNORE);
            if (!done)
                return;
            hear(t, now);
        }
        if (s->agree.pending || s->agree.round == EFG_ROUND_OVER)
            return;
        struct efg_standing now_standing = standing(t, choices, now, 0);
        if (!efg_agree_is_due(&s->agree, &now_standing, sample))
            return;
        post(&now_standing, now);
        sample = 0;
    }
}

/* --- events --- */

/* The next visit may begin or end a window, or bring the ranks nearer to one. */
static void update_awaiting(struct efg_thread *t)
{
    enum efg_round round = s->agree.round;

    t->is_awaiting =
        s->pivot.kind != EFG_PIVOT_NONE &&
        (s->is_long || s->trigger.state == EFG_ARMED || s->trigger.state == EFG_RECORDING ||
         s->trigger.state == EFG_PROVISIONAL ||
         (round > EFG_ROUND_PROPOSE && round < EFG_ROUND_OVER));
}

void efg_steer_count(struct efg_thread *t, uint64_t now)
{
    uint64_t calls = t->graph.events - s->last_event;

    if (s->last_event && calls > s->longest && !efg_mainloop_is_over(t))
        s->longest = calls;
    s->intervals += s->last_event != 0;
    s->last_event = t->graph.events;
    efg_iterations_count(t, efg_steering_number(t), now);
}

void efg_steer_visit(struct efg_thread *t, uint64_t now)
{
    int claim = efg_leader_claim(t);

    if (!claim)
        return;
    if (efg_mainloop_is_over(t)) /* before this visit is one of it */
        efg_mainloop_step(t, EFG_IN_OVER, now);
    efg_steer_count(t, now);
    efg_mainloop_visit(t, now);
    if (!efg_agree_is_resting(&s->agree))
        advance(t, now, 0);
    update_awaiting(t);
    efg_leader_release(claim);
}

/* Judging never stops. */
static void look_for_loop(struct efg_thread *t, uint64_t now)
{
    uint64_t before = s->loop.function;
    int is_new = efg_finder_sample(t->finder, now, &s->loop);

    efg_wish_look(t);
    if (is_new)
        efg_mainloop_found(t, before, now);
    if (p->conf.mode == EFG_MODE_ADAPTIVE)
        efg_mainloop_consider_long(t, now);
}

/* A window whose loop is over is not left to its pivot. */
static void end_window(struct efg_thread *t, uint64_t now)
{
    if (s->trigger.state == EFG_RECORDING && efg_mainloop_is_over(t))
        efg_mainloop_step(t, EFG_IN_OVER, now);
}

static void lead(struct efg_thread *t, uint64_t now)
{
    look_for_loop(t, now);
    if (p->conf.mode != EFG_MODE_ADAPTIVE)
        return;
    end_window(t, now);
    advance(t, now, 1);
    if (is_unanswered(now))
        go_alone(t, now);
}

static void full_sample(struct efg_thread *t, uint64_t now, int leads)
{
    t->next_full_sample = now + efg_finder_pause(now - p->start, p->conf.interval);
    efg_coarse_follow(t, now);
    efg_stability_sample(&t->stability, &t->graph, now);
    efg_order_settle(&t->order);
    if (!leads || !t->finder)
        return;
    lead(t, now);
    update_awaiting(t);
}

/* Between samples. */
static void look(struct efg_thread *t, uint64_t now)
{
    end_window(t, now);
    advance(t, now, 0);
    update_awaiting(t);
}

/* Samples of a graph of 100,000 nodes take some 50 ms: sampling is bounded by its share. */
static void bound_samples(struct efg_thread *t, uint64_t now, uint64_t took)
{
    uint64_t next = now + took * SAMPLES;
    if (next > t->next_full_sample)
        t->next_full_sample = next;
}

/* ns until the next look; visits of the pivot, where they are awaited, move the rounds on as
 * well. */
static uint64_t pause_before_look(void)
{
    if (s->trigger.state == EFG_RECORDING)
        return LOOK_PAUSE;
    return s->agree.round > EFG_ROUND_PROPOSE && s->agree.round < EFG_ROUND_OVER
               ? ROUND_PAUSE
               : UINT64_MAX / 2;
}

static void sample(struct efg_thread *t, uint64_t now)
{
    efg_tracer_settle(t, now);
    uint64_t begin = efg_clock_cpu();
    int is_full = now >= t->next_full_sample;
    if (is_full)
        efg_leader_elect(t);
    int claim = efg_leader_claim(t);
    if (is_full) {
        uint64_t apart = efg_code_time();
        full_sample(t, now, claim);
        bound_samples(t, now, efg_clock_cpu() - begin - (efg_code_time() - apart));
    } else if (claim && t->finder) {
        look(t, now);
    }
    t->next_sample = t->next_full_sample;
    if (claim && now + pause_before_look() < t->next_sample)
        t->next_sample = now + pause_before_look();
    t->cost.rare += efg_clock_cpu() - begin;
    if (now >= t->next_save)
        efg_save(t, now);
    efg_leader_release(claim);
}

void efg_steer_sample(struct efg_thread *t, uint64_t now)
{
    struct efg_signals signals;

    efg_signals_defer(&signals);
    sample(t, now);
    efg_signals_resume(&signals);
}

/* --- the end --- */

static void last_rounds(struct efg_thread *t, uint64_t now)
{
    struct efg_choice choices[EFG_CHOICES];

    while (s->agree.round != EFG_ROUND_OVER) {
        if (!s->agree.pending) {
            if (s->trigger.state == EFG_RECORDING) /* no iteration follows that would end it */
                efg_mainloop_step(t, EFG_IN_OVER, now);
            struct efg_standing last = standing(t, choices, now, 1);
            post(&last, now);
        }
        if (PMPI_Wait(&s->round, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        hear(t, now);
    }
}

/* Of the windows of each loop, as many as were asked for: of those that are whole, if there are as
 * many. */
static void choose_windows(uint64_t function)
{
    uint64_t *first = calloc(s->window_count + 1, sizeof *first), last_length = 0;
    uint8_t *keep = calloc(s->window_count + 1, 1);
    uint32_t count = 0;

    for (uint32_t i = 0; first && i < s->window_count; i++)
        if (s->windows[i].function == function) {
            first[count++] = s->windows[i].first;
            last_length = s->windows[i].last - s->windows[i].first;
        }
    if (first && keep && count > p->conf.windows) {
        count -= last_length < p->conf.iterations; /* the run ended in it */
        efg_spread_choose(first, count, (uint32_t)p->conf.windows, keep);
        efg_windows_choose(function, keep);
    }
    free(first);
    free(keep);
}

void efg_steer_finish(uint64_t now, int collective)
{
    struct efg_thread *t = p->leader;
    int is_adaptive = p->conf.mode == EFG_MODE_ADAPTIVE;
    if (!t)
        return;
    efg_leader_claim_last(t);
    if (t->finder)
        efg_finder_sample(t->finder, now, &s->loop);
    if (is_adaptive && collective)
        last_rounds(t, now);
    if (is_adaptive && s->trigger.state == EFG_RECORDING)
        efg_mainloop_step(t, EFG_IN_OVER, now);
    if (collective) {
        PMPI_Op_free(&s->vote_op);
        PMPI_Type_free(&s->vote_type);
    }
    if (is_adaptive && (s->is_following || s->trigger.state == EFG_PROVISIONAL))
        give_back(t, now, EFG_IN_OVER);
    if (s->pivot.kind == EFG_PIVOT_NONE && s->loop.function)
        efg_mainloop_adopt_own(t, now); /* to say where its iterations begin */
    for (uint32_t i = 0; i < s->agree.loop_count; i++)
        choose_windows(s->agree.loops[i]);
    for (struct efg_thread *other = p->threads; other; other = other->next)
        if (other->recorder.is_on)
            efg_recorder_end(&other->recorder, now, 0, 0);
}
