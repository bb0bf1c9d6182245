/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Carries out what the control decides, at once, before it decides the next thing.
 */
#include "act.h"

#include <stdlib.h>

#include "enough.h"
#include "ring.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "threads.h"
#include "visits.h"
#include "windows.h"

#define MOST_PROVISIONAL 10 /* iterations, besides twice those that are wanted */

static struct efg_steering *const s = &efg_steering;
static const struct efg_agree *const agree = &efg_steering.control.agree;
static const struct efg_trigger *const trigger = &efg_steering.control.trigger;

struct moment {
    struct efg_thread *thread;
    uint64_t now;
};

static void mark(struct efg_thread *t, uint64_t now)
{
    efg_act_adopt(t, &s->pivots[efg_agree_choice(agree, s->choices, s->pivot_count)], now);
}

/* Of the windows of this loop since it was elected, and of the present part, those that the ranks have given
 * up go. */
static void drop_windows(void)
{
    enum efg_select select = efg_windows_select(agree->part);
    uint32_t phase = efg_agree_phase(agree);
    uint8_t *keep = calloc(s->window_count + 1, 1);

    for (uint32_t i = 0, n = 0; keep && i < s->window_count; i++)
        if (efg_windows_is_of(&s->windows[i], phase, select))
            keep[n++] =
                s->windows[i].turn != agree->turns || efg_spread_has(&agree->spread, s->windows[i].first);
    if (keep)
        efg_windows_choose(phase, select, keep);
    free(keep);
}

/* All ranks are done with the window, which began at trigger->first; agree->first may be that of
 * the next one. */
static void settle(struct efg_thread *t, bool is_owner, uint64_t now)
{
    struct efg_span span = {agree->begun, agree->ended};

    s->is_owner = is_owner;
    if (is_owner)
        efg_windows_keep(t, now, trigger->first, agree->end);
    else if (!efg_ring_trim(t, span, trigger->first, agree->end))
        efg_windows_trim(t, now, span, trigger->first, agree->end);
    efg_windows_settle();
    drop_windows();
    efg_enough_settle();
}

/* With this visit, if the window is WHOLE, else with the last one. What was recorded provisionally may
 * have more iterations than a window. Returns the first number that is not recorded. */
static unsigned long long close_window(struct efg_thread *t, uint64_t now, bool whole)
{
    const struct efg_run_window *w = efg_windows_present();
    uint64_t end = trigger->first + trigger->length, number = efg_steering_number(t);

    efg_windows_close(t, now, whole);
    if (w && w->last > end)
        efg_windows_keep(t, now, trigger->first, end);
    if (whole)
        efg_enough_close(t, now);
    return number < end ? number : end;
}

static void carry_out(void *context, enum efg_action action)
{
    struct efg_thread *t = ((struct moment *)context)->thread;
    uint64_t now = ((struct moment *)context)->now;
    unsigned long long number = efg_steering_number(t);

    switch (action) {
    case EFG_DO_OPEN:
        efg_ring_end(t, now, true);
        efg_windows_open(t, now);
        efg_enough_open(t, now);
        efg_tell(now, "recording from iteration %llu on", number);
        break;
    case EFG_DO_FOLLOW:
        if (efg_ring_follows(t, now))
            break;
        efg_ring_end(t, now, false);
        efg_windows_follow(t, now);
        break;
    case EFG_DO_KEEP:
        efg_windows_renumber(t);
        efg_tell(now, "what was recorded provisionally is kept");
        break;
    case EFG_DO_CLOSE:
        efg_tell(now, "recorded up to iteration %llu", close_window(t, now, true) - 1);
        break;
    case EFG_DO_CUT:
        efg_tell(now, "the window ends: recorded before iteration %llu", close_window(t, now, false));
        break;
    case EFG_DO_SETTLE:
        settle(t, true, now);
        break;
    case EFG_DO_TRIM:
        settle(t, false, now);
        break;
    case EFG_DO_DISCARD:
        if (efg_windows_present())
            efg_tell(now, "what was recorded is thrown away");
        efg_windows_discard(t);
        break;
    case EFG_DO_FORGET:
        efg_ring_end(t, now, false);
        efg_windows_discard(t);
        efg_visits_forget(t);
        efg_tell(now, "searching for the main loop again");
        break;
    case EFG_DO_MARK:
        mark(t, now);
        break;
    case EFG_DO_NOTHING:
        break;
    }
}

#define HANDS(thread, now) (&(struct efg_control_hands){carry_out, &(struct moment){thread, now}})

void efg_act_feed(struct efg_thread *t, enum efg_trigger_input input, uint64_t now)
{
    efg_control_feed(&s->control, input, HANDS(t, now));
}

void efg_act_adopt(struct efg_thread *t, const struct efg_pivot *pivot, uint64_t now)
{
    if (trigger->state == EFG_PROVISIONAL && !efg_visits_have(pivot)) /* other iterations */
        efg_act_feed(t, EFG_IN_OVER, now);
    efg_visits_adopt(t, pivot);
}

static void tell_place(enum efg_verdict verdict, uint64_t now)
{
    if (agree->role != EFG_ALONE &&
        (verdict == EFG_VERDICT_PLACED || verdict == EFG_VERDICT_MOVED || verdict == EFG_VERDICT_NEXT))
        efg_tell(now, "the ranks agreed to record from iteration %llu on", (unsigned long long)agree->first);
}

void efg_act_obey(struct efg_thread *t, enum efg_verdict verdict, uint64_t now)
{
    uint64_t offset = s->control.offset;

    tell_place(verdict, now);
    efg_control_obey(&s->control, verdict, &t->tally, HANDS(t, now));
    if (verdict == EFG_VERDICT_PLACED && t->series)
        efg_series_renumber(t->series, s->control.offset - offset);
}

void efg_act_lose(struct efg_thread *t, uint64_t now)
{
    efg_control_lose(&s->control, HANDS(t, now));
}

void efg_act_alone(struct efg_thread *t, uint64_t now)
{
    efg_control_go_alone(&s->control, &t->tally, HANDS(t, now));
    efg_tell(now, "the ranks do not agree in time: recording from iteration %llu on all the same",
             (unsigned long long)trigger->first);
}

/* What is near is recorded from here on; where slow iterations are kept, these come first. */
static void approach(struct efg_thread *t, uint64_t now)
{
    if (trigger->state == EFG_ARMED && !agree->slow.is_on &&
        efg_windows_is_near(efg_steering_number(t), trigger->first, trigger->length))
        efg_windows_approach(t, now);
}

void efg_act_visit(struct efg_thread *t, uint64_t now)
{
    enum efg_action action = efg_control_visit(&s->control, &t->tally, HANDS(t, now));
    bool is_provisional = trigger->state == EFG_PROVISIONAL;

    approach(t, now);
    efg_windows_look_behind(t, now);
    if (action != EFG_DO_NOTHING || (!is_provisional && trigger->state != EFG_RECORDING))
        return;
    efg_windows_next(t, now);
    if (t->recorder.failed)
        efg_act_feed(t, EFG_IN_LIMIT, now);
    else if (is_provisional && efg_windows_visits() > MOST_PROVISIONAL + 2 * efg_job.conf.iterations)
        efg_act_feed(t, EFG_IN_OVER, now); /* they are not few */
}
