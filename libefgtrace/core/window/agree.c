/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rounds of agree.h: what follows from a result. Invariant: what decides the kind of the
 * next round changes by results only, which are the same on all ranks.
 */
#include "agree.h"

#include <string.h>

#include "election.h"

#define MOST_WAITS 12       /* rounds without a world collective that all know */
#define LONG_WAITS 100      /* also while one may still come */
#define MOST_FAILURES 6     /* windows that did not hold in a row, before they are given up */
#define MOST_EMPTY 12       /* windows in a row without a whole iteration, likewise */
#define MOST_LAST_ROUNDS 16 /* in MPI_Finalize; it takes 8, and 2 for each pivot refused */
#define SAME_PERIOD 40      /* codes of periods: 54%; twice as long is another loop */
#define MOST_PERIODS 6      /* more rounds, with a sample each, while they differ */
#define MOST_PUT_OFF 3      /* times that the loop is left until the run is twice as long, for that */
#define MOST_COMPARED 12    /* rounds in which ranks are apart, until they are out of step */
#define STEP_LEAD 4         /* visits that ranks which wait for one another may be apart ... */
#define STEP_PART 64        /* ... and one in so many */
#define STEP_FAR 16         /* both, with a pivot in common, once there are ... */
#define STEP_VISITS 256     /* ... so many of the slowest rank */
#define STEP_APART 50       /* windows that one may be behind another, with a pivot in common */
#define MOST_MOMENTS 6      /* from which iterations are numbered, until the slowest rank owns the window */

void efg_agree_init(struct efg_agree *agree, uint64_t windows, uint64_t length, uint64_t skip)
{
    memset(agree, 0, sizeof *agree);
    agree->round = windows ? EFG_ROUND_PROPOSE : EFG_ROUND_OVER;
    agree->parts[0] = (struct efg_part){windows, length};
    agree->skip = skip;
    efg_election_begin_part(agree, 0);
    agree->pivot = -1;
}

void efg_agree_continue(struct efg_agree *agree, uint64_t windows, uint64_t length)
{
    agree->parts[1] = (struct efg_part){windows, length};
}

/* --- the next window --- */

/* Not before iteration SOONEST. */
static void place_at(struct efg_agree *agree, uint64_t soonest)
{
    agree->first = agree->asking ? soonest : efg_spread_next(&agree->spread, soonest);
    agree->least_end = 0;
}

static enum efg_verdict move(struct efg_agree *agree, const struct efg_vote *r)
{
    agree->round = EFG_ROUND_CONFIRM;
    agree->is_past = false;
    place_at(agree, (uint64_t)r->number + agree->margin);
    return EFG_VERDICT_MOVED;
}

/* The present window, or the next one, is of a part again. */
static void stop_asking(struct efg_agree *agree)
{
    agree->asking = 0;
    agree->length = agree->usual;
}

/* What the program asks for comes first. Returns whether there is another window. */
static bool place_next(struct efg_agree *agree, const struct efg_vote *r)
{
    uint64_t asked = r->asked == EFG_BALLOT_NONE ? 0 : (uint64_t)r->asked;

    if (r->flags & EFG_VOTE_SHUT)
        return false;
    if (asked >> EFG_AGREE_LENGTH_BITS > agree->answered) {
        agree->asking = asked >> EFG_AGREE_LENGTH_BITS;
        agree->length = asked % (UINT64_C(1) << EFG_AGREE_LENGTH_BITS);
    } else if (!agree->is_owed) {
        return false;
    }
    move(agree, r);
    return true;
}

/* Whether the numbers of the last window still hold. */
static bool may_place(const struct efg_agree *agree, const struct efg_vote *r)
{
    return agree->is_numbered && !agree->drifted && r->number != EFG_BALLOT_NONE &&
           !(r->flags & (EFG_VOTE_LEAVING | EFG_VOTE_SHUT)) && efg_agree_is_same_detail(r);
}

