/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the windows stand for. Iterations that are spread stand for those around them: up to half-way to the
 * next ones, and at both ends for all that are left. So what was not recorded because the loop was not known
 * yet is stood for by the first of them, not by all; and those that were recorded first, or because the
 * program asked for them, which are many of few, stand for none besides.
 */
#include <stdlib.h>

#include "files/conf/conf.h"
#include "runfile.h"

/* It stands for others of the main loop; or only for itself, if it was picked. */
static bool stands(const struct efg_run_thread *thread, const struct efg_run_window *w)
{
    bool is_other = thread->main_phase && w->phase && w->phase != thread->main_phase;

    return w->select != EFG_SELECT_SLOW && w->select != EFG_SELECT_WHEN && !is_other && w->last > w->first;
}

static bool is_spread(const struct efg_run_thread *thread, const struct efg_run_window *w)
{
    return stands(thread, w) && w->select == EFG_SELECT_SPREAD;
}

/* Iterations [FROM, TO) that window number I stands for, of those in all. */
static void find_part(const struct efg_run_thread *thread, uint32_t i, double *from, double *to)
{
    const struct efg_run_window *windows = thread->windows, *w = &windows[i];

    for (uint32_t k = 0; k < thread->window_count; k++) {
        if (k == i || !is_spread(thread, &windows[k]))
            continue;
        double before = ((double)windows[k].last + (double)w->first) / 2;
        double behind = ((double)w->last + (double)windows[k].first) / 2;
        if (windows[k].first < w->first && before > *from)
            *from = before;
        if (windows[k].first > w->first && behind < *to)
            *to = behind;
    }
}

/* Those that were counted, as far as that is known; and all that are spread. */
static void find_all(const struct efg_run_thread *thread, double *from, double *to)
{
    const struct efg_series *series = thread->series;

    *from = series && series->count ? (double)series->first : 1e300;
    *to = series && series->count ? (double)(series->first + series->count) : 0;
    for (uint32_t i = 0; i < thread->window_count; i++) {
        const struct efg_run_window *w = &thread->windows[i];
        if (!is_spread(thread, w))
            continue;
        *from = (double)w->first < *from ? (double)w->first : *from;
        *to = (double)w->last > *to ? (double)w->last : *to;
    }
}

void efg_run_weigh(const struct efg_run_thread *thread, double *weight)
{
    double begin, end, all = 0, parts = 0;
    bool has_spread = false;

    find_all(thread, &begin, &end);
    for (uint32_t i = 0; i < thread->window_count; i++) {
        const struct efg_run_window *w = &thread->windows[i];
        double from = begin, to = end;
        weight[i] = 0;
        if (!is_spread(thread, w))
            continue;
        find_part(thread, i, &from, &to);
        has_spread = true;
        weight[i] = to > from ? (to - from) / (double)(w->last - w->first) : 0;
        all += (double)(w->last - w->first);
        parts += to > from ? to - from : 0;
    }
    for (uint32_t i = 0; i < thread->window_count; i++)
        weight[i] =
            has_spread ? weight[i] * all / (parts > 0 ? parts : 1) : stands(thread, &thread->windows[i]);
}
