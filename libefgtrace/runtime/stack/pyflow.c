/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From instructions to turns, to positions of all instructions (core/flow/blocks.h). The condition of a
 * loop is often there twice, before the loop and at its end: such a call is the one that is further in.
 *
 * A generator leaves with each value, and whoever asks for the next one calls it again: what comes between
 * two values is in no loop of it.
 */
#include "pyflow.h"

#include <stdlib.h>

#include "base/none.h"
#include "core/flow/blocks.h"
#include "pycode.h"

#define MOST_UNITS 0x8000

struct decoded {
    const struct efg_pylayout *layout;
    struct efg_pyunits units;
    struct efg_turn *turns;        /* of each instruction: one that goes on is taken for a call */
    enum efg_pykind *kinds;        /* with them */
    struct efg_position *position; /* with them */
    uint32_t count;
};

static void decoded_fini(struct decoded *d)
{
    free(d->turns);
    free(d->kinds);
    free(d->position);
}

/* --- instructions --- */

static unsigned char byte_of(const struct decoded *d, uint64_t unit, unsigned byte)
{
    return efg_pycode_byte(d->units.at + 2 * unit + byte);
}

/* Units that it keeps behind itself. */
static uint32_t cache_of(const struct decoded *d, unsigned char instruction)
{
    char c = d->layout->caches ? d->layout->caches[instruction] : '0';

    return (uint32_t)(c < 'a' ? c - '0' : c - 'a' + 10);
}

/* BEHIND is the unit that comes next. */
static bool is_yield(const struct decoded *d, enum efg_pykind kind, uint32_t behind)
{
    return kind == EFG_PY_YIELDS ||
           (kind == EFG_PY_MAY_YIELD && behind < d->units.count && EFG_PY_YIELDED(byte_of(d, behind, 1)));
}

static enum efg_turn_kind turn_of(enum efg_pykind kind)
{
    switch (kind) {
    case EFG_PY_FORWARD:
    case EFG_PY_BACKWARD:
    case EFG_PY_ABSOLUTE:
        return EFG_TURN_JUMP;
    case EFG_PY_IF_FORWARD:
    case EFG_PY_IF_BACKWARD:
    case EFG_PY_IF_ABSOLUTE:
    case EFG_PY_FOR:
        return EFG_TURN_BRANCH;
    case EFG_PY_ENDS:
        return EFG_TURN_END;
    default:
        return EFG_TURN_CALL;
    }
}

/* The unit that a turn with this ARGUMENT leads to; BEHIND is the next one. */
static uint32_t target_of(const struct decoded *d, enum efg_pykind kind, uint32_t argument, uint32_t behind)
{
    uint32_t units = argument * d->layout->argument_bytes / 2;

    if (kind == EFG_PY_ABSOLUTE || kind == EFG_PY_IF_ABSOLUTE)
        return units;
    return kind == EFG_PY_BACKWARD || kind == EFG_PY_IF_BACKWARD ? behind - units : behind + units;
}

/* The instruction at the unit AT. Returns the next one, or 0 if it is not understood. */
static uint32_t add_instruction(struct decoded *d, uint32_t at, uint32_t argument)
{
    unsigned char instruction = byte_of(d, at, 0);
    enum efg_pykind kind = (enum efg_pykind)d->layout->kinds[instruction];
    uint32_t behind = at + 1 + cache_of(d, instruction), to = EFG_NONE;
    enum efg_turn_kind turn = is_yield(d, kind, behind) ? EFG_TURN_YIELD : turn_of(kind);

    if (turn == EFG_TURN_JUMP || turn == EFG_TURN_BRANCH)
        to = target_of(d, kind, argument, behind);
    if (kind == EFG_PY_UNKNOWN || behind > d->units.count || (to != EFG_NONE && to >= d->units.count))
        return 0;
    d->kinds[d->count] = kind;
    d->turns[d->count++] = (struct efg_turn){at, behind, turn, to};
    return behind;
}

static bool decode(struct decoded *d)
{
    uint32_t at = 0, argument = 0;

    while (at < d->units.count) {
        argument = argument << 8 | byte_of(d, at, 1);
        if (d->layout->kinds[byte_of(d, at, 0)] == EFG_PY_PREFIX) {
            at++;
            continue;
        }
        at = add_instruction(d, at, argument);
        argument = 0;
        if (!at)
            return false;
    }
    return d->count > 0;
}

static bool find_positions(struct decoded *d)
{
    size_t room = d->units.count + 1;

    if (!d->units.count || d->units.count > MOST_UNITS)
        return false;
    d->turns = malloc(room * sizeof *d->turns);
    d->kinds = malloc(room * sizeof *d->kinds);
    d->position = malloc(room * sizeof *d->position);
    return d->turns && d->kinds && d->position && decode(d) &&
           efg_blocks_find(d->turns, d->count, (uint32_t)d->units.count, d->position, NULL) == 0;
}

/* --- calls --- */

