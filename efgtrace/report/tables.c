/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of the report. Shares are of the time of all ranks together, or of the loop where
 * the table is of a loop. "Compute" is the time from the end of one call to the
 * start of the next: what the program did between them.
 */
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "files/summary/summary.h"
#include "model/distribution.h"

#define CURVE_LINES 12
#define BAR 50 /* columns */
#define BEFORE_BAR 40

/* --- the main loop --- */

struct part { /* a node of the main loop */
    uint32_t node;
    uint64_t visits, before, inside; /* in and before its visits in the loop, ns */
};

struct parts {
    struct part *item;
    uint32_t count;
    uint64_t whole; /* ns in the loop */
};

static bool in_loop(const struct efg_looptree *tree, uint32_t node, uint32_t loop)
{
    return loop == EFG_NONE ||
           (tree->loop_of[node] != EFG_NONE && efg_looptree_is_inside(tree, tree->loop_of[node], loop));
}

static void add_edges(struct part *part, const struct efg_graph *graph, const struct efg_looptree *tree,
                      uint32_t loop)
{
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        const struct efg_edge *edge = &graph->edges[i];
        if (edge->to == part->node && in_loop(tree, edge->from, loop))
            part->before += edge->time.sum;
    }
}

static int find_parts(struct parts *parts, const struct efg_graph *graph, const struct efg_looptree *tree,
                      uint32_t loop)
{
    memset(parts, 0, sizeof *parts);
    parts->item = calloc(graph->node_count + 1, sizeof *parts->item);
    for (uint32_t v = 0; parts->item && v < graph->node_count; v++) {
        if (!in_loop(tree, v, loop))
            continue;
        struct part *part = &parts->item[parts->count++];
        *part = (struct part){.node = v, .visits = graph->nodes[v].time.count};
        part->inside = efg_node_time(&graph->nodes[v]);
        add_edges(part, graph, tree, loop);
        parts->whole += part->inside + part->before;
    }
    return parts->item ? 0 : -1;
}

static void put_part(struct efg_buffer *out, const struct efg_run *run, const struct efg_graph *graph,
                     const struct part *part, uint64_t whole)
{
    char name[256], visits[32] = "polls", before[32], inside[32];
    if (part->visits)
        snprintf(visits, sizeof visits, "%llu", (unsigned long long)part->visits);
    efg_summary_node(run, &graph->nodes[part->node], name, sizeof name);
    efg_format_ns(before, sizeof before, part->before);
    efg_format_ns(inside, sizeof inside, part->inside);
    efg_summary_line(out, "%10s %9s %6.1f%% %9s %6.1f%%  %s", visits, before,
                     efg_percent((double)part->before, (double)whole), inside,
                     efg_percent((double)part->inside, (double)whole), name);
}

/* How many parts take more time than THIS one: those beyond the largest MOST are left out, the
 * others stay in the order of the calls. */
static uint32_t rank_of(const struct parts *parts, uint32_t this)
{
    uint64_t time = parts->item[this].before + parts->item[this].inside;
    uint32_t larger = 0;
    for (uint32_t i = 0; i < parts->count; i++) {
        uint64_t other = parts->item[i].before + parts->item[i].inside;
        larger += other > time || (other == time && i < this);
    }
    return larger;
}

static void put_parts(struct efg_buffer *out, const struct efg_run *run, const struct efg_graph *graph,
                      const struct parts *parts, uint32_t most)
{
    efg_summary_line(out, "     calls   compute  share       MPI  share   call (rank %u)", run->speaker.rank);
    for (uint32_t i = 0; i < parts->count; i++) {
        if (most == UINT32_MAX || rank_of(parts, i) < most)
            put_part(out, run, graph, &parts->item[i], parts->whole);
    }
    efg_text_rest(out, parts->count, most);
}

void efg_report_main_loop(struct efg_buffer *out, const struct efg_run *run, uint32_t most)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    struct efg_looptree tree;
    struct parts parts;
    if (!thread || efg_summary_tree(&tree, run, &thread->graph, &thread->loops.main))
        return;
    if (tree.main == EFG_NONE)
        efg_summary_line(out, "No main loop was found: the whole run.");
    if (!find_parts(&parts, &thread->graph, &tree, tree.main))
        put_parts(out, run, &thread->graph, &parts, most);
    free(parts.item);
    efg_looptree_fini(&tree);
}

static void put_frame(struct efg_buffer *out, const struct efg_run_symbol *symbol, const char *module,
                      bool inlined)
{
    char line[32] = "";
    if (symbol->line)
        snprintf(line, sizeof line, ":%u", symbol->line);
    efg_summary_line(out, "    %s   %s%s%s", symbol->function, *symbol->file ? symbol->file : module, line,
                     inlined ? "   (inlined)" : "");
}

void efg_report_path(struct efg_buffer *out, const struct efg_run *run, const struct efg_node *node)
{
    const struct efg_run_path *path = efg_run_path(run, node->signature.path);
    char name[256];
    efg_summary_node(run, node, name, sizeof name);
    efg_summary_line(out, "%s", name);
    for (uint32_t i = 0; path && i < path->depth; i++) {
        const struct efg_frame *frame = &path->frames[i];
        const char *module = efg_run_module(run, frame->module);
        const struct efg_run_site *site = efg_run_site(run, module, frame->offset);
        if (!site)
            efg_summary_line(out, "    ?   %s+0x%llx", module,
                             (unsigned long long)efg_frame_place(frame->offset));
        for (uint32_t k = 0; site && k < site->symbol_count; k++)
            put_frame(out, &site->symbols[k], module, k + 1 < site->symbol_count);
    }
}

