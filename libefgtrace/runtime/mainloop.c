/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/mainloop.h"

#include <errno.h>

#include "runtime/windows.h"

static struct efg_process *const p = &efg_process;

void efg_mainloop_forget(struct efg_thread *t)
{
    p->pivot.kind = EFG_PIVOT_NONE;
    p->is_silent = 0;
    efg_graph_mark_pivot(&t->graph, EFG_PIVOT_NONE, 0);
}

void efg_mainloop_carry_out(struct efg_thread *t, enum efg_action action, uint64_t now)
{
    switch (action) {
    case EFG_DO_OPEN:
        efg_windows_open(t, now);
        efg_tracer_tell(now, "recording from iteration %llu on", (unsigned long long)p->visits);
        break;
    case EFG_DO_CLOSE:
        efg_windows_close(t, now, 1);
        efg_tracer_tell(now, "recorded up to iteration %llu",
                        (unsigned long long)p->visits - 1);
        break;
    case EFG_DO_DISCARD:
        efg_windows_discard(t);
        efg_tracer_tell(now, "a rank was late: what was recorded is thrown away");
        break;
    case EFG_DO_FORGET:
        efg_tracer_tell(now, "the phase is over; searching for the main loop again");
        efg_mainloop_forget(t);
        if (t->finder)
            efg_pivot_restart(t->finder, now);
        break;
    case EFG_DO_NOTHING:
        break;
    }
}

/* --- the pivot --- */

void efg_mainloop_adopt(struct efg_thread *t, const struct efg_pivot *pivot, uint64_t now)
{
    if (pivot->kind == p->pivot.kind && pivot->id == p->pivot.id)
        return;
    p->pivot = *pivot;
    efg_graph_mark_pivot(&t->graph, pivot->kind, pivot->id);
    p->visits = efg_pivot_visits(&t->graph, pivot->kind, pivot->id);
    efg_iterations_restart(t);
    efg_tracer_tell(now, "main loop found: %llu iterations so far",
                    (unsigned long long)p->visits);
}

/* Whether this rank has the ranks' common pivot, and visits it as often as the winner does. */
static int find_common(const struct efg_thread *t, struct efg_pivot *common)
{
    if (!efg_pivot_find(&t->graph, (uint64_t)p->agree.pivot, common))
        return 0;
    common->period = (double)efg_pivot_period(t->finder, common->kind, common->id);
    return efg_agree_is_world(&p->result) ||
           (common->period > 0 &&
            efg_agree_is_comparable((uint64_t)common->period, &p->result, 1));
}

/* The pivot that all ranks have among those that they voted with. */
static int adopt_common(struct efg_thread *t, uint64_t now)
{
    for (uint32_t i = 0; i < p->peer_count; i++) {
        struct efg_pivot common = {.tier = 2};
        if (!efg_agree_is_common(&p->agree, p->peers[i]) ||
            !efg_pivot_find(&t->graph, (uint64_t)EFG_AGREE_HASH(p->peers[i]), &common))
            continue;
        common.period = (double)efg_pivot_period(t->finder, common.kind, common.id);
        efg_pivot_accept(t->finder, &common);
        efg_mainloop_adopt(t, &common, now);
        return 1;
    }
    return 0;
}

/* A collective of the world is the same event everywhere. Any other pivot, the common one or
 * this rank's own, counts the common iterations if it has their period. */
int efg_mainloop_owns_window(struct efg_thread *t, uint64_t now)
{
    struct efg_pivot common = {.tier = 1};
    int has_own = p->pivot.kind != EFG_PIVOT_NONE;

    if (has_own && adopt_common(t, now))
        return 1;
    if (has_own && EFG_AGREE_HASH(p->pivot.hash) == p->agree.pivot)
        return 1;
    if (find_common(t, &common)) {
        efg_mainloop_adopt(t, &common, now);
        return 1;
    }
    return has_own && efg_agree_is_comparable((uint64_t)p->pivot.period, &p->result, 0);
}

/*
 * A pivot that would count other visits than it did counts none. What is recorded ends with the
 * last whole iteration; a window that is still to come is another rank's to own, and this one
 * follows.
 */
static void lose(struct efg_thread *t, uint64_t now)
{
    int is_placed = p->trigger.state == EFG_ARMED;

    p->agree.is_owner = 0;
    if (p->trigger.state == EFG_RECORDING) {
        efg_recorder_give_up(&t->recorder, ENOMEM);
        efg_mainloop_carry_out(t, efg_trigger_step(&p->trigger, EFG_IN_LIMIT), now);
    }
    if (p->trigger.state == EFG_DONE)
        return; /* it is what the windows were of */
    if (efg_trigger_step(&p->trigger, EFG_IN_LOST) == EFG_DO_FORGET)
        efg_tracer_tell(now, "the main loop can no longer be told apart: searching again");
    efg_mainloop_forget(t);
    if (is_placed && !p->is_alone)
        efg_windows_follow(t, now);
}

void efg_mainloop_rename(struct efg_thread *t, enum efg_coarsened outcome, uint64_t now)
{
    int has_pivot = p->pivot.kind != EFG_PIVOT_NONE;
    int is_lost = outcome == EFG_COARSENED_PIVOT;

    if (has_pivot) {
        p->pivot.id = t->graph.pivot_id;
        p->pivot.hash = efg_pivot_hash(&t->graph, p->pivot.kind, p->pivot.id);
    }
    if (has_pivot && is_lost)
        lose(t, now);
    if (t->finder && outcome != EFG_COARSENED_NOTHING)
        efg_pivot_renew(t->finder, has_pivot && !is_lost ? &p->pivot : NULL, now);
}
