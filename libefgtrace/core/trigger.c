/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the state machine. Invariant: a window that is closed stays closed
 * unless some rank was late for it; recording begins in ARMED only.
 */
#include "core/trigger.h"

struct transition {
    enum efg_state next;
    enum efg_action action;
};

#define STAY(state) {state, EFG_DO_NOTHING}

static const struct transition table[EFG_STATES][EFG_INPUTS] = {
    [EFG_WATCHING] = {
        [EFG_IN_PIVOT] = {EFG_PROPOSED, EFG_DO_NOTHING},
    },
    [EFG_PROPOSED] = {
        [EFG_IN_PIVOT] = STAY(EFG_PROPOSED),
        [EFG_IN_PLACED] = {EFG_ARMED, EFG_DO_NOTHING},
        [EFG_IN_FIRST] = STAY(EFG_PROPOSED),
        [EFG_IN_LAST] = STAY(EFG_PROPOSED),
        [EFG_IN_LIMIT] = STAY(EFG_PROPOSED),
        [EFG_IN_LATE] = STAY(EFG_PROPOSED),
        [EFG_IN_NEXT] = STAY(EFG_PROPOSED),
        [EFG_IN_LOST] = {EFG_WATCHING, EFG_DO_FORGET},
    },
    [EFG_ARMED] = {
        [EFG_IN_PIVOT] = STAY(EFG_ARMED),
        [EFG_IN_PLACED] = STAY(EFG_ARMED),
        [EFG_IN_FIRST] = {EFG_RECORDING, EFG_DO_OPEN},
        [EFG_IN_LAST] = STAY(EFG_ARMED),
        [EFG_IN_LIMIT] = STAY(EFG_ARMED),
        [EFG_IN_LATE] = {EFG_PROPOSED, EFG_DO_NOTHING},
        [EFG_IN_NEXT] = STAY(EFG_ARMED),
        [EFG_IN_LOST] = {EFG_WATCHING, EFG_DO_FORGET},
    },
    [EFG_RECORDING] = {
        [EFG_IN_PIVOT] = STAY(EFG_RECORDING),
        [EFG_IN_PLACED] = STAY(EFG_RECORDING),
        [EFG_IN_FIRST] = STAY(EFG_RECORDING),
        [EFG_IN_LAST] = {EFG_DONE, EFG_DO_CLOSE},
        [EFG_IN_LIMIT] = {EFG_DONE, EFG_DO_CLOSE},
        [EFG_IN_LATE] = {EFG_PROPOSED, EFG_DO_DISCARD},
        [EFG_IN_NEXT] = STAY(EFG_RECORDING),
        [EFG_IN_LOST] = STAY(EFG_RECORDING),
    },
    [EFG_DONE] = {
        [EFG_IN_PIVOT] = STAY(EFG_DONE),
        [EFG_IN_PLACED] = STAY(EFG_DONE),
        [EFG_IN_FIRST] = STAY(EFG_DONE),
        [EFG_IN_LAST] = STAY(EFG_DONE),
        [EFG_IN_LIMIT] = STAY(EFG_DONE),
        [EFG_IN_LATE] = {EFG_PROPOSED, EFG_DO_DISCARD},
        [EFG_IN_NEXT] = {EFG_PROPOSED, EFG_DO_NOTHING},
        [EFG_IN_LOST] = {EFG_WATCHING, EFG_DO_FORGET},
    },
};

enum efg_action efg_trigger_step(struct efg_trigger *trigger, enum efg_input input)
{
    const struct transition *t = &table[trigger->state][input];
    trigger->state = t->next;
    return t->action;
}
