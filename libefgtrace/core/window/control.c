/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes inputs of the trigger of what happens. Invariant: its state changes here only; a rank that is
 * alone obeys no verdict.
 */
#include "control.h"

#include <string.h>

void efg_control_init(struct efg_control *c, uint64_t windows, uint64_t length, uint64_t skip)
{
    memset(c, 0, sizeof *c);
    efg_agree_init(&c->agree, windows, length, skip);
    c->trigger.length = length;
}

static void carry_out(const struct efg_control_hands *hands, enum efg_action action)
{
    if (action != EFG_DO_NOTHING)
        hands->act(hands->context, action);
}

void efg_control_feed(struct efg_control *c, enum efg_trigger_input input,
                      const struct efg_control_hands *hands)
{
    carry_out(hands, efg_trigger_step(&c->trigger, input));
}

enum efg_action efg_control_visit(struct efg_control *c, const struct efg_tally *tally,
                                  const struct efg_control_hands *hands)
{
    enum efg_action action = efg_trigger_visit(&c->trigger, efg_control_number(c, tally));

    carry_out(hands, action);
    return action;
}

static void take_pivot(struct efg_control *c, const struct efg_control_hands *hands)
{
    if (c->agree.role != EFG_OWNER) {
        efg_control_feed(c, EFG_IN_LOST, hands);
        return;
    }
    carry_out(hands, EFG_DO_MARK);
    efg_control_feed(c, EFG_IN_PIVOT, hands);
}

static void place(struct efg_control *c, const struct efg_tally *tally, const struct efg_control_hands *hands)
{
    c->trigger.first = c->agree.first;
    c->trigger.length = c->agree.length;
    if (c->agree.role != EFG_OWNER) {
        efg_control_feed(c, EFG_IN_FOLLOW, hands);
        return;
    }
    c->offset = c->agree.base - c->agree.at_anchor;
    efg_control_feed(c, c->agree.is_past ? EFG_IN_PAST : EFG_IN_PLACED, hands);
    if (c->trigger.state == EFG_ARMED && efg_control_number(c, tally) >= c->trigger.first)
        efg_control_feed(c, EFG_IN_LATE, hands);
}

/* Its loop was over on another rank, or is part of an iteration there: so long is the window, too. */
static void end_with_others(struct efg_control *c, const struct efg_tally *tally,
                            const struct efg_control_hands *hands)
{
    if (c->agree.round == EFG_ROUND_CHECK && c->trigger.state == EFG_RECORDING && c->agree.least_end &&
        efg_control_number(c, tally) >= c->agree.least_end)
        efg_control_feed(c, EFG_IN_OVER, hands);
}

static void obey(struct efg_control *c, enum efg_verdict verdict, const struct efg_tally *tally,
                 const struct efg_control_hands *hands)
{
    switch (verdict) {
    case EFG_VERDICT_PIVOT:
        take_pivot(c, hands);
        break;
    case EFG_VERDICT_PLACED:
        place(c, tally, hands);
        break;
    case EFG_VERDICT_MOVED:
        if (c->agree.role == EFG_OWNER)
            efg_control_feed(c, EFG_IN_LATE, hands);
        place(c, tally, hands);
        break;
    case EFG_VERDICT_DONE:
        efg_control_feed(c, EFG_IN_NEXT, hands);
        break;
    case EFG_VERDICT_NEXT:
        efg_control_feed(c, EFG_IN_NEXT, hands);
        place(c, tally, hands);
        break;
    case EFG_VERDICT_DRIFT:
    case EFG_VERDICT_HELD:
    case EFG_VERDICT_FAILED:
        efg_control_feed(c, EFG_IN_LATE, hands);
        break;
    case EFG_VERDICT_LOST:
        efg_control_feed(c, c->agree.is_leaving ? EFG_IN_LATE : EFG_IN_LOST, hands);
        break;
    case EFG_VERDICT_NONE:
        end_with_others(c, tally, hands);
        break;
    case EFG_VERDICT_ELECTED:
    case EFG_VERDICT_HOLDS:
        break;
    }
}

void efg_control_obey(struct efg_control *c, enum efg_verdict verdict, const struct efg_tally *tally,
                      const struct efg_control_hands *hands)
{
    if (c->agree.role != EFG_ALONE)
        obey(c, verdict, tally, hands);
}

void efg_control_lose(struct efg_control *c, const struct efg_control_hands *hands)
{
    bool is_placed = c->trigger.state == EFG_ARMED;

    efg_control_feed(c, EFG_IN_OVER, hands);
    if (c->trigger.state == EFG_DONE) /* the window is of it, and stays */
        return;
    c->agree.has_lost |= c->agree.role == EFG_OWNER;
    efg_agree_follow(&c->agree);
    efg_control_feed(c, EFG_IN_LOST, hands);
    if (is_placed && c->agree.role == EFG_FOLLOWER)
        efg_control_feed(c, EFG_IN_FOLLOW, hands);
}

void efg_control_go_alone(struct efg_control *c, const struct efg_tally *tally,
                          const struct efg_control_hands *hands)
{
    uint64_t number = efg_control_number(c, tally), first = 1;

    while (first < number + number / 4 + 2) /* some iterations are left until then */
        first *= 2;
    c->agree.role = EFG_ALONE;
    c->trigger.first = first;
    efg_control_feed(c, EFG_IN_PLACED, hands);
}