/* The window that lies ahead is placed again when no rank is shut any more. */
static enum efg_verdict hold(struct efg_agree *agree)
{
    agree->is_owed |= !agree->asking;
    stop_asking(agree);
    agree->round = EFG_ROUND_PROPOSE;
    agree->tries = 0;
    return EFG_VERDICT_HELD;
}

/* --- the loop --- */

static bool is_put_off(const struct efg_agree *agree, const struct efg_vote *r)
{
    return agree->loop == agree->put_off && r->time < (int64_t)agree->put_off_until &&
           !(r->flags & EFG_VOTE_LEAVING);
}

static enum efg_verdict proposed(struct efg_agree *agree, const struct efg_vote *r)
{
    if (r->flags & EFG_VOTE_SHUT)
        return EFG_VERDICT_NONE;
    struct efg_candidate winner = efg_election_winner(agree, r);
    bool is_present = !winner.loop || efg_election_is_present(agree, &winner);
    if (is_present && may_place(agree, r) && place_next(agree, r))
        return EFG_VERDICT_PLACED;
    if (is_present && is_put_off(agree, r))
        return EFG_VERDICT_NONE;
    if (!winner.loop || (r->flags & EFG_VOTE_LEAVING && !(r->flags & EFG_VOTE_RECORDS)))
        return EFG_VERDICT_NONE;
    efg_election_take(agree, &winner);
    stop_asking(agree);
    agree->is_numbered = false;
    agree->round = EFG_ROUND_PIVOT;
    agree->tries = 0;
    return EFG_VERDICT_ELECTED;
}

void efg_agree_follow(struct efg_agree *agree)
{
    if (agree->role == EFG_OWNER)
        agree->role = EFG_FOLLOWER;
}

/* From the beginning. What is recorded provisionally may still be placed. */
static enum efg_verdict propose_again(struct efg_agree *agree)
{
    agree->round = EFG_ROUND_PROPOSE;
    agree->tries = 0;
    efg_agree_follow(agree);
    return EFG_VERDICT_NONE;
}

static enum efg_verdict lose(struct efg_agree *agree)
{
    propose_again(agree);
    stop_asking(agree);
    agree->is_numbered = false;
    return EFG_VERDICT_LOST;
}

/* --- the pivot --- */

/* In whatever class. */
static bool is_refused(const struct efg_agree *agree, uint32_t bit)
{
    for (uint32_t i = 0; i < agree->refusals; i++)
        if (agree->refused[i] % EFG_BALLOT_BITS == bit % EFG_BALLOT_BITS)
            return true;
    return false;
}

/* Owners have a pivot in common that comes in the same iterations on all of them, which is not so where it is
 * a matter of timing how often it comes. */
static bool counts_alike(const struct efg_agree *agree)
{
    return agree->pivot >= 0 && agree->pivot / EFG_BALLOT_BITS != EFG_PIVOT_UNORDERED;
}

static bool can_refuse(const struct efg_agree *agree)
{
    return agree->pivot >= 0 && agree->refusals < EFG_AGREE_REFUSALS;
}

static void choose_again(struct efg_agree *agree)
{
    agree->round = EFG_ROUND_PIVOT;
    agree->tries = 0;
}

static void refuse(struct efg_agree *agree)
{
    agree->refused[agree->refusals++] = (uint32_t)agree->pivot;
    choose_again(agree);
}

static int32_t find_common(const struct efg_agree *agree, const struct efg_vote *r)
{
    if (agree->refusals == EFG_AGREE_REFUSALS)
        return -1;
    for (uint32_t bit = 0; bit < EFG_PIVOT_CLASSES * EFG_BALLOT_BITS; bit++)
        if (efg_ballot_is_common(r, bit) && !is_refused(agree, bit))
            return (int32_t)bit;
    return -1;
}

