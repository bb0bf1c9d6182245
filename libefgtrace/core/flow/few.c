/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What counts the rounds of a loop is added to once in each round, and nothing else in the loop changes
 * it. What was written to it last before the loop is where it begins; that is in the loop around it, so it
 * begins there each time. So it is where the end follows from it in the loop around. Of two rounds, the first
 * one ends where the loop would be left if that had not been the first.
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

/* Whether nothing changes VARIABLE in the loop PLACE, but for the note EXCEPT. */
static bool is_only_change(const struct efg_noted *n, uint64_t variable, uint32_t except, efg_place place)
{
    for (uint32_t i = 0; i < n->note_count; i++)
        if (i != except && n->notes[i].variable == variable && n->notes[i].kind != EFG_NOTE_COMPARE &&
            efg_place_is_in(place_of_note(n, i), place))
            return false;
    return true;
}

/* What changes VARIABLE last before the loop PLACE, or EFG_NONE. */
static uint32_t last_change(const struct efg_noted *n, uint64_t variable, efg_place place)
{
    uint32_t first = first_of(n, place), last = EFG_NONE;

    for (uint32_t i = 0; i < n->note_count; i++) {
        const struct efg_note *note = &n->notes[i];
        if (note->variable == variable && note->kind != EFG_NOTE_COMPARE && place_of_note(n, i) &&
            is_before(n, note->turn, first) &&
            (last == EFG_NONE || is_before(n, n->notes[last].turn, note->turn)))
            last = i;
    }
    return last;
}

