/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary: one function per paragraph, each of which says in words what is so, what is
 * not so and why, and what to do for it to be otherwise.
 *
 * The size of a full trace is estimated from what the graphs counted: all calls of the run
 * for the calls that were recorded. Definitions do not grow in that way, so the
 * text says "about".
 */
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "core/detail.h"

#define LOOPS_SHOWN 6
#define NOTES_SHOWN 4

/* What the paragraphs share: sums over all ranks and threads. */
struct view {
    const struct efg_run *run;
    const struct efg_run_rank *rank;     /* the speaker, NULL without ranks */
    const struct efg_run_thread *thread; /* NULL without one */
    uint64_t calls, recorded;            /* MPI calls: made, recorded */
    struct efg_run_iterations iterations;
    uint64_t cost, cost_max, time, memory_max;
    uint32_t with_pivot, with_window, incomplete, disagreed, overflow;
    uint32_t nodes_min, nodes_max, edges_max, unstable;
    uint32_t dropped;                /* set of enum efg_drop */
    uint64_t stable_max, growth_max; /* ns */
};

static void add_stat(struct efg_stat *to, const struct efg_stat *from)
{
    to->count += from->count;
    to->sum += from->sum;
}

static void add_windows(struct view *view, const struct efg_run_thread *thread)
{
    for (uint32_t i = 0; i < thread->window_count; i++) {
        view->recorded += thread->windows[i].events;
        view->incomplete += !thread->windows[i].complete;
        view->disagreed += !thread->windows[i].agreed;
    }
    view->with_window += thread->window_count > 0;
}

/* ns since the start when the graph was seen to have grown for the last time. */
static uint64_t last_growth(const struct efg_run_thread *thread)
{
    const struct efg_stability *s = &thread->stability;
    uint64_t time = s->last.time;
    for (uint32_t i = s->count; i-- > 0;) {
        if (s->curve[i].nodes != s->last.nodes || s->curve[i].edges != s->last.edges)
            break;
        time = s->curve[i].time;
    }
    return time;
}

static void add_graph(struct view *view, const struct efg_run_thread *thread)
{
    const struct efg_graph *graph = &thread->graph;
    view->calls += graph->events;
    for (uint32_t i = 0; i < graph->node_count; i++)
        view->calls += graph->nodes[i].polls;
    if (graph->node_count < view->nodes_min)
        view->nodes_min = graph->node_count;
    if (graph->node_count > view->nodes_max)
        view->nodes_max = graph->node_count;
    if (graph->edge_count > view->edges_max)
        view->edges_max = graph->edge_count;
    view->dropped |= graph->dropped;
    view->overflow += graph->overflow != EFG_NONE || graph->lost_edges;
    view->unstable += !thread->stability.stable_since;
    if (thread->stability.stable_since > view->stable_max)
        view->stable_max = thread->stability.stable_since;
    if (last_growth(thread) > view->growth_max)
        view->growth_max = last_growth(thread);
}

static void add_thread(struct view *view, const struct efg_run_thread *thread)
{
    add_graph(view, thread);
    add_windows(view, thread);
    view->with_pivot += thread->pivot.kind != EFG_PIVOT_NONE;
    add_stat(&view->iterations.all, &thread->iterations.all);
    add_stat(&view->iterations.recorded, &thread->iterations.recorded);
    view->iterations.all_mpi += thread->iterations.all_mpi;
    view->iterations.recorded_mpi += thread->iterations.recorded_mpi;
}

