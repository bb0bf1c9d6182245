/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary: one function per paragraph, each of which says in words what is so, what is
 * not so and why, and what to do for it to be otherwise.
 *
 * The size of a full trace is estimated from what the graphs counted: all calls of the run
 * for the calls in the trace. Others than these may have more events or fewer, so the text says "about".
 */
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/graph/detail.h"
#include "files/conf/conf.h"

#define LOOPS_SHOWN 6
#define PHASES_SHOWN 6
#define OBJECTS_SHOWN 3
#define NOTES_SHOWN 4
#define PLUGIN_LINES 12
#define MOST_UNTRACED (1 << 20) /* ranks that are worth being named */

/* What the paragraphs share. */
struct view {
    const struct efg_run *run;
    const struct efg_totals *totals;
    const struct efg_run_thread *thread; /* of the speaker, NULL without one */
};

/* A file may hold any number: what does not fit stays large. */
static uint64_t whole(double value)
{
    return value < 1e18 ? (uint64_t)value : UINT64_C(1000000000000000000);
}

static const char *text(const char *string, const char *otherwise)
{
    return string && *string ? string : otherwise;
}

/* --- what ran --- */

static void put_head(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run *run = view->run;
    const struct efg_totals *totals = view->totals;
    char time[32], mpi[64];
    efg_format_ns(time, sizeof time, efg_summary_duration(run));
    snprintf(mpi, sizeof mpi, "%.1f%% of it in MPI",
             efg_percent((double)totals->in_mpi, (double)totals->time));
    efg_summary_line(out, "efgtrace %s: %s, %llu rank%s on %llu host%s%s, %s, %s", text(run->version, "?"),
                     text(run->application, "?"), (unsigned long long)totals->ranks,
                     totals->ranks == 1 ? "" : "s", (unsigned long long)totals->hosts,
                     totals->hosts == 1 ? "" : "s",
                     totals->threads > totals->ranks ? ", several threads" : "", time, mpi);
    if (run->is_saved)
        efg_summary_tell(out,
                         "Saved        by %llu of %u ranks while the job ran; it did not end "
                         "normally, or not yet",
                         (unsigned long long)totals->ranks, run->size);
}

/* The ranks of the job of which RUN has nothing. Returns 0 or -ENOMEM. */
static int find_untraced(const struct efg_run *run, struct efg_ranklist *untraced)
{
    struct efg_ranklist traced = {0};
    uint32_t next = 0;
    int error = 0;
    for (uint32_t i = 0; i < run->common.group_count && !error; i++)
        error = efg_ranklist_unite(&traced, &run->common.groups[i].ranks);
    for (uint32_t i = 0; i < traced.range_count && !error; i++)
        for (uint32_t n = 0; n < traced.ranges[i].count && !error; n++) {
            uint32_t rank = traced.ranges[i].first + n * traced.ranges[i].stride;
            while (next < rank && !error)
                error = efg_ranklist_add(untraced, next++);
            next = rank + 1;
        }
    while (next < run->size && !error)
        error = efg_ranklist_add(untraced, next++);
    efg_ranklist_fini(&traced);
    return error;
}

/* Of a job that ended in order: what is missing was never there. */
static void put_untraced(struct efg_buffer *out, const struct efg_run *run)
{
    struct efg_ranklist untraced = {0};
    uint64_t count = run->common.totals.ranks;
    char ranks[64] = "...";
    if (run->is_saved || !count || count >= run->size)
        return;
    if (run->size - count <= MOST_UNTRACED && find_untraced(run, &untraced) == 0)
        efg_ranklist_print(&untraced, ranks, sizeof ranks);
    efg_summary_tell(out, "Untraced     %llu of %u ranks ran without efgtrace: rank %s",
                     (unsigned long long)(run->size - count), run->size, ranks);
    efg_ranklist_fini(&untraced);
}

/* --- what was recorded --- */

