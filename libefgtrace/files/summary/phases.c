/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phases: a program that has several main loops, one after the other. A line for each, in the order in which
 * they began.
 */
#include <stdio.h>

#include "summary.h"

uint64_t efg_summary_phase_recorded(const struct efg_run_thread *thread, const struct efg_run_phase *phase)
{
    uint64_t recorded = 0;

    for (uint32_t i = 0; phase->number && i < thread->window_count; i++)
        if (thread->windows[i].phase == phase->number)
            recorded += thread->windows[i].last - thread->windows[i].first;
    return recorded;
}

static void put_phase(struct efg_buffer *out, const struct efg_run *run, const struct efg_run_thread *thread,
                      const struct efg_looptree *tree, uint32_t i)
{
    const struct efg_run_phase *p = &thread->phases[i];
    char name[256], begin[32], time[32], each[32], number[16] = "-";

    efg_summary_loop_name(run, &thread->graph, tree, &p->loop, name, sizeof name);
    efg_format_ns(begin, sizeof begin, p->begin);
    efg_format_ns(time, sizeof time, p->time);
    efg_format_ns(each, sizeof each, p->iterations ? p->iterations_time / p->iterations : 0);
    if (p->number)
        snprintf(number, sizeof number, "%u", p->number);
    efg_summary_line(out, "%5s %c %9s %9s %5.1f%% %10llu %9s %9llu  in %s", number,
                     p->number && p->number == thread->main_phase ? '*' : ' ', begin, time,
                     efg_percent((double)p->time, (double)efg_run_rank_duration(&run->speaker)),
                     (unsigned long long)p->iterations, each,
                     (unsigned long long)efg_summary_phase_recorded(thread, p), name);
}

/* Whether phase number I is one of the MOST with the most time. */
static bool is_long(const struct efg_run_thread *thread, uint32_t i, uint32_t most)
{
    uint32_t longer = 0;

    for (uint32_t k = 0; k < thread->phase_count; k++)
        longer += thread->phases[k].time > thread->phases[i].time ||
                  (thread->phases[k].time == thread->phases[i].time && k < i);
    return longer < most;
}

void efg_summary_phases(struct efg_buffer *out, const struct efg_run *run, uint32_t most)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    struct efg_looptree tree;

    if (!thread || thread->phase_count < 2)
        return;
    efg_summary_tree(&tree, run, &thread->graph, &thread->loops.main);
    efg_summary_line(out, "phase      begins     takes  share iterations one takes  recorded"
                          "  its loop (* the main loop)");
    for (uint32_t i = 0; i < thread->phase_count; i++)
        if (is_long(thread, i, most))
            put_phase(out, run, thread, &tree, i);
    efg_looptree_fini(&tree);
}