static struct view look_at(const struct efg_run *run)
{
    struct view view = {.run = run, .nodes_min = UINT32_MAX};
    for (uint32_t i = 0; i < run->rank_count; i++) {
        const struct efg_run_rank *rank = &run->ranks[i];
        for (uint32_t k = 0; k < rank->thread_count; k++)
            add_thread(&view, &rank->threads[k]);
        view.time += efg_summary_rank_duration(rank);
        view.cost += rank->cost;
        view.cost_max = rank->cost > view.cost_max ? rank->cost : view.cost_max;
        view.memory_max = rank->memory > view.memory_max ? rank->memory : view.memory_max;
    }
    if (run->rank_count) {
        view.rank = &run->ranks[efg_summary_speaker(run)];
        view.thread = efg_summary_thread(view.rank);
    }
    return view;
}

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

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static uint32_t count_hosts(const struct efg_run *run)
{
    const char **names = calloc(run->rank_count + 1, sizeof *names);
    uint32_t hosts = 0;
    for (uint32_t i = 0; names && i < run->rank_count; i++)
        names[i] = text(run->ranks[i].host, "");
    if (names && run->rank_count)
        qsort(names, run->rank_count, sizeof *names, compare_names);
    for (uint32_t i = 0; names && i < run->rank_count; i++)
        hosts += !i || strcmp(names[i], names[i - 1]);
    free(names);
    return hosts;
}

static void put_head(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run *run = view->run;
    char time[32], mpi[64];
    uint32_t hosts = count_hosts(run);
    uint64_t in_mpi = 0, threads = 0;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        const struct efg_run_thread *thread = efg_summary_thread(&run->ranks[i]);
        in_mpi += thread ? thread->graph.node_time : 0;
        threads += run->ranks[i].thread_count;
    }
    efg_format_ns(time, sizeof time, efg_summary_duration(run));
    snprintf(mpi, sizeof mpi, "%.1f%% of it in MPI",
             efg_percent((double)in_mpi, (double)view->time));
    efg_summary_line(out, "efgtrace %s: %s, %u rank%s on %u host%s%s, %s, %s",
                     text(run->version, "?"), text(run->application, "?"), run->rank_count,
                     run->rank_count == 1 ? "" : "s", hosts, hosts == 1 ? "" : "s",
                     threads > run->rank_count ? ", several threads" : "", time, mpi);
}

/* --- the main loop --- */

static void put_no_pivot(struct efg_buffer *out, const struct view *view)
{
    char time[32];
    uint64_t duration = efg_summary_duration(view->run);
    uint64_t most = 0;
    for (uint32_t i = 0; view->thread && i < view->thread->graph.node_count; i++) {
        if (view->thread->graph.nodes[i].rhythm.visits > most)
            most = view->thread->graph.nodes[i].rhythm.visits;
    }
    efg_format_ns(time, sizeof time, duration);
    if (!view->calls)
        efg_summary_line(out, "Main loop    none: the program made no MPI calls");
    else if (most < 10)
        efg_summary_line(out,
                         "Main loop    none: no call was made 10 times from the same place "
                         "(the most frequent one %llu times)",
                         (unsigned long long)most);
    else if (duration < 10 * view->run->interval || duration < 1000000000)
        efg_summary_line(out,
                         "Main loop    none: the run was too short (%s) to find it; a longer "
                         "one or EFGTRACE_INTERVAL=20ms helps",
                         time);
    else if (view->thread->levels.finer.kind)
        efg_summary_line(out, "Main loop    none: calls that come too rarely to be iterations "
                              "take over 2%% of the time; a longer run shows their loop");
    else
        efg_summary_line(out, "Main loop    none: no call or pair of calls came back regularly "
                              "enough, see the loops");
}

static void put_pivot(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run_thread *thread = view->thread;
    const struct efg_stat *all = &thread->iterations.all;
    char name[600], mean[32], since[64] = "they take";
    uint64_t visits = efg_pivot_visits(&thread->graph, thread->pivot.kind, thread->pivot.id);
    efg_summary_pivot(view->run, view->rank, &thread->graph, &thread->pivot, name, sizeof name);
    efg_format_ns(mean, sizeof mean, all->count ? all->sum / all->count : 0);
    if (visits > all->count + 1)
        snprintf(since, sizeof since, "the %llu since it was found take",
                 (unsigned long long)all->count);
    else if (all->count > visits) /* the pivot changed when the graph grew */
        snprintf(since, sizeof since, "%llu, with those of an earlier pivot, take",
                 (unsigned long long)all->count);
    efg_summary_line(out, "Main loop    its iterations begin at %s", name);
    efg_summary_line(
        out, "             %llu iterations; %s %s each, %.1f%% of the time",
        (unsigned long long)visits, since, mean,
        efg_percent((double)all->sum, (double)efg_summary_rank_duration(view->rank)));
    if (view->with_pivot < view->run->rank_count)
        efg_summary_line(out, "             found by %u of %u ranks", view->with_pivot,
                         view->run->rank_count);
}

