/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A vote is one number, score before iteration, so that the maximum over all ranks is the best one; of
 * equal scores the first iteration, which others may only be an echo of. Invariant: kept ones are at least
 * EFG_SLOW_APART apart.
 */
#include "slow.h"

#include <string.h>

#include "base/hash.h"

#define NUMBER_BITS 48
#define NUMBERS ((UINT64_C(1) << NUMBER_BITS) - 1)
#define MOST_SCORE 0x7ff0
#define FEW_RECENT 5 /* no median yet */

void efg_slow_init(struct efg_slow *s, uint32_t wanted)
{
    memset(s, 0, sizeof *s);
    s->wanted = wanted < EFG_SLOW_MOST ? wanted : EFG_SLOW_MOST;
    s->step = 1;
    s->around = EFG_SLOW_AROUND;
    s->apart = EFG_SLOW_APART;
}

void efg_slow_choose(struct efg_slow *s, enum efg_slow_order order, uint32_t times)
{
    s->is_conditional = true;
    s->order = order;
    s->least = times ? efg_ballot_period(times) - efg_ballot_period(1000) : INT64_MIN;
    s->around = 0;
    s->apart = 1;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* --- what is worth keeping --- */

static const struct efg_slow_one *lowest(const struct efg_slow *s)
{
    const struct efg_slow_one *low = s->kept;

    for (uint32_t i = 1; i < s->count; i++)
        if (s->kept[i].score < low->score)
            low = &s->kept[i];
    return low;
}

/* It beats those that it is close to, or else takes the place of the lowest one. */
static bool is_worth(const struct efg_slow *s, struct efg_slow_one one)
{
    bool is_close = false;

    for (uint32_t i = 0; i < s->count; i++)
        if (apart(s->kept[i].number, one.number) < s->apart) {
            if (one.score <= s->kept[i].score)
                return false;
            is_close = true;
        }
    return one.score > 0 && (is_close || s->count < s->wanted || one.score > lowest(s)->score);
}

static void remove_kept(struct efg_slow *s, uint32_t i)
{
    s->kept[i] = s->kept[--s->count];
}

static void keep(struct efg_slow *s, struct efg_slow_one one)
{
    for (uint32_t i = s->count; i-- > 0;)
        if (apart(s->kept[i].number, one.number) < s->apart)
            remove_kept(s, i);
    if (s->count == s->wanted)
        remove_kept(s, (uint32_t)(lowest(s) - s->kept));
    s->kept[s->count++] = one;
}

/* --- the ring --- */

/* The iteration that begins now is recorded if its block is. */
static void decide_newest(struct efg_slow *s)
{
    uint64_t bit = s->newest % (2 * EFG_SLOW_RING), mask = UINT64_C(1) << bit % 64;

    if (s->newest / EFG_SLOW_BLOCK % s->step)
        s->skipped[bit / 64] |= mask;
    else
        s->skipped[bit / 64] &= ~mask;
}

/* Whether iteration NUMBER is not recorded; one that has not begun, as it looks now. */
static bool is_between(const struct efg_slow *s, uint64_t number)
{
    uint64_t bit = number % (2 * EFG_SLOW_RING);

    if (number > s->newest)
        return number / EFG_SLOW_BLOCK % s->step != 0;
    return s->skipped[bit / 64] >> bit % 64 & 1;
}

bool efg_slow_records(const struct efg_slow *s)
{
    return !is_between(s, s->newest);
}

/* Whether all that goes with iteration NUMBER is in the ring, or will be. */
static bool is_in_ring(const struct efg_slow *s, uint64_t number)
{
    if (number < s->oldest + s->around || (!s->is_recording && number + s->around >= s->newest))
        return false;
    for (uint64_t i = number - s->around; i <= number + s->around; i++)
        if (is_between(s, i))
            return false;
    return true;
}

/* Where the ring of a phase had ended for a while, what was usual in it still is. */
void efg_slow_begin(struct efg_slow *s, uint64_t number, uint32_t phase)
{
    s->oldest = s->newest = number;
    s->is_recording = true;
    if (!phase || phase != s->phase)
        s->recent_count = 0;
    s->phase = phase;
    memset(s->best, 0, sizeof s->best);
    decide_newest(s);
}

static uint64_t median(const struct efg_slow *s)
{
    uint64_t sorted[EFG_SLOW_RECENT];
    uint32_t count = s->recent_count < EFG_SLOW_RECENT ? s->recent_count : EFG_SLOW_RECENT;

    for (uint32_t i = 0, at; i < count; i++) {
        for (at = i; at > 0 && sorted[at - 1] > s->recent[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = s->recent[i];
    }
    return sorted[count / 2];
}

static int64_t score(const struct efg_slow *s, uint64_t ns)
{
    if (s->recent_count < FEW_RECENT)
        return 0;
    return efg_ballot_period(ns) - efg_ballot_period(median(s));
}

/* What an iteration counts for which the conditions hold. */
static int64_t rate(const struct efg_slow *s, uint64_t number, int64_t score)
{
    if (s->order == EFG_SLOW_FIRST)
        return 1;
    if (s->order == EFG_SLOW_EVENLY)
        return 1 + (int64_t)(efg_hash_mix(0, number) % MOST_SCORE);
    return score > 0 ? score : 1;
}

static int64_t rate_if(const struct efg_slow *s, uint64_t ns, bool is_chosen)
{
    int64_t found = score(s, ns);

    if (!s->is_conditional)
        return found;
    return is_chosen && found >= s->least ? rate(s, s->newest, found) : 0;
}

static void remember(struct efg_slow *s, struct efg_slow_one one)
{
    struct efg_slow_one *low = s->best;

    for (uint32_t i = 1; i < EFG_SLOW_BEST; i++)
        if (s->best[i].score < low->score)
            low = &s->best[i];
    if (one.score > low->score)
        *low = one;
}

/* What can no longer be kept is not voted for. */
static void forget_lost(struct efg_slow *s)
{
    for (uint32_t i = 0; i < EFG_SLOW_BEST; i++)
        if (!is_in_ring(s, s->best[i].number))
            s->best[i].score = 0;
}

static bool is_around(const struct efg_slow *s, struct efg_slow_one one, uint64_t number)
{
    return apart(one.number, number) <= s->around;
}

/* The next iteration begins. */
static void turn(struct efg_slow *s)
{
    s->newest++;
    decide_newest(s);
    if (efg_slow_records(s))
        return;
    s->lacks |= s->asked.score && is_around(s, s->asked, s->newest);
    forget_lost(s);
}

void efg_slow_add(struct efg_slow *s, uint64_t ns, bool is_chosen)
{
    struct efg_slow_one one = {.number = s->newest, .score = rate_if(s, ns, is_chosen)};

    turn(s);
    if (is_in_ring(s, one.number) && is_worth(s, one))
        remember(s, one);
    s->recent[s->recent_count++ % EFG_SLOW_RECENT] = ns;
}

void efg_slow_drop(struct efg_slow *s, uint64_t number)
{
    s->oldest = number > s->newest ? s->newest : number;
    forget_lost(s);
}

void efg_slow_end(struct efg_slow *s)
{
    s->is_recording = false;
    s->lacks |= !s->follows && s->asked.number + s->around >= s->newest;
    forget_lost(s);
}

bool efg_slow_has(const struct efg_slow *s, uint64_t number)
{
    if (s->asked.score && !s->lacks && is_around(s, s->asked, number))
        return true;
    for (uint32_t i = 0; i < s->count; i++)
        if (is_around(s, s->kept[i], number))
            return true;
    return false;
}

static bool meets(struct efg_slow_one one, uint64_t from, uint64_t to)
{
    return one.ended && from < one.ended && to > one.begun;
}

bool efg_slow_has_time(const struct efg_slow *s, uint64_t from, uint64_t to)
{
    if (s->asked.score && meets(s->asked, from, to))
        return true;
    for (uint32_t i = 0; i < s->count; i++)
        if (meets(s->kept[i], from, to))
            return true;
    return false;
}

/* 1000 x 2^(SCORE / 64), at most a million times the median. */
static uint32_t times(int64_t score)
{
    double result = 1000;

    for (int64_t i = 0; i < score && result < 1e9; i++)
        result *= 1.0108892860517005;
    return (uint32_t)(result + 0.5);
}

uint32_t efg_slow_times(const struct efg_slow *s, uint64_t number)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->kept[i].number == number && s->order == EFG_SLOW_SLOWEST)
            return times(s->kept[i].score);
    return 0;
}

/* --- rounds --- */

void efg_slow_start(struct efg_slow *s, bool follows)
{
    s->follows = follows;
    s->is_on = s->wanted > 0 && !s->is_dear;
    s->is_barred = s->is_sliced = false;
    s->count = 0;
    s->asked.score = 0;
}

void efg_slow_stop(struct efg_slow *s)
{
    s->is_on = false;
    s->asked.score = 0;
}

static int64_t pack(struct efg_slow_one one)
{
    return (int64_t)((uint64_t)one.score << NUMBER_BITS | (NUMBERS - (one.number & NUMBERS)));
}

static struct efg_slow_one unpack(int64_t word)
{
    return (struct efg_slow_one){.number = NUMBERS - ((uint64_t)word & NUMBERS),
                                 .score = word >> NUMBER_BITS};
}

/* Whether what is asked for is here, of a rank that counts; it says when that was. */
static void say_counted(const struct efg_slow *s, struct efg_vote *vote, const struct efg_slow_state *state)
{
    if (s->lacks) {
        vote->flags |= EFG_VOTE_LACKS;
    } else if (s->asked.number + s->around >= s->newest) {
        vote->flags |= EFG_VOTE_AHEAD;
    } else if (state->ended) {
        vote->slow_last_begun = (int64_t)state->begun;
        vote->slow_begun = -vote->slow_last_begun;
        vote->slow_ended = (int64_t)state->ended;
        vote->slow_first_ended = -vote->slow_ended;
    }
}

/* The same of a rank with slices, once it is placed. */
static void say_sliced(const struct efg_slow *s, struct efg_vote *vote, const struct efg_slow_state *state)
{
    vote->flags |= EFG_VOTE_SLICES;
    if (!s->asked.score || !s->asked.ended)
        return;
    if (s->asked.begun < state->begun)
        vote->flags |= EFG_VOTE_LACKS;
    else if (s->asked.ended > state->ended)
        vote->flags |= EFG_VOTE_AHEAD;
}

void efg_slow_vote(const struct efg_slow *s, struct efg_vote *vote, const struct efg_slow_state *state)
{
    if (!s->is_on)
        return;
    if (!state->is_able)
        vote->flags |= EFG_VOTE_BARS;
    if (!state->step)
        vote->flags |= EFG_VOTE_DEAR;
    vote->step = state->step;
    if (s->follows)
        say_sliced(s, vote, state);
    else if (s->asked.score)
        say_counted(s, vote, state);
    if (s->span)
        vote->span = -(int64_t)s->span;
    for (uint32_t i = 0; i < EFG_SLOW_BEST; i++)
        if (is_worth(s, s->best[i]) && pack(s->best[i]) > vote->slow)
            vote->slow = pack(s->best[i]);
}

static void forget(struct efg_slow *s, uint64_t number)
{
    for (uint32_t i = 0; i < EFG_SLOW_BEST; i++)
        if (s->best[i].number == number)
            s->best[i].score = 0;
}

static void answer(struct efg_slow *s, uint64_t flags)
{
    if (!(flags & EFG_VOTE_LACKS))
        keep(s, s->asked);
    forget(s, s->asked.number);
    s->asked.score = 0;
}

/* All that count have said when it was; what nobody knows the time of is lacking. */
static void place(struct efg_slow *s, const struct efg_vote *r)
{
    if (r->slow_begun == EFG_BALLOT_NONE) {
        answer(s, EFG_VOTE_LACKS);
        return;
    }
    bool is_together = r->slow_last_begun < -r->slow_first_ended;
    s->asked.begun = (uint64_t)-r->slow_begun;
    s->asked.ended = (uint64_t)r->slow_ended;
    s->asked.all_begun = is_together ? (uint64_t)r->slow_last_begun : s->asked.begun;
    s->asked.all_ended = is_together ? (uint64_t)-r->slow_first_ended : s->asked.ended;
}

/* The ranks have said whether they have what was asked for. */
static void hear(struct efg_slow *s, const struct efg_vote *r)
{
    if (!(r->flags & EFG_VOTE_LACKS) && r->flags & EFG_VOTE_AHEAD)
        return;
    if (r->flags & EFG_VOTE_LACKS || !s->is_sliced || s->asked.ended)
        answer(s, r->flags);
    else
        place(s, r);
}

static void ask(struct efg_slow *s, struct efg_slow_one one)
{
    s->asked = one;
    s->lacks = !s->follows && !is_in_ring(s, one.number);
}

bool efg_slow_result(struct efg_slow *s, const struct efg_vote *r)
{
    bool was_asked = s->asked.score > 0;

    if (!s->is_on)
        return false;
    if (r->flags & EFG_VOTE_BARS) {
        efg_slow_stop(s);
        s->is_barred = true;
        return false;
    }
    s->step = r->step > 0 ? (uint32_t)r->step : 1;
    s->least_span = r->span == EFG_BALLOT_NONE ? 0 : (uint64_t)-r->span;
    s->is_sliced = r->flags & EFG_VOTE_SLICES;
    if (was_asked)
        hear(s, r);
    if (!s->asked.score && r->slow != EFG_BALLOT_NONE && is_worth(s, unpack(r->slow)))
        ask(s, unpack(r->slow));
    if (r->flags & EFG_VOTE_DEAR && !s->asked.score) {
        efg_slow_stop(s);
        s->is_dear = true;
    }
    return was_asked || s->asked.score;
}