uint32_t efg_agree_choice(const struct efg_agree *agree, const struct efg_choice *choices, uint32_t count)
{
    uint32_t best = 0;
    bool is_found = false;
    for (uint32_t i = 0; i < count && agree->pivot >= 0; i++)
        if (efg_ballot_is_for(&choices[i], (uint32_t)agree->pivot) &&
            (!is_found || choices[i].hash < choices[best].hash)) {
            best = i;
            is_found = true;
        }
    return best;
}

/* Votes are older than their result: by now the loop is over on some rank, or most have another one. */
static bool is_outdated(const struct efg_agree *agree, const struct efg_vote *r)
{
    struct efg_candidate winner = efg_ballot_winner(r);

    if (agree->is_leaving || r->flags & EFG_VOTE_LEAVING)
        return false;
    return r->flags & EFG_VOTE_LACKING || (winner.loop && !efg_election_is_present(agree, &winner));
}

/* Where no call comes in each round, ranks may have seen some loop at different levels, which become the same
 * when there is more of it. */
static bool put_off_loop(struct efg_agree *agree, const struct efg_vote *r)
{
    if (agree->put_off != agree->loop)
        agree->put_offs = 0;
    agree->put_off = agree->loop;
    if (agree->put_offs == MOST_PUT_OFF)
        return false;
    agree->put_offs++;
    agree->put_off_until = 2 * (uint64_t)r->time;
    return true;
}

/* Without a pivot in common, an owner counts the same iterations as most if it has the period that most
 * have. A rank that votes later than others in a run that has just begun seems to have another
 * period; not so in the next round, as all vote when this one ends. */
static enum efg_verdict chosen(struct efg_agree *agree, const struct efg_vote *r)
{
    if (!(r->flags & EFG_VOTE_OWNS) || !efg_agree_is_same_detail(r) || is_outdated(agree, r))
        return propose_again(agree);
    efg_election_know(agree, r);
    agree->pivot = find_common(agree, r);
    bool is_split = agree->pivot < 0 && r->longest + r->period > SAME_PERIOD;
    if (is_split && !agree->is_leaving) {
        if (agree->tries++ < MOST_PERIODS)
            return EFG_VERDICT_NONE;
        if (put_off_loop(agree, r))
            return propose_again(agree);
    }
    if (is_split && !efg_ballot_is_usual(r, agree->period))
        efg_agree_follow(agree);
    agree->round = EFG_ROUND_CALIBRATE;
    agree->tries = 0;
    agree->marked = 0;
    agree->is_recalibrated = false;
    agree->moments = 0;
    agree->marked_votes = 0;
    return EFG_VERDICT_PIVOT;
}

/* --- numbers --- */

/* Iterations are numbered from collective ANCHOR; 0: the start. */
static enum efg_verdict anchor(struct efg_agree *agree, uint64_t w, const struct efg_tally *tally)
{
    agree->round = EFG_ROUND_PLACE;
    agree->anchor = w;
    agree->is_from_start = !w;
    agree->knows_anchor = efg_tally_at(tally, w, &agree->at_anchor) == EFG_TALLY_KNOWN;
    agree->took = tally->visits > agree->voted_at ? tally->visits - agree->voted_at : 0;
    return EFG_VERDICT_NONE;
}

/* Numbers from the start of the run would be of other times on each rank. Those from now on are of about the
 * same time, as ranks learn of a result at about the same time. */
static enum efg_verdict anchor_now(struct efg_agree *agree, const struct efg_tally *tally)
{
    anchor(agree, 0, tally);
    agree->at_anchor = tally->visits;
    return EFG_VERDICT_NONE;
}

/* Nothing tells whether ranks wait for one another. */
static enum efg_verdict anchor_at_start(struct efg_agree *agree, const struct efg_tally *tally)
{
    if (agree->moments)
        return anchor_now(agree, tally);
    agree->round = EFG_ROUND_COMPARE;
    agree->tries = 0;
    agree->foremost = 0;
    return EFG_VERDICT_NONE;
}

