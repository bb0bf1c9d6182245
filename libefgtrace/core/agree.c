/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rounds of agree.h. Invariant: everything that decides the kind of the next round
 * (round, windows, failures, tries) changes by results only, which are the same on all ranks.
 */
#include "core/agree.h"

#include <string.h>

#define MARGIN 2        /* iterations, at least, between placing a window and opening it */
#define MOST_TRIES 5    /* rounds without a pivot that all could take, before a few ones do */
#define MOST_FAILURES 6 /* windows that did not hold in a row, before the pivot is given up */
#define PERIODS 4096    /* codes of periods: 64 per power of two */
#define SAME_PERIOD 32  /* codes: 41%; twice as long is another loop */
#define SAME_PIVOT 80   /* codes: 2.4 times */

void efg_agree_init(struct efg_agree *agree, uint64_t windows, uint64_t skip)
{
    memset(agree, 0, sizeof *agree);
    agree->round = windows ? EFG_ROUND_PROPOSE : EFG_ROUND_OVER;
    agree->windows = windows;
    agree->skip = skip;
    agree->margin = MARGIN;
    agree->common = -1;
}

int efg_agree_is_due(const struct efg_agree *agree, int sample, int is_done)
{
    if (agree->pending || agree->round == EFG_ROUND_OVER)
        return 0;
    return sample || agree->round == EFG_ROUND_PLACE || agree->round == EFG_ROUND_CONFIRM ||
           (agree->round == EFG_ROUND_CHECK && (is_done || !agree->is_owner));
}

/* log2 of NS in 64ths, from 1: equal to within 1.6%, without floating point. */
static int64_t period_code(uint64_t ns)
{
    uint64_t power = 63, fraction;
    ns += !ns;
    while (!(ns >> power))
        power--;
    fraction = power >= 6 ? ns >> (power - 6) : ns << (6 - power);
    return (int64_t)(64 * power + (fraction & 63)) + 1;
}

/* A collective of the world beats everything: all ranks have it. Then the shortest period. */
static int64_t ballot(const struct efg_standing *s)
{
    int64_t high = PERIODS - period_code(s->period) + (s->world ? 2 * PERIODS : 0);
    return s->has_pivot ? high << 40 | EFG_AGREE_HASH(s->hash) : 0;
}

int efg_agree_is_world(const struct efg_vote *result)
{
    return result->best >> 40 >= 2 * PERIODS;
}

int efg_agree_is_comparable(uint64_t period, const struct efg_vote *result, int same_pivot)
{
    int64_t winner = PERIODS - (result->best >> 40) % (2 * PERIODS);
    int64_t apart = winner - period_code(period);
    int64_t most = same_pivot ? SAME_PIVOT : SAME_PERIOD;
    return apart <= most && -apart <= most;
}

/* Windows after the first are spread: each begins at twice the count of the last. */
static int64_t place(const struct efg_agree *agree, const struct efg_standing *s)
{
    uint64_t soonest = s->visits + agree->margin + (agree->holds ? 0 : agree->skip);
    uint64_t spread = agree->holds ? 2 * agree->first : 0;
    if (!agree->is_owner)
        return 0;
    return (int64_t)(soonest > spread ? soonest : spread);
}

int efg_agree_is_same_detail(const struct efg_vote *result)
{
    return !(result->dropped & result->kept);
}

static uint32_t bit_of(uint64_t hash)
{
    return (uint32_t)(EFG_AGREE_HASH(hash) % EFG_AGREE_BITS);
}

static int is_absent(const struct efg_vote *vote, uint32_t bit)
{
    return vote->absent[bit / 64] >> bit % 64 & 1;
}

static void put_peers(struct efg_vote *vote, const struct efg_standing *s)
{
    if (!s->has_pivot)
        return;
    memset(vote->absent, 0xff, sizeof vote->absent);
    for (uint32_t i = 0; i < s->peer_count; i++) {
        uint32_t bit = bit_of(s->peers[i]);
        vote->absent[bit / 64] &= ~(UINT64_C(1) << bit % 64);
    }
}

/* The winner's bit, if it is a common one, else the first that is; -1 without one. Where only
 * some ranks have none it does not matter: they follow. */
static int32_t find_common(const struct efg_vote *result)
{
    if (efg_agree_is_world(result))
        return -1;
    uint32_t bit = bit_of((uint64_t)result->best);
    if (is_absent(result, bit))
        for (bit = 0; bit < EFG_AGREE_BITS && is_absent(result, bit); bit++)
            ;
    return bit < EFG_AGREE_BITS ? (int32_t)bit : -1;
}

int efg_agree_is_common(const struct efg_agree *agree, uint64_t hash)
{
    return agree->common >= 0 && bit_of(hash) == (uint32_t)agree->common;
}