static bool has_some(const struct efg_run_thread *thread, enum efg_select select)
{
    for (uint32_t i = 0; thread && i < thread->window_count; i++)
        if (thread->windows[i].select == select)
            return true;
    return false;
}

const char *efg_summary_advice(const struct efg_run *run)
{
    if (run->common.totals.accuracy_most)
        return "";
    return has_some(efg_run_rank_thread(&run->speaker), EFG_SELECT_SPREAD)
               ? "EFGTRACE_ACCURACY=2% records as many as it takes"
               : "EFGTRACE_SELECT=spread takes them from all of the run";
}

/* Calls in an iteration of those recorded that stand for the main loop; 0: there is none. */
static double count_recorded(const struct efg_run_thread *thread)
{
    double *weight = calloc((size_t)thread->window_count + 1, sizeof *weight), calls = 0, iterations = 0;
    if (weight)
        efg_run_weigh(thread, weight);
    for (uint32_t i = 0; weight && i < thread->window_count; i++) {
        const struct efg_run_window *window = &thread->windows[i];
        if (!efg_run_is_main(thread, window))
            continue;
        calls += weight[i] * (double)window->events;
        iterations += weight[i] * (double)(window->last - window->first);
    }
    free(weight);
    return iterations > 0 ? calls / iterations : 0;
}

/* LOOP, or the outermost one around it in the same function, which has what comes in some iterations only. */
static uint32_t widest_of(const struct efg_looptree *tree, uint32_t loop)
{
    for (uint32_t l = loop; l != EFG_NONE && tree->loops[l].function == tree->loops[loop].function;
         l = tree->loops[l].parent)
        loop = l;
    return loop;
}

/* It is left before there are as many iterations as were asked for. */
static bool comes_in_bursts(const struct view *view, const struct efg_loop *loop)
{
    return loop->entries > 1 && loop->repetitions < loop->entries * view->run->iterations;
}

/* Calls in an iteration of the main loop, of the rank that speaks: in all, and in those recorded. Returns
 * false if that cannot be told: polls are as many as there is time for, and some iterations of a loop that
 * comes in bursts have what lies between. */
static bool count_calls(const struct view *view, double *all, double *some)
{
    const struct efg_run_thread *thread = view->thread;
    uint64_t calls = 0, polls = 0;
    struct efg_looptree tree;
    *some = thread ? count_recorded(thread) : 0;
    if (*some <= 0 || efg_summary_tree(&tree, view->run, &thread->graph, &thread->loops.main))
        return false;
    uint32_t widest = widest_of(&tree, tree.main);
    bool is_known = widest != EFG_NONE && !comes_in_bursts(view, &tree.loops[widest]);
    uint64_t rounds = is_known ? tree.loops[tree.main].repetitions : 0;
    for (uint32_t v = 0; rounds && v < thread->graph.node_count; v++) {
        if (tree.loop_of[v] == EFG_NONE || !efg_looptree_is_inside(&tree, tree.loop_of[v], widest))
            continue;
        calls += thread->graph.nodes[v].time.count;
        polls += thread->graph.nodes[v].polls;
    }
    efg_looptree_fini(&tree);
    *all = rounds ? (double)calls / (double)rounds : 0;
    return calls && rounds && !polls;
}

static bool are_apart(double some, double all)
{
    return fabs(some - all) > EFG_SUMMARY_APART * all;
}