/* --- calls and call sites --- */

/* What the tables of calls and of call sites begin with. */
static void put_begin(char *text, size_t size, const struct efg_join_item *item, uint64_t mpi_time,
                      uint64_t run_time)
{
    char time[32];
    efg_format_ns(time, sizeof time, item->time);
    snprintf(text, size, "%10llu %9s %4.0f%% %4.1f%%", (unsigned long long)item->calls, time,
             efg_percent((double)item->time, (double)mpi_time),
             efg_percent((double)item->time, (double)run_time));
}

static void put_call(struct efg_buffer *out, const char *begin, const struct efg_run *run,
                     const struct efg_join *join, const struct efg_join_item *item)
{
    char least[32], median[32], most[32], bytes[32];
    struct efg_distribution d = efg_distribution(item->by_rank, join->ranks, EFG_OF_ALL);
    efg_format_ns(least, sizeof least, d.least);
    efg_format_ns(median, sizeof median, d.median);
    efg_format_ns(most, sizeof most, d.most);
    efg_format_bytes(bytes, sizeof bytes, item->bytes);
    efg_summary_line(out, "%s %9s %9s %9s %9s  %s", begin, least, median, most, bytes,
                     item->flags & EFG_NODE_OVERFLOW ? "(all further calls)"
                                                     : efg_run_call_name(run, item->signature.call));
}

static void put_site(struct efg_buffer *out, const char *begin, const struct efg_run *run,
                     const struct efg_join_item *item)
{
    char name[256], mean[32], max[32] = "-";
    struct efg_node node = {.signature = item->signature, .flags = item->flags};
    efg_summary_node(run, &node, name, sizeof name);
    efg_format_ns(mean, sizeof mean, item->calls ? item->time / item->calls : 0);
    if (efg_join_has_max(item))
        efg_format_ns(max, sizeof max, item->max);
    efg_summary_line(out, "%s %9s %9s  %s", begin, mean, max, name);
}

void efg_report_joined(struct efg_buffer *out, const struct efg_run *run, const struct efg_join *join,
                       uint32_t most)
{
    uint64_t run_time = run->common.totals.time, mpi_time = efg_join_time(join);
    char begin[128];
    efg_summary_line(out, "     calls      time   MPI   run %s",
                     join->by == EFG_JOIN_CALLS ? "    least    median      most     bytes  (times per rank)"
                                                : "     mean   longest");
    for (uint32_t i = 0; i < join->count && i < most; i++) {
        put_begin(begin, sizeof begin, &join->items[i], mpi_time, run_time);
        if (join->by == EFG_JOIN_CALLS)
            put_call(out, begin, run, join, &join->items[i]);
        else
            put_site(out, begin, run, &join->items[i]);
    }
    efg_text_rest(out, join->count, most);
}

/* --- the curve --- */

static uint32_t add_point(struct efg_curve_point *points, uint32_t count, struct efg_curve_point p)
{
    const struct efg_curve_point *last = count ? &points[count - 1] : NULL;

    if (last && (p.time < last->time || (p.events == last->events && p.nodes == last->nodes)))
        return count;
    points[count] = p;
    return count + 1;
}

uint32_t efg_report_points(struct efg_curve_point *points, const struct efg_run *run)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    uint32_t count = 0;

    if (!thread || !thread->stability.count)
        return 0;
    for (uint32_t i = 0; i < thread->stability.count; i++)
        count = add_point(points, count, thread->stability.curve[i]);
    count = add_point(points, count, thread->stability.last);
    return add_point(points, count,
                     (struct efg_curve_point){.time = efg_run_rank_duration(&run->speaker),
                                              .events = thread->graph.events,
                                              .nodes = thread->graph.node_count,
                                              .edges = thread->graph.edge_count});
}

void efg_report_curve(struct efg_buffer *out, const struct efg_run *run)
{
    struct efg_curve_point points[EFG_CURVE_POINTS];
    uint32_t count = efg_report_points(points, run), lines = 0;
    int room = efg_summary_room(BEFORE_BAR), most = room < BAR ? room : BAR;
    char time[32], events[32];

    if (!count) {
        efg_summary_line(out, "No samples: the run was shorter than EFGTRACE_INTERVAL.");
        return;
    }
    const struct efg_curve_point *last = &points[count - 1];
    efg_summary_line(out, "     after      calls   nodes   edges   (rank %u)", run->speaker.rank);
    for (const struct efg_curve_point *p = points; p <= last; p++) {
        if (p < last && p->time < last->time / CURVE_LINES * lines)
            continue;
        while (last->time / CURVE_LINES * lines <= p->time && lines <= CURVE_LINES)
            lines++;
        efg_format_ns(time, sizeof time, p->time);
        efg_format_count(events, sizeof events, (double)p->events);
        int width = last->nodes ? (int)((double)most * p->nodes / last->nodes) : 0;
        efg_summary_line(out, "%10s %10s %7u %7u   %.*s", time, events, p->nodes, p->edges,
                         width < most ? width : most, "##################################################");
    }
}