static enum efg_verdict calibrated(struct efg_agree *agree, const struct efg_vote *r,
                                   const struct efg_tally *tally)
{
    uint64_t passed = (uint64_t)-r->passed, marked = (uint64_t)r->marked;

    if (!efg_agree_is_same_detail(r))
        return propose_again(agree);
    if (can_refuse(agree) && -r->least_hash != r->most_hash) {
        refuse(agree);
        return EFG_VERDICT_NONE;
    }
    if (!r->worlds)
        return anchor_at_start(agree, tally);
    if (passed > marked)
        return anchor(agree, efg_tally_between(marked, passed), tally);
    agree->marked = marked;
    agree->tries++;
    if (agree->is_leaving || agree->tries >= LONG_WAITS ||
        (agree->tries >= MOST_WAITS && !(r->flags & EFG_VOTE_WAITING)))
        return anchor_at_start(agree, tally);
    return EFG_VERDICT_NONE;
}

/* --- ranks out of step --- */

/* Iterations are numbered from now on; the window lies ahead. Such numbers hold for a short time: where there
 * are to be other windows, or slow iterations are kept, or windows lay apart even so, the slowest rank owns
 * them. What another owner has recorded is gone. */
static void part(struct efg_agree *agree, bool is_slowest, const struct efg_tally *tally)
{
    bool is_only_one = agree->windows == 1 && !efg_election_has_part(agree) && !agree->slow.wanted;
    bool has_one_owner = agree->moments++ >= MOST_MOMENTS || !is_only_one;

    anchor_now(agree, tally);
    if (!has_one_owner || agree->role != EFG_OWNER || is_slowest)
        return;
    efg_agree_follow(agree);
    agree->has_lost = true;
}

/* Whether the foremost rank is too far ahead of the slowest one. With a pivot in common, numbers are those of
 * the same iterations all the same, and ranks of a long pipeline may lag: then it takes more. */
static bool is_apart(const struct efg_agree *agree, uint64_t slowest, uint64_t foremost)
{
    if (counts_alike(agree))
        return slowest >= STEP_VISITS && foremost > slowest + STEP_FAR + slowest / STEP_FAR;
    return foremost > slowest + STEP_LEAD + slowest / STEP_PART;
}

/* In MPI_Finalize there are no more steps. */
static enum efg_verdict compared(struct efg_agree *agree, const struct efg_vote *r,
                                 const struct efg_tally *tally)
{
    uint64_t slowest = (uint64_t)-r->least_number;
    bool is_first = !agree->tries++;
    bool is_last = agree->is_leaving || agree->tries >= MOST_COMPARED;
    bool are_apart = is_apart(agree, slowest, agree->is_leaving ? (uint64_t)r->number : agree->foremost);

    agree->foremost = (uint64_t)r->number;
    if (!is_last && (is_first || are_apart))
        return EFG_VERDICT_NONE;
    if (!are_apart)
        return anchor(agree, 0, tally);
    part(agree, agree->voted_at - agree->from == slowest, tally);
    return EFG_VERDICT_NONE;
}

/* Somebody knew it no longer: another one. The start is always known. */
static enum efg_verdict anchor_again(struct efg_agree *agree)
{
    agree->round = EFG_ROUND_CALIBRATE;
    agree->tries++;
    return EFG_VERDICT_NONE;
}

static enum efg_verdict placed(struct efg_agree *agree, const struct efg_vote *r)
{
    if (r->flags & EFG_VOTE_UNKNOWN)
        return anchor_again(agree);
    agree->tries = 0;
    agree->base = (uint64_t)r->base;
    agree->margin = (uint64_t)r->margin;
    if (!agree->spread.count)
        efg_spread_init(&agree->spread, agree->windows, agree->length + agree->margin);
    agree->is_past = !(r->flags & EFG_VOTE_UNWHOLE) && !agree->skip && !agree->made;
    agree->round = agree->is_past ? EFG_ROUND_CHECK : EFG_ROUND_CONFIRM;
    agree->is_numbered = true;
    place_at(agree, (uint64_t)(r->base + (agree->is_past ? r->whole : r->soonest)));
    return EFG_VERDICT_PLACED;
}