static void put_level(struct efg_buffer *out, const struct view *view,
                      const struct efg_pivot *pivot, const char *value)
{
    char name[600];
    const struct efg_pivot *own = &view->thread->pivot;
    if (pivot->kind == EFG_PIVOT_NONE || (pivot->kind == own->kind && pivot->id == own->id))
        return;
    efg_summary_pivot(view->run, view->rank, &view->thread->graph, pivot, name, sizeof name);
    efg_summary_line(
        out, "             EFGTRACE_LEVEL=%-7s takes the %llu x %s", value,
        (unsigned long long)efg_pivot_visits(&view->thread->graph, pivot->kind, pivot->id),
        name);
}

static void put_levels(struct efg_buffer *out, const struct view *view)
{
    const struct efg_pivot_levels *levels = &view->thread->levels;
    put_level(out, view, &levels->finer, "finer");
    if (view->run->level != EFG_LEVEL_AUTO)
        put_level(out, view, &levels->automatic, "auto");
    put_level(out, view, &levels->coarser, "coarser");
}

/* --- what was recorded --- */

static const char *level_name(const struct efg_run *run)
{
    static const char *const names[] = {"auto", "finer", "coarser"};
    return run->level < 3 ? names[run->level] : "?";
}

static void put_window(struct efg_buffer *out, const struct view *view,
                       const struct efg_run_window *window)
{
    char start[32], end[32];
    efg_format_ns(start, sizeof start, window->start);
    efg_format_ns(end, sizeof end, window->end);
    efg_summary_line(out,
                     "Traced       %llu iterations, number %llu to %llu, from %s to %s; "
                     "level %s",
                     (unsigned long long)(window->last - window->first),
                     (unsigned long long)window->first,
                     (unsigned long long)(window->last ? window->last - 1 : 0), start, end,
                     level_name(view->run));
}

static void put_doubts(struct efg_buffer *out, const struct view *view)
{
    uint32_t ranks = view->run->rank_count;
    if (view->incomplete)
        efg_summary_line(out,
                         "             on %u of %u ranks it ended before the %llu iterations "
                         "asked for",
                         view->incomplete, ranks, (unsigned long long)view->run->iterations);
    if (view->disagreed)
        efg_summary_line(out,
                         "             on %u of %u ranks the iterations were not agreed with "
                         "the others: messages may miss",
                         view->disagreed, ranks);
    if (view->with_window < ranks)
        efg_summary_line(out, "             on %u of %u ranks nothing was traced",
                         ranks - view->with_window, ranks);
}

static void put_windows(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run_thread *thread = view->thread;
    if (view->run->mode == EFG_MODE_FULL) {
        efg_summary_line(out, "Traced       all of the run (mode full)");
    } else if (view->run->mode == EFG_MODE_GRAPH) {
        efg_summary_line(out,
                         "Traced       nothing (mode graph); EFGTRACE_MODE=adaptive traces "
                         "some iterations");
    } else if (!view->with_window) {
        efg_summary_line(out,
                         view->with_pivot
                             ? "Traced       nothing: the run ended before a window was opened"
                             : "Traced       nothing: no main loop was found; "
                               "EFGTRACE_MODE=full traces all of the run");
    } else {
        for (uint32_t i = 0; i < thread->window_count && i < NOTES_SHOWN; i++)
            put_window(out, view, &thread->windows[i]);
        efg_summary_alignment(out, view->run);
        put_doubts(out, view);
    }
}

