/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples and pivot visits: here the graph becomes a decision. The ranks' votes
 * travel by MPI_Iallreduce on a private communicator; a round is posted and tested only
 * when the leader samples or visits its pivot, and waited for in MPI_Finalize only.
 *
 *     sample -> pivot found? -> vote .. result -> trigger: armed
 *     visit  -> trigger: first? last? -> recorder
 *
 * What follows for the pivot and the windows of this rank is in mainloop.c.
 */
#include "runtime/windows.h"

#include "runtime/clock.h"
#include "runtime/mainloop.h"
#include "runtime/save.h"
#include "runtime/signals.h"

#define PATIENT_ROUNDS 5
#define ROUND_PAUSE 1000000 /* ns between tests of a round */
#define SAMPLES 400         /* they take one part in so many of the time */
#define FEW_EVENTS \
    100 /* a thread with fewer events than this part of another's does not lead */

static struct efg_process *const p = &efg_process;

/* --- rounds --- */

static void combine(void *one, void *all, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        efg_agree_combine((struct efg_vote *)all + i, (const struct efg_vote *)one + i);
}

int efg_steer_init(void)
{
    efg_agree_init(&p->agree, p->conf.mode == EFG_MODE_ADAPTIVE ? p->conf.windows : 0,
                   p->conf.skip);
    return PMPI_Type_contiguous((int)sizeof p->vote, MPI_BYTE, &p->vote_type) != MPI_SUCCESS ||
                   PMPI_Type_commit(&p->vote_type) != MPI_SUCCESS ||
                   PMPI_Op_create(combine, 1, &p->vote_op) != MPI_SUCCESS
               ? -1
               : 0;
}

/* This rank has found no pivot, though others have, and has looked for one long enough. */
static int has_given_up(uint64_t now)
{
    return p->waiting_since && p->waited >= PATIENT_ROUNDS &&
           now - p->waiting_since >= p->conf.patience;
}

static uint64_t realtime(uint64_t since_start)
{
    return p->sync.sync.realtime +
           (p->start + since_start - p->sync.sync.ticks); /* ticks are ns */
}

static struct efg_standing standing(uint64_t now, int leaving)
{
    const struct efg_run_window *w = efg_windows_last();
    int is_done = p->trigger.state == EFG_DONE && w;
    return (struct efg_standing){
        .has_pivot = p->pivot.kind != EFG_PIVOT_NONE,
        .has_given_up = has_given_up(now),
        .world = p->pivot.world,
        .period = (uint64_t)p->pivot.period,
        .hash = p->pivot.hash,
        .dropped = p->leader->graph.dropped,
        .peers = p->peers,
        .peer_count = p->peer_count,
        .visits = p->visits,
        .is_open = p->trigger.state == EFG_RECORDING,
        .is_done = p->trigger.state == EFG_DONE,
        .begun = is_done ? realtime(w->start) : 0,
        .ended = is_done ? realtime(w->end) : 0,
        .is_lost = p->is_silent && p->trigger.state == EFG_ARMED,
        .leaving = leaving,
    };
}

static void post(uint64_t now, int leaving)
{
    if (p->agree.round == EFG_ROUND_PROPOSE && p->pivot.kind != EFG_PIVOT_NONE) {
        p->peers[0] = p->pivot.hash;
        p->peer_count =
            1 + efg_pivot_peers(p->leader->finder, &p->pivot, p->peers + 1, EFG_PEERS - 1);
    }
    struct efg_standing s = standing(now, leaving);
    p->vote = efg_agree_vote(&p->agree, &s);
    p->rounds++;
    p->posted_at = now;
    if (PMPI_Iallreduce(&p->vote, &p->result, 1, p->vote_type, p->vote_op, p->comm,
                        &p->round) != MPI_SUCCESS)
        p->agree.round = EFG_ROUND_OVER;
}

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
    p->is_alone = 1;
    p->trigger.first = lonely_place(p->visits);
    p->trigger.length = p->conf.iterations;
    efg_mainloop_carry_out(t, efg_trigger_step(&p->trigger, EFG_IN_PIVOT), now);
    efg_mainloop_carry_out(t, efg_trigger_step(&p->trigger, EFG_IN_PLACED), now);
    efg_tracer_tell(
        now, "the ranks do not agree in time: recording from iteration %llu on all the same",
        (unsigned long long)p->trigger.first);
}

/* A rank that makes no calls keeps the first round from its end. Others take a few samples. */
static int is_unanswered(uint64_t now)
{
    uint64_t patience =
        p->conf.patience + PATIENT_ROUNDS * efg_pivot_pause(now - p->start, p->conf.interval);
    return p->trigger.state == EFG_WATCHING && p->agree.round == EFG_ROUND_PROPOSE &&
           p->agree.pending && p->pivot.kind != EFG_PIVOT_NONE && now - p->posted_at > patience;
}

