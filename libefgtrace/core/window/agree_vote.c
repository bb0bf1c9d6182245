/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank votes, round by round. Invariant: a rank that follows says nothing of a pivot;
 * what a round does not ask for stays neutral.
 */
#include "agree.h"

#include <string.h>

#define FEW_VISITS 3                        /* in which a world collective may still come */
#define HASH(hash) ((int64_t)((hash) >> 2)) /* so that its negative is no EFG_BALLOT_NONE */

/* Whether this rank still has to do something for the window. One who leaves before it begins
 * will never make it. */
static bool is_undone(const struct efg_agree *agree, const struct efg_standing *s)
{
    if (agree->role != EFG_OWNER)
        return false;
    return s->state == EFG_RECORDING || (s->state == EFG_ARMED && !s->is_lost && !s->leaving);
}

/* A world collective since the pivot was marked on all ranks; if there are none at all,
 * without. */
static bool is_calibrated(const struct efg_agree *agree, const struct efg_tally *tally)
{
    return !tally->worlds || (tally->worlds > tally->marked && tally->worlds > agree->marked);
}

bool efg_agree_is_due(const struct efg_agree *agree, const struct efg_standing *s, int sample)
{
    if (agree->pending || agree->is_leaving || agree->round == EFG_ROUND_OVER)
        return false;
    if (sample)
        return true;
    switch (agree->round) {
    case EFG_ROUND_PROPOSE:
        return !s->is_shut && efg_agree_is_pressing(agree);
    case EFG_ROUND_PIVOT: /* periods are measured again */
        return !agree->tries;
    case EFG_ROUND_CALIBRATE:
        return agree->role != EFG_OWNER || is_calibrated(agree, s->tally);
    case EFG_ROUND_CHECK:
        return !is_undone(agree, s);
    default:
        return true;
    }
}

static void say_loop(struct efg_vote *vote, const struct efg_standing *s)
{
    if (s->loop)
        vote->loops[0] = (struct efg_candidate){.loop = s->loop,
                                                .least = s->iterations,
                                                .most = s->iterations,
                                                .ranks = 1,
                                                .place = s->place,
                                                .least_mark = s->mark,
                                                .most_mark = s->mark};
    else if (!s->has_given_up && !s->leaving)
        vote->flags |= EFG_VOTE_LACKING;
    if (s->state == EFG_PROVISIONAL)
        vote->flags |= EFG_VOTE_RECORDS;
}

/* What others have to know of each rank, even of one that is alone. */
static void say_always(struct efg_vote *vote, const struct efg_standing *s)
{
    if (s->leaving)
        vote->flags |= EFG_VOTE_LEAVING;
    if (s->would_pause)
        vote->flags |= EFG_VOTE_RESTS;
    if (s->is_shut)
        vote->flags |= EFG_VOTE_SHUT;
    vote->time = (int64_t)s->time;
    vote->dropped = s->dropped;
    vote->kept = ~(uint64_t)s->dropped;
}

static void say_choices(struct efg_agree *agree, struct efg_vote *vote, const struct efg_standing *s)
{
    agree->role = s->choice_count ? EFG_OWNER : EFG_FOLLOWER;
    agree->has_lost = false;
    if (agree->role == EFG_FOLLOWER)
        return;
    agree->period = efg_ballot_period(s->period);
    efg_ballot_time(vote, agree->period);
    efg_ballot_choose(vote, s->choices, s->choice_count);
}

static void say_worlds(struct efg_vote *vote, const struct efg_tally *tally)
{
    vote->worlds = (int64_t)tally->worlds;
    vote->passed = -(int64_t)tally->worlds;
    vote->marked = (int64_t)tally->marked;
}

/* If one has come on this rank, others come to it too. */
static bool is_waiting(const struct efg_standing *s)
{
    const struct efg_tally *tally = s->tally;
    return !s->is_lost && (tally->visits - tally->marked_with < FEW_VISITS || tally->worlds > tally->marked);
}

static void say_pivot(struct efg_vote *vote, const struct efg_standing *s)
{
    vote->most_hash = HASH(s->hash);
    vote->least_hash = -vote->most_hash;
    if (is_waiting(s))
        vote->flags |= EFG_VOTE_WAITING;
}

/* Others hear of the pivot later than this rank, but not later than its second vote since then. */
static void count_steps(struct efg_agree *agree, uint64_t visits)
{
    if (!agree->marked_votes)
        agree->from = visits;
    if (agree->marked_votes < 2)
        agree->after = visits;
    agree->marked_votes++;
}

static void say_steps(const struct efg_agree *agree, struct efg_vote *vote, uint64_t visits)
{
    vote->number = (int64_t)(visits - agree->after);
    vote->least_number = -(int64_t)(visits - agree->from);
}

