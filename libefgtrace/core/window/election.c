/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of the loops that ranks vote for gets windows. Loops are known again by their names, and, where
 * several are of one function, by their marks and their places in its code, as far as ranks agree on these.
 * Invariant: what is kept of them changes by results only.
 */
#include "election.h"

#include "core/graph/detail.h"

#define MOST_TRIES 3 /* more rounds while ranks have different loops */
#define NEARLY_LONGEST 0.4
#define MUCH_SHORTER 0.2
#define BRIEF 0.05
#define NAMES (EFG_DROP_ALL_FRAMES | EFG_DROP_PATH) /* what loops are named by */

void efg_election_begin_part(struct efg_agree *agree, uint32_t part)
{
    agree->part = part;
    agree->windows = agree->parts[part].windows;
    agree->length = agree->usual = agree->parts[part].length;
    agree->spread.count = 0;
}

bool efg_election_has_part(const struct efg_agree *agree)
{
    return agree->part + 1 < EFG_AGREE_PARTS && agree->parts[agree->part + 1].windows;
}

/* 0 is one that is not known. */
static bool may_be_same(uint32_t one, uint32_t other)
{
    return !one || !other || one == other;
}

static bool may_share_mark(const struct efg_agree_loop *one, const struct efg_agree_loop *other)
{
    return !one->least_mark || !other->least_mark ||
           (one->least_mark <= other->most_mark && other->least_mark <= one->most_mark);
}

bool efg_election_is_loop(const struct efg_agree_loop *one, const struct efg_agree_loop *other)
{
    return one->loop == other->loop && may_share_mark(one, other) && may_be_same(one->place, other->place);
}

static struct efg_agree_loop loop_of(const struct efg_candidate *one)
{
    return (struct efg_agree_loop){.loop = one->loop,
                                   .least_mark = one->least_mark,
                                   .most_mark = one->most_mark,
                                   .place = one->place,
                                   .level = one->level};
}

/* Whether what ranks vote for NOW may be what was ELECTED: not all of them mean another level of it. */
static bool is_still(const struct efg_agree_loop *elected, const struct efg_agree_loop *now)
{
    return elected->loop == now->loop && may_share_mark(elected, now) &&
           may_be_same(elected->level, now->place);
}

/* What ranks call the loop that they vote for, as one of those that were elected, the present one first;
 * EFG_AGREE_LOOPS: none. */
static uint32_t find_loop(const struct efg_agree *agree, const struct efg_agree_loop *loop)
{
    uint32_t i = 0;

    if (agree->loop_count && is_still(&agree->loops[agree->present], loop))
        return agree->present;
    while (i < agree->loop_count && !is_still(&agree->loops[i], loop))
        i++;
    return i < agree->loop_count ? i : EFG_AGREE_LOOPS;
}

/* A single window is made once. Others are spread over all of a loop, so they go on when it comes again. */
static bool goes_on(const struct efg_agree *agree)
{
    return agree->parts[0].windows > 1 || agree->parts[1].windows || agree->slow.wanted;
}

static bool may_have_windows(const struct efg_agree *agree, const struct efg_agree_loop *loop)
{
    uint32_t i = find_loop(agree, loop);

    if (i < EFG_AGREE_LOOPS && i == agree->present && loop->loop == agree->loop)
        return agree->windows > 1 || !agree->made;
    return agree->turns < EFG_AGREE_TURNS &&
           (i == EFG_AGREE_LOOPS || !agree->loops[i].is_made || goes_on(agree));
}

bool efg_agree_lacks(const struct efg_agree *agree, uint64_t loop)
{
    return !agree->skip && may_have_windows(agree, &(struct efg_agree_loop){.loop = loop}) &&
           (loop != agree->loop || !agree->made);
}

bool efg_agree_wants(const struct efg_agree *agree, uint64_t loop)
{
    return agree->round < EFG_ROUND_CONFIRM && efg_agree_lacks(agree, loop);
}

/* Loops have other names: the one that wins is taken for the one that was elected last. */
static void rename_loop(struct efg_agree *agree, const struct efg_vote *r, uint64_t winner)
{
    if (agree->loop_count && agree->dropped != (r->dropped & NAMES))
        agree->loop = agree->loops[agree->present].loop = winner;
    agree->dropped = r->dropped & NAMES;
}

