/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Combines the votes of two ranks. The table of loops is merged as two ordered lists, cut off at
 * its length. It is exact: a loop that is cut off somewhere has as many lower ones beside it as
 * the table has rows, and these stay, so it would not be in the result either, and what is in the
 * result was never cut off.
 */
#include "ballot.h"

#include <string.h>

#define STEPS 4 /* of periods, to an octave */
#define SAME 3  /* so many steps are one period: twice as long is another loop */
#define MUCH_MORE 2

/* clang-format off */
#define QUANTITIES(X)                                                         \
    X(period) X(longest) X(least_hash) X(most_hash) X(marked) X(worlds)       \
    X(passed) X(base) X(soonest) X(whole) X(margin) X(number)                 \
    X(least_number) X(least_count) X(most_count) X(end) X(begun) X(ended)     \
    X(last_begun) X(first_ended)                                              \
    X(slow) X(span) X(slow_begun) X(slow_ended) X(slow_last_begun)            \
    X(slow_first_ended) X(asked) X(step) X(time)
/* clang-format on */

void efg_ballot_init(struct efg_vote *vote)
{
#define NONE(word) vote->word = EFG_BALLOT_NONE;
    memset(vote, 0, sizeof *vote);
    QUANTITIES(NONE)
#undef NONE
}

static bool is_before(const struct efg_candidate *a, const struct efg_candidate *b)
{
    if (a->loop && a->loop == b->loop)
        return a->place < b->place;
    return a->loop && (!b->loop || a->loop < b->loop);
}

static struct efg_candidate add(struct efg_candidate a, struct efg_candidate b)
{
    a.ranks += b.ranks;
    a.least = a.least < b.least ? a.least : b.least;
    a.most = a.most > b.most ? a.most : b.most;
    a.place = a.place == b.place ? a.place : EFG_PLACE_UNKNOWN;
    a.least_mark = a.least_mark < b.least_mark ? a.least_mark : b.least_mark;
    a.most_mark = a.most_mark > b.most_mark ? a.most_mark : b.most_mark;
    return a;
}

static void merge(struct efg_candidate *all, const struct efg_candidate *one)
{
    struct efg_candidate a[EFG_BALLOT_LOOPS + 1] = {0}, b[EFG_BALLOT_LOOPS + 1] = {0};
    const struct efg_candidate *x = a, *y = b;

    memcpy(a, all, EFG_BALLOT_LOOPS * sizeof *a);
    memcpy(b, one, EFG_BALLOT_LOOPS * sizeof *b);
    for (uint32_t i = 0; i < EFG_BALLOT_LOOPS; i++)
        if (is_before(x, y))
            all[i] = *x++;
        else if (is_before(y, x))
            all[i] = *y++;
        else if (x->loop)
            all[i] = add(*x++, *y++);
}

void efg_ballot_combine(struct efg_vote *all, const struct efg_vote *one)
{
#define MOST(word) all->word = all->word > one->word ? all->word : one->word;
    QUANTITIES(MOST)
#undef MOST
    all->flags |= one->flags;
    all->dropped |= one->dropped;
    all->kept |= one->kept;
    for (uint32_t c = 0; c < EFG_PIVOT_CLASSES; c++)
        for (uint32_t i = 0; i < EFG_BALLOT_BITS / 64; i++)
            all->absent[c][i] |= one->absent[c][i];
    for (uint32_t i = 0; i < EFG_BALLOT_PERIODS; i++) {
        uint32_t sum = (uint32_t)all->periods[i] + one->periods[i];
        all->periods[i] = (uint16_t)(sum < UINT16_MAX ? sum : UINT16_MAX);
    }
    merge(all->loops, one->loops);
}

/* --- loops --- */

static bool are_one(const struct efg_candidate *a, const struct efg_candidate *b)
{
    return a->loop == b->loop && !efg_place_is_apart(a->place, b->place);
}

static uint32_t count_rows(const struct efg_vote *result)
{
    uint32_t count = 0;

    while (count < EFG_BALLOT_LOOPS && result->loops[count].loop)
        count++;
    return count;
}

/* Row I with all that are the same loop. */
static struct efg_candidate unite(const struct efg_vote *result, uint32_t i)
{
    struct efg_candidate all = result->loops[i];
    efg_place level = all.place;

    for (uint32_t k = 0; k < count_rows(result); k++) {
        if (k == i || !are_one(&result->loops[i], &result->loops[k]))
            continue;
        all = add(all, result->loops[k]);
        level = efg_place_is_in(level, result->loops[k].place) ? result->loops[k].place : level;
    }
    all.level = all.place ? all.place : level;
    return all;
}

static bool is_much_less(uint64_t a, uint64_t b)
{
    return MUCH_MORE * a < b;
}