static void say_place(const struct efg_agree *agree, struct efg_vote *vote, const struct efg_standing *s)
{
    int64_t since = (int64_t)(s->tally->visits - agree->at_anchor);

    if (!agree->knows_anchor) {
        vote->flags |= EFG_VOTE_UNKNOWN;
        return;
    }
    vote->base = (int64_t)agree->at_anchor;
    vote->margin = (int64_t)agree->took + (agree->took ? 2 : 1); /* long ones are not to be missed */
    vote->soonest = since + vote->margin + (agree->made ? 0 : (int64_t)agree->skip);
    if (s->state == EFG_PROVISIONAL && s->whole != UINT64_MAX)
        vote->whole = (int64_t)(s->whole - agree->at_anchor);
    else
        vote->flags |= EFG_VOTE_UNWHOLE;
}

/* Numbers at the collective that is watched, and now. */
static void say_numbers(const struct efg_agree *agree, struct efg_vote *vote, const struct efg_tally *tally)
{
    uint64_t visits;

    vote->number = (int64_t)efg_agree_number(agree, tally);
    if (!agree->watched || efg_tally_at(tally, agree->watched, &visits) != EFG_TALLY_KNOWN)
        return;
    vote->most_count = (int64_t)(visits - agree->at_anchor + agree->base);
    vote->least_count = -vote->most_count;
}

static void say_in_time(const struct efg_agree *agree, struct efg_vote *vote, const struct efg_standing *s)
{
    bool is_open = s->state == EFG_RECORDING || s->state == EFG_DONE;
    if (!is_open &&
        (s->leaving || s->state != EFG_ARMED || efg_agree_number(agree, s->tally) >= agree->first))
        vote->flags |= EFG_VOTE_LATE;
}

/* A window that this rank will not make has no iterations. */
static void say_done(struct efg_agree *agree, struct efg_vote *vote, const struct efg_standing *s)
{
    if (s->state == EFG_RECORDING || s->state == EFG_DONE)
        vote->flags |= EFG_VOTE_OPENED;
    if (is_undone(agree, s)) {
        vote->flags |= EFG_VOTE_UNDONE;
        return;
    }
    if (s->is_rough)
        vote->flags |= EFG_VOTE_ROUGH;
    vote->end = -(int64_t)(s->state == EFG_DONE ? s->end : agree->first);
    agree->voted_begun = s->begun;
    if (s->begun) {
        vote->last_begun = (int64_t)s->begun;
        vote->begun = -vote->last_begun;
    }
    if (s->ended) {
        vote->ended = (int64_t)s->ended;
        vote->first_ended = -vote->ended;
    }
}

static void say_as_owner(struct efg_agree *agree, struct efg_vote *vote, const struct efg_standing *s)
{
    vote->flags |= EFG_VOTE_OWNS;
    if (agree->round == EFG_ROUND_PIVOT)
        return;
    say_worlds(vote, s->tally);
    if (agree->round <= EFG_ROUND_COMPARE)
        count_steps(agree, s->tally->visits);
    if (agree->round == EFG_ROUND_CALIBRATE) {
        say_pivot(vote, s);
    } else if (agree->round == EFG_ROUND_COMPARE) {
        say_steps(agree, vote, s->tally->visits);
    } else if (agree->round == EFG_ROUND_PLACE) {
        say_place(agree, vote, s);
    } else {
        say_numbers(agree, vote, s->tally);
        if (agree->round == EFG_ROUND_CONFIRM)
            say_in_time(agree, vote, s);
        if (agree->round == EFG_ROUND_CHECK)
            say_done(agree, vote, s);
    }
}

/* Whether this rank counts the iterations of the loop, or has counted them until it went on to the next one,
 * or follows: then the others may keep what it has. */
static struct efg_slow_state slow_state(const struct efg_agree *agree, const struct efg_standing *s)
{
    bool has_any = agree->role == EFG_OWNER || agree->has_lost || s->leaving || agree->slow.follows;

    return (struct efg_slow_state){s->has_ring && has_any, s->step, s->slow_begun, s->slow_ended};
}

/* In a window that has begun already there would be nothing of this rank, which follows. In MPI_Finalize no
 * other window comes any more. */
static bool lacks_past(const struct efg_agree *agree, const struct efg_standing *s)
{
    return agree->role == EFG_FOLLOWER && (agree->has_lost || (s->state != EFG_PROVISIONAL && !s->leaving));
}

struct efg_vote efg_agree_vote(struct efg_agree *agree, const struct efg_standing *s)
{
    struct efg_vote vote;
    efg_ballot_init(&vote);
    say_always(&vote, s);
    if (agree->asked)
        vote.asked = (int64_t)agree->asked;
    if (agree->role != EFG_ALONE)
        say_loop(&vote, s);
    if (agree->role != EFG_ALONE && agree->round == EFG_ROUND_PIVOT)
        say_choices(agree, &vote, s);
    if (agree->role == EFG_OWNER)
        say_as_owner(agree, &vote, s);
    else if (agree->round == EFG_ROUND_PLACE && lacks_past(agree, s))
        vote.flags |= EFG_VOTE_UNWHOLE;
    else if (agree->round == EFG_ROUND_CHECK && agree->role == EFG_FOLLOWER)
        vote.flags |= EFG_VOTE_FOLLOWS;
    struct efg_slow_state state = slow_state(agree, s);
    efg_slow_vote(&agree->slow, &vote, &state);
    agree->pending = 1;
    agree->voted_at = s->tally->visits;
    return vote;
}