/* How the traced iterations stand for all of them. */
static void put_representation(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run_iterations *it = &view->iterations;
    char some[32], all[32];
    if (!it->recorded.count || !it->all.count || view->run->mode != EFG_MODE_ADAPTIVE)
        return;
    double mean_some = (double)it->recorded.sum / (double)it->recorded.count;
    double mean_all = (double)it->all.sum / (double)it->all.count;
    efg_format_ns(some, sizeof some, whole(mean_some));
    efg_format_ns(all, sizeof all, whole(mean_all));
    efg_summary_line(
        out,
        "             they took %s each, all iterations %s (%+.1f%%); MPI %.1f%% of "
        "it, of all %.1f%%",
        some, all, efg_percent(mean_some - mean_all, mean_all),
        efg_percent((double)it->recorded_mpi, (double)it->recorded.sum),
        efg_percent((double)it->all_mpi, (double)it->all.sum));
}

static void put_trace(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run *run = view->run;
    char events[32], bytes[32], full_events[32], full_bytes[32], times[32];
    if (run->trace_events) {
        double ratio = view->recorded ? (double)view->calls / (double)view->recorded : 1;
        efg_format_count(events, sizeof events, (double)run->trace_events);
        efg_format_bytes(bytes, sizeof bytes, run->trace_bytes);
        efg_format_count(full_events, sizeof full_events, ratio * (double)run->trace_events);
        efg_format_bytes(full_bytes, sizeof full_bytes,
                         whole(ratio * (double)run->trace_bytes));
        efg_format_count(times, sizeof times, ratio);
        if (run->mode == EFG_MODE_FULL || ratio < 1.05)
            efg_summary_line(out, "Trace        %s events, %s", events, bytes);
        else
            efg_summary_line(out,
                             "Trace        %s events, %s; a full one: about %s events, %s, %s "
                             "times as many",
                             events, bytes, full_events, full_bytes, times);
    }
    if (run->trace_note && *run->trace_note)
        efg_summary_line(
            out, "%s %s",
            run->trace_events ? "            " : "Trace        none:", run->trace_note);
}

/* --- graph, cost --- */

/* What has been dropped, and what goes without saying then. */
static const struct {
    uint32_t dropped, more;
    const char *name;
} details[] = {
    {EFG_DROP_SIZE_CLASS, EFG_DROP_SIZE, "sizes"},
    {EFG_DROP_SIZE, 0, "exact sizes"},
    {EFG_DROP_PARTNER, 0, "partners"},
    {EFG_DROP_PATH, EFG_DROP_ALL_FRAMES, "call paths"},
    {EFG_DROP_ALL_FRAMES, 0, "outer frames of call paths"},
    {EFG_DROP_REGION, 0, "regions"},
    {EFG_DROP_COMM, 0, "communicators"},
};

static void put_dropped(struct efg_buffer *out, uint32_t dropped)
{
    char names[128] = "";
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        if (!(dropped & details[i].dropped))
            continue;
        strcat(strcat(names, *names ? ", " : ""), details[i].name);
        dropped &= ~(details[i].dropped | details[i].more);
    }
    efg_summary_line(
        out, "             %s not told apart, for want of memory; see EFGTRACE_MEMORY", names);
}

static void put_graph(struct efg_buffer *out, const struct view *view)
{
    char time[32], calls[32], nodes[32];
    efg_format_ns(time, sizeof time, view->unstable ? view->growth_max : view->stable_max);
    efg_format_count(calls, sizeof calls, (double)view->calls);
    snprintf(nodes, sizeof nodes, view->nodes_min < view->nodes_max ? "%u to %u" : "%u",
             view->nodes_min < view->nodes_max ? view->nodes_min : view->nodes_max,
             view->nodes_max);
    efg_summary_line(
        out, "Graph        of %s calls: %s nodes, up to %u edges a rank, %s after %s", calls,
        nodes, view->edges_max, view->unstable ? "last grew" : "stable", time);
    if (view->dropped)
        put_dropped(out, view->dropped);
    if (view->overflow)
        efg_summary_line(
            out,
            "             %u graphs found no room: what came later is lumped together, see "
            "EFGTRACE_MEMORY",
            view->overflow);
}

