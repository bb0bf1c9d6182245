/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The iterations of the main loop, of the rank that represents the run: how long they took over
 * the run, those that were recorded against all, and those that took much longer than the rest.
 */
#include "tables.h"

#include <stdio.h>
#include <string.h>

#include "files/summary/summary.h"

#define LINES 12
#define BAR 24 /* columns */
#define BEFORE_BAR 70
#define OUTLIER 1.5 /* times the mean */

/* --- which were recorded --- */

bool efg_report_has_recorded(const struct efg_run_thread *thread, uint64_t first, uint64_t count)
{
    for (uint32_t i = 0; i < thread->window_count; i++) {
        const struct efg_run_window *w = &thread->windows[i];
        if (w->start >= thread->series->start && efg_run_is_main(thread, w) && w->first < first + count &&
            first < w->last)
            return true;
    }
    return false;
}

/* --- in all --- */

/* Mean over the ranks that recorded some: the figures of the summary. */
static void put_mean(struct efg_buffer *out, const char *which, uint64_t count, uint64_t time, uint64_t mpi,
                     double mean_of_all)
{
    char mean[32], than_all[32] = "";
    double each = (double)time / (double)count;
    efg_format_ns(mean, sizeof mean, (uint64_t)each);
    if (mean_of_all > 0)
        snprintf(than_all, sizeof than_all, " (%+.1f%%)", efg_percent(each - mean_of_all, mean_of_all));
    efg_summary_line(out, "%-10s %llu of all ranks, %s each%s; MPI %.1f%% of it", which,
                     (unsigned long long)count, mean, than_all, efg_percent((double)mpi, (double)time));
}

static void put_range(struct efg_buffer *out, const char *which, const struct efg_stat *stat)
{
    char least[32], most[32], mean[32], text[72];
    if (!stat->count)
        return;
    efg_format_ns(least, sizeof least, stat->min);
    efg_format_ns(most, sizeof most, stat->max);
    efg_format_ns(mean, sizeof mean, stat->sum / stat->count);
    efg_format_between(text, sizeof text, least, most);
    efg_summary_line(out, "%-10s %llu, %s, mean %s", which, (unsigned long long)stat->count, text, mean);
}

static void put_all(struct efg_buffer *out, const struct efg_run *run,
                    const struct efg_run_iterations *iterations)
{
    const struct efg_totals *totals = &run->common.totals;
    if (totals->like_count && totals->recorded_count) {
        put_mean(out, "all", totals->like_count, totals->like_time, totals->like_mpi, 0);
        put_mean(out, "recorded", totals->recorded_count, totals->recorded_time, totals->recorded_mpi,
                 (double)totals->like_time / (double)totals->like_count);
    }
    efg_summary_line(out, "Those of rank %u, which represents the run:", run->speaker.rank);
    put_range(out, "all", &iterations->all);
    put_range(out, "recorded", &iterations->recorded);
}

/* --- over the run --- */

struct part { /* iterations that follow one another */
    uint64_t first, count, start;
    struct efg_series_slot sum;
};

static void add_slot(struct part *part, const struct efg_series_slot *slot, uint64_t count)
{
    if (!part->count || slot->least < part->sum.least)
        part->sum.least = slot->least;
    if (slot->most > part->sum.most)
        part->sum.most = slot->most;
    part->count += count;
    part->sum.time += slot->time;
    part->sum.mpi += slot->mpi;
}

static double mean_of(const struct part *part)
{
    return (double)part->sum.time / (double)part->count;
}

/* SERIES in at most LINES parts. Returns how many there are. */
static uint32_t divide(const struct efg_series *series, struct part *parts)
{
    uint32_t slots = efg_series_slots(series), width = (slots + LINES - 1) / LINES;
    uint64_t number = series->first, start = series->start;
    for (uint32_t i = 0; i < slots; i++) {
        struct part *part = &parts[i / width];
        if (i % width == 0)
            *part = (struct part){.first = number, .start = start};
        add_slot(part, &series->slot[i], efg_series_in_slot(series, i));
        number += efg_series_in_slot(series, i);
        start += series->slot[i].time;
    }
    return (slots + width - 1) / width;
}