/* --- windows --- */

static enum efg_verdict confirmed(struct efg_agree *agree, const struct efg_vote *r)
{
    if (r->flags & EFG_VOTE_SHUT && !(r->flags & EFG_VOTE_LEAVING))
        return hold(agree);
    if (!(r->flags & EFG_VOTE_LATE)) {
        agree->round = EFG_ROUND_CHECK;
        agree->failures = 0;
        return EFG_VERDICT_HOLDS;
    }
    if (r->flags & EFG_VOTE_LEAVING)
        return lose(agree);
    if (++agree->failures < MOST_FAILURES) {
        agree->margin *= 2;
        return move(agree, r);
    }
    agree->round = EFG_ROUND_OVER;
    return EFG_VERDICT_FAILED;
}

/* Where one iteration is more than the log may be, all windows are empty. */
static enum efg_verdict lose_empty(struct efg_agree *agree)
{
    lose(agree);
    if (++agree->empty == MOST_EMPTY)
        agree->round = EFG_ROUND_OVER;
    return EFG_VERDICT_LOST;
}

/* A window of the present part is done: there may be others, of this part or the next one. */
static void end_of_part(struct efg_agree *agree)
{
    efg_spread_add(&agree->spread, agree->first);
    agree->is_owed = agree->windows > 1 || efg_election_has_part(agree);
    if (agree->windows == 1 && agree->is_owed) {
        efg_election_begin_part(agree, agree->part + 1);
        efg_spread_init(&agree->spread, agree->windows, agree->length + agree->margin);
    }
}

/* Of what is spread. */
static void want_more(struct efg_agree *agree)
{
    if (agree->usual < EFG_AGREE_LONGEST)
        agree->usual += efg_spread_stretch(&agree->spread);
    efg_spread_want_more(&agree->spread);
}

/* Where nothing else tells whether ranks wait for one another: those that do are in their windows at the
 * same time. With a pivot in common they may be stages of a pipeline, whose messages match all the same,
 * unless they are very far apart; not so those of ranks that follow, which record all windows' time. */
static bool are_disjoint(const struct efg_agree *agree, const struct efg_vote *r)
{
    int64_t apart = r->last_begun + r->first_ended, window = r->begun - r->first_ended;

    if (!agree->is_from_start || r->last_begun == EFG_BALLOT_NONE || apart <= 0)
        return false;
    if (!counts_alike(agree) || r->flags & EFG_VOTE_FOLLOWS)
        return agree->length > STEP_LEAD;
    return apart / STEP_APART > window;
}

/* The window is thrown away. */
static enum efg_verdict set_apart(struct efg_agree *agree, const struct efg_vote *r,
                                  const struct efg_tally *tally)
{
    agree->is_numbered = false;
    agree->tries = 0;
    part(agree, agree->voted_begun == (uint64_t)r->last_begun, tally);
    return EFG_VERDICT_DRIFT;
}

static enum efg_verdict finish(struct efg_agree *agree, const struct efg_vote *r,
                               const struct efg_tally *tally)
{
    agree->end = (uint64_t)-r->end;
    if (agree->end <= agree->first)
        return r->flags & EFG_VOTE_SHUT && !(r->flags & EFG_VOTE_LEAVING) ? hold(agree) : lose_empty(agree);
    if (are_disjoint(agree, r)) {
        if (!(r->flags & EFG_VOTE_LEAVING))
            return set_apart(agree, r, tally);
        agree->drifted = true;
    }
    agree->empty = 0;
    agree->begun = (uint64_t)-r->begun;
    agree->ended = (uint64_t)r->ended;
    if (r->flags & EFG_VOTE_ROUGH && !agree->asking)
        want_more(agree);
    agree->made++;
    efg_election_made(agree);
    agree->round = EFG_ROUND_PROPOSE;
    agree->tries = 0;
    if (agree->asking)
        agree->answered = agree->asking;
    else
        end_of_part(agree);
    stop_asking(agree);
    return !(r->flags & EFG_VOTE_LEAVING) && place_next(agree, r) ? EFG_VERDICT_NEXT : EFG_VERDICT_DONE;
}