/* The instruction that has UNIT, or keeps it behind itself; d->count: none. */
static uint32_t instruction_at(const struct decoded *d, uint32_t unit)
{
    uint32_t i = 0;

    while (i < d->count && d->turns[i].behind <= unit)
        i++;
    return i;
}

/* Whether A and B, of one line, may be the same call of the source. */
static bool is_twin(const struct decoded *d, uint32_t a, uint32_t b)
{
    return d->kinds[a] == EFG_PY_CALLS && d->kinds[b] == EFG_PY_CALLS &&
           byte_of(d, d->turns[a].at, 1) == byte_of(d, d->turns[b].at, 1);
}

static efg_place place_of(struct efg_position position)
{
    return position.place & ~EFG_PLACE_FLAGS;
}

static bool is_further_in(struct efg_position a, struct efg_position b)
{
    return place_of(a) != place_of(b) && efg_place_is_in(place_of(a), place_of(b));
}

/* Of instruction number I, which is of LINE, and its twins. */
static uint32_t innermost(const struct decoded *d, uintptr_t code, uint32_t i, uint32_t line)
{
    struct efg_pylines lines = efg_pycode_lines(code);
    uint32_t best = i;

    for (uint32_t k = 0; k < d->count && efg_pycode_next_line(&lines);)
        for (; k < d->count && 2ul * d->turns[k].at < lines.to; k++)
            if (lines.line == line && is_twin(d, i, k) && is_further_in(d->position[k], d->position[best]))
                best = k;
    return best;
}

/* --- loops of `for` --- */

/* Whether instruction number I begins each round of a loop of its own: not where none goes on. */
static bool is_for(const struct decoded *d, uint32_t i)
{
    return i > 0 && d->kinds[i] == EFG_PY_FOR && is_further_in(d->position[i], d->position[i - 1]);
}

static bool has_with(const struct decoded *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (d->kinds[i] == EFG_PY_WITH)
            return true;
    return false;
}

/* How many loops of `for` PLACE is in. INNERMOST: the instruction that begins the innermost loop around it;
 * d->count if that is none of `for`. */
static uint32_t count_fors(const struct decoded *d, efg_place place, uint32_t *innermost)
{
    uint32_t count = 0;

    *innermost = d->count;
    for (uint32_t i = 0; i < d->count; i++) {
        if (!is_for(d, i) || !efg_place_is_in(place, place_of(d->position[i])))
            continue;
        count++;
        if (efg_place_loop(place) == efg_place_loop(place_of(d->position[i])))
            *innermost = i;
    }
    return count;
}

/* Of the call at instruction number I. What `with` has in the stack is below some iterators. */
static void find_fors(const struct decoded *d, uint32_t i, struct efg_pycall *call)
{
    struct efg_position at = d->position[i];
    uint32_t innermost, count = has_with(d) ? 0 : count_fors(d, place_of(at), &innermost);

    call->slot = count - 1;
    while (count && innermost < d->count && at.place & EFG_PLACE_ALWAYS &&
           call->for_count < EFG_PYFLOW_FORS) {
        at = d->position[innermost - 1];
        call->entry[call->for_count++] = at;
        count = count_fors(d, place_of(at), &innermost);
    }
}

void efg_pyflow_look(uintptr_t code, struct efg_pycall *call)
{
    struct decoded d = {.layout = efg_pycode_layout(), .units = efg_pycode_units(code)};
    uint32_t i = find_positions(&d) ? instruction_at(&d, call->unit) : d.count;

    call->position = (struct efg_position){0};
    if (i < d.count) {
        find_fors(&d, i, call);
        i = innermost(&d, code, i, call->line);
        call->instruction = d.turns[i].at;
        call->position = d.position[i];
    }
    decoded_fini(&d);
}

/* --- lines --- */

/* Of two calls of a line; of one loop, it is not known whether both come in each round. */
static struct efg_position join(struct efg_position a, struct efg_position b)
{
    if (is_further_in(b, a))
        return b;
    if (is_further_in(a, b))
        return a;
    if (place_of(a) != place_of(b) || !place_of(a))
        return (struct efg_position){0};
    a.place = place_of(a) | EFG_PLACE_SEVERAL;
    a.leg = 0;
    return a;
}

static struct efg_position position_of(const struct efg_pycall *call, unsigned firsts)
{
    return !firsts                     ? call->position
           : firsts <= call->for_count ? call->entry[firsts - 1]
                                       : (struct efg_position){0};
}

struct efg_position efg_pyflow_position(const struct efg_pycall *calls, uint32_t count, uint32_t line,
                                        unsigned firsts)
{
    struct efg_position position = {0};
    uint32_t last = EFG_NONE;

    for (uint32_t i = 0; i < count; i++) {
        if (calls[i].line != line || calls[i].instruction == last)
            continue;
        struct efg_position next = position_of(&calls[i], firsts);
        position = last == EFG_NONE ? next : join(position, next);
        last = calls[i].instruction;
    }
    return position;
}