static void put_part(struct efg_buffer *out, const struct efg_run_thread *thread, const struct part *part,
                     double longest)
{
    char start[32], mean[32], least[32], most[32], which[48], bar[BAR + 1] = "";
    int room = efg_summary_room(BEFORE_BAR),
        length = (int)((room < BAR ? room : BAR) * mean_of(part) / longest + 0.5);
    snprintf(which, sizeof which, "%llu - %llu", (unsigned long long)part->first,
             (unsigned long long)(part->first + part->count - 1));
    efg_format_ns(start, sizeof start, part->start);
    efg_format_ns(mean, sizeof mean, (uint64_t)mean_of(part));
    efg_format_ns(least, sizeof least, part->sum.least);
    efg_format_ns(most, sizeof most, part->sum.most);
    memset(bar, '=', (size_t)length);
    bar[length] = '\0';
    efg_summary_line(out, "%19s %s %9s %9s %9s %9s %5.1f%% %s", which,
                     efg_report_has_recorded(thread, part->first, part->count) ? "*" : " ", start, mean,
                     least, most, efg_percent((double)part->sum.mpi, (double)part->sum.time), bar);
}

static void put_parts(struct efg_buffer *out, const struct efg_run_thread *thread)
{
    struct part parts[LINES];
    uint32_t count = divide(thread->series, parts);
    double longest = 1;
    for (uint32_t i = 0; i < count; i++)
        longest = mean_of(&parts[i]) > longest ? mean_of(&parts[i]) : longest;
    efg_summary_line(out, "%19s   %9s %9s %9s %9s %6s   (* some were recorded)", "iterations", "from", "mean",
                     "least", "most", "MPI");
    for (uint32_t i = 0; i < count; i++)
        put_part(out, thread, &parts[i], longest);
}

/* --- outliers --- */

static void put_outlier(struct efg_buffer *out, const struct efg_run_thread *thread,
                        const struct efg_iteration *iteration, double mean)
{
    char start[32], time[32];
    efg_format_ns(start, sizeof start, iteration->start);
    efg_format_ns(time, sizeof time, iteration->time);
    efg_summary_line(out, "%19llu %s %9s %9s %9.1f %9s %5.1f%%", (unsigned long long)iteration->number,
                     efg_report_has_recorded(thread, iteration->number, 1) ? "*" : " ", start, time,
                     (double)iteration->time / mean, "",
                     efg_percent((double)iteration->mpi, (double)iteration->time));
}

/* By number: those of the longest ones that took OUTLIER times the mean. */
static void put_outliers(struct efg_buffer *out, const struct efg_run_thread *thread)
{
    const struct efg_series *series = thread->series;
    const struct efg_stat *all = &thread->iterations.all;
    double mean = (double)all->sum / (double)all->count;
    uint32_t outliers = 0;
    for (uint32_t i = 0; i < series->longest_count; i++) {
        if ((double)series->longest[i].time < OUTLIER * mean)
            continue;
        if (!outliers++)
            efg_summary_line(out, "%19s   %9s %9s %9s %9s %6s", "outliers", "at", "took", "x mean", "",
                             "MPI");
        put_outlier(out, thread, &series->longest[i], mean);
    }
    if (!outliers)
        efg_summary_line(out, "(no iteration took %.1f times the mean or more)", OUTLIER);
    else if (outliers == EFG_SERIES_LONGEST)
        efg_summary_line(out, "(the longest ones; there may be more)");
}

void efg_report_iterations(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    if (!thread || !thread->iterations.all.count) {
        efg_summary_line(out, "none: no main loop was found");
        return;
    }
    put_all(out, run, &thread->iterations);
    if (!thread->series)
        return;
    put_parts(out, thread);
    put_outliers(out, thread);
}
