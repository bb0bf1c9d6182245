/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Remembers how walks up the stack went, step by step. Invariant: a state is entered only by a walk for
 * which its slot is there to be read: the words before it have shown that there is the same frame at the
 * same place (walk.c).
 *
 * Most walks go where the one before went, so each state has its last transition at hand.
 */
#include "steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "runtime/base/memory.h"

#define FIRST_ROOM 512

#define MOST_MISSED 4 /* walks without room, for each transition, before all is forgotten */

/* Words that lead on are addresses, of 48 bits at most. Others are not kept. */
#define VALUE_BITS 48
_Static_assert(EFG_STEPS_MOST <= 1 << (64 - VALUE_BITS), "state and value are one key");

/* The state below, so that the map tells places apart that the same value is read at. */
static uint64_t key_of(uint32_t from, uintptr_t value)
{
    return (uint64_t)value << (64 - VALUE_BITS) | from;
}

static void forget(struct efg_steps *steps)
{
    efg_map_fini(&steps->next);
    efg_map_fini(&steps->by_place);
    steps->count = EFG_STEPS_FIRST;
    steps->missed = 0;
    if (steps->step)
        memset(steps->step, 0, EFG_STEPS_FIRST * sizeof *steps->step);
}

void efg_steps_fini(struct efg_steps *steps)
{
    forget(steps);
    free(steps->step);
    free(steps->place);
    *steps = (struct efg_steps){0};
}

static int grow(struct efg_steps *steps)
{
    uint32_t room = steps->room ? 2 * steps->room : FIRST_ROOM;
    struct efg_step *step = realloc(steps->step, room * sizeof *step);
    if (step)
        steps->step = step;
    struct efg_place *place = realloc(steps->place, room * sizeof *place);
    if (place)
        steps->place = place;
    if (!step || !place)
        return -ENOMEM;
    if (!steps->room)
        forget(steps);
    steps->room = room;
    return 0;
}

int efg_steps_make_room(struct efg_steps *steps, uint32_t count)
{
    if (steps->room && steps->count + count <= steps->room && steps->next.count + count <= steps->room)
        return 0;
    if (!steps->room || (steps->room < EFG_STEPS_MOST && efg_memory_may_remember(efg_steps_memory(steps))))
        return grow(steps);
    if (++steps->missed <= MOST_MISSED * steps->next.count)
        return -EAGAIN;
    forget(steps);
    return 0;
}

uint32_t efg_steps_search(struct efg_steps *steps, uint32_t from, uintptr_t value)
{
    if (value >> VALUE_BITS)
        return 0;
    const uint64_t *found = efg_map_find(&steps->next, key_of(from, value));
    if (!found)
        return 0;
    steps->step[from].value = value;
    return steps->step[from].next = (uint32_t)*found;
}

uint32_t efg_steps_link(struct efg_steps *steps, uint32_t from, uintptr_t value, uint32_t to)
{
    if (!to || value >> VALUE_BITS)
        return 0;
    uint64_t *next = efg_map_put(&steps->next, key_of(from, value));
    if (!next)
        return 0;
    *next = to;
    steps->step[from].value = value;
    return steps->step[from].next = to;
}

static uint64_t hash_of(const struct efg_place *place)
{
    uint64_t hash = efg_hash_mix(place->address, place->rsp);
    return efg_hash_mix(efg_hash_mix(hash, (uintptr_t)place->rbp_at), place->rbp);
}

uint32_t efg_steps_state(struct efg_steps *steps, const struct efg_step *step, const struct efg_place *place)
{
    uint64_t *number = place ? efg_map_put(&steps->by_place, hash_of(place)) : NULL;
    if (place && (!number || (*number && memcmp(&steps->place[*number], place, sizeof *place))))
        return 0;
    if (number && *number)
        return (uint32_t)*number;
    if (number)
        *number = steps->count;
    steps->step[steps->count] = *step;
    steps->place[steps->count] = place ? *place : (struct efg_place){0};
    return steps->count++;
}

uint64_t efg_steps_memory(const struct efg_steps *steps)
{
    return steps->room * (sizeof *steps->step + sizeof *steps->place) + efg_map_memory(&steps->next) +
           efg_map_memory(&steps->by_place);
}
