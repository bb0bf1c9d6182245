/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the state machine, each transition a line. What is not in it changes nothing.
 * Invariant: a window is recorded from OPEN or FOLLOW on only, and these lead to where something ends it:
 * CLOSE, CUT, TRIM, DISCARD or FORGET. While ARMED, what leads to the window may be recorded.
 */
#include "trigger.h"

#include <stddef.h>

/* clang-format off */
static const struct transition {
    enum efg_state from;
    enum efg_trigger_input input;
    enum efg_state to;
    enum efg_action action;
} table[] = {
    {EFG_WATCHING,    EFG_IN_PIVOT,  EFG_PROPOSED,    EFG_DO_NOTHING},
    {EFG_WATCHING,    EFG_IN_LONG,   EFG_READY,       EFG_DO_NOTHING},
    {EFG_WATCHING,    EFG_IN_PLACED, EFG_ARMED,       EFG_DO_NOTHING},
    {EFG_WATCHING,    EFG_IN_FOLLOW, EFG_FOLLOWING,   EFG_DO_FOLLOW},

    {EFG_PROPOSED,    EFG_IN_LONG,   EFG_READY,       EFG_DO_NOTHING},
    {EFG_PROPOSED,    EFG_IN_PLACED, EFG_ARMED,       EFG_DO_NOTHING},
    {EFG_PROPOSED,    EFG_IN_FOLLOW, EFG_FOLLOWING,   EFG_DO_FOLLOW},
    {EFG_PROPOSED,    EFG_IN_LOST,   EFG_WATCHING,    EFG_DO_FORGET},

    {EFG_READY,       EFG_IN_FIRST,  EFG_PROVISIONAL, EFG_DO_OPEN},
    {EFG_READY,       EFG_IN_PLACED, EFG_ARMED,       EFG_DO_NOTHING},
    {EFG_READY,       EFG_IN_FOLLOW, EFG_FOLLOWING,   EFG_DO_FOLLOW},
    {EFG_READY,       EFG_IN_LOST,   EFG_WATCHING,    EFG_DO_FORGET},

    {EFG_PROVISIONAL, EFG_IN_PLACED, EFG_ARMED,       EFG_DO_DISCARD},
    {EFG_PROVISIONAL, EFG_IN_PAST,   EFG_RECORDING,   EFG_DO_KEEP},
    {EFG_PROVISIONAL, EFG_IN_FOLLOW, EFG_FOLLOWING,   EFG_DO_FOLLOW},
    {EFG_PROVISIONAL, EFG_IN_OVER,   EFG_WATCHING,    EFG_DO_DISCARD},
    {EFG_PROVISIONAL, EFG_IN_LIMIT,  EFG_WATCHING,    EFG_DO_DISCARD},
    {EFG_PROVISIONAL, EFG_IN_END,    EFG_WATCHING,    EFG_DO_DISCARD},
    {EFG_PROVISIONAL, EFG_IN_LOST,   EFG_WATCHING,    EFG_DO_FORGET},

    {EFG_ARMED,       EFG_IN_FIRST,  EFG_RECORDING,   EFG_DO_OPEN},
    {EFG_ARMED,       EFG_IN_LATE,   EFG_PROPOSED,    EFG_DO_DISCARD},
    {EFG_ARMED,       EFG_IN_LOST,   EFG_WATCHING,    EFG_DO_FORGET},

    {EFG_RECORDING,   EFG_IN_LAST,   EFG_DONE,        EFG_DO_CLOSE},
    {EFG_RECORDING,   EFG_IN_OVER,   EFG_DONE,        EFG_DO_CUT},
    {EFG_RECORDING,   EFG_IN_LIMIT,  EFG_DONE,        EFG_DO_CUT},
    {EFG_RECORDING,   EFG_IN_END,    EFG_DONE,        EFG_DO_CUT},
    {EFG_RECORDING,   EFG_IN_LATE,   EFG_PROPOSED,    EFG_DO_DISCARD},
    {EFG_RECORDING,   EFG_IN_LOST,   EFG_WATCHING,    EFG_DO_FORGET},

    {EFG_DONE,        EFG_IN_NEXT,   EFG_PROPOSED,    EFG_DO_SETTLE},
    {EFG_DONE,        EFG_IN_LATE,   EFG_PROPOSED,    EFG_DO_DISCARD},
    {EFG_DONE,        EFG_IN_LOST,   EFG_WATCHING,    EFG_DO_FORGET},

    {EFG_FOLLOWING,   EFG_IN_NEXT,   EFG_WATCHING,    EFG_DO_TRIM},
    {EFG_FOLLOWING,   EFG_IN_LATE,   EFG_WATCHING,    EFG_DO_DISCARD},
    {EFG_FOLLOWING,   EFG_IN_LOST,   EFG_WATCHING,    EFG_DO_DISCARD},
    {EFG_FOLLOWING,   EFG_IN_END,    EFG_WATCHING,    EFG_DO_DISCARD},
};
/* clang-format on */

enum efg_action efg_trigger_step(struct efg_trigger *trigger, enum efg_trigger_input input)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].from == trigger->state && table[i].input == input) {
            trigger->state = table[i].to;
            return table[i].action;
        }
    return EFG_DO_NOTHING;
}