bool efg_election_is_present(const struct efg_agree *agree, const struct efg_candidate *one)
{
    struct efg_agree_loop loop = loop_of(one);

    return one->loop == agree->loop && find_loop(agree, &loop) == agree->present;
}

struct efg_candidate efg_election_winner(struct efg_agree *agree, const struct efg_vote *r)
{
    static const struct efg_candidate none;
    struct efg_candidate winner = efg_ballot_winner(r);
    if (!winner.loop || r->flags & EFG_VOTE_LACKING || !efg_agree_is_same_detail(r))
        return none;
    rename_loop(agree, r, winner.loop);
    struct efg_agree_loop loop = loop_of(&winner);
    if (!may_have_windows(agree, &loop) ||
        (agree->round == EFG_ROUND_CHECK && efg_election_is_present(agree, &winner))) {
        agree->tries = 0;
        return none;
    }
    if (efg_ballot_is_split(r) && !agree->is_leaving && agree->tries++ < MOST_TRIES)
        return none;
    return winner;
}

/* The place for a loop that is new: that of one without windows, or else of the one with the least time. */
static uint32_t make_place(struct efg_agree *agree)
{
    uint32_t least = 0;

    if (agree->loop_count && !agree->loops[agree->present].is_made)
        return agree->present;
    if (agree->loop_count < EFG_AGREE_LOOPS)
        return agree->loop_count++;
    for (uint32_t i = 1; i < EFG_AGREE_LOOPS; i++)
        if (agree->loops[i].time < agree->loops[least].time)
            least = i;
    return least;
}

void efg_election_take(struct efg_agree *agree, const struct efg_candidate *winner)
{
    struct efg_agree_loop loop = loop_of(winner);
    uint32_t i = find_loop(agree, &loop);

    if (efg_election_is_present(agree, winner))
        return;
    if (i == EFG_AGREE_LOOPS) {
        i = make_place(agree);
        loop.phase = ++agree->phases;
        agree->loops[i] = loop;
    }
    agree->loops[agree->present].drifted = agree->drifted;
    agree->drifted = agree->loops[i].drifted;
    agree->loop = winner->loop;
    agree->present = i;
    agree->turns++;
    agree->made = 0;
    agree->owners = 0;
    efg_election_begin_part(agree, agree->loops[i].is_made && agree->parts[1].windows ? 1 : 0);
    agree->refusals = 0;
}

void efg_election_know(struct efg_agree *agree, const struct efg_vote *r)
{
    struct efg_candidate winner = efg_ballot_winner(r);
    struct efg_agree_loop *loop = &agree->loops[agree->present];

    if (!winner.loop || !efg_election_is_present(agree, &winner))
        return;
    if (!loop->is_made) {
        loop->least_mark = winner.least_mark;
        loop->most_mark = winner.most_mark;
    }
    if (agree->owners < winner.ranks)
        agree->owners = winner.ranks;
}

bool efg_election_has_grown(const struct efg_agree *agree, const struct efg_vote *r)
{
    struct efg_candidate winner = efg_ballot_winner(r);

    return agree->owners && winner.ranks > agree->owners && efg_election_is_present(agree, &winner);
}

void efg_election_made(struct efg_agree *agree)
{
    struct efg_agree_loop *loop = &agree->loops[agree->present];

    loop->is_made = true;
    for (uint32_t i = 0; i < agree->loop_count; i++)
        if (agree->loops[i].loop == loop->loop && may_share_mark(&agree->loops[i], loop) &&
            !may_be_same(agree->loops[i].level, loop->level))
            agree->loops[i] = (struct efg_agree_loop){0};
}

void efg_election_credit(struct efg_agree *agree, const struct efg_vote *r)
{
    struct efg_candidate winner = efg_ballot_winner(r);
    struct efg_agree_loop loop = loop_of(&winner);
    uint32_t i = winner.loop ? find_loop(agree, &loop) : EFG_AGREE_LOOPS;

    if (r->time <= (int64_t)agree->time)
        return;
    if (i < EFG_AGREE_LOOPS)
        agree->loops[i].time += (uint64_t)r->time - agree->time;
    agree->time = (uint64_t)r->time;
}