static enum efg_verdict checked(struct efg_agree *agree, const struct efg_vote *r,
                                const struct efg_tally *tally)
{
    if (!(r->flags & EFG_VOTE_UNDONE))
        return finish(agree, r, tally);
    if (!(r->flags & EFG_VOTE_OPENED) && efg_election_winner(agree, r).loop)
        return lose(agree);
    agree->least_end = r->end == EFG_BALLOT_NONE ? 0 : (uint64_t)-r->end;
    if ((r->flags & (EFG_VOTE_OPENED | EFG_VOTE_SHUT | EFG_VOTE_LEAVING)) == EFG_VOTE_SHUT)
        return hold(agree);
    return EFG_VERDICT_NONE;
}

/* --- drift --- */

/* Pivots that owners do not have in common may lie on either side of a collective. Ranks out of step have
 * come to it at other numbers. */
static bool drifts(const struct efg_agree *agree, const struct efg_vote *r)
{
    int64_t apart = !counts_alike(agree);
    return !agree->moments && r->most_count != EFG_BALLOT_NONE && r->most_count + r->least_count > apart;
}

static bool has_way_out(const struct efg_agree *agree)
{
    if (agree->round < EFG_ROUND_CONFIRM || agree->is_leaving)
        return false;
    return agree->is_from_start ? !agree->is_recalibrated : can_refuse(agree);
}

/* Counts from the start may differ by what was before; those from a collective on may not. */
static enum efg_verdict drift(struct efg_agree *agree)
{
    agree->drifted |= agree->made > 0;
    agree->is_numbered = false;
    agree->tries = 0;
    if (agree->is_from_start) {
        agree->is_recalibrated = true;
        agree->round = EFG_ROUND_CALIBRATE;
    } else {
        refuse(agree);
    }
    return EFG_VERDICT_DRIFT;
}

/* The collective at which numbers are compared in the next round: one that ranks still know
 * then; in MPI_Finalize, where they are all behind, the last one. */
static void watch(struct efg_agree *agree, const struct efg_vote *r)
{
    uint64_t passed = r->passed == EFG_BALLOT_NONE ? 0 : (uint64_t)-r->passed;
    agree->watched = agree->is_leaving ? passed : efg_tally_near(passed);
}

/* --- pauses --- */

/* The window that lies ahead is not made, if there was one before. */
static bool may_end_ahead(const struct efg_agree *agree, const struct efg_vote *r)
{
    return agree->made && (agree->round == EFG_ROUND_CONFIRM || agree->round == EFG_ROUND_CHECK) &&
           !(r->flags & EFG_VOTE_OPENED);
}

/* What follows from VERDICT if it is the last one. */
static enum efg_verdict end_windows(struct efg_agree *agree, const struct efg_vote *r,
                                    enum efg_verdict verdict)
{
    agree->is_last |= (r->flags & EFG_VOTE_RESTS) != 0;
    if (!agree->is_last || (r->flags & EFG_VOTE_LEAVING))
        return verdict;
    if (verdict == EFG_VERDICT_NEXT)
        verdict = EFG_VERDICT_DONE;
    else if (verdict <= EFG_VERDICT_HOLDS && may_end_ahead(agree, r))
        verdict = EFG_VERDICT_FAILED;
    else if (agree->round != EFG_ROUND_PROPOSE || verdict == EFG_VERDICT_ELECTED)
        return verdict;
    agree->round = EFG_ROUND_OVER;
    return verdict;
}

/* --- results --- */

/* A rank has found the loop since its pivot was chosen, in time to own it, too. */
static bool has_joined(const struct efg_agree *agree, const struct efg_vote *r)
{
    if (agree->round != EFG_ROUND_CALIBRATE && agree->round != EFG_ROUND_COMPARE)
        return false;
    return !agree->is_leaving && !(r->flags & EFG_VOTE_LEAVING) && efg_election_has_grown(agree, r);
}

