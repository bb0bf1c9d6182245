/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Until when a call waits. Each partner of a call is told once, in any order; the last one counts, or the
 * first one where that is enough.
 */
#include "parts.h"

uint8_t efg_waits_trait(const struct efg_waits_work *w, uint32_t call)
{
    return w->traits[w->calls[call].site];
}

/* Until MOMENT, but not longer than the call takes; its begin: not at all. */
static uint64_t bounded(const struct efg_waits_call *call, uint64_t moment)
{
    if (moment < call->begin)
        return call->begin;
    return moment < call->end ? moment : call->end;
}

/* Whether CALL, which waits until so long for what it is known to need, rather waits for this: of two that
 * come at the same moment, the first kind. */
static bool is_better(const struct efg_waits_call *call, bool wants_first, uint64_t until, enum efg_wait kind)
{
    if (until == call->until)
        return until > call->begin && kind < call->kind;
    if (wants_first)
        return !call->until || until < call->until;
    return until > call->begin && until > call->until;
}

void efg_waits_wait(struct efg_waits_work *w, uint32_t number, enum efg_wait kind, uint32_t by)
{
    struct efg_waits_call *call = &w->calls[number];
    uint64_t until = bounded(call, w->calls[by].begin);
    bool wants_first = efg_waits_trait(w, number) == EFG_TRAIT_SOME;
    if (call->is_poll || call->location == w->calls[by].location ||
        !is_better(call, wants_first, until, kind))
        return;
    call->until = until;
    call->kind = until > call->begin ? (uint8_t)kind : EFG_WAIT_NONE;
    call->by = by;
}

void efg_waits_explain(struct efg_waits_work *w, uint32_t receive, uint32_t by)
{
    uint32_t first = receive, location = w->calls[receive].location;
    while (first && w->calls[first - 1].location == location && !w->calls[first - 1].is_poll &&
           efg_waits_trait(w, first - 1) == EFG_TRAIT_PROBE)
        efg_waits_wait(w, --first, EFG_WAIT_SENDER, by);
    if (!first || !w->calls[first - 1].is_poll || w->calls[first - 1].location != location)
        return;
    struct efg_waits_call *polls = &w->calls[first - 1];
    if (w->calls[by].location != location &&
        (polls->by == EFG_NONE || w->calls[by].begin > w->calls[polls->by].begin))
        polls->by = by;
}

/* Not more, as the cause of each is looked for by itself, among the calls since the two met before. */
#define POLLS_EXPLAINED 64

void efg_waits_explain_polls(struct efg_waits_work *w)
{
    uint32_t explained = 0;
    for (uint32_t i = w->call_count; i-- > 1;) {
        const struct efg_waits_call *last = &w->calls[i];
        struct efg_waits_call *before = &w->calls[i - 1];
        bool goes_on = last->is_poll && before->is_poll && before->location == last->location;
        explained = goes_on ? explained + 1 : 0;
        if (goes_on && explained < POLLS_EXPLAINED && before->by == EFG_NONE)
            before->by = last->by;
    }
}
