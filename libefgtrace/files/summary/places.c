/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the ranks ran, how long they may have waited, and how well the clocks of their hosts agree.
 */
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text(const char *string)
{
    return string ? string : "";
}

void efg_summary_binding(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_totals *most = &run->common.totals;
    const struct efg_totals_crowd *crowd = &most->crowd;
    char threads[48] = "", others[48] = "";
    if (!most->crowded)
        return;
    if (crowd->threads > crowd->ranks)
        snprintf(threads, sizeof threads, " with %llu busy threads", (unsigned long long)crowd->threads);
    if (most->crowded > 1)
        snprintf(others, sizeof others, " (and on %llu more host%s)", (unsigned long long)most->crowded - 1,
                 most->crowded == 2 ? "" : "s");
    efg_summary_tell(out,
                     "Binding      %llu ranks%s of host %.24s share %llu core%s%s: times are "
                     "those of an overcommitted node",
                     (unsigned long long)crowd->ranks, threads, text(most->crowd_host),
                     (unsigned long long)crowd->cores, crowd->cores == 1 ? "" : "s", others);
}

#define SERVED 50000 /* millionths without a processor that are not worth a line */

void efg_summary_unserved(char text[48], const struct efg_totals *totals)
{
    char least[16], most[16];
    snprintf(least, sizeof least, "%.1f", (double)totals->unserved_least / 1e4);
    snprintf(most, sizeof most, "%.1f", (double)totals->unserved_most / 1e4);
    *text = '\0';
    if (strcmp(least, most) != 0)
        snprintf(text, 48, " (%s to %s%%)", least, most);
}

void efg_summary_processor(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_totals *t = &run->common.totals;
    char each[48];
    if (t->unserved_most < SERVED)
        return;
    efg_summary_unserved(each, t);
    efg_summary_tell(
        out, "Processor    none for %.1f%% of the time that the ranks were ready to run%s",
        efg_percent((double)t->processor_waited, (double)t->processor_used + (double)t->processor_waited),
        each);
}

#define WORTH 0.5 /* percent of the time: of less, nothing is said */
#define EVEN 1.05 /* the most over the mean, of what is balanced */

static void put_longest(struct efg_buffer *out, const struct efg_totals *t)
{
    double mean = ((double)t->time - (double)t->in_mpi) / (double)t->ranks;
    double above = mean > 0 ? (double)t->computed_most / mean : 1;
    if (above < EVEN)
        efg_summary_tell(out, "             all ranks compute for the same time, within %.1f%% of the mean",
                         100 * (above - 1));
    else
        efg_summary_tell(
            out,
            "             rank %llu computes longest, %.1f%% longer than the mean: others may wait "
            "for it",
            (unsigned long long)t->computed_by, 100 * (above - 1));
}

void efg_summary_waiting(struct efg_buffer *out, const struct efg_totals *t)
{
    uint64_t told = t->within.messages + t->within.collectives + t->within.polls;
    const struct {
        uint64_t time;
        const char *name;
    } parts[] = {{t->within.messages, "messages"},
                 {t->within.collectives, "collectives"},
                 {t->within.polls, "polls that found nothing"},
                 {t->in_mpi > told ? t->in_mpi - told : 0, "other calls"}};
    char text[256];
    size_t used = (size_t)snprintf(text, sizeof text, "at most %.1f%% of the time, that in MPI",
                                   efg_percent((double)t->in_mpi, (double)t->time));
    const char *between = ": ";
    if (t->ranks < 2 || efg_percent((double)t->in_mpi, (double)t->time) < WORTH)
        return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double share = efg_percent((double)parts[i].time, (double)t->time);
        if (share < WORTH)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.1f%% in %s", between, share,
                                 parts[i].name);
        between = ", ";
    }
    efg_summary_wrap(out, "Waiting      ", text);
    put_longest(out, t);
}

void efg_summary_skew(const struct efg_run_skew *skew, char *to, size_t size)
{
    static const char *const ends[] = {
        [EFG_REPAIR_DONE] = "corrected",
        [EFG_REPAIR_CONTRADICTORY] = "contradictory",
        [EFG_REPAIR_FAILED] = "not corrected",
    };
    char most[32];
    unsigned long long early = skew->early, left = skew->left;
    *to = '\0';
    if (skew->repair == EFG_REPAIR_NONE || skew->repair > EFG_REPAIR_UNPROVEN)
        return;
    if (skew->repair == EFG_REPAIR_UNPROVEN) {
        snprintf(to, size, "in doubt: %llu receive%s before %s send%s, or of sends before the window", early,
                 early == 1 ? "" : "s", early == 1 ? "its" : "their", early == 1 ? "" : "s");
        return;
    }
    efg_format_ns(most, sizeof most, skew->most);
    snprintf(to, size, "off by %s or more, %llu receive%s before %s send%s: %s, %llu left", most, early,
             early == 1 ? "" : "s", early == 1 ? "its" : "their", early == 1 ? "" : "s", ends[skew->repair],
             left);
}

void efg_summary_clocks(struct efg_buffer *out, const struct efg_run *run)
{
    uint64_t error = run->common.totals.clock_error_most;
    char most[32], skew[EFG_COLUMNS];
    efg_format_ns(most, sizeof most, error);
    if (error)
        efg_summary_tell(out,
                         "Clocks       compared across hosts at the start and at the end, to "
                         "%s at worst",
                         most);
    efg_summary_skew(&run->skew, skew, sizeof skew);
    if (*skew)
        efg_summary_tell(out, "%-13s%s", error ? "" : "Clocks", skew);
}

/* --- a host --- */

static bool is_same(const struct efg_run_place *places, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(text(places[i].cores), text(places[0].cores)))
            return false;
    return true;
}

static void put_cores(char *to, size_t size, const struct efg_run_place *places, uint32_t count)
{
    size_t used = 0;
    if (is_same(places, count))
        count = 1;
    for (uint32_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%s", i ? " | " : "", text(places[i].cores));
}

void efg_summary_host(const struct efg_run_place *places, uint32_t count, char *to, size_t size)
{
    const struct efg_run_place *place = &places[0];
    char cores[EFG_COLUMNS] = "not bound";
    *to = '\0';
    if (!place->node_cores)
        return;
    bool same = is_same(places, count), bound = !same || place->core_count < place->node_cores;
    if (bound)
        put_cores(cores, sizeof cores, places, count);
    snprintf(to, size, "; %u core%s, %s%s%s", place->node_cores, place->node_cores == 1 ? "" : "s",
             same && bound && count > 1 ? "all " : "", bound ? "bound to " : "", cores);
}
