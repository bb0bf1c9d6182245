/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The history as text: the series, what changed in them, and the runs of one.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/plural.h"
#include "cli/text.h"
#include "files/summary/summary.h"
#include "formats.h"

#define WIDTH 28 /* of the line of a run, characters */

static void format_seconds(char text[32], double seconds)
{
    efg_format_ns(text, 32, seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0);
}

/* When a run began, in the time of here. */
static void format_start(char text[32], double start)
{
    time_t seconds = (time_t)start;
    struct tm when;
    if (!localtime_r(&seconds, &when) || !strftime(text, 32, "%Y-%m-%d %H:%M", &when))
        snprintf(text, 32, "?");
}

static double percent_more(double before, double after)
{
    return before > 0 ? 100 * (after / before - 1) : 0;
}

/* --- the series --- */

static void put_series(struct efg_buffer *out, const struct efg_past_series *series)
{
    const struct efg_series_run *last = &series->runs[series->count - 1];
    char when[32], level[32], change[32] = "-";
    format_start(when, last->start);
    format_seconds(level, series->level);
    if (series->event_count) {
        const struct efg_turn *event = &series->events[series->event_count - 1];
        snprintf(change, sizeof change, "%+.1f%%", percent_more(event->before, event->after));
    }
    efg_summary_line(out, "%6u  %s  %10s%s %8s %6u  %s", series->count, when, level,
                     last->has_iterations ? " " : "*", change, series->ranks, series->command);
}

/* --- what changed --- */

static void put_site(struct efg_buffer *out, const struct efg_past_series *series,
                     const struct efg_turn_site *site)
{
    char before[32], after[32], change[32] = "new";
    format_seconds(before, site->before);
    format_seconds(after, site->after);
    if (site->before > 0)
        snprintf(change, sizeof change, "%+.1f%%", percent_more(site->before, site->after));
    efg_summary_line(out, "             %s: %s, before %s (%s)", series->sites[site->site].name, after,
                     before, change);
}

static void put_event(struct efg_buffer *out, const struct efg_past_series *series,
                      const struct efg_turn *event)
{
    const struct efg_series_run *run = &series->runs[event->at];
    char when[32], before[32], after[32];
    format_start(when, run->start);
    format_seconds(before, event->before);
    format_seconds(after, event->after);
    efg_summary_line(out, "Run %-8u from %s on, %s %s, before %s (%+.1f%%): %s", event->at + 1, when,
                     run->has_iterations ? "an iteration takes" : "a run takes", after, before,
                     percent_more(event->before, event->after), run->folder);
    for (uint32_t i = 0; i < event->site_count; i++)
        put_site(out, series, &event->sites[i]);
}

static void put_events(struct efg_buffer *out, const struct efg_past_series *series)
{
    char title[200];
    snprintf(title, sizeof title, "What changed: %.120s, %u rank%s", series->command, series->ranks,
             efg_plural(series->ranks));
    efg_text_title(out, title);
    for (uint32_t i = 0; i < series->event_count; i++)
        put_event(out, series, &series->events[i]);
    if (!series->event_count && series->count < EFG_CHANGE_BEFORE + EFG_CHANGE_AFTER)
        efg_buffer_print(out, "not known: that takes %d runs or more\n",
                         EFG_CHANGE_BEFORE + EFG_CHANGE_AFTER);
    else if (!series->event_count)
        efg_buffer_print(out, "nothing\n");
}

/* --- the runs of one --- */

struct range {
    double least, most;
};

static struct range range_of(const struct efg_past_series *series, uint32_t from)
{
    struct range range = {series->runs[from].value, series->runs[from].value};
    for (uint32_t i = from; i < series->count; i++) {
        range.least = fmin(range.least, series->runs[i].value);
        range.most = fmax(range.most, series->runs[i].value);
    }
    return range;
}

/* Where VALUE is in RANGE: a mark in a line of dots. */
static void draw(char line[WIDTH + 1], double value, const struct range *range)
{
    double share = range->most > range->least ? (value - range->least) / (range->most - range->least) : 0;
    memset(line, '.', WIDTH);
    line[(int)(share * (WIDTH - 1) + 0.5)] = '#';
    line[WIDTH] = '\0';
}

static void put_run(struct efg_buffer *out, const struct efg_series_run *run, uint32_t number,
                    const struct range *range)
{
    char when[32], value[32], seconds[32], line[WIDTH + 1];
    draw(line, run->value, range);
    format_start(when, run->start);
    format_seconds(value, run->value);
    format_seconds(seconds, run->seconds);
    efg_summary_line(out, "%5u  %s  %-10.10s %9s %9.0f %10s %5.1f%%  %s%s", number, when, run->user, seconds,
                     run->iterations, value, 100 * run->mpi_share, line, run->ended ? "" : " killed");
}

static void put_runs(struct efg_buffer *out, const struct efg_past_series *series, uint32_t most)
{
    uint32_t from = series->count > most ? series->count - most : 0;
    struct range range = range_of(series, from);
    char least[32], longest[32];
    format_seconds(least, range.least);
    format_seconds(longest, range.most);
    efg_text_title(out, "Runs");
    if (*series->loop)
        efg_summary_line(out, "main loop    %s", series->loop);
    efg_buffer_print(out,
                     "  run  begun             user            time iterations       each    MPI  %-*s%s\n",
                     WIDTH - (int)strlen(longest), least, longest);
    for (uint32_t i = from; i < series->count; i++)
        put_run(out, &series->runs[i], i + 1, &range);
    if (from)
        efg_buffer_print(out, "(%u earlier ones: --all)\n", from);
}

void efg_past_put_text(struct efg_buffer *out, const struct efg_past *history, uint32_t most)
{
    uint32_t shown = history->count < most ? history->count : most;
    efg_buffer_print(out, "  runs  last                    each   change  ranks  command (*: of a whole run, "
                          "not of an iteration)\n");
    for (uint32_t i = 0; i < shown; i++)
        put_series(out, &history->series[i]);
    efg_text_rest(out, history->count, most);
    for (uint32_t i = 0; i < shown; i++)
        if (history->series[i].event_count || history->count == 1)
            put_events(out, &history->series[i]);
    if (history->count == 1)
        put_runs(out, &history->series[0], most);
}