static void put_cost(struct efg_buffer *out, const struct view *view)
{
    char cost[32], calls[32], each[32], memory[32];
    uint32_t ranks = view->run->rank_count;
    if (!view->cost)
        return;
    efg_format_ns(cost, sizeof cost, view->cost / ranks);
    efg_format_count(calls, sizeof calls, (double)view->calls / ranks);
    efg_format_ns(each, sizeof each, view->calls ? view->cost / view->calls : 0);
    efg_format_bytes(memory, sizeof memory, view->memory_max);
    efg_summary_line(
        out, "Cost         about %s a rank, %.2g%% of the run: %s calls, %s each", cost,
        efg_percent((double)view->cost, (double)view->time), calls, each);
    efg_summary_line(out, "             up to %s of memory a rank", memory);
}

/* --- notes --- */

static int is_first_with_note(const struct efg_run *run, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++) {
        if (!strcmp(text(run->ranks[i].note, ""), run->ranks[rank].note))
            return 0;
    }
    return 1;
}

static void put_note(struct efg_buffer *out, const struct efg_run *run, uint32_t rank)
{
    uint32_t count = 0;
    for (uint32_t i = rank; i < run->rank_count; i++)
        count += !strcmp(text(run->ranks[i].note, ""), run->ranks[rank].note);
    if (count > 1)
        efg_summary_line(out, "Note         %u ranks: %s", count, run->ranks[rank].note);
    else
        efg_summary_line(out, "Note         rank %u: %s", run->ranks[rank].rank,
                         run->ranks[rank].note);
}

static void put_notes(struct efg_buffer *out, const struct efg_run *run)
{
    uint32_t shown = 0, left = 0;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        if (!run->ranks[i].note || !*run->ranks[i].note)
            continue;
        if (shown == NOTES_SHOWN) {
            left++;
        } else if (is_first_with_note(run, i)) {
            put_note(out, run, i);
            shown++;
        }
    }
    if (left)
        efg_summary_line(out,
                         "Note         further notes of up to %u ranks: see `efgtrace "
                         "report`",
                         left);
}

/* --- where to go from here --- */

/* Never cut: these lines are to be copied. */
static void put_files(struct efg_buffer *out, const struct view *view)
{
    const char *dir = text(view->run->output, ".");
    efg_buffer_print(out, "Files        %s/: %srun.efg, summary.txt\n", dir,
                     view->run->trace_events ? "traces.otf2, " : "");
    efg_buffer_print(out, "Next         efgtrace report %s\n", dir);
    if (view->run->trace_events)
        efg_buffer_print(out, "             vampir %s/traces.otf2\n", dir);
}

void efg_summary_write(struct efg_buffer *out, const struct efg_run *run)
{
    struct view view = look_at(run);
    put_head(out, &view);
    if (!run->rank_count) {
        efg_summary_line(out, "             no rank left anything");
        return;
    }
    efg_summary_loops(out, run, LOOPS_SHOWN, NULL);
    if (view.thread && view.thread->pivot.kind != EFG_PIVOT_NONE) {
        put_pivot(out, &view);
    } else {
        put_no_pivot(out, &view);
    }
    if (view.thread) {
        put_levels(out, &view);
        put_windows(out, &view);
    }
    put_representation(out, &view);
    efg_summary_messages(out, run);
    put_trace(out, &view);
    put_graph(out, &view);
    efg_summary_binding(out, run);
    efg_summary_clocks(out, run);
    put_cost(out, &view);
    put_notes(out, run);
    put_files(out, &view);
}