/* How the traced iterations stand for all of them; those of other phases do not. */
static void put_representation(struct efg_buffer *out, const struct view *view)
{
    const struct efg_totals *it = view->totals;
    const struct efg_run_thread *thread = efg_run_rank_thread(&view->run->speaker);
    char some[32], all[32];
    if (!it->recorded_count || !it->like_count || view->run->mode != EFG_MODE_ADAPTIVE ||
        (thread && thread->window_count && !efg_run_has_main(thread)))
        return;
    double mean_some = (double)it->recorded_time / (double)it->recorded_count;
    double mean_all = (double)it->like_time / (double)it->like_count;
    double mpi_some = efg_percent((double)it->recorded_mpi, (double)it->recorded_time);
    double mpi_all = efg_percent((double)it->like_mpi, (double)it->like_time);
    efg_format_ns(some, sizeof some, whole(mean_some));
    efg_format_ns(all, sizeof all, whole(mean_all));
    efg_summary_tell(out,
                     "             %s took %s each, all iterations %s (%+.1f%%); MPI %.1f%% of "
                     "it, of all %.1f%%",
                     has_some(efg_run_rank_thread(&view->run->speaker), EFG_SELECT_SLOW) ? "the others"
                                                                                         : "they",
                     some, all, efg_percent(mean_some - mean_all, mean_all), mpi_some, mpi_all);
    const char *advice = efg_summary_advice(view->run);
    double calls_all, calls_some;
    bool differ = count_calls(view, &calls_all, &calls_some) && are_apart(calls_some, calls_all);
    if (differ)
        efg_summary_tell(
            out, "             they made %.1f calls each on rank %u, the mean of all is %.1f (%+.1f%%)",
            calls_some, view->run->speaker.rank, calls_all, efg_percent(calls_some - calls_all, calls_all));
    if (differ || are_apart(mean_some, mean_all) || fabs(mpi_some - mpi_all) > 100 * EFG_SUMMARY_APART)
        efg_summary_tell(out, "             they do not stand for the run%s%s", *advice ? ": " : "", advice);
}

#define MARK_BYTES 15 /* of an event, on average; where iterations begin, it has attributes */

/* A trace of all calls has for each as much as this one has, but for what divides it. Returns how many times
 * the events; *BYTES: its size. */
static double full_trace(const struct view *view, double *bytes)
{
    const struct efg_run *run = view->run;
    double calls = (double)(view->totals->calls - view->totals->polls);
    double recorded = (double)(run->trace_calls ? run->trace_calls : view->totals->recorded);
    double events = (double)run->trace_events, marks = (double)run->trace_marks;
    double definitions = (double)run->trace_definitions, ratio = recorded > 0 ? calls / recorded : 1;
    *bytes = definitions + ratio * ((double)run->trace_bytes - definitions - MARK_BYTES * marks);
    return ratio * (events - marks) / events;
}

static void put_trace(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run *run = view->run;
    char events[32], bytes[32], full_events[32], full_bytes[32], times[32];
    if (run->trace_events) {
        double size, ratio = full_trace(view, &size);
        efg_format_count(events, sizeof events, (double)run->trace_events);
        efg_format_bytes(bytes, sizeof bytes, run->trace_bytes);
        efg_format_count(full_events, sizeof full_events, ratio * (double)run->trace_events);
        efg_format_bytes(full_bytes, sizeof full_bytes, whole(size));
        if (ratio < 9.95)
            snprintf(times, sizeof times, "%.1f", ratio);
        else
            efg_format_count(times, sizeof times, ratio);
        if ((run->mode == EFG_MODE_FULL && !view->totals->with_short_log) || ratio < 1.05)
            efg_summary_tell(out, "Trace        %s events, %s", events, bytes);
        else
            efg_summary_tell(out,
                             "Trace        %s events, %s; a full one: about %s events, %s, %s "
                             "times as many",
                             events, bytes, full_events, full_bytes, times);
    }
    if (run->trace_note && *run->trace_note)
        efg_summary_tell(out, "%s %s",
                         run->trace_events ? "            " : "Trace        none:", run->trace_note);
}

/* --- graph, cost --- */

/* What has been dropped, and what goes without saying then. */
static const struct {
    uint32_t dropped, more;
    const char *name;
} details[] = {
    {EFG_DROP_ADDRESS, 0, "addresses"},
    {EFG_DROP_SIZE_CLASS, EFG_DROP_SIZE, "sizes"},
    {EFG_DROP_SIZE, 0, "exact sizes"},
    {EFG_DROP_PARTNER, 0, "partners"},
    {EFG_DROP_PATH, EFG_DROP_ALL_FRAMES, "call paths"},
    {EFG_DROP_ALL_FRAMES, 0, "inner frames of call paths"},
    {EFG_DROP_REGION, 0, "regions"},
    {EFG_DROP_COMM, 0, "communicators"},
};

