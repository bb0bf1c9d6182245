/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Invariant: the epoch of the process is odd while a window is open, and changes with every
 * opening and closing; a thread whose epoch differs has not followed yet.
 */
#include "runtime/windows.h"

#include <stdlib.h>

#include "files/trim.h"

static struct efg_process *const p = &efg_process;

struct efg_run_window *efg_windows_last(void)
{
    return p->window_count ? &p->windows[p->window_count - 1] : NULL;
}

static void turn_epoch(struct efg_thread *t)
{
    t->epoch++;
    __atomic_store_n(&efg_epoch, t->epoch, __ATOMIC_RELAXED);
}

static struct efg_run_window *add_window(struct efg_run_window window)
{
    struct efg_run_window *windows =
        realloc(p->windows, (p->window_count + 1) * sizeof *windows);
    if (!windows)
        return NULL;
    p->windows = windows;
    p->windows[p->window_count] = window;
    return &p->windows[p->window_count++];
}

static uint64_t log_bytes(const struct efg_thread *t)
{
    return (uint64_t)((char *)t->recorder.log.next.word -
                      (char *)t->recorder.window_start.word);
}

void efg_windows_open(struct efg_thread *t, uint64_t now)
{
    uint64_t first = p->trigger.first;
    if (!add_window(
            (struct efg_run_window){.first = first, .last = first, .start = now - p->start}))
        return;
    efg_recorder_begin(&t->recorder, now, p->visits, 1);
    turn_epoch(t);
}

void efg_windows_count(struct efg_thread *t)
{
    struct efg_run_window *w = efg_windows_last();
    if (w && !t->recorder.failed)
        w->last = p->visits;
}

void efg_windows_close(struct efg_thread *t, uint64_t now, int complete)
{
    struct efg_run_window *w = efg_windows_last();
    efg_recorder_end(&t->recorder, now, p->visits - 1, 1);
    turn_epoch(t);
    if (!w)
        return;
    efg_windows_count(t);
    w->end = now - p->start;
    w->events = t->recorder.calls;
    w->bytes = log_bytes(t);
    w->complete = complete && !t->recorder.failed;
}

void efg_windows_discard(struct efg_thread *t)
{
    efg_recorder_discard(&t->recorder);
    if (p->window_count)
        p->window_count--;
    if (efg_epoch & 1)
        turn_epoch(t);
}

void efg_windows_follow(struct efg_thread *t, uint64_t now)
{
    if (!add_window((struct efg_run_window){.start = now - p->start}))
        return;
    p->is_following = 1;
    efg_recorder_begin(&t->recorder, now, 0, 0);
    turn_epoch(t);
}

void efg_windows_trim(struct efg_thread *t, uint64_t now, uint64_t from, uint64_t to)
{
    struct efg_run_window *w = efg_windows_last();
    struct efg_recorder *r = &t->recorder;

    p->is_following = 0;
    efg_recorder_stop(r, now);
    turn_epoch(t);
    if (!w || r->failed || !r->log.header)
        return;
    uint64_t base = p->sync.sync.realtime - p->sync.sync.ticks; /* ticks are ns */
    efg_trim(&r->log, r->window_start, from - base, to - base);
    efg_log_commit(&r->log);
    w->start = from - base - p->start;
    w->end = to - base - p->start;
    w->events = r->calls;
    w->bytes = log_bytes(t);
    w->complete = 1;
}

void efg_windows_join(struct efg_thread *t, uint64_t now)
{
    t->epoch = __atomic_load_n(&efg_epoch, __ATOMIC_RELAXED);
    if (t->epoch & 1)
        efg_recorder_begin(&t->recorder, now, 0, 0);
    else
        efg_recorder_end(&t->recorder, now, 0, 0);
}
