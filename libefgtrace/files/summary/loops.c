/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of loops of the rank that stands for the run, and for how much of the time calls were watched.
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/loop/recognise.h"
#include "names.h"
#include "summary.h"

uint64_t efg_summary_duration(const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    return totals->end > totals->start ? totals->end - totals->start : 0;
}

/* --- how many iterations there were --- */

#define APART 0.03 /* of it: such a range is one number */

struct range {
    double least, most;
};

static void widen(struct range *range, double value)
{
    range->least = value < range->least ? value : range->least;
    range->most = value > range->most ? value : range->most;
}

static double calls_of(const struct efg_graph *graph)
{
    double calls = (double)graph->events;
    for (uint32_t i = 0; i < graph->node_count; i++)
        calls += (double)graph->nodes[i].polls;
    return calls;
}

/* As many times what was seen as there were calls for those seen. An iteration that a pause began or ended in
 * was seen, but is not a whole one: between the whole ones and all that were seen is what counts. Where calls
 * in pauses are not counted either, they are as many as on other ranks, or what the time is enough for. */
static struct range estimate(const struct efg_run *run, const struct efg_run_thread *thread)
{
    const struct efg_run_rank *rank = &run->speaker;
    const struct efg_totals *totals = &run->common.totals;
    const struct efg_stat *whole = &thread->iterations.all;
    double seen = (double)thread->loops.main.iterations, calls = calls_of(&thread->graph);
    double factor = calls > 0 ? (calls + (double)rank->unwatched) / calls : 1;
    struct range range = {seen * factor, seen * factor};
    if (whole->count)
        widen(&range, (double)whole->count * factor);
    if (totals->limited & EFG_LIMITED_ESTIMATED) {
        if (totals->calls)
            widen(&range, seen * (double)(totals->calls + totals->unwatched) / (double)totals->calls);
        if (whole->count && whole->sum)
            widen(&range, seen + (double)rank->paused * (double)whole->count / (double)whole->sum);
    }
    if (range.least < seen) /* as many there are */
        range.least = seen;
    return range;
}

void efg_summary_estimate(const struct efg_run *run, char text[64])
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    char least[24], most[24];
    *text = '\0';
    if (!thread || !thread->loops.main.iterations)
        return;
    struct range range = estimate(run, thread);
    efg_format_count(least, sizeof least, floor(range.least));
    efg_format_count(most, sizeof most, ceil(range.most));
    size_t used = (size_t)snprintf(text, 64, "about ");
    efg_format_between(text + used, 64 - used, range.most <= (1 + APART) * range.least ? most : least, most);
}

double efg_summary_watched(const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;

    return totals->paused ? efg_percent((double)totals->time, (double)totals->time + (double)totals->paused)
                          : 100;
}

/* Only while a tree is made: a call tree asks for paths by their id alone. */
static _Thread_local const struct efg_run *of_paths;

static uint32_t keys_of(uint32_t id, uint64_t *keys)
{
    const struct efg_run_path *path = efg_run_path(of_paths, id);
    uint32_t depth = path ? path->depth : 0;
    for (uint32_t i = 0; i < depth; i++) {
        const struct efg_frame *frame = &path->frames[depth - 1 - i];
        keys[i] = efg_summary_key(frame);
    }
    return depth;
}

static struct efg_position position_of(uint32_t id, uint32_t frame)
{
    const struct efg_run_path *path = efg_run_path(of_paths, id);
    return path && frame < path->depth
               ? efg_run_position(&of_paths->common.names, &path->frames[path->depth - 1 - frame])
               : (struct efg_position){0};
}

int efg_summary_tree(struct efg_looptree *tree, const struct efg_run *run, const struct efg_graph *graph,
                     const struct efg_run_loop *main)
{
    struct efg_loop_known known = {main->node, main->depth, main->iterations};
    of_paths = run;
    return efg_looptree_build(tree, graph, keys_of, position_of, main->function ? &known : NULL);
}

uint32_t efg_summary_loop(const struct efg_looptree *tree, const struct efg_run *run,
                          const struct efg_graph *graph, const struct efg_run_loop *loop)
{
    struct efg_loop_known known = {loop->node, loop->depth, loop->iterations};
    of_paths = run;
    return efg_looptree_find(tree, graph, keys_of, &known);
}

/* --- the table --- */

struct table {
    const struct efg_run *run;
    const struct efg_run_thread *thread; /* of the speaker */
    struct efg_looptree tree;
    uint64_t whole; /* ns */
    uint32_t most, shown, skipped;
};

static void put_loop(struct efg_buffer *out, struct table *t, uint32_t index)
{
    const struct efg_loop *loop = &t->tree.loops[index];
    char time[32], label[600];
    int indent = 2 * (int)(loop->depth < 12 ? loop->depth : 12);
    efg_format_ns(time, sizeof time, loop->time);
    efg_summary_loop_label(t->run, &t->thread->graph, &t->tree, index, label, sizeof label);
    efg_summary_line(out, "%12llu %10s %6.1f%% %6.1f%%  %c %*s%s%s", (unsigned long long)loop->repetitions,
                     time, efg_percent((double)loop->time, (double)t->whole),
                     efg_percent((double)loop->mpi_time, (double)loop->time),
                     index == t->tree.main ? '*' : ' ', indent, "", label,
                     loop->irreducible ? " (has several entries)" : "");
}

static bool matters(const struct table *t, uint32_t index)
{
    if (t->most == UINT32_MAX)
        return true;
    if (t->tree.main != EFG_NONE && efg_looptree_is_inside(&t->tree, t->tree.main, index))
        return true;
    return t->shown < t->most && t->tree.loops[index].time >= t->whole / 100;
}

static void put_loops(struct efg_buffer *out, struct table *t)
{
    for (uint32_t l = efg_looptree_next(&t->tree, EFG_NONE); l != EFG_NONE;
         l = efg_looptree_next(&t->tree, l)) {
        if (matters(t, l)) {
            put_loop(out, t, l);
            t->shown++;
        } else {
            t->skipped++;
        }
    }
}

void efg_summary_loops(struct efg_buffer *out, const struct efg_run *run, uint32_t most, uint32_t *skipped)
{
    struct table t = {.run = run, .most = most};
    if (skipped)
        *skipped = 0;
    t.thread = efg_run_rank_thread(&run->speaker);
    if (!t.thread || efg_summary_tree(&t.tree, run, &t.thread->graph, &t.thread->loops.main))
        return;
    t.whole = efg_run_rank_watched(&run->speaker);
    char watched[64] = "", percent[32];
    efg_format_percent(percent, sizeof percent, efg_summary_watched(run));
    if (run->common.totals.paused)
        snprintf(watched, sizeof watched, ", watched for %s of the time", percent);
    if (t.tree.count)
        efg_summary_line(out, " repetitions       time   share     MPI    loops of rank %u%s%s",
                         run->speaker.rank, t.tree.main == EFG_NONE ? "" : " (* the main loop)", watched);
    put_loops(out, &t);
    if (skipped)
        *skipped = t.skipped;
    efg_looptree_fini(&t.tree);
}
