/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trigger: when to record. A state machine as one table without side effects; the
 * tracer gives it inputs and carries out its answers.
 *
 *     WATCHING --pivot--> PROPOSED --placed--> ARMED --first--> RECORDING --last--> DONE
 *                           ^ ^                 | late            | late, discard    |
 *                           | +-----------------+-----------------+                  |
 *                           +---------------------------- next ----------------------+
 *
 *     WATCHING, PROPOSED --long--> PROVISIONAL --past, keep-------> RECORDING
 *                                              --placed, discard--> ARMED
 *
 *     lost: from everywhere to WATCHING; a window that not all ranks are done with is thrown away
 *
 * A window is the iterations [first, first + length), by their agreed numbers (agree.h). Where
 * iterations are few and long, a rank records before anything is agreed, provisionally: the
 * window then begins in the past, if all ranks have done so.
 */
#ifndef EFG_TRIGGER_H
#define EFG_TRIGGER_H

#include <stdint.h>

enum efg_state {
    EFG_WATCHING,    /* no pivot yet */
    EFG_PROPOSED,    /* a pivot, all ranks agree on it; no window yet, or no further one */
    EFG_PROVISIONAL, /* recording, and no window yet */
    EFG_ARMED,       /* the window is known and lies ahead */
    EFG_RECORDING,
    EFG_DONE, /* the window is over; other ranks may not be done with it yet */
    EFG_STATES
};

enum efg_input {
    EFG_IN_PIVOT,  /* the pivot is known */
    EFG_IN_LONG,   /* iterations are few and long */
    EFG_IN_PLACED, /* the window is known, and lies ahead */
    EFG_IN_PAST,   /* the window is known, and has begun: it is in the provisional record */
    EFG_IN_FIRST,  /* its first iteration begins */
    EFG_IN_LAST,   /* its last iteration ended */
    EFG_IN_OVER,   /* its loop is over: the last whole iteration is the last one */
    EFG_IN_LIMIT,  /* no more room to record */
    EFG_IN_LATE,   /* the window does not hold: some rank could not make it, or the pivot drifts
                    */
    EFG_IN_NEXT,   /* all ranks are done with the window */
    EFG_IN_LOST,   /* there is no pivot any more */
    EFG_INPUTS
};

enum efg_action {
    EFG_DO_NOTHING,
    EFG_DO_OPEN,  /* begin to record */
    EFG_DO_KEEP,  /* the provisional record is the window; throw away what is before FIRST */
    EFG_DO_CLOSE, /* end the window after its last whole iteration, keep it */
    EFG_DO_DISCARD, /* throw away what has been recorded since the last OPEN */
    EFG_DO_FORGET   /* the same, unless all ranks are done with it, and forget the pivot */
};

struct efg_trigger {
    enum efg_state state;
    uint64_t first, length; /* the window, valid from ARMED on */
};

/* Feed INPUT; returns what to do. An input that means nothing in the present state
 * changes nothing. */
enum efg_action efg_trigger_step(struct efg_trigger *trigger, enum efg_input input);

/* The pivot was visited, which begins iteration NUMBER: this makes FIRST or LAST of it. */
static inline enum efg_action efg_trigger_visit(struct efg_trigger *trigger, uint64_t number)
{
    if (trigger->state == EFG_ARMED && number == trigger->first)
        return efg_trigger_step(trigger, EFG_IN_FIRST);
    if (trigger->state == EFG_RECORDING && number >= trigger->first + trigger->length)
        return efg_trigger_step(trigger, EFG_IN_LAST);
    return EFG_DO_NOTHING;
}

#endif