static void wait_for_pivot(uint64_t now)
{
    int waits = p->agree.round == EFG_ROUND_PROPOSE && p->result.best &&
                p->pivot.kind == EFG_PIVOT_NONE;
    p->waiting_since = !waits ? 0 : p->waiting_since ? p->waiting_since : now;
    p->waited = waits ? p->waited + 1 : 0;
}

static void place(struct efg_thread *t, uint64_t now)
{
    if (p->agree.is_owner) {
        p->trigger.first = p->agree.first;
        p->trigger.length = p->conf.iterations;
    }
    p->is_placed = 0;
    efg_tracer_tell(now, "the ranks agreed to record from iteration %llu on",
                    (unsigned long long)p->agree.first);
    if (!p->agree.is_owner && !p->is_alone)
        efg_windows_follow(t, now);
    else if (p->agree.is_owner && p->visits < p->trigger.first)
        efg_mainloop_carry_out(t, efg_trigger_step(&p->trigger, EFG_IN_PLACED), now);
}

/* The window does not hold. */
static void give_back(struct efg_thread *t, uint64_t now, enum efg_input why)
{
    if (p->is_following) {
        p->is_following = 0;
        efg_windows_discard(t);
    }
    efg_mainloop_carry_out(t, efg_trigger_step(&p->trigger, why), now);
    if (p->agree.round == EFG_ROUND_OVER && p->agree.is_owner && !p->result.leaving)
        go_alone(t, now);
}

/* All owners are done with the window. */
static void settle(struct efg_thread *t, uint64_t now)
{
    if (p->is_following)
        efg_windows_trim(t, now, (uint64_t)-p->result.begun, (uint64_t)p->result.ended);
    if (efg_windows_last() && !p->is_alone)
        efg_windows_last()->agreed = 1;
}

static void hear(struct efg_thread *t, enum efg_verdict verdict, uint64_t now)
{
    efg_coarse_hear((uint32_t)p->result.dropped);
    efg_coarse_follow(t, now);
    switch (verdict) {
    case EFG_VERDICT_PIVOT:
        p->agree.is_owner = !p->is_alone && efg_mainloop_owns_window(t, now);
        if (p->agree.is_owner)
            efg_mainloop_carry_out(t, efg_trigger_step(&p->trigger, EFG_IN_PIVOT), now);
        break;
    case EFG_VERDICT_PLACED:
        place(t, now);
        break;
    case EFG_VERDICT_LATE:
        give_back(t, now, EFG_IN_LATE);
        break;
    case EFG_VERDICT_HOLDS:
        p->is_placed = 1;
        break;
    case EFG_VERDICT_DONE:
        settle(t, now);
        break;
    case EFG_VERDICT_NEXT:
        settle(t, now);
        if (!p->is_alone)
            efg_mainloop_carry_out(t, efg_trigger_step(&p->trigger, EFG_IN_NEXT), now);
        break;
    case EFG_VERDICT_LOST:
        give_back(t, now, EFG_IN_LOST);
        break;
    case EFG_VERDICT_OVER:
    case EFG_VERDICT_NONE:
        wait_for_pivot(now);
        break;
    }
}

/* Take results and vote, as far as that is possible without waiting. */
static void advance(struct efg_thread *t, uint64_t now, int sample)
{
    if (efg_comms_are_expected())
        return;
    for (;;) {
        int done = 0;
        if (p->agree.pending) {
            PMPI_Test(&p->round, &done, MPI_STATUS_IGNORE);
            if (!done)
                return;
            hear(t, efg_agree_result(&p->agree, &p->result, p->visits), now);
        }
        if (!efg_agree_is_due(&p->agree, sample, p->trigger.state == EFG_DONE))
            return;
        post(now, 0);
        sample = 0;
    }
}

/* --- events --- */

/* The next visit may begin or end a window, or bring the ranks nearer to one. */
static void update_awaiting(struct efg_thread *t)
{
    t->is_awaiting = p->agree.round != EFG_ROUND_OVER || p->trigger.state == EFG_ARMED ||
                     p->trigger.state == EFG_RECORDING;
}

void efg_steer_count(struct efg_thread *t, uint64_t now)
{
    p->visits++;
    efg_iterations_count(t, now);
}

void efg_steer_visit(struct efg_thread *t, uint64_t now)
{
    efg_steer_count(t, now);
    enum efg_state before = p->trigger.state;
    enum efg_action action = efg_trigger_visit(&p->trigger, p->visits);
    if (before == EFG_RECORDING && action == EFG_DO_NOTHING) {
        efg_recorder_next(&t->recorder, now, p->visits);
        efg_windows_count(t);
        if (t->recorder.failed)
            action = efg_trigger_step(&p->trigger, EFG_IN_LIMIT);
    }
    efg_mainloop_carry_out(t, action, now);
    if (p->agree.round != EFG_ROUND_OVER)
        advance(t, now, 0);
    update_awaiting(t);
}

