/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trigger: what a rank does at present: watch, record, or be done with it. A state machine as one
 * table without side effects; control.h gives it inputs.
 *
 *     WATCHING --pivot--> PROPOSED --placed--> ARMED --first--> RECORDING --last--> DONE
 *         |                 ^ ^                  | late            | late, discard    |
 *         |                 | +------------------+-----------------+                  |
 *         |                 +----------------------------- next ----------------------+
 *         |
 *         +--follow--> FOLLOWING --next, trim--> WATCHING
 *
 *     WATCHING, PROPOSED --long--> READY --first, open--> PROVISIONAL --past, keep-------> RECORDING
 *                                                                     --placed, discard--> ARMED
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
    EFG_WATCHING,    /* no pivot that the ranks agree on */
    EFG_PROPOSED,    /* a pivot, all ranks agree on it; no window yet, or no further one */
    EFG_READY,       /* records from the next visit of its pivot on, before there is a window */
    EFG_PROVISIONAL, /* recording, and no window yet */
    EFG_ARMED,       /* the window is known and lies ahead */
    EFG_RECORDING,
    EFG_DONE,      /* the window is over; other ranks may not be done with it yet */
    EFG_FOLLOWING, /* recording for a window that other ranks own */
    EFG_STATES
};

enum efg_trigger_input {
    EFG_IN_PIVOT,  /* the pivot is known */
    EFG_IN_LONG,   /* iterations are few and long */
    EFG_IN_PLACED, /* the window is known, and lies ahead */
    EFG_IN_PAST,   /* the window is known, and has begun: it is in the provisional record */
    EFG_IN_FOLLOW, /* the window is known, and other ranks own it */
    EFG_IN_FIRST,  /* its first iteration begins, or the first one that is recorded provisionally */
    EFG_IN_LAST,   /* its last iteration ended */
    EFG_IN_OVER,   /* its loop is over: the last whole iteration is the last one */
    EFG_IN_LIMIT,  /* no more room to record */
    EFG_IN_LATE,   /* the window does not hold: some rank could not make it, or the pivot drifts */
    EFG_IN_NEXT,   /* all ranks are done with the window */
    EFG_IN_LOST,   /* there is no pivot any more */
    EFG_IN_END,    /* the program ends, and nothing more will be agreed */
    EFG_INPUTS
};

enum efg_action {
    EFG_DO_NOTHING,
    EFG_DO_OPEN,    /* begin to record, with this visit */
    EFG_DO_FOLLOW,  /* begin to record now, whatever has been recorded provisionally */
    EFG_DO_KEEP,    /* the provisional record is the window: no longer throw it away */
    EFG_DO_CLOSE,   /* end the window with this visit */
    EFG_DO_CUT,     /* end it with the last visit: the present iteration is not in it */
    EFG_DO_SETTLE,  /* keep what all ranks have of the window */
    EFG_DO_TRIM,    /* the same of what was recorded while following, which ends now */
    EFG_DO_DISCARD, /* throw away what has been recorded for the present window */
    EFG_DO_FORGET,  /* the same, and forget the pivot */
    EFG_DO_MARK     /* mark the pivot that the ranks agreed on: control.h only */
};

struct efg_trigger {
    enum efg_state state;
    uint64_t first, length; /* the window, valid from ARMED on */
};

/* Feed INPUT; returns what to do. An input that means nothing in the present state
 * changes nothing. */
enum efg_action efg_trigger_step(struct efg_trigger *trigger, enum efg_trigger_input input);

/* The pivot was visited, which begins iteration NUMBER: this makes FIRST or LAST of it. */
static inline enum efg_action efg_trigger_visit(struct efg_trigger *trigger, uint64_t number)
{
    if (trigger->state == EFG_READY || (trigger->state == EFG_ARMED && number == trigger->first))
        return efg_trigger_step(trigger, EFG_IN_FIRST);
    if (trigger->state == EFG_RECORDING && number >= trigger->first + trigger->length)
        return efg_trigger_step(trigger, EFG_IN_LAST);
    return EFG_DO_NOTHING;
}

#endif
