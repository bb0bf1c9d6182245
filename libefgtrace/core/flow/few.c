/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What counts the rounds of a loop is added to once in each round, and nothing else in the loop changes
 * it. What was written to it last before the loop is where it begins; that is in the loop around it, so it
 * begins there each time.
 */
#include "few.h"

#include "base/none.h"

static efg_place place_of(const struct efg_noted *n, uint32_t turn)
{
    return n->position[turn].place & ~EFG_PLACE_FLAGS;
}

static efg_place place_of_note(const struct efg_noted *n, uint32_t note)
{
    return place_of(n, n->notes[note].turn);
}

/* Whether turn number A comes before number B, in each round of a loop that both are in. */
static bool is_before(const struct efg_noted *n, uint32_t a, uint32_t b)
{
    return n->order[a] != n->order[b] ? n->order[a] < n->order[b] : a < b;
}

/* The first turn of the loop PLACE. */
static uint32_t first_of(const struct efg_noted *n, efg_place place)
{
    uint32_t first = EFG_NONE;

    for (uint32_t i = 0; i < n->turn_count; i++)
        if (efg_place_is_in(place_of(n, i), place) && (first == EFG_NONE || is_before(n, i, first)))
            first = i;
    return first;
}

static bool is_only_change(const struct efg_noted *n, uint32_t note, efg_place place)
{
    for (uint32_t i = 0; i < n->note_count; i++)
        if (i != note && n->notes[i].variable == n->notes[note].variable &&
            n->notes[i].kind != EFG_NOTE_COMPARE && efg_place_is_in(place_of_note(n, i), place))
            return false;
    return true;
}

/* The note that says where VARIABLE begins in the loop PLACE, or EFG_NONE. */
static uint32_t beginning(const struct efg_noted *n, uint64_t variable, efg_place place)
{
    uint32_t first = first_of(n, place), last = EFG_NONE;

    for (uint32_t i = 0; i < n->note_count; i++) {
        const struct efg_note *note = &n->notes[i];
        if (note->variable == variable && note->kind != EFG_NOTE_COMPARE && place_of_note(n, i) &&
            is_before(n, note->turn, first) &&
            (last == EFG_NONE || is_before(n, n->notes[last].turn, note->turn)))
            last = i;
    }
    return last != EFG_NONE && n->notes[last].kind == EFG_NOTE_SET ? last : EFG_NONE;
}

/* Whether no loop is between that of INNER and that of OUTER, which is around it. */
static bool is_next(const struct efg_noted *n, efg_place inner, efg_place outer)
{
    if (inner == outer || !efg_place_is_in(inner, outer))
        return false;
    for (uint32_t i = 0; i < n->turn_count; i++) {
        efg_place between = place_of(n, i);
        if (between != inner && between != outer && efg_place_is_in(inner, between) &&
            efg_place_is_in(between, outer))
            return false;
    }
    return true;
}

/* Whether what is at OFFSET, or comes there next, is in the loop PLACE. */
static bool goes_on(const struct efg_noted *n, uint32_t offset, efg_place place)
{
    uint32_t i = 0, end = n->turn_count;

    while (i < end) {
        uint32_t middle = i + (end - i) / 2;
        if (n->turns[middle].at < offset)
            i = middle + 1;
        else
            end = middle;
    }
    return i < n->turn_count && efg_place_is_in(place_of(n, i), place);
}

/* Whether the loop PLACE may be left by what turn number I has found: by a branch at the end of its block. */
static bool is_exit(const struct efg_noted *n, uint32_t i, efg_place place)
{
    uint32_t block = n->order[i];

    while (i < n->turn_count && n->order[i] == block && n->turns[i].kind != EFG_TURN_BRANCH)
        i++;
    return i < n->turn_count && n->order[i] == block &&
           (!goes_on(n, n->turns[i].to, place) || !goes_on(n, n->turns[i].behind, place));
}

/* Whether the loop PLACE ends after few rounds: where what counts them, from BEGIN on, is compared with a
 * number, or is 0 after an addition. */
static bool is_few(const struct efg_noted *n, uint32_t add, int64_t begin, efg_place place)
{
    int64_t step = n->notes[add].number;

    for (uint32_t i = 0; step && i < n->note_count; i++) {
        const struct efg_note *note = &n->notes[i];
        if (note->variable != n->notes[add].variable || place_of_note(n, i) != place ||
            !is_exit(n, note->turn, place))
            continue;
        int64_t rounds = ((note->kind == EFG_NOTE_COMPARE ? note->number : 0) - begin) / step;
        if (rounds >= 1 && rounds <= EFG_FEW_ROUNDS)
            return true;
    }
    return false;
}

static struct efg_few_counter find_counter(const struct efg_noted *n, efg_place place)
{
    for (uint32_t add = 0; add < n->note_count; add++) {
        if (n->notes[add].kind != EFG_NOTE_ADD || place_of_note(n, add) != place ||
            !(n->position[n->notes[add].turn].place & EFG_PLACE_ALWAYS) || !is_only_change(n, add, place))
            continue;
        uint32_t set = beginning(n, n->notes[add].variable, place);
        if (set != EFG_NONE && is_next(n, place, place_of_note(n, set)) &&
            is_few(n, add, n->notes[set].number, place))
            return (struct efg_few_counter){place, add, set};
    }
    return (struct efg_few_counter){place, EFG_NONE, EFG_NONE};
}

static const struct efg_few_counter *counter_of(struct efg_noted *n, efg_place place)
{
    if (n->last.place != place)
        n->last = find_counter(n, place);
    return &n->last;
}

struct efg_few efg_few_find(struct efg_noted *n, uint32_t call)
{
    struct efg_few few = {0};
    uint32_t turn = call; /* then, where the loop that it is in begins */

    while (few.count < EFG_FEW_LOOPS && n->position[turn].place & EFG_PLACE_ALWAYS &&
           efg_place_loop(place_of(n, turn)) > EFG_PLACE_NO_LOOP) {
        const struct efg_few_counter *counter = counter_of(n, place_of(n, turn));
        if (counter->set == EFG_NONE)
            break;
        const struct efg_note *add = &n->notes[counter->add], *set = &n->notes[counter->set];
        bool is_added = is_before(n, add->turn, call);
        few.loop[few.count].variable = add->variable;
        few.loop[few.count].first = (uint32_t)(set->number + (is_added ? add->number : 0));
        few.loop[few.count++].entry = n->position[set->turn];
        turn = set->turn;
    }
    return few;
}
