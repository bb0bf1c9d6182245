/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phases: a program that has several main loops, one after the other. A line for each, in the order in which
 * they began.
 */
#include <stdio.h>

#include "files/conf/conf.h"
#include "summary.h"

#define SHORT 0.01 /* of the run */

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
    char name[256], begin[32], time[32], each[32] = "-", number[16] = "-";

    efg_summary_phase_name(run, thread, tree, p, name, sizeof name);
    efg_format_ns(begin, sizeof begin, p->begin);
    efg_format_ns(time, sizeof time, p->time);
    if (p->counted)
        efg_format_ns(each, sizeof each, p->iterations_time / p->counted);
    if (p->number)
        snprintf(number, sizeof number, "%u", p->number);
    efg_summary_line(out, "%5s %c %9s %9s %5.1f%% %10llu %9s %9llu  in %s", number,
                     p->number && p->number == thread->main_phase ? '*' : ' ', begin, time,
                     efg_percent((double)p->time, (double)efg_run_rank_duration(&run->speaker)),
                     (unsigned long long)p->loop.iterations, each,
                     (unsigned long long)efg_summary_phase_recorded(thread, p), name);
}

/* Whether phase number I is one of the MOST with the most time. Where not all are wanted, a short one that
 * left nothing in the trace only takes the eye off the others. */
static bool is_shown(const struct efg_run *run, const struct efg_run_thread *thread, uint32_t i,
                     uint32_t most)
{
    const struct efg_run_phase *phases = thread->phases;
    uint32_t longer = 0;

    if (most == UINT32_MAX)
        return true;
    for (uint32_t k = 0; k < thread->phase_count; k++)
        longer += phases[k].time > phases[i].time || (phases[k].time == phases[i].time && k < i);
    return longer < most && (efg_summary_phase_recorded(thread, &phases[i]) ||
                             (double)phases[i].time >= SHORT * (double)efg_run_rank_duration(&run->speaker));
}

/* Why the main loop is not the phase that takes longest here, if it is not. Of a job that ended early, ranks
 * have not told one another how long theirs take. */
static void put_larger(struct efg_buffer *out, const struct efg_run *run, const struct efg_run_thread *thread,
                       const struct efg_looptree *tree)
{
    char name[256], which[32] = "a phase without windows";
    const struct efg_run_phase *main = efg_run_phase(thread, thread->main_phase), *larger = main;

    for (uint32_t i = 0; main && i < thread->phase_count; i++)
        if (thread->phases[i].time > larger->time)
            larger = &thread->phases[i];
    if (larger == main)
        return;
    uint64_t function = larger->loop.function;
    if (larger->number)
        snprintf(which, sizeof which, "phase %u", larger->number);
    if (run->is_saved)
        efg_summary_tell(out,
                         "             %s takes longer here; the main loop is that of the last half "
                         "of what was seen",
                         which);
    else if (run->loop && *run->loop)
        efg_summary_tell(
            out, "             %s takes longer; the main loop is the one that was asked for (loop = %s)",
            which, run->loop);
    else
        efg_summary_tell(
            out,
            "             %s takes longer on rank %u; the main loop is that of the first phase "
            "with 40%% of the time of the longest one, on all ranks together, waits for a processor "
            "left out",
            which, run->speaker.rank);
    if (function == main->loop.function || (run->loop && *run->loop))
        return;
    efg_summary_phase_name(run, thread, tree, larger, name, sizeof name);
    efg_summary_tell(out, "             EFGTRACE_LOOP=%010llx selects that one, in %s",
                     (unsigned long long)(function & EFG_LOOP_BITS), name);
}

void efg_summary_phases(struct efg_buffer *out, const struct efg_run *run, uint32_t most)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    struct efg_looptree tree;
    uint32_t shown = 0;

    for (uint32_t i = 0; thread && i < thread->phase_count; i++)
        shown += is_shown(run, thread, i, most);
    if (shown < 2)
        return;
    efg_summary_tree(&tree, run, &thread->graph, &thread->loops.main);
    efg_summary_line(
        out,
        "phase      begins     takes  share iterations one takes  recorded  loop of rank %u (* the "
        "main loop)",
        run->speaker.rank);
    for (uint32_t i = 0; i < thread->phase_count; i++)
        if (is_shown(run, thread, i, most))
            put_phase(out, run, thread, &tree, i);
    put_larger(out, run, thread, &tree);
    efg_looptree_fini(&tree);
}