static uint64_t events(const struct efg_thread *t)
{
    return t->graph.events + t->backlog.count;
}

/* Where the thread of MPI_Init does nothing, one that does takes over. */
static void elect(struct efg_thread *t)
{
    if (t == p->leader || p->pivot.kind != EFG_PIVOT_NONE || p->agree.pending)
        return;
    pthread_mutex_lock(&p->lock);
    if (events(p->leader) * FEW_EVENTS < events(t))
        p->leader = t;
    pthread_mutex_unlock(&p->lock);
}

static int is_watching(void)
{
    return p->trigger.state == EFG_WATCHING && p->agree.round != EFG_ROUND_OVER;
}

/* What was voted with is not changed before the result is there. */
static int is_frozen(void)
{
    return p->agree.pending && p->pivot.kind != EFG_PIVOT_NONE;
}

static void look_for_pivot(struct efg_thread *t, uint64_t now)
{
    struct efg_pivot pivot = {0};
    int is_found = efg_pivot_sample(t->finder, now, &pivot);

    if (is_frozen())
        return;
    if (is_found)
        efg_mainloop_adopt(t, &pivot, now);
    else if (p->pivot.kind != EFG_PIVOT_NONE)
        efg_mainloop_forget(t);
    if (is_found && efg_pivot_is_silent(t->finder, now))
        efg_mainloop_carry_out(t, EFG_DO_FORGET, now);
}

static void full_sample(struct efg_thread *t, uint64_t now)
{
    t->next_full_sample = now + efg_pivot_pause(now - p->start, p->conf.interval);
    efg_coarse_follow(t, now);
    efg_stability_sample(&t->stability, &t->graph, now);
    efg_order_settle(&t->order);
    elect(t);
    if (t != p->leader || !t->finder)
        return;
    if (is_watching() || p->conf.mode != EFG_MODE_ADAPTIVE)
        look_for_pivot(t, now);
    else
        p->is_silent = efg_pivot_is_silent(t->finder, now);
    if (p->conf.mode == EFG_MODE_ADAPTIVE)
        advance(t, now, 1);
    if (p->conf.mode == EFG_MODE_ADAPTIVE && is_unanswered(now))
        go_alone(t, now);
}

/* Samples of a graph of 100,000 nodes take some 50 ms: they take one part in SAMPLES of the
 * time at most. */
static void bound_samples(struct efg_thread *t, uint64_t now, uint64_t took)
{
    uint64_t next = now + took * SAMPLES;
    if (next > t->next_full_sample)
        t->next_full_sample = next;
}

static void sample(struct efg_thread *t, uint64_t now)
{
    efg_tracer_settle(t, now);
    uint64_t begin = efg_clock_cpu();
    if (now >= t->next_full_sample) {
        full_sample(t, now);
        bound_samples(t, now, efg_clock_cpu() - begin);
    } else if (t == p->leader) {
        advance(t, now, 0);
    }
    update_awaiting(t);
    t->next_sample = t->next_full_sample;
    /* Without visits of a pivot nothing else moves the rounds on. */
    if (t == p->leader && p->agree.pending && !p->agree.is_owner &&
        now + ROUND_PAUSE < t->next_sample)
        t->next_sample = now + ROUND_PAUSE;
    t->cost.rare += efg_clock_cpu() - begin;
    if (now >= t->next_save)
        efg_save(t, now);
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
    int has_left = 0;
    while (p->agree.round != EFG_ROUND_OVER) {
        if (!p->agree.pending && !has_left) {
            post(now, 1);
            has_left = 1;
        }
        if (PMPI_Wait(&p->round, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        hear(t, efg_agree_result(&p->agree, &p->result, p->visits), now);
    }
}

void efg_steer_finish(uint64_t now, int collective)
{
    struct efg_thread *t = p->leader;
    if (!t)
        return;
    if (p->trigger.state == EFG_RECORDING && p->conf.mode == EFG_MODE_ADAPTIVE) {
        p->trigger.state = EFG_DONE;
        efg_windows_close(t, now, 0);
    }
    if (p->conf.mode == EFG_MODE_ADAPTIVE && collective)
        last_rounds(t, now);
    if (collective) {
        PMPI_Op_free(&p->vote_op);
        PMPI_Type_free(&p->vote_type);
    }
    if (p->is_following)
        give_back(t, now, EFG_IN_LATE);
    if (p->is_placed && efg_windows_last() && !p->is_alone)
        efg_windows_last()->agreed = 1;
    for (struct efg_thread *other = p->threads; other; other = other->next)
        if (other->recorder.is_on)
            efg_recorder_end(&other->recorder, now, 0, 0);
}
