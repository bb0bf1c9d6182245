/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Findings: sentences, each on a question that readers of a report have: did the ranks have a
 * processor; where is the time lost, which ranks make the others wait, where do they wait; what made the
 * slowest iteration slow; do the recorded iterations stand for the run.
 */
#include <stdio.h>

#include "files/summary/summary.h"
#include "model/distribution.h"
#include "model/efficiency.h"
#include "tables.h"

#define FINE 0.9    /* an efficiency that needs no work */
#define UNSERVED 10 /* percent of the time without a processor that change what the rest means */
#define EVEN 1.05   /* the most over the mean, of what is balanced */

/* Only if they had none for a good part of the time. */
static void say_processor(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_totals *t = &run->common.totals;
    double unserved =
        efg_percent((double)t->processor_waited, (double)t->processor_used + (double)t->processor_waited);
    char text[400], each[48];
    if (unserved < UNSERVED)
        return;
    efg_summary_unserved(each, t);
    snprintf(text, sizeof text,
             "The ranks had no processor for %.1f%% of the time that they were ready to run%s: much of the "
             "waiting below is for the scheduler, not for other ranks. Give "
             "each rank and thread a core of its own.",
             unserved, each);
    efg_buffer_print(out, "%s\n", text);
}

/* Counts are too low then. */
static void say_pauses(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_totals *t = &run->common.totals;
    char text[500], calls[32], iterations[128] = "", count[64], watched[32];
    if (!t->paused || !t->ranks)
        return;
    efg_format_count(calls, sizeof calls, (double)t->unwatched / (double)t->ranks);
    efg_summary_estimate(run, count);
    efg_format_percent(watched, sizeof watched, efg_summary_watched(run));
    if (*count)
        snprintf(iterations, sizeof iterations, " Of %s iterations of the main loop, %llu were watched.",
                 count, (unsigned long long)efg_run_rank_thread(&run->speaker)->loops.main.iterations);
    snprintf(text, sizeof text,
             "Calls were watched for %s of the time, for the limit of what that may take: counts and "
             "times are those of that part, shares are estimates, and %s%s calls a rank were not seen.%s",
             watched, t->limited & EFG_LIMITED_ESTIMATED ? "about " : "", calls, iterations);
    efg_buffer_print(out, "%s\n", text);
}

static void say_efficiency(struct efg_buffer *out, const struct efg_run *run, const struct efg_ranks *ranks)
{
    struct efg_efficiency e = efg_efficiency_run(ranks, run->rank_count);
    char text[300];
    if (e.parallel >= FINE)
        snprintf(text, sizeof text,
                 "The run is efficient: the ranks compute for %.1f%% of the time (parallel "
                 "efficiency).",
                 100 * e.parallel);
    else if (e.communication <= e.balance)
        snprintf(text, sizeof text,
                 "The ranks compute for %.1f%% of the time; more is lost to communication "
                 "(efficiency %.1f%%) than to uneven load (balance %.1f%%).",
                 100 * e.parallel, 100 * e.communication, 100 * e.balance);
    else
        snprintf(text, sizeof text,
                 "The ranks compute for %.1f%% of the time; more is lost to uneven load (balance "
                 "%.1f%%) than to communication (efficiency %.1f%%).",
                 100 * e.parallel, 100 * e.balance, 100 * e.communication);
    efg_buffer_print(out, "%s\n", text);
}

static void say_balance(struct efg_buffer *out, const struct efg_run *run, const struct efg_ranks *ranks)
{
    struct efg_distribution useful =
        efg_distribution(ranks->values[EFG_COMPUTE_TIME], run->rank_count, EFG_OF_ALL);
    double above = useful.sum > 0 ? (double)useful.most * run->rank_count / useful.sum : 1;
    char text[300];
    if (run->rank_count < 2 || above < EVEN)
        snprintf(text, sizeof text,
                 "The computation is even: the rank with the most has %.1f%% more than the mean.",
                 100 * (above - 1));
    else
        snprintf(text, sizeof text,
                 "Rank %u computes longest, %.1f%% longer than the mean of the ranks: the others "
                 "may wait for it.",
                 run->ranks[useful.most_at].rank, 100 * (above - 1));
    efg_buffer_print(out, "%s\n", text);
}

static void say_site(struct efg_buffer *out, const struct efg_run *run, const struct efg_ranks *ranks)
{
    const struct efg_join *sites = &ranks->sites;
    char name[300], text[600];
    double mpi = (double)efg_join_time(sites);
    if (!sites->count || !(mpi > 0)) {
        snprintf(text, sizeof text, "No time was spent in MPI.");
    } else {
        const struct efg_join_item *item = &sites->items[0];
        struct efg_node node = {.signature = item->signature, .flags = item->flags};
        efg_summary_node(run, &node, name, sizeof name);
        snprintf(text, sizeof text,
                 "The call site with the most time is %s: %.1f%% of the time in MPI, %.1f%% of "
                 "the run.",
                 name, efg_percent((double)item->time, mpi),
                 efg_percent((double)item->time, (double)run->common.totals.time));
    }
    efg_buffer_print(out, "%s\n", text);
}

static void say_slow(struct efg_buffer *out, const struct efg_beside *beside)
{
    const struct efg_beside_pair *slowest = efg_beside_slowest(beside);
    if (slowest)
        efg_buffer_print(out, "%s\n", slowest->sentence);
}

void efg_report_say_representative(struct efg_buffer *out, const struct efg_representative *r)
{
    if (r->recorded)
        efg_buffer_print(out, "%s\n", r->sentence);
}

void efg_report_findings(struct efg_buffer *out, const struct efg_model *model,
                         const struct efg_beside *beside)
{
    say_pauses(out, &model->run);
    say_processor(out, &model->run);
    say_efficiency(out, &model->run, &model->ranks);
    say_balance(out, &model->run, &model->ranks);
    efg_report_say_outliers(out, model);
    say_site(out, &model->run, &model->ranks);
    say_slow(out, beside);
}