static enum efg_verdict step(struct efg_agree *agree, const struct efg_vote *r, const struct efg_tally *tally)
{
    if (agree->round > EFG_ROUND_PIVOT && !(r->flags & EFG_VOTE_OWNS))
        return lose(agree);
    if (has_joined(agree, r)) {
        choose_again(agree);
        return EFG_VERDICT_NONE;
    }
    if (drifts(agree, r)) {
        if (has_way_out(agree))
            return drift(agree);
        agree->drifted = true;
    }
    switch (agree->round) {
    case EFG_ROUND_PROPOSE:
        return proposed(agree, r);
    case EFG_ROUND_PIVOT:
        return chosen(agree, r);
    case EFG_ROUND_CALIBRATE:
        return calibrated(agree, r, tally);
    case EFG_ROUND_COMPARE:
        return compared(agree, r, tally);
    case EFG_ROUND_PLACE:
        return placed(agree, r);
    case EFG_ROUND_CONFIRM:
        return confirmed(agree, r);
    case EFG_ROUND_CHECK:
        return checked(agree, r, tally);
    default:
        return EFG_VERDICT_NONE;
    }
}

/* It has no iterations of the loop, or others than the rank that owns the window. */
static bool follows(const struct efg_agree *agree)
{
    return agree->role == EFG_FOLLOWER && (!agree->has_lost || agree->moments);
}

/* Numbers hold from the first window of a loop on. If they differ, so do those of what is kept. In
 * MPI_Finalize only a window that is still to come is lost. */
static void steer_slow(struct efg_agree *agree, enum efg_verdict verdict, bool is_leaving)
{
    struct efg_slow *slow = &agree->slow;

    if (verdict == EFG_VERDICT_DRIFT || agree->drifted)
        slow->count = 0;
    if (verdict == EFG_VERDICT_ELECTED)
        slow->is_barred = 0;
    if (verdict == EFG_VERDICT_DRIFT || verdict == EFG_VERDICT_ELECTED || agree->drifted ||
        (verdict == EFG_VERDICT_LOST && !is_leaving) || verdict == EFG_VERDICT_FAILED)
        efg_slow_stop(slow);
    else if ((verdict == EFG_VERDICT_DONE || verdict == EFG_VERDICT_NEXT) && !slow->is_on &&
             !slow->is_barred && !is_leaving)
        efg_slow_start(slow, follows(agree));
}

/* Rounds in MPI_Finalize end with the first one that changes nothing, once owners have compared
 * their numbers at the last collective. */
static void leave(struct efg_agree *agree, const struct efg_vote *r, bool is_same)
{
    uint32_t most = MOST_LAST_ROUNDS + (agree->slow.is_on ? 4 * agree->slow.wanted : 0);
    bool is_compared = r->worlds <= 0 || agree->watched == (uint64_t)r->worlds;
    if (agree->is_leaving && ((is_same && is_compared) || ++agree->last_rounds >= most)) {
        agree->round = EFG_ROUND_OVER;
        efg_slow_stop(&agree->slow);
    }
    agree->is_leaving |= (r->flags & EFG_VOTE_LEAVING) != 0;
}

enum efg_verdict efg_agree_result(struct efg_agree *agree, const struct efg_vote *r,
                                  const struct efg_tally *tally)
{
    enum efg_round round = agree->round;
    enum efg_verdict verdict;

    agree->pending = 0;
    efg_election_credit(agree, r);
    bool is_busy = efg_slow_result(&agree->slow, r);
    verdict = end_windows(agree, r, step(agree, r, tally));
    steer_slow(agree, verdict, (r->flags & EFG_VOTE_LEAVING) != 0);
    if (agree->round == EFG_ROUND_OVER)
        efg_slow_stop(&agree->slow);
    leave(agree, r, verdict == EFG_VERDICT_NONE && agree->round == round && !is_busy);
    watch(agree, r);
    return verdict;
}
