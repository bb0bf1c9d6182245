/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the state machine. A cell that is not listed changes nothing. Invariant:
 * recording begins with OPEN only, and OPEN leads to where something ends it: KEEP, CLOSE,
 * DISCARD or FORGET.
 */
#include "trigger.h"

struct transition {
    int is_listed;
    enum efg_state next;
    enum efg_action action;
};

#define GO(state, action)               \
    {                                   \
        1, EFG_##state, EFG_DO_##action \
    }

static const struct transition table[EFG_STATES][EFG_INPUTS] = {
    [EFG_WATCHING] =
        {
            [EFG_IN_PIVOT] = GO(PROPOSED, NOTHING),
            [EFG_IN_LONG] = GO(PROVISIONAL, OPEN),
            [EFG_IN_PLACED] = GO(ARMED, NOTHING),
        },
    [EFG_PROPOSED] =
        {
            [EFG_IN_LONG] = GO(PROVISIONAL, OPEN),
            [EFG_IN_PLACED] = GO(ARMED, NOTHING),
            [EFG_IN_LOST] = GO(WATCHING, FORGET),
        },
    [EFG_PROVISIONAL] =
        {
            [EFG_IN_PLACED] = GO(ARMED, DISCARD),
            [EFG_IN_PAST] = GO(RECORDING, KEEP),
            [EFG_IN_OVER] = GO(WATCHING, DISCARD),
            [EFG_IN_LIMIT] = GO(WATCHING, DISCARD),
            [EFG_IN_LOST] = GO(WATCHING, FORGET),
        },
    [EFG_ARMED] =
        {
            [EFG_IN_FIRST] = GO(RECORDING, OPEN),
            [EFG_IN_LATE] = GO(PROPOSED, NOTHING),
            [EFG_IN_LOST] = GO(WATCHING, FORGET),
        },
    [EFG_RECORDING] =
        {
            [EFG_IN_LAST] = GO(DONE, CLOSE),
            [EFG_IN_OVER] = GO(DONE, CLOSE),
            [EFG_IN_LIMIT] = GO(DONE, CLOSE),
            [EFG_IN_LATE] = GO(PROPOSED, DISCARD),
            [EFG_IN_LOST] = GO(WATCHING, FORGET),
        },
    [EFG_DONE] =
        {
            [EFG_IN_LATE] = GO(PROPOSED, DISCARD),
            [EFG_IN_NEXT] = GO(PROPOSED, NOTHING),
            [EFG_IN_LOST] = GO(WATCHING, FORGET),
        },
};

enum efg_action efg_trigger_step(struct efg_trigger *trigger, enum efg_input input)
{
    const struct transition *t = &table[trigger->state][input];
    if (t->is_listed)
        trigger->state = t->next;
    return t->action;
}
