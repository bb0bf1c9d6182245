/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trigger: when to record. A state machine as one table without side effects; the
 * tracer feeds it and carries out what it answers.
 *
 *     WATCHING --pivot--> PROPOSED --placed--> ARMED --first--> RECORDING --last--> DONE
 *         ^                  ^ ^                 | late            | late, discard    |
 *         |                  | +-----------------+-----------------+                  |
 *         |                  +------------------------- next window ------------------+
 *         +---------------------------------- phase over ------------------------------+
 *
 * A window is the iterations [first, first + length), by number of the pivot's visit.
 */
#ifndef EFG_TRIGGER_H
#define EFG_TRIGGER_H

#include <stdint.h>

enum efg_state {
    EFG_WATCHING,  /* no pivot yet */
    EFG_PROPOSED,  /* a pivot, all ranks agree on it; no window yet */
    EFG_ARMED,     /* the window is known and lies ahead */
    EFG_RECORDING,
    EFG_DONE,      /* the window is behind */
    EFG_STATES
};

enum efg_input {
    EFG_IN_PIVOT,  /* the pivot is known */
    EFG_IN_PLACED, /* the window is known */
    EFG_IN_FIRST,  /* its first iteration begins */
    EFG_IN_LAST,   /* its last iteration ended */
    EFG_IN_LIMIT,  /* no more room to record */
    EFG_IN_LATE,   /* some rank could not make it: the window does not hold */
    EFG_IN_NEXT,   /* the plan has another window */
    EFG_IN_LOST,   /* the phase is over, the pivot is no more */
    EFG_INPUTS
};

enum efg_action {
    EFG_DO_NOTHING,
    EFG_DO_OPEN,    /* begin to record */
    EFG_DO_CLOSE,   /* end the window, keep it */
    EFG_DO_DISCARD, /* throw away what the window has recorded */
    EFG_DO_FORGET,  /* search for a pivot again */
};

struct efg_trigger {
    enum efg_state state;
    uint64_t first, length; /* the window, valid from ARMED on */
};

/* Feed INPUT; returns what is to be done. An input that means nothing in the present
 * state changes nothing. */
enum efg_action efg_trigger_step(struct efg_trigger *trigger, enum efg_input input);

/* The pivot was visited, VISITS times so far: this makes FIRST or LAST of it. */
static inline enum efg_action efg_trigger_visit(struct efg_trigger *trigger, uint64_t visits)
{
    if (trigger->state == EFG_ARMED && visits == trigger->first)
        return efg_trigger_step(trigger, EFG_IN_FIRST);
    if (trigger->state == EFG_RECORDING && visits >= trigger->first + trigger->length)
        return efg_trigger_step(trigger, EFG_IN_LAST);
    return EFG_DO_NOTHING;
}

#endif