static bool beats(const struct efg_candidate *a, const struct efg_candidate *b)
{
    if (a->ranks != b->ranks)
        return a->ranks > b->ranks;
    if (is_much_less(a->most, b->most) || is_much_less(b->most, a->most))
        return a->most < b->most;
    return a->loop != b->loop ? a->loop < b->loop : a->most < b->most;
}

/* Ranks that do not know the place are for any loop of the function: with them all would be one. */
static bool is_vague(const struct efg_vote *result, uint32_t i)
{
    return !result->loops[i].place && i + 1 < EFG_BALLOT_LOOPS &&
           result->loops[i + 1].loop == result->loops[i].loop;
}

/* EFG_NONE if there is none. */
static uint32_t find_winner(const struct efg_vote *result)
{
    struct efg_candidate best = {0};
    uint32_t winner = EFG_NONE;

    for (uint32_t i = 0; i < count_rows(result); i++) {
        struct efg_candidate one = unite(result, i);
        if (is_vague(result, i) || (best.loop && !beats(&one, &best)))
            continue;
        best = one;
        winner = i;
    }
    return winner;
}

struct efg_candidate efg_ballot_winner(const struct efg_vote *result)
{
    uint32_t i = find_winner(result);

    return i == EFG_NONE ? (struct efg_candidate){0} : unite(result, i);
}

static bool is_other_level(const struct efg_candidate *a, const struct efg_candidate *b)
{
    return a->place && b->place && a->place != b->place;
}

bool efg_ballot_is_split(const struct efg_vote *result)
{
    uint32_t best = find_winner(result);

    for (uint32_t i = 0; i < count_rows(result); i++)
        if (!are_one(&result->loops[best], &result->loops[i]) ||
            is_other_level(&result->loops[best], &result->loops[i]))
            return true;
    return false;
}

/* --- pivots --- */

uint32_t efg_ballot_bit(const struct efg_choice *choice)
{
    return (uint32_t)choice->class * EFG_BALLOT_BITS + (uint32_t)(choice->hash % EFG_BALLOT_BITS);
}

bool efg_ballot_is_for(const struct efg_choice *choice, uint32_t bit)
{
    enum efg_pivot_class class = bit / EFG_BALLOT_BITS;

    return choice->hash % EFG_BALLOT_BITS == bit % EFG_BALLOT_BITS &&
           (choice->class == class ||
            (choice->class < class && choice->class <= EFG_PIVOT_CALL && class != EFG_PIVOT_ENTRY));
}

static void choose(struct efg_vote *vote, const struct efg_choice *choice)
{
    uint32_t bit = (uint32_t)(choice->hash % EFG_BALLOT_BITS);

    for (uint32_t c = 0; c < EFG_PIVOT_CLASSES; c++)
        if (efg_ballot_is_for(choice, c * EFG_BALLOT_BITS + bit))
            vote->absent[c][bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

void efg_ballot_choose(struct efg_vote *vote, const struct efg_choice *choices, uint32_t count)
{
    memset(vote->absent, 0xff, sizeof vote->absent);
    for (uint32_t i = 0; i < count; i++)
        choose(vote, &choices[i]);
}

bool efg_ballot_is_common(const struct efg_vote *result, uint32_t bit)
{
    uint32_t of_class = bit % EFG_BALLOT_BITS;
    return !(result->absent[bit / EFG_BALLOT_BITS][of_class / 64] >> of_class % 64 & 1);
}

static int64_t step_of(int64_t code)
{
    return code / (64 / STEPS);
}

void efg_ballot_time(struct efg_vote *vote, int64_t code)
{
    vote->period = -code;
    vote->longest = code;
    vote->periods[step_of(code) % EFG_BALLOT_PERIODS] = 1;
}

static uint32_t count_from(const struct efg_vote *result, int64_t first)
{
    uint32_t count = 0;

    for (int64_t step = first; step < first + SAME; step++)
        count += result->periods[step % EFG_BALLOT_PERIODS];
    return count;
}

bool efg_ballot_is_usual(const struct efg_vote *result, int64_t code)
{
    int64_t shortest = step_of(-result->period), longest = step_of(result->longest), best = shortest;

    for (int64_t first = shortest; first <= longest && first < shortest + EFG_BALLOT_PERIODS; first++)
        if (count_from(result, first) > count_from(result, best))
            best = first;
    return step_of(code) >= best && step_of(code) < best + SAME;
}

int64_t efg_ballot_period(uint64_t ns)
{
    uint64_t power = 63 - (uint64_t)__builtin_clzll(ns + !ns), code = power;
    uint64_t mantissa = (ns + !ns) << (63 - power) >> 32; /* 1 is 2^31 */

    for (int bit = 0; bit < 6; bit++) { /* of a square, the logarithm is twice as much */
        mantissa = mantissa * mantissa >> 31;
        code = 2 * code + (mantissa >> 32);
        mantissa >>= mantissa >> 32;
    }
    return (int64_t)code + 1;
}