/* Of those that are marked, the ones that took little of the TIME of each phase stay so. */
static void keep_brief(struct efg_agree *agree, const uint64_t *time)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < EFG_AGREE_TURNS; i++)
        longest = time[i] > longest ? time[i] : longest;
    for (uint32_t i = 0; i < agree->loop_count; i++) {
        struct efg_agree_loop *loop = &agree->loops[i];
        loop->is_brief &= loop->phase && loop->phase <= EFG_AGREE_TURNS &&
                          (double)time[loop->phase - 1] < BRIEF * (double)longest;
    }
}

/* Than those that are brief. */
static bool has_other_windows(const struct efg_agree *agree)
{
    for (uint32_t i = 0; i < agree->loop_count; i++)
        if (agree->loops[i].is_made && !agree->loops[i].is_brief)
            return true;
    return false;
}

void efg_election_settle(struct efg_agree *agree, const uint64_t *lasted, const uint64_t *busy)
{
    for (uint32_t i = 0; i < agree->loop_count; i++)
        agree->loops[i].is_brief = agree->loops[i].is_made;
    keep_brief(agree, lasted);
    keep_brief(agree, busy);
    if (!has_other_windows(agree))
        for (uint32_t i = 0; i < agree->loop_count; i++)
            agree->loops[i].is_brief = false;
}

bool efg_agree_has_drifted(const struct efg_agree *agree)
{
    bool has = !agree->loop_count && agree->drifted;

    for (uint32_t i = 0; i < agree->loop_count; i++)
        if (!agree->loops[i].is_brief)
            has |= i == agree->present ? agree->drifted : agree->loops[i].drifted;
    return has;
}

uint64_t efg_agree_part_of(const struct efg_agree *agree, const struct efg_agree_loop *loop, uint64_t wanted)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < agree->loop_count; i++)
        all += agree->loops[i].is_made ? agree->loops[i].time : 0;
    if (!all || !loop->is_made)
        return wanted;
    uint64_t part = (uint64_t)((double)wanted * (double)loop->time / (double)all + 0.5);
    return part ? part : 1;
}

/* The first one that is nearly the longest; EFG_NONE: none takes any time. */
static uint32_t nearly_longest(const uint64_t *time, uint32_t count)
{
    uint64_t longest = 0;
    uint32_t i = 0;

    for (uint32_t k = 0; k < count; k++)
        longest = time[k] > longest ? time[k] : longest;
    while (i < count && (double)time[i] < NEARLY_LONGEST * (double)longest)
        i++;
    return longest ? i : EFG_NONE;
}

/* ALL: TIME of each phase, with those of the same function. */
static void add_functions(const uint64_t *time, const uint64_t *loops, uint32_t count, uint64_t *all)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            all[i] += k == i || (loops[i] && loops[k] == loops[i]) ? time[k] : 0;
}

/* TIME without those that LASTED much shorter than another one. */
static void drop_short(uint64_t *time, const uint64_t *lasted, uint32_t count)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < count; i++)
        longest = lasted[i] > longest ? lasted[i] : longest;
    for (uint32_t i = 0; i < count; i++)
        if ((double)lasted[i] < MUCH_SHORTER * (double)longest)
            time[i] = 0;
}

uint32_t efg_election_main(const uint64_t *lasted, const uint64_t *time, const uint64_t *loops,
                           uint32_t count)
{
    uint64_t all[EFG_AGREE_TURNS + 1] = {0}, own[EFG_AGREE_TURNS + 1] = {0}; /* of a function; of one only */
    uint64_t whole[EFG_AGREE_TURNS + 1] = {0};

    add_functions(time, loops, count, all);
    add_functions(lasted, loops, count, whole);
    drop_short(all, whole, count);
    uint32_t main = nearly_longest(all, count);
    if (main == EFG_NONE)
        return EFG_NONE;
    for (uint32_t i = 0; i < count; i++)
        own[i] = i == main || (loops[i] && loops[i] == loops[main]) ? time[i] : 0;
    return nearly_longest(own, count);
}
