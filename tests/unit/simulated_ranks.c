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

static int is_blind(const struct sim_world *w, const struct sim_rank *r, int phase)
{
    return phase == r->phase && r->iteration < w->plan.rank[index_of(w, r)].blind;
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
        if (sim_loop(p, other, r->dropped) == r->control.agree.loop)
            phase = p;
    for (int i = 0; i < SIM_PIVOTS && phase >= 0; i++) {
        int mine = (i + index_of(w, r)) % SIM_PIVOTS; /* each has another favourite */
        uint64_t hash = hash_of(w, phase * SIM_PIVOTS + mine);
        enum efg_pivot_class class = mine == 2 && w->plan.every ? EFG_PIVOT_WORLD : EFG_PIVOT_CALL;
        if (!(lacks >> mine & 1) && r->visits[phase][mine] && !is_blind(w, r, phase))
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
    if (r->control.trigger.state != EFG_PROVISIONAL || r->marked < 0)
        return UINT64_MAX;
    return r->tally.visits >= first_recorded(r) ? first_recorded(r) : UINT64_MAX;
}

static struct sim_window *present(struct sim_rank *r)
{
    assert_true(r->window_count < SIM_WINDOWS);
    return &r->windows[r->window_count];
}

/* Once it does, it always would. */
static bool would_pause(const struct sim_world *w, int rank)
{
    return w->plan.pauses && w->total[rank] >= w->plan.rank[rank].pauses;
}

static bool is_shut(const struct sim_world *w, const struct sim_rank *r)
{
    return w->plan.shuts && total_of(w, r) % w->plan.shuts >= w->plan.shuts / 2;
}

/* --- the ring --- */

/* The iteration that has this NUMBER. */
static uint64_t in_truth(const struct sim_rank *r, uint64_t number)
{
    return r->visited_in - (efg_control_number(&r->control, &r->tally) - number);
}

static struct efg_slow *slow_of(struct sim_rank *r)
{
    return &r->control.agree.slow;
}

/* Iterations before NUMBER leave the ring; what is wanted of them goes to the log. */
static void shrink_ring(struct sim_rank *r, uint64_t number)
{
    struct efg_slow *slow = slow_of(r);

    for (uint64_t n = slow->oldest; n < number && n < slow->newest; n++)
        if (efg_slow_has(slow, n)) {
            assert_true(r->kept_count < SIM_KEPT && r->is_recorded[n % SIM_RING]);
            r->kept[r->kept_count++] =
                (struct sim_kept){n, in_truth(r, n), 0, r->began[n % SIM_RING], r->began[(n + 1) % SIM_RING]};
        }
    efg_slow_drop(slow, number);
}

static void end_ring(struct sim_rank *r)
{
    efg_slow_end(slow_of(r));
    shrink_ring(r, UINT64_MAX);
}

static int has_ring(const struct sim_rank *r)
{
    enum efg_state state = r->control.trigger.state;
    const struct efg_agree *agree = &r->control.agree;

    return agree->slow.is_on && agree->role == EFG_OWNER && !r->is_full &&
           (state == EFG_PROPOSED || state == EFG_ARMED);
}

/* The marked pivot is visited. */
static void turn_ring(struct sim_world *w, struct sim_rank *r)
{
    struct efg_slow *slow = slow_of(r);

    r->is_full |= w->plan.fills && sim_roll(w->plan.fills) == 0;
    if (!has_ring(r)) {
        end_ring(r);
    } else if (!slow->is_recording) {
        efg_slow_begin(slow, efg_control_number(&r->control, &r->tally), efg_agree_phase(&r->control.agree));
    } else {
        efg_slow_add(slow, w->now - r->began[slow->newest % SIM_RING] + 1, true);
        if (slow->newest - slow->oldest >= w->plan.ring)
            shrink_ring(r, slow->newest - w->plan.ring / 2);
    }
    r->is_recorded[slow->newest % SIM_RING] = efg_slow_records(slow);
    r->began[slow->newest % SIM_RING] = w->now;
}

/* Iteration NUMBER of this rank, in the ring or in the log. */
static struct sim_kept find_kept(struct sim_rank *r, uint64_t number)
{
    for (int i = r->kept_count; i-- > 0 && number < slow_of(r)->oldest;)
        if (r->kept[i].number == number)
            return r->kept[i];
    return (struct sim_kept){.begun = r->began[number % SIM_RING],
                             .ended = r->began[(number + 1) % SIM_RING]};
}

/* --- slices of time --- */

/* They begin, or the older half of them leaves, but for what is wanted. */
static void turn_slices(struct sim_world *w, struct sim_rank *r)
{
    const struct efg_agree *agree = &r->control.agree;
    uint64_t room = w->plan.ring * (uint64_t)(SIM_PIVOTS + w->plan.worlds + w->plan.polls);

    r->is_full |= agree->slow.follows && w->plan.fills && sim_roll(50 * w->plan.fills) == 0;
    int may = agree->slow.is_on && agree->slow.follows && !r->is_full;
    if (may && !r->has_slices)
        r->sliced = w->now;
    else if (may && w->now - r->sliced > room)
        r->sliced = w->now - room / 2;
    r->has_slices = may;
}

/* What is asked for is placed: it stays, if it is here. */
static void secure(struct sim_rank *r)
{
    const struct efg_slow_one *asked = &slow_of(r)->asked;

    if (asked->score && asked->ended)
        r->secured = r->has_slices && r->sliced <= asked->begun ? asked->number : SIM_UNKNOWN;
}

/* By number, among those that are not final. */
static void add_sliced(struct sim_rank *r, uint64_t number)
{
    int at = r->kept_count;

    for (; at > 0 && !r->kept[at - 1].is_final && r->kept[at - 1].number >= number; at--)
        if (r->kept[at - 1].number == number)
            return;
    assert_true(r->kept_count < SIM_KEPT);
    memmove(&r->kept[at + 1], &r->kept[at], (size_t)(r->kept_count++ - at) * sizeof *r->kept);
    r->kept[at] = (struct sim_kept){.number = number, .truth = SIM_UNKNOWN};
}

static int has_all(const struct sim_rank *r, uint64_t first, uint64_t last)
{
    uint64_t found = 0;

    for (int k = 0; k < r->kept_count; k++)
        found += !r->kept[k].is_final && r->kept[k].number >= first && r->kept[k].number <= last;
    return found == last - first + 1;
}

static void keep_slices(struct sim_world *w, struct sim_rank *r)
{
    struct efg_slow *slow = slow_of(r);

    for (uint32_t i = 0; i < slow->count; i++) {
        const struct efg_slow_one *one = &slow->kept[i];
        if (has_all(r, one->number - slow->around, one->number + slow->around))
            continue;
        assert_true(one->ended && one->begun < one->ended && r->secured == one->number);
        assert_true(w->now >= one->ended);
        for (uint64_t n = one->number - slow->around; n <= one->number + slow->around; n++)
            add_sliced(r, n);
    }
    secure(r);
}

struct sim_span {
    uint64_t begun, ended;
};

/* Of what is asked for, or of the slices, which in MPI_Finalize have all that may yet come. */
static struct sim_span slow_span(struct sim_world *w, struct sim_rank *r, int leaving)
{
    struct efg_slow *slow = slow_of(r);
    uint64_t number = slow->asked.number;

    if (slow->follows)
        return r->has_slices ? (struct sim_span){r->sliced, leaving ? UINT64_MAX : w->now}
                             : (struct sim_span){UINT64_MAX, 0};
    if (!slow->asked.score || slow->lacks || number + slow->around >= slow->newest)
        return (struct sim_span){0, 0};
    return (struct sim_span){find_kept(r, number - slow->around).begun,
                             find_kept(r, number + slow->around).ended};
}

static struct efg_standing standing(struct sim_world *w, struct sim_rank *r, int leaving)
{
    int i = index_of(w, r), is_known = has_found(w, r, r->phase);
    int phase = is_known ? r->phase : r->phase - 1;
    int has = has_found(w, r, phase) && r->ticks >= r->ahead_until;
    struct sim_window *now = present(r);
    struct sim_span slow = slow_span(w, r, leaving);
    return (struct efg_standing){
        .leaving = leaving,
        .dropped = r->dropped,
        .time = w->now,
        .loop = has ? sim_loop(phase, w->plan.rank[i].loop, r->dropped) : 0,
        .iterations = phase == r->phase ? r->iteration
                      : phase >= 0      ? w->plan.iterations[phase]
                                        : 0,
        .has_given_up = total_of(w, r) >= w->plan.rank[i].gives_up,
        .choices = r->choices,
        .choice_count = r->choice_count,
        .period = w->plan.rank[i].period * (r->control.agree.tries < w->plan.rank[i].late ? 3 : 1),
        .hash = r->marked >= 0 ? hash_of(w, r->marked) : 0,
        .tally = &r->tally,
        .whole = first_whole(r),
        .state = r->control.trigger.state,
        .is_lost = is_silent(w, r),
        .step = w->plan.steps ? sim_roll(w->plan.steps) ? 1u << sim_roll(5) : 0 : 1,
        .would_pause = would_pause(w, i),
        .is_rough = w->plan.is_rough && i == w->plan.ranks - 1,
        .is_shut = is_shut(w, r),
        .has_ring = !r->is_full || i % 2, /* it may say so, or only lack what is asked for */
        .end = now->end,
        .begun = now->begun,
        .ended = now->ended,
        .slow_begun = slow.begun,
        .slow_ended = slow.ended,
    };
}

/* What is no longer wanted of what is in the log; and the ring, where there is none any more. */
static void sweep(struct sim_rank *r)
{
    int left = 0;

    if (!has_ring(r) && !r->is_leaving)
        end_ring(r);
    if (slow_of(r)->follows && (slow_of(r)->is_on || r->was_on))
        keep_slices(r->world, r);
    r->was_on = slow_of(r)->is_on;
    for (int i = 0; i < r->kept_count; i++)
        if (r->kept[i].is_final || efg_slow_has(slow_of(r), r->kept[i].number)) {
            r->kept[left] = r->kept[i];
            r->kept[left++].is_final |= !slow_of(r)->is_on;
        }
    r->kept_count = left;
}

/* --- what the runtime does --- */

static void mark(struct sim_world *w, struct sim_rank *r)
{
    uint32_t taken = efg_agree_choice(&r->control.agree, r->choices, r->choice_count);

    r->marked = pivot_of(w, r->choices[taken].hash);
    assert_true(r->marked >= 0);
    efg_tally_mark(&r->tally, r->visits[r->marked / SIM_PIVOTS][r->marked % SIM_PIVOTS]);
    r->visited_at = r->ticks;
    r->visited_in = total_of(w, r) - (r->slot <= 2 * (r->marked % SIM_PIVOTS));
}

static void open_window(struct sim_world *w, struct sim_rank *r, uint64_t number)
{
    int is_provisional = r->control.trigger.state == EFG_PROVISIONAL;

    assert_false(r->is_recording);
    r->is_recording = 1;
    memcpy(r->opened_with, r->visits, sizeof r->visits);
    w->opened_provisionally += is_provisional;
    if (!is_provisional)
        assert_int_equal(number, r->control.trigger.first);
    *present(r) = (struct sim_window){.part = r->control.agree.part,
                                      .is_asked = r->control.agree.asking != 0,
                                      .first = r->control.trigger.first,
                                      .from = r->visited_in,
                                      .begun = w->now};
}

static void keep_window(struct sim_rank *r, uint64_t number)
{
    struct sim_window *now = present(r);

    assert_true(r->is_recording);
    assert_true(r->control.agree.is_past);
    now->first = r->control.trigger.first;
    now->part = r->control.agree.part;
    assert_true(now->first >= number - r->tally.visits + first_recorded(r));
    now->from = in_truth(r, now->first);
}

static void close_window(struct sim_world *w, struct sim_rank *r, uint64_t number)
{
    struct sim_window *now = present(r);
    uint64_t last = r->control.trigger.first + r->control.trigger.length;

    assert_true(r->is_recording);
    r->is_recording = 0;
    now->end = number < last ? number : last;
    now->to = in_truth(r, now->end);
    now->ended = w->now;
}

/* A window of this loop that others have given up is given up here. */
static void drop_windows(struct sim_rank *r)
{
    const struct efg_agree *agree = &r->control.agree;
    int left = 0;

    for (int i = 0; i < r->window_count; i++)
        if (r->windows[i].is_asked || r->windows[i].loop != agree->loop ||
            r->windows[i].part != agree->part || efg_spread_has(&agree->spread, r->windows[i].first))
            r->windows[left++] = r->windows[i];
    r->window_count = left;
}

static void settle(struct sim_world *w, struct sim_rank *r, int is_owner)
{
    const struct efg_agree *agree = &r->control.agree;
    struct sim_window *now = present(r);

    assert_int_equal(is_owner, agree->role == EFG_OWNER);
    if (is_owner) {
        assert_int_equal(now->first, r->control.trigger.first);
        assert_true(now->end >= agree->end && agree->end > now->first);
        now->to -= now->end - agree->end;
    }
    now->first = r->control.trigger.first;
    now->end = agree->end;
    now->loop = agree->loop;
    now->is_owner = is_owner;
    now->is_settled = 1;
    assert_true(agree->begun <= agree->ended && agree->ended <= w->now);
    r->is_recording = 0;
    r->window_count++;
    *present(r) = (struct sim_window){0};
    drop_windows(r);
}

static void act(void *context, enum efg_action action)
{
    struct sim_rank *r = context;
    struct sim_world *w = r->world;
    uint64_t number = efg_control_number(&r->control, &r->tally);

    if (action == EFG_DO_OPEN || action == EFG_DO_FOLLOW || action == EFG_DO_FORGET)
        end_ring(r);
    switch (action) {
    case EFG_DO_MARK:
        mark(w, r);
        break;
    case EFG_DO_OPEN:
        open_window(w, r, number);
        break;
    case EFG_DO_FOLLOW:
        r->is_recording = 1;
        *present(r) =
            (struct sim_window){.part = r->control.agree.part, .is_asked = r->control.agree.asking != 0};
        break;
    case EFG_DO_KEEP:
        keep_window(r, number);
        break;
    case EFG_DO_CLOSE:
    case EFG_DO_CUT:
        close_window(w, r, number);
        break;
    case EFG_DO_SETTLE:
    case EFG_DO_TRIM:
        settle(w, r, action == EFG_DO_SETTLE);
        break;
    case EFG_DO_DISCARD:
    case EFG_DO_FORGET:
        r->is_recording = 0;
        *present(r) = (struct sim_window){0};
        if (action == EFG_DO_FORGET)
            r->marked = -1;
        break;
    case EFG_DO_NOTHING:
        break;
    }
}

#define HANDS(rank) (&(struct efg_control_hands){act, rank})

static void feed(struct sim_rank *r, enum efg_trigger_input input)
{
    efg_control_feed(&r->control, input, HANDS(r));
}

static void hear(struct sim_world *w, struct sim_rank *r)
{
    const struct efg_vote *result = &w->result[r->round % 2];

    r->dropped |= (uint32_t)result->dropped;
    enum efg_verdict verdict = efg_agree_result(&r->control.agree, result, &r->tally);
    w->verdicts[verdict] += r == w->rank;
    efg_control_obey(&r->control, verdict, &r->tally, HANDS(r));
    sweep(r);
}

static void vote(struct sim_world *w, struct sim_rank *r, int leaving)
{
    gather(w, r);
    struct efg_standing s = standing(w, r, leaving);
    enum efg_round kind = r->control.agree.round;
    struct efg_vote one = efg_agree_vote(&r->control.agree, &s);
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
        if (r->control.agree.pending) {
            if (!is_complete(w, r) || sim_roll(w->plan.slow))
                return;
            hear(w, r);
        }
        struct efg_standing s = standing(w, r, 0);
        if (!efg_agree_is_due(&r->control.agree, &s, sample))
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
    if (w->plan.pauses && r->control.agree.round == EFG_ROUND_OVER && sim_roll(2))
        return; /* nothing is watched */
    efg_tally_visit(&r->tally);
    r->visited_at = r->ticks;
    r->visited_in = total_of(w, r);
    efg_control_visit(&r->control, &r->tally, HANDS(r));
    turn_ring(w, r);
}

/* MPI_Finalize: votes and waits; never anything else. */
void sim_finalize(struct sim_world *w, struct sim_rank *r)
{
    if (r->control.agree.pending && is_complete(w, r))
        hear(w, r);
    if (r->control.trigger.state == EFG_RECORDING)
        feed(r, EFG_IN_OVER);
    r->is_leaving = 1;
    efg_slow_end(slow_of(r)); /* what is in the ring stays there */
    if (r->control.agree.round == EFG_ROUND_OVER) {
        end_ring(r);
        sweep(r);
        w->done += !r->is_done++;
    } else if (!r->control.agree.pending)
        vote(w, r, 1);
}

/* In some iterations, which are the same ones on all ranks; but not all ranks do. */
static void ask(const struct sim_world *w, struct sim_rank *r)
{
    uint64_t total = total_of(w, r);

    if (!w->plan.asks || total % w->plan.asks || total <= r->asked_in)
        return;
    r->asked_in = total;
    r->asked = total / w->plan.asks;
    if (sim_roll(4) || r == w->rank)
        r->control.agree.asked = efg_agree_ask(r->asked, 1 + r->asked % 4);
}

/* Its window ends, or it has no pivot of the present loop any more; and it votes for none for a while. */
static void go_ahead(const struct sim_world *w, struct sim_rank *r)
{
    if (!w->plan.aheads || sim_roll(w->plan.aheads))
        return;
    if (r->control.trigger.state == EFG_RECORDING && r->tally.visits > first_recorded(r))
        feed(r, EFG_IN_OVER);
    if (r->control.trigger.state > EFG_PROVISIONAL || r->control.agree.round != EFG_ROUND_PROPOSE)
        return;
    efg_control_lose(&r->control, HANDS(r));
    r->marked = -1;
    r->ahead_until = r->ticks + sim_roll(500);
}

void sim_steer(struct sim_world *w, struct sim_rank *r)
{
    int i = index_of(w, r);
    if (w->plan.rank[i].drops && sim_roll(100) == 0)
        r->dropped |= w->plan.rank[i].drops & (1u << sim_roll(20));
    if (w->plan.is_long && total_of(w, r) >= w->plan.is_long && !r->is_recording &&
        efg_agree_wants(&r->control.agree, standing(w, r, 0).loop)) {
        feed(r, EFG_IN_LONG);
        if (r->control.trigger.state == EFG_READY)
            feed(r, EFG_IN_FIRST); /* its own pivot is visited */
    }
    if (r->control.trigger.state == EFG_RECORDING && (is_silent(w, r) || is_shut(w, r)))
        feed(r, EFG_IN_OVER);
    go_ahead(w, r);
    ask(w, r);
    turn_slices(w, r);
    advance(w, r, sim_roll(w->plan.sample) == 0);
}