void efg_summary_dropped(uint64_t dropped, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < sizeof details / sizeof *details && used < size; i++) {
        if (!(dropped & details[i].dropped))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", details[i].name);
        dropped &= ~(uint64_t)(details[i].dropped | details[i].more);
    }
}

/* Of the rank that represents the run: what came behind its last sample, as the program ended. */
static void name_end(char *text, size_t size, const struct view *view)
{
    const struct efg_run_thread *thread = view->thread;
    uint32_t seen = thread ? thread->stability.last.nodes : 0;

    *text = '\0';
    if (!view->totals->unstable && seen && thread->graph.node_count > seen)
        snprintf(text, size, ", but for %u node%s at its end", thread->graph.node_count - seen,
                 thread->graph.node_count - seen == 1 ? "" : "s");
}

static void put_graph(struct efg_buffer *out, const struct view *view)
{
    const struct efg_totals *totals = view->totals;
    char time[32], calls[32], nodes[48], dropped[128], end[48];
    uint64_t least = totals->nodes_least < totals->nodes_most ? totals->nodes_least : totals->nodes_most;
    efg_format_ns(time, sizeof time, totals->unstable ? totals->growth_most : totals->stable_most);
    efg_format_count(calls, sizeof calls, (double)totals->calls);
    efg_format_range(nodes, sizeof nodes, least, totals->nodes_most);
    name_end(end, sizeof end, view);
    efg_summary_tell(out, "Graph        of %s calls: %s nodes, up to %llu edges a rank, %s after %s%s", calls,
                     nodes, (unsigned long long)totals->edges_most, totals->unstable ? "last grew" : "stable",
                     time, end);
    efg_summary_dropped(totals->dropped, dropped, sizeof dropped);
    if (*dropped)
        efg_summary_tell(out,
                         "             %s not told apart, for want of memory; see "
                         "EFGTRACE_MEMORY",
                         dropped);
    if (totals->overflow)
        efg_summary_tell(out,
                         "             %llu graphs found no room: what came later is lumped together, see "
                         "EFGTRACE_MEMORY",
                         (unsigned long long)totals->overflow);
}

struct cost { /* ns of a rank */
    double ends, watching;
    double time; /* that it took in all */
};

static struct cost cost_of(const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    double ends = (double)totals->init_most + (double)run->finish, ranks = (double)totals->ranks;

    if (!totals->ranks)
        return (struct cost){.ends = ends};
    return (struct cost){.ends = ends,
                         .watching = (double)totals->cost / ranks,
                         .time = ((double)totals->time + (double)totals->paused) / ranks + ends};
}

double efg_summary_cost(const struct efg_run *run, double *share)
{
    struct cost cost = cost_of(run);

    *share = cost.time > 0 ? (cost.ends + cost.watching) / cost.time : 0;
    return cost.ends + cost.watching;
}

static void put_cost(struct efg_buffer *out, const struct view *view)
{
    const struct efg_totals *totals = view->totals;
    char cost[32], init[32], finish[32], watch[32], calls[32], each[32], memory[32], percent[32];
    double share, all = efg_summary_cost(view->run, &share);
    if (!totals->cost)
        return;
    efg_format_ns(cost, sizeof cost, whole(all));
    efg_format_percent(percent, sizeof percent, 100 * share);
    efg_format_ns(init, sizeof init, totals->init_most);
    efg_format_ns(finish, sizeof finish, view->run->finish);
    efg_format_ns(watch, sizeof watch, totals->cost / totals->ranks);
    efg_format_count(calls, sizeof calls, (double)totals->calls / (double)totals->ranks);
    efg_format_ns(each, sizeof each, totals->calls ? totals->cost / totals->calls : 0);
    efg_format_bytes(memory, sizeof memory, totals->memory_most);
    efg_summary_tell(out, "Cost         about %s a rank, %s of the run: %s in MPI_Init, %s in MPI_Finalize,",
                     cost, percent, init, finish);
    efg_summary_tell(out, "             %s while it ran: %s calls, %s each", watch, calls, each);
    efg_summary_tell(out, "             up to %s of memory a rank", memory);
}