/* What sets VARIABLE before the loop PLACE, in which it does not change but by EXCEPT; or EFG_NONE. */
static uint32_t beginning(const struct efg_noted *n, uint64_t variable, uint32_t except, efg_place place)
{
    uint32_t last = last_change(n, variable, place);

    return last != EFG_NONE && n->notes[last].kind == EFG_NOTE_SET &&
                   is_only_change(n, variable, except, place)
               ? last
               : EFG_NONE;
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

/* The turn that is at OFFSET, or comes there next; turn_count if there is none. */
static uint32_t turn_at(const struct efg_noted *n, uint32_t offset)
{
    uint32_t i = 0, end = n->turn_count;

    while (i < end) {
        uint32_t middle = i + (end - i) / 2;
        if (n->turns[middle].at < offset)
            i = middle + 1;
        else
            end = middle;
    }
    return i;
}

/* Whether what is at OFFSET, or comes there next, is in the loop PLACE. */
static bool goes_on(const struct efg_noted *n, uint32_t offset, efg_place place)
{
    uint32_t i = turn_at(n, offset);

    return i < n->turn_count && efg_place_is_in(place_of(n, i), place);
}

/* The branch at the end of the block of turn number I by which the loop PLACE may be left; or EFG_NONE. */
static uint32_t exit_of(const struct efg_noted *n, uint32_t i, efg_place place)
{
    uint32_t block = n->order[i];

    while (i < n->turn_count && n->order[i] == block && n->turns[i].kind != EFG_TURN_BRANCH)
        i++;
    return i < n->turn_count && n->order[i] == block &&
                   (!goes_on(n, n->turns[i].to, place) || !goes_on(n, n->turns[i].behind, place))
               ? i
               : EFG_NONE;
}

/* Whether this note, of what the loop PLACE is left by, is about VARIABLE. */
static bool is_end(const struct efg_noted *n, uint32_t note, uint64_t variable, efg_place place)
{
    return n->notes[note].variable == variable && place_of_note(n, note) == place &&
           exit_of(n, n->notes[note].turn, place) != EFG_NONE;
}

static bool is_few(int64_t length, int64_t step)
{
    return step && length / step >= 1 && length / step <= EFG_FEW_ROUNDS;
}

/* Whether what these two notes set to sums with one variable, or to numbers, can be compared in the loop. */
static bool are_of_one(const struct efg_noted *n, uint32_t set, uint32_t end, efg_place place)
{
    uint64_t other = n->notes[set].other;
    uint32_t before = other ? last_change(n, other, place) : EFG_NONE;

    return other == n->notes[end].other && (!other || is_only_change(n, other, EFG_NONE, place)) &&
           (before == EFG_NONE || (is_before(n, n->notes[before].turn, n->notes[set].turn) &&
                                   is_before(n, n->notes[before].turn, n->notes[end].turn)));
}

/* From SET on, to what it is compared with, or to 0. */
static bool is_counted(const struct efg_noted *n, uint32_t add, uint32_t set, efg_place place,
                       struct efg_few_counter *counter)
{
    uint64_t variable = n->notes[add].variable;

    for (uint32_t i = 0; i < n->note_count; i++) {
        const struct efg_note *note = &n->notes[i];
        if (!is_end(n, i, variable, place))
            continue;
        uint32_t end = note->other ? beginning(n, note->other, EFG_NONE, place) : EFG_NONE;
        if (note->other ? end == EFG_NONE || !are_of_one(n, set, end, place) : n->notes[set].other)
            continue;
        int64_t number = end != EFG_NONE                  ? n->notes[end].number
                         : note->kind == EFG_NOTE_COMPARE ? note->number
                                                          : 0;
        if (is_few(number - n->notes[set].number, n->notes[add].number)) {
            *counter = (struct efg_few_counter){place, add, set, n->notes[set].number, n->notes[set].other};
            return true;
        }
    }
    return false;
}

/* From anything on, to what is as far from there each time. */
static bool is_measured(const struct efg_noted *n, uint32_t add, efg_place place,
                        struct efg_few_counter *counter)
{
    uint64_t variable = n->notes[add].variable;
    uint32_t begin = last_change(n, variable, place);

    for (uint32_t i = 0; i < n->note_count; i++) {
        const struct efg_note *note = &n->notes[i];
        if (!note->other || !is_end(n, i, variable, place))
            continue;
        uint32_t end = beginning(n, note->other, EFG_NONE, place);
        if (end == EFG_NONE || n->notes[end].other != variable ||
            (begin != EFG_NONE && !is_before(n, n->notes[begin].turn, n->notes[end].turn)) ||
            !is_few(n->notes[end].number, n->notes[add].number))
            continue;
        *counter = (struct efg_few_counter){place, add, end, -n->notes[end].number, note->other};
        return true;
    }
    return false;
}

/* In two rounds: it is left if it is not the number any more that SET says, else CHANGE sets another one. */
static bool is_switched(const struct efg_noted *n, uint32_t change, uint32_t set, efg_place place,
                        struct efg_few_counter *counter)
{
    for (uint32_t i = 0; i < n->note_count; i++) {
        const struct efg_note *note = &n->notes[i];
        if (note->kind != EFG_NOTE_COMPARE || note->other || note->number != n->notes[set].number ||
            !is_end(n, i, n->notes[change].variable, place))
            continue;
        const struct efg_turn *branch = &n->turns[exit_of(n, note->turn, place)];
        uint32_t next = turn_at(n, goes_on(n, branch->to, place) ? branch->to : branch->behind);
        if (n->order[next] == n->order[n->notes[change].turn]) {
            *counter = (struct efg_few_counter){place, change, set, note->number, 0};
            return true;
        }
    }
    return false;
}

static bool is_counter(const struct efg_noted *n, uint32_t change, efg_place place,
                       struct efg_few_counter *counter)
{
    const struct efg_note *note = &n->notes[change];
    bool is_always = n->position[note->turn].place & EFG_PLACE_ALWAYS;

    if (place_of_note(n, change) != place || !is_only_change(n, note->variable, change, place))
        return false;
    uint32_t set = beginning(n, note->variable, change, place);
    if (note->kind == EFG_NOTE_ADD && is_always)
        return (set != EFG_NONE && is_counted(n, change, set, place, counter)) ||
               is_measured(n, change, place, counter);
    return note->kind == EFG_NOTE_SET && !note->other && set != EFG_NONE && !n->notes[set].other &&
           note->number != n->notes[set].number && is_switched(n, change, set, place, counter);
}

static struct efg_few_counter find_counter(const struct efg_noted *n, efg_place place)
{
    struct efg_few_counter counter;

    for (uint32_t i = 0; i < n->note_count; i++)
        if (is_counter(n, i, place, &counter) && is_next(n, place, place_of_note(n, counter.set)))
            return counter;
    return (struct efg_few_counter){.place = place, .set = EFG_NONE};
}

static const struct efg_few_counter *counter_of(struct efg_noted *n, efg_place place)
{
    if (n->last.place != place)
        n->last = find_counter(n, place);
    return &n->last;
}

static bool is_in_each_round(const struct efg_noted *n, uint32_t turn)
{
    return n->position[turn].place & EFG_PLACE_ALWAYS && efg_place_is_looping(place_of(n, turn));
}

struct efg_few efg_few_find(struct efg_noted *noted, uint32_t call)
{
    struct efg_few few = {0};
    uint32_t turn = call; /* then, where the loop that it is in begins */

    while (few.count < EFG_FEW_LOOPS && is_in_each_round(noted, turn)) {
        const struct efg_few_counter *counter = counter_of(noted, place_of(noted, turn));
        if (counter->set == EFG_NONE)
            break;
        const struct efg_note *change = &noted->notes[counter->change];
        bool is_added = change->kind == EFG_NOTE_ADD && is_before(noted, change->turn, call);
        few.loop[few.count].variable = change->variable;
        few.loop[few.count].other = counter->other;
        few.loop[few.count].first = (uint32_t)(counter->first + (is_added ? change->number : 0));
        turn = noted->notes[counter->set].turn;
        few.loop[few.count++].entry = noted->position[turn];
    }
    return few;
}
