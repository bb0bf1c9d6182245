/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kind of a round, and what follows from its result, is core/window/agree.h; here is what this
 * rank has to say, and how the ranks talk. Invariant: all post the same rounds, in the same order.
 */
#include "rounds.h"

#include <errno.h>

#include "act.h"
#include "ahead.h"
#include "asked.h"
#include "coarse.h"
#include "enough.h"
#include "mainloop.h"
#include "next.h"
#include "phases.h"
#include "ring.h"
#include "runtime/base/signals.h"
#include "runtime/process/job.h"
#include "runtime/process/processor.h"
#include "threads.h"
#include "thrift.h"
#include "visits.h"
#include "windows.h"

#define PATIENT_ROUNDS 5
#define SLOWEST 16.0 /* as much as that is waited for others longer, where there are few processors */
#define TEST_PART 4  /* the next test of a round is later by this part of what it has taken so far ... */
#define TEST_PAUSE 10000000 /* ... or so many ns: others may vote late */

static const struct efg_job *const job = &efg_job;
static struct efg_steering *const s = &efg_steering;
static struct efg_agree *const agree = &efg_steering.control.agree;
static const struct efg_trigger *const trigger = &efg_steering.control.trigger;

static struct {
    struct efg_vote vote, result;
    MPI_Datatype type;
    MPI_Op combine;
    MPI_Request request;
    uint64_t count;         /* posted so far */
    uint64_t posted_at;     /* ticks: when the pending one was */
    uint64_t tested_at;     /* ticks: when it was last, or posted */
    uint64_t waiting_since; /* ticks: others have a loop and this rank has none; 0: not so */
    uint32_t waited;        /* rounds since then */
    struct {
        uint64_t hash, visits, time; /* of this rank's favourite when it was first voted for; ns */
    } favourite;
} rounds;

static void combine(void *one, void *all, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        efg_ballot_combine((struct efg_vote *)all + i, (const struct efg_vote *)one + i);
}

/* Which of those for which the conditions of the key `when` hold. */
static enum efg_slow_order order_of(const struct efg_conf *conf)
{
    return efg_conf_selects(conf, EFG_SELECT_SLOW)     ? EFG_SLOW_SLOWEST
           : efg_conf_selects(conf, EFG_SELECT_SPREAD) ? EFG_SLOW_EVENLY
                                                       : EFG_SLOW_FIRST;
}

/* Single iterations are spread, or as many windows as are asked for. Numbers are agreed on with a window, so
 * slow ones and those that the program asks for are never alone. */
static void init_control(void)
{
    const struct efg_conf *conf = &job->conf;
    struct efg_part all = {conf->windows, conf->iterations};
    struct efg_part spread = conf->windows > 1 ? all : (struct efg_part){conf->iterations, 1};
    bool is_conditional = efg_when_is_afterwards(&conf->when);
    bool has_first = efg_conf_selects(conf, EFG_SELECT_FIRST);
    bool has_spread = efg_conf_selects(conf, EFG_SELECT_SPREAD);
    struct efg_part part = has_first ? all : has_spread ? spread : (struct efg_part){1, 1};

    if (has_first && has_spread)
        part.windows = 1;
    if (is_conditional)
        part = (struct efg_part){1, 1};
    if (conf->mode != EFG_MODE_ADAPTIVE)
        part.windows = 0;
    efg_control_init(&s->control, part.windows, part.length, conf->skip);
    if (efg_conf_selects(conf, EFG_SELECT_SLOW) || is_conditional)
        efg_slow_init(&agree->slow, (uint32_t)conf->iterations);
    if (is_conditional)
        efg_slow_choose(&agree->slow, order_of(conf), conf->when.slower);
    else if (has_first && has_spread)
        efg_agree_continue(agree, spread.windows, spread.length);
}

int efg_rounds_init(void)
{
    init_control();
    return PMPI_Type_contiguous((int)sizeof rounds.vote, MPI_BYTE, &rounds.type) != MPI_SUCCESS ||
                   PMPI_Type_commit(&rounds.type) != MPI_SUCCESS ||
                   PMPI_Op_create(combine, 1, &rounds.combine) != MPI_SUCCESS
               ? -EIO
               : 0;
}

void efg_rounds_fini(void)
{
    PMPI_Op_free(&rounds.combine);
    PMPI_Type_free(&rounds.type);
}

uint64_t efg_rounds_count(void)
{
    return rounds.count;
}

/* This rank has found no loop, though others have, and has looked for one long enough. */
static bool has_given_up(uint64_t now)
{
    return rounds.waiting_since && rounds.waited >= PATIENT_ROUNDS &&
           now - rounds.waiting_since >= job->conf.patience;
}