/* --- what the limit has left out --- */

static const struct {
    uint32_t limited, unless;
    const char *text;
} left_out[] = {
    {EFG_LIMITED_RING, EFG_LIMITED_NO_RING, "only some blocks of iterations were looked at for slow ones"},
    {EFG_LIMITED_NO_RING, 0, "slow iterations were looked for at the beginning only"},
    {EFG_LIMITED_POLLS, 0,
     "of polls that found nothing, one of 61 to 509 is measured and stands for the others"},
    {EFG_LIMITED_EXCEEDED, 0,
     "exceeded: watching does not pause with several threads, or where all calls are asked for, or "
     "iterations of the whole run"},
};

static void put_pauses(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    char calls[32], watched[32];

    efg_format_count(calls, sizeof calls, (double)totals->unwatched / (double)totals->ranks);
    efg_format_percent(watched, sizeof watched, efg_summary_watched(run));
    efg_summary_tell(out,
                     "             watched for %s of the time, with pauses: %s%s calls a rank were not seen;",
                     watched, totals->limited & EFG_LIMITED_ESTIMATED ? "about " : "", calls);
    efg_summary_tell(
        out, "             counts and times are of the others, shares are estimates; no window came later");
}

/* Whether it was kept, if all together took more than is allowed in the time of the run; else "". */
static void name_excess(char *text, size_t size, const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    struct cost cost = cost_of(run);
    double allowed = cost.time * (double)totals->limit_most / 1e6, grace = (double)totals->grace_most;
    bool is_more = cost.watching > allowed, is_short = cost.watching * cost.time <= allowed * grace;
    char took[32], percent[32], why[80] = "", ends[80] = "";

    *text = '\0';
    if (!totals->limit_most || !totals->ranks || cost.ends + cost.watching <= allowed)
        return;
    efg_format_percent(took, sizeof took, efg_percent(cost.watching, cost.time));
    efg_format_percent(percent, sizeof percent, efg_percent(cost.ends, cost.time));
    if (is_more && is_short)
        snprintf(why, sizeof why, "; runs below %.0f s count as %.0f s", grace / 1e9, grace / 1e9);
    else if (is_more && totals->limited & EFG_LIMITED_PAUSES)
        snprintf(why, sizeof why, "; what is before the first pause weighs less in a longer run");
    if (cost.ends > allowed || !is_more)
        snprintf(ends, sizeof ends, "; start and end, %s, are not limited", percent);
    snprintf(text, size, "%s: watching took %s%s%s", is_more && !is_short ? "not kept" : "kept", took, why,
             ends);
}

static void put_limit(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    char excess[200];

    name_excess(excess, sizeof excess, run);
    if (!totals->limited && !*excess)
        return;
    efg_summary_tell(out, "Limit        of %.7g%% of the time for watching (EFGTRACE_OVERHEAD):",
                     (double)totals->limit_most / 1e4);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (totals->limited & left_out[i].limited && !(totals->limited & left_out[i].unless))
            efg_summary_tell(out, "             %s", left_out[i].text);
    if (totals->limited & EFG_LIMITED_PAUSES)
        put_pauses(out, run);
    if (*excess)
        efg_summary_tell(out, "             %s", excess);
}