void efg_agree_combine(struct efg_vote *all, const struct efg_vote *one)
{
#define MOST(word) all->word = all->word > one->word ? all->word : one->word
    MOST(leaving);
    MOST(lacking);
    MOST(best);
    MOST(place);
    MOST(late);
    MOST(undone);
    MOST(here);
    MOST(begun);
    MOST(ended);
#undef MOST
    all->dropped |= one->dropped;
    all->kept |= one->kept;
    for (uint32_t i = 0; i < EFG_AGREE_BITS / 64; i++)
        all->absent[i] |= one->absent[i];
}

struct efg_vote efg_agree_vote(struct efg_agree *agree, const struct efg_standing *s)
{
    struct efg_vote vote = {0};
    vote.leaving = s->leaving;
    vote.lacking = !s->has_pivot && !s->has_given_up;
    vote.best = ballot(s);
    vote.place = place(agree, s);
    /* One who leaves before the window begins will never make it. */
    vote.late = agree->is_owner && !s->is_open && !s->is_done &&
                (s->leaving || s->visits >= agree->first);
    vote.undone = agree->is_owner && !s->is_done;
    vote.here = agree->is_owner && !s->is_lost;
    vote.begun = agree->is_owner && s->begun ? -(int64_t)s->begun : INT64_MIN;
    vote.ended = agree->is_owner && s->ended ? (int64_t)s->ended : INT64_MIN;
    if (agree->round == EFG_ROUND_PROPOSE) {
        vote.dropped = s->dropped;
        vote.kept = ~(uint64_t)s->dropped;
    }
    put_peers(&vote, s);
    agree->pending = 1;
    agree->voted_at = s->visits;
    return vote;
}

static enum efg_verdict proposed(struct efg_agree *agree, const struct efg_vote *r,
                                 uint64_t visits)
{
    if (r->lacking || !r->best || !efg_agree_is_same_detail(r))
        return EFG_VERDICT_NONE;
    agree->common = find_common(r);
    if (agree->common < 0 && !efg_agree_is_world(r) && ++agree->tries < MOST_TRIES)
        return EFG_VERDICT_NONE;
    agree->tries = 0;
    agree->round = EFG_ROUND_PLACE;
    agree->pivot = EFG_AGREE_HASH(r->best);
    agree->margin = (visits > agree->voted_at ? visits - agree->voted_at : 0) + MARGIN;
    return EFG_VERDICT_PIVOT;
}

static enum efg_verdict placed(struct efg_agree *agree, const struct efg_vote *r)
{
    agree->round = EFG_ROUND_CONFIRM;
    agree->first = (uint64_t)r->place;
    agree->holds = 0;
    return EFG_VERDICT_PLACED;
}

static enum efg_verdict confirmed(struct efg_agree *agree, const struct efg_vote *r)
{
    if (!r->late) {
        agree->round = EFG_ROUND_CHECK;
        agree->holds = 1;
        agree->failures = 0;
        return EFG_VERDICT_HOLDS;
    }
    agree->margin *= 2;
    agree->round = ++agree->failures < MOST_FAILURES ? EFG_ROUND_PLACE : EFG_ROUND_OVER;
    return EFG_VERDICT_LATE;
}

static enum efg_verdict checked(struct efg_agree *agree, const struct efg_vote *r)
{
    if (!r->undone) {
        agree->windows--;
        agree->round = agree->windows ? EFG_ROUND_PLACE : EFG_ROUND_OVER;
        return agree->windows ? EFG_VERDICT_NEXT : EFG_VERDICT_DONE;
    }
    if (!r->here) {
        agree->round = EFG_ROUND_PROPOSE;
        agree->holds = 0;
        return EFG_VERDICT_LOST;
    }
    return EFG_VERDICT_NONE;
}

enum efg_verdict efg_agree_result(struct efg_agree *agree, const struct efg_vote *r,
                                  uint64_t visits)
{
    enum efg_round round = agree->round;
    enum efg_verdict verdict = EFG_VERDICT_NONE;

    agree->pending = 0;
    if (round == EFG_ROUND_CONFIRM)
        verdict = confirmed(agree, r);
    else if (round == EFG_ROUND_CHECK && !r->undone)
        verdict = checked(agree, r);
    else if (r->leaving)
        verdict = EFG_VERDICT_OVER;
    else if (round == EFG_ROUND_PROPOSE)
        verdict = proposed(agree, r, visits);
    else if (round == EFG_ROUND_PLACE)
        verdict = placed(agree, r);
    else if (round == EFG_ROUND_CHECK)
        verdict = checked(agree, r);
    if (r->leaving)
        agree->round = EFG_ROUND_OVER;
    return verdict;
}