static uint64_t realtime(uint64_t since_start)
{
    return efg_job_base() + job->start + since_start;
}

/* ns from one visit of what would be the pivot to the next: since the start of the run, or, in further rounds
 * with it, since the first of them, as ranks may have begun at different times. */
static uint64_t period_of(const struct efg_thread *t, const struct efg_pivot *pivot, uint64_t now)
{
    uint64_t all = efg_graph_visits(&t->graph, pivot->kind, pivot->id), visits = all;
    uint64_t time = now - job->start;

    if (agree->tries && rounds.favourite.hash == pivot->hash) {
        visits -= rounds.favourite.visits;
        time = now - rounds.favourite.time;
    } else {
        rounds.favourite.hash = pivot->hash;
        rounds.favourite.visits = all;
        rounds.favourite.time = now;
    }
    return visits ? time / visits : time;
}

/* What was recorded of a window that this rank is done with. */
static void add_window(struct efg_standing *standing)
{
    const struct efg_run_window *w = efg_windows_present();

    standing->end = trigger->first;
    if (trigger->state != EFG_DONE || !w)
        return;
    standing->end = w->last < trigger->first ? trigger->first : w->last;
    standing->begun = realtime(w->start);
    standing->ended = realtime(w->end);
}

static struct efg_standing standing(struct efg_thread *t, uint64_t now, int leaving)
{
    struct efg_span slow = efg_ring_span(now);
    bool searches = efg_next_is_searching() && trigger->state != EFG_PROVISIONAL;
    struct efg_standing standing = {
        .leaving = leaving,
        .dropped = t->graph.dropped,
        .loop = searches || efg_ahead_is_on() ? 0 : s->loop.function,
        .iterations = s->loop.iterations,
        .mark = efg_phases_mark(),
        .time = now - job->start,
        .place = s->loop.place,
        .has_given_up = searches ? efg_next_has_given_up() : has_given_up(now),
        .choices = s->choices,
        .hash = s->pivot.kind != EFG_PIVOT_NONE ? s->pivot.hash : 0,
        .tally = &t->tally,
        .whole = trigger->state == EFG_PROVISIONAL ? efg_windows_first_visit() : UINT64_MAX,
        .state = trigger->state,
        .has_ring = efg_ring_is_possible(t),
        .would_pause = efg_thrift_would_pause(),
        .is_shut = efg_asked_is_shut(now),
        .is_rough = efg_enough_is_rough(t),
        .step = efg_thrift_step(),
        .is_lost = trigger->state == EFG_ARMED && efg_visits_are_silent(t),
        .slow_begun = slow.from,
        .slow_ended = slow.to,
    };
    add_window(&standing);
    return standing;
}

/* What it takes longer to know, in PIVOT. */
static void add_choices(struct efg_standing *standing, struct efg_thread *t, uint64_t now)
{
    efg_mainloop_list_pivots(t);
    standing->choice_count = s->pivot_count;
    standing->period = s->pivot_count ? period_of(t, &s->pivots[0], now) : 0;
}

/* While a round is under way, MPI holds a lock of its own where it looks at it. A signal handler that calls
 * MPI would wait for that lock for ever; without a round there is none. So handlers wait. */
static int post_vote(void)
{
    struct efg_signals signals;

    efg_signals_defer(&signals);
    int error = PMPI_Iallreduce(&rounds.vote, &rounds.result, 1, rounds.type, rounds.combine, job->comm,
                                &rounds.request);
    efg_signals_resume(&signals);
    return error;
}

/* Where ranks share a core, MPI gives it away in each test that finds nothing: so there are not many. */
static bool is_complete(uint64_t now)
{
    struct efg_signals signals;
    int done = 0;

    uint64_t pause = (rounds.tested_at - rounds.posted_at) / TEST_PART;
    if (now - rounds.tested_at <= (pause < TEST_PAUSE ? pause : TEST_PAUSE))
        return false;
    rounds.tested_at = now;
    efg_signals_defer(&signals);
    PMPI_Test(&rounds.request, &done, MPI_STATUS_IGNORE);
    efg_signals_resume(&signals);
    return done;
}

static void post(struct efg_thread *t, struct efg_standing *standing, uint64_t now)
{
    if (agree->round == EFG_ROUND_PIVOT)
        add_choices(standing, t, now);
    rounds.vote = efg_agree_vote(agree, standing);
    rounds.count++;
    rounds.posted_at = rounds.tested_at = now;
    if (post_vote() != MPI_SUCCESS)
        agree->round = EFG_ROUND_OVER;
}

/* --- alone --- */