void efg_summary_accuracy(char *text, size_t size, const struct efg_totals *totals)
{
    double wanted = (double)totals->accuracy_most / 1e4, error = (double)totals->error_most / 1e4;
    size_t used;

    *text = '\0';
    if (totals->accuracy_most && !totals->error_most)
        snprintf(text, size, "not known: no iterations were spread over the main loop");
    if (!totals->accuracy_most || !totals->error_most)
        return;
    used = (size_t)snprintf(
        text, size,
        "shares of functions in what is spread are off by %.3g points or less, on each rank, "
        "with 95%% confidence",
        error);
    if (error <= wanted)
        snprintf(text + used, size - used, ": better than the %.4g asked for", wanted);
    else
        snprintf(text + used, size - used, ", not %.4g: the run was too short, or no more may be kept",
                 wanted);
}

static void put_accuracy(struct efg_buffer *out, const struct efg_totals *totals)
{
    char text[256];

    efg_summary_accuracy(text, sizeof text, totals);
    if (*text)
        efg_summary_wrap(out, "Accuracy     ", text);
}

static void put_notes(struct efg_buffer *out, const struct efg_totals *totals)
{
    uint64_t left = totals->notes_left;
    char head[48];
    for (uint32_t i = 0; i < totals->note_count; i++) {
        const struct efg_totals_note *note = &totals->notes[i];
        if (note->count > 1)
            snprintf(head, sizeof head, "Note         %llu ranks: ", (unsigned long long)note->count);
        else
            snprintf(head, sizeof head, "Note         rank %u: ", note->rank);
        if (i < NOTES_SHOWN)
            efg_summary_notes(out, head, note->text);
        else
            left += note->count;
    }
    if (left)
        efg_summary_tell(out,
                         "Note         further notes of up to %llu ranks: see `efgtrace "
                         "report`",
                         (unsigned long long)left);
}

/* --- where to go from here --- */

/* Of a job that did not end normally, the trace is made later, and the run does not know of it. */
static bool has_trace(const struct efg_run *run, const char *dir)
{
    char path[4096];

    if (!run->is_saved)
        return run->trace_events;
    return snprintf(path, sizeof path, "%s/traces.otf2", dir) < (int)sizeof path && !access(path, R_OK);
}

/* Never cut: these lines are to be copied. */
static void put_files(struct efg_buffer *out, const struct view *view)
{
    const char *dir = text(view->run->output, ".");
    bool is_traced = has_trace(view->run, dir);
    if (!view->run->output) {
        efg_summary_tell(out, "Files        none: run.efg could not be written, so there is no report");
        return;
    }
    efg_buffer_print(out, "Files        %s/: %srun.efg%s\n", dir, is_traced ? "traces.otf2, " : "",
                     view->run->is_saved ? "" : ", summary.txt");
    efg_buffer_print(out, "Next         efgtrace report %s\n", dir);
    if (is_traced)
        efg_buffer_print(out, "             vampir %s/traces.otf2\n", dir);
}

void efg_summary_write(struct efg_buffer *out, const struct efg_run *run)
{
    struct view view = {run, &run->common.totals, efg_run_rank_thread(&run->speaker)};
    put_head(out, &view);
    if (!view.totals->ranks) {
        efg_summary_tell(out, "             no rank left anything");
        return;
    }
    put_untraced(out, run);
    efg_summary_warning(out, run);
    efg_summary_loops(out, run, LOOPS_SHOWN, NULL);
    efg_summary_phases(out, run, PHASES_SHOWN);
    efg_summary_main(out, run);
    efg_summary_windows(out, run);
    put_representation(out, &view);
    efg_summary_messages(out, run);
    efg_summary_moved(out, view.totals);
    efg_summary_objects(out, run, OBJECTS_SHOWN);
    put_trace(out, &view);
    put_graph(out, &view);
    efg_summary_binding(out, run);
    efg_summary_processor(out, run);
    efg_summary_waiting(out, view.totals);
    efg_summary_openmp(out, view.totals);
    efg_summary_counters(out, view.totals);
    efg_summary_clocks(out, run);
    put_cost(out, &view);
    put_accuracy(out, view.totals);
    put_limit(out, run);
    efg_summary_plugins(out, run, PLUGIN_LINES);
    put_notes(out, view.totals);
    efg_summary_nameless_put(out, run);
    put_files(out, &view);
}
