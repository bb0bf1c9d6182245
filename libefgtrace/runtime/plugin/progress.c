/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares what steers with what it was at the call before: loop, iteration, window.
 */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "runtime/watch/leader.h"
#include "runtime/watch/steering.h"
#include "runtime/watch/windows.h"

static struct {
    uint64_t loop;      /* only for who leads, as the last */
    uint64_t iteration; /* atomic */
    bool is_open;
} last = {.iteration = EFGTRACE_NO_ITERATION};

uint64_t efg_progress_iteration(void)
{
    return __atomic_load_n(&last.iteration, __ATOMIC_RELAXED);
}

static uint64_t present_loop(void)
{
    const struct efg_steering *s = &efg_steering;

    if (s->pivot.kind == EFG_PIVOT_NONE)
        return 0;
    return s->control.agree.loop ? s->control.agree.loop : s->loop.function;
}

static struct efg_progress compare(const struct efg_thread *t)
{
    struct efg_progress now = {.loop = present_loop(), .iteration = EFGTRACE_NO_ITERATION};

    if (now.loop)
        now.iteration = efg_steering_number(t);
    now.visited = t->tally.visits;
    now.is_open = efg_windows_are_recorded() || efg_job.conf.mode == EFG_MODE_FULL;
    now.is_other_loop = now.loop != last.loop;
    now.is_next = now.loop && now.iteration != last.iteration;
    now.has_turned = now.is_open != last.is_open;
    last.loop = now.loop;
    last.is_open = now.is_open;
    __atomic_store_n(&last.iteration, now.iteration, __ATOMIC_RELAXED);
    return now;
}

static uint64_t present_time(void)
{
    return efg_clock_ticks() - efg_job.start;
}

struct efg_progress efg_progress_look(struct efg_thread *t)
{
    struct efg_progress steps = {0};
    int claim = efg_leader_claim(t);

    if (claim)
        steps = compare(t);
    efg_leader_release(claim);
    return steps;
}

struct efg_progress efg_progress_end(void)
{
    return (struct efg_progress){.has_turned = last.is_open, .iteration = efg_progress_iteration()};
}

/* --- telling --- */

static void call_loop(const struct efg_plugin *plugin, const void *loop)
{
    plugin->is->loop(loop);
}

static void call_iteration(const struct efg_plugin *plugin, const void *iteration)
{
    plugin->is->iteration(iteration);
}

static void call_window(const struct efg_plugin *plugin, const void *window)
{
    plugin->is->window(window);
}

static void tell_loop(struct efg_guard *guard, struct efg_plugin *plugin, const struct efg_progress *steps)
{
    struct efgtrace_loop loop = {.hash = steps->loop, .visited = steps->visited, .time = steps->time};

    if (loop.hash)
        snprintf(loop.name, sizeof loop.name, "%0*" PRIx64, EFG_LOOP_DIGITS, loop.hash & EFG_LOOP_BITS);
    efg_guard_call(guard, plugin, "loop", "", call_loop, &loop);
}

static void tell(struct efg_guard *guard, struct efg_plugin *plugin, const struct efg_progress *steps)
{
    if (plugin->is->loop && steps->is_other_loop)
        tell_loop(guard, plugin, steps);
    if (plugin->is->iteration && steps->is_next)
        efg_guard_call(guard, plugin, "iteration", "", call_iteration,
                       &(struct efgtrace_iteration){steps->iteration, steps->time});
    if (plugin->is->window && steps->has_turned)
        efg_guard_call(guard, plugin, "window", "", call_window,
                       &(struct efgtrace_window){steps->is_open, steps->iteration, steps->time});
}

void efg_progress_tell(struct efg_guard *guard, const struct efg_progress *steps)
{
    struct efg_progress now = *steps;

    if (!now.is_other_loop && !now.is_next && !now.has_turned)
        return;
    now.time = present_time();
    for (unsigned i = 0; i < efg_plugins.count; i++)
        tell(guard, &efg_plugins.list[i], &now);
}