/* Without the others: they never answered, or no window held. */
static void go_alone(struct efg_thread *t, uint64_t now)
{
    if (efg_mainloop_adopt_own(t, now))
        efg_act_alone(t, now);
}

/* How many times as long it takes as with a processor of its own: of this rank, as others' is not known. */
static double slowness(uint64_t now)
{
    double lasted = (double)(now - job->start), waited = (double)efg_processor_waited();

    return waited < lasted * (1 - 1 / SLOWEST) ? lasted / (lasted - waited) : SLOWEST;
}

/* A rank that makes no calls keeps the first round from its end. Others take a few samples, and longer where
 * they wait for a processor. */
static bool is_unanswered(uint64_t now)
{
    uint64_t patience =
        job->conf.patience + PATIENT_ROUNDS * efg_finder_pause(now - job->start, job->conf.interval);
    uint64_t waited = now - rounds.posted_at;
    return trigger->state <= EFG_PROVISIONAL && agree->round == EFG_ROUND_PROPOSE && agree->pending &&
           s->loop.function && agree->role != EFG_ALONE && !s->window_count && !efg_asked_is_shut(now) &&
           waited > patience && (double)waited > (double)patience * slowness(now);
}

void efg_rounds_consider_alone(struct efg_thread *t, uint64_t now)
{
    if (is_unanswered(now))
        go_alone(t, now);
}

/* --- results --- */

static void wait_for_loop(uint64_t now)
{
    int waits = agree->round == EFG_ROUND_PROPOSE && efg_ballot_winner(&rounds.result).loop &&
                (!s->loop.function || efg_ahead_is_on());
    rounds.waiting_since = !waits ? 0 : rounds.waiting_since ? rounds.waiting_since : now;
    rounds.waited = waits ? rounds.waited + 1 : 0;
}

static void take_elected(struct efg_candidate winner)
{
    efg_phases_name(agree);
    s->elected = winner.least;
    s->place = winner.level;
}

static void hear(struct efg_thread *t, uint64_t now)
{
    enum efg_verdict verdict = efg_agree_result(agree, &rounds.result, &t->tally);

    efg_coarse_hear((uint32_t)rounds.result.dropped);
    efg_coarse_follow(t, now);
    if (verdict == EFG_VERDICT_ELECTED)
        take_elected(efg_ballot_winner(&rounds.result));
    efg_act_obey(t, verdict, now);
    efg_ring_settle(t, now);
    if (verdict == EFG_VERDICT_FAILED && agree->role == EFG_OWNER && !agree->is_leaving && !agree->is_last &&
        !efg_asked_is_shut(now))
        go_alone(t, now);
    if (verdict == EFG_VERDICT_NONE || verdict == EFG_VERDICT_HOLDS)
        wait_for_loop(now);
}

/* What is in the ring does not stay there. Nor does a short loop wait for a collective that does not
 * come: where samples cost much, or are those of a rank that looks at the whole run, they are rare. */
static bool is_pressed(uint64_t now)
{
    uint64_t waited = now - rounds.posted_at, since = efg_phases_since();
    uint64_t lasted = now > since ? now - since : 0;

    return (agree->slow.is_on && waited >= efg_ring_pause()) ||
           (agree->round == EFG_ROUND_CALIBRATE && waited >= efg_finder_pause(lasted, job->conf.interval));
}

void efg_rounds_advance(struct efg_thread *t, uint64_t now, bool sample)
{
    if (efg_comms_are_expected())
        return;
    agree->asked = efg_asked_now();
    for (;;) {
        if (agree->pending && !is_complete(now))
            return;
        if (agree->pending)
            hear(t, now);
        if (agree->pending || agree->round == EFG_ROUND_OVER)
            return;
        struct efg_standing now_standing = standing(t, now, 0);
        if (!efg_agree_is_due(agree, &now_standing, sample || is_pressed(now)))
            return;
        post(t, &now_standing, now);
        sample = 0;
    }
}

/* --- the end --- */

void efg_rounds_finish(struct efg_thread *t, uint64_t now)
{
    while (agree->round != EFG_ROUND_OVER) {
        if (!agree->pending) {
            if (trigger->state == EFG_RECORDING) /* no iteration follows that would end it */
                efg_act_feed(t, EFG_IN_OVER, now);
            struct efg_standing last = standing(t, now, 1);
            post(t, &last, now);
        }
        if (PMPI_Wait(&rounds.request, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        hear(t, now);
    }
}

void efg_rounds_sum(uint64_t *all, int count)
{
    PMPI_Allreduce(MPI_IN_PLACE, all, count, MPI_UINT64_T, MPI_SUM, job->comm);
}
