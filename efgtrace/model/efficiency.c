/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All figures are ratios of three times: the mean useful time of the ranks, the most of one, and all of the longest.
 */
#include "efficiency.h"

#include <stdio.h>

#include "cli/text.h"
#include "files/summary/summary.h"

/* Of COUNT ranks, from their times and those in MPI. */
static struct efg_efficiency efficiency_of(const uint64_t *time, const uint64_t *mpi,
                                           uint32_t count)
{
    struct efg_efficiency e = {0};
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        double useful = time[i] > mpi[i] ? (double)(time[i] - mpi[i]) : 0;
        sum += useful;
        most = useful > most ? useful : most;
        e.time = time[i] > e.time ? time[i] : e.time;
        e.ranks += time[i] > 0;
    }
    if (!e.ranks)
        return e;
    e.parallel = sum / e.ranks / (double)e.time;
    e.balance = most > 0 ? sum / e.ranks / most : 1; /* all have the same: nothing */
    e.communication = most / (double)e.time;
    return e;
}

struct efg_efficiency efg_efficiency_run(const struct efg_report_ranks *ranks, uint32_t count)
{
    return efficiency_of(ranks->values[EFG_RUN_TIME], ranks->values[EFG_MPI_TIME], count);
}

struct efg_efficiency efg_efficiency_loop(const struct efg_by_rank *by, uint32_t loop)
{
    size_t at = (size_t)loop * by->ranks;
    return efficiency_of(by->loop_time + at, by->loop_mpi + at, by->ranks);
}

/* --- the table --- */

static void put_line(struct efg_buffer *out, const struct efg_efficiency *e, const char *what)
{
    char time[32];
    efg_format_ns(time, sizeof time, e->time);
    efg_summary_line(out, "%8.1f%% %12.1f%% %14.1f%% %7u %10s  %s", 100 * e->parallel,
                     100 * e->balance, 100 * e->communication, e->ranks, time, what);
}

static void put_loop(struct efg_buffer *out, const struct efg_run *run,
                     const struct efg_merged *merged, const struct efg_by_rank *by,
                     uint32_t loop)
{
    struct efg_efficiency e = efg_efficiency_loop(by, loop);
    const struct efg_loop *l = &merged->tree.loops[loop];
    char function[128], header[256], what[512];
    efg_summary_function(run, &merged->graph, &merged->tree, loop, function, sizeof function);
    efg_summary_node(run, &merged->graph.nodes[l->header], header, sizeof header);
    snprintf(what, sizeof what, "%*s%llu x in %s, from %s",
             2 * (int)(l->depth < 12 ? l->depth : 12), "", (unsigned long long)l->repetitions,
             *function ? function : "?", header);
    put_line(out, &e, what);
}

/* How many loops take more time than THIS one. */
static uint32_t rank_of(const struct efg_looptree *tree, uint32_t this)
{
    uint32_t longer = 0;
    for (uint32_t l = 0; l < tree->count; l++)
        longer += tree->loops[l].time > tree->loops[this].time ||
                  (tree->loops[l].time == tree->loops[this].time && l < this);
    return longer;
}

static void put_table(struct efg_buffer *out, const struct efg_run *run,
                      const struct efg_report_ranks *ranks, const struct efg_merged *merged,
                      const struct efg_by_rank *by, uint32_t most)
{
    struct efg_efficiency whole = efg_efficiency_run(ranks, run->rank_count);
    efg_summary_line(out, " parallel = load balance x communication   ranks       time  of");
    put_line(out, &whole, "the run");
    for (uint32_t l = efg_looptree_next(&merged->tree, EFG_NONE); l != EFG_NONE;
         l = efg_looptree_next(&merged->tree, l)) {
        if (most == UINT32_MAX || rank_of(&merged->tree, l) < most)
            put_loop(out, run, merged, by, l);
    }
    efg_text_rest(out, merged->tree.count, most);
    efg_summary_line(out,
                     "(useful time is that outside MPI: its mean over the ranks / the time; "
                     "its mean / its");
    efg_summary_line(out, "most; its most / the time. Loops are those of all ranks.)");
}

int efg_report_efficiency(struct efg_buffer *out, const struct efg_run *run,
                          const struct efg_report_ranks *ranks, uint32_t most)
{
    struct efg_merged merged;
    struct efg_by_rank by;
    if (efg_merged_read(&merged, run, "report", NULL, efg_merged_dimensions(run)))
        return -1;
    int error = efg_by_rank_read(&by, run, &merged, NULL, "report");
    if (!error) {
        put_table(out, run, ranks, &merged, &by, most);
        efg_by_rank_fini(&by);
    }
    efg_merged_fini(&merged);
    return error;
}
