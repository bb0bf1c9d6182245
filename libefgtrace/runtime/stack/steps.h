/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps of walks (walk.h): they let a walk repeat what earlier walks did without looking at
 * unwind information. One for each thread. It is an automaton:
 *
 *     begin --frame--> state --value--> state --value--> ... --value--> end
 *
 * A state is a stack slot that is to be read next; the value read there leads to the next
 * state. States are places, not paths: walks that come to the same place go on together. So
 * there are as many states as functions have places in the stack, however many paths lead
 * through them.
 *
 * Bounded, and charged to the budget (memory.h). When it is full, nothing more is kept for a
 * while, and then everything is forgotten: what comes again is kept at once, and a program whose
 * frames are never at the same place twice does not pay for it.
 */
#ifndef EFG_STEPS_H
#define EFG_STEPS_H

#include <stdint.h>

#include "base/map.h"

#define EFG_STEPS_MOST 16384 /* transitions, and states: 3 MB */

enum { EFG_STEPS_BEGIN, EFG_STEPS_END, EFG_STEPS_FIRST }; /* numbers of states */

/* Where a walk is: in the function that ADDRESS returns to. How it goes on depends on this and
 * on what it has not read yet. */
struct efg_place {
    uintptr_t address, rsp;
    const uintptr_t *rbp_at; /* where the frames below have saved rbp */
    uintptr_t rbp;           /* what is there, once it was read, or 0 */
};

struct efg_step {
    const uintptr_t *at; /* to be read */
    uintptr_t value;     /* the last time, and what it led to */
    uint32_t next;
    uint32_t is_return; /* 1: a return address is there, or 0 */
};

struct efg_steps { /* all zero is empty */
    struct efg_step *step;
    struct efg_place *place; /* of states that begin a step; else zero */
    uint32_t count, room;
    uint32_t missed;         /* walks that there was no room for */
    struct efg_map next;     /* number of a state, by another one and a value */
    struct efg_map by_place; /* number of a state, by the hash of its place */
};

void efg_steps_fini(struct efg_steps *steps);

/* Make room for COUNT more states and transitions, up to 500, if necessary by forgetting all others.
 * Returns 0; -ENOMEM, or -EAGAIN if there is none for now. */
int efg_steps_make_room(struct efg_steps *steps, uint32_t count);

/* See below. */
uint32_t efg_steps_search(struct efg_steps *steps, uint32_t from, uintptr_t value);

/* The state that VALUE leads to in the state FROM; 0 if that is not known. There must have been
 * room for some. */
static inline uint32_t efg_steps_next(struct efg_steps *steps, uint32_t from, uintptr_t value)
{
    const struct efg_step *step = &steps->step[from];
    return step->value == value ? step->next : efg_steps_search(steps, from, value);
}

/* From now on VALUE leads from the state FROM to TO. Returns TO, or 0 if it cannot be kept.
 * There must be room. */
uint32_t efg_steps_link(struct efg_steps *steps, uint32_t from, uintptr_t value, uint32_t to);

/* The state for this step, that of PLACE if it is not NULL; made if it is new. Returns 0 if it
 * cannot be kept. There must be room. */
uint32_t efg_steps_state(struct efg_steps *steps, const struct efg_step *step,
                         const struct efg_place *place);

/* Bytes held. */
uint64_t efg_steps_memory(const struct efg_steps *steps);

#endif
