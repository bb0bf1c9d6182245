/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph for graphviz. Loops are clusters, one inside the other; a node is the redder the
 * more of the time its calls take; an edge is the wider the more often it is taken; the
 * pivot has a double line.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/summary.h"
#include "graph_formats.h"

#define NESTING_MAX 64 /* deeper loops are drawn in the one around them */

static void put_quoted(struct efg_buffer *out, char *text)
{
    efg_graph_clean(text);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            efg_buffer_put(out, "\\", 1);
        efg_buffer_put(out, text, 1);
    }
}

static int is_pivot(const struct efg_graph_view *view, uint32_t kind, uint32_t id)
{
    return view->thread->pivot.kind == kind && view->thread->pivot.id == id;
}

/* --- nodes --- */

static void put_label(struct efg_buffer *out, const struct efg_graph_view *view,
                      const struct efg_node *node)
{
    char name[512], time[32], mean[32];
    efg_summary_node(view->run, node, name, sizeof name);
    char *place = strstr(name, "  ");
    if (place)
        *place = '\0';
    put_quoted(out, name);
    if (place) {
        efg_buffer_put(out, "\\n", 2);
        put_quoted(out, place + 2);
    }
    efg_format_ns(time, sizeof time, node->time.sum + node->poll_time);
    efg_format_ns(mean, sizeof mean, node->time.count ? node->time.sum / node->time.count : 0);
    efg_buffer_print(out, "\\n%llu x %s = %s", (unsigned long long)node->time.count, mean,
                     time);
}

static void put_node(struct efg_buffer *out, const struct efg_graph_view *view, uint32_t id,
                     int indent)
{
    const struct efg_node *node = &view->thread->graph.nodes[id];
    double share = efg_percent((double)(node->time.sum + node->poll_time),
                               (double)efg_run_rank_duration(view->rank)) /
                   100;
    efg_buffer_print(out, "%*sn%u [label=\"", indent, "", id);
    put_label(out, view, node);
    efg_buffer_print(out, "\", fillcolor=\"0.03 %.3f 1.0\"%s];\n",
                     share < 1 ? sqrt(share) * 0.9 : 0.9, /* small shares are seen too */
                     is_pivot(view, EFG_PIVOT_NODE, id) ? ", peripheries=2, penwidth=2" : "");
}

/* --- loops --- */

static void put_loop_label(struct efg_buffer *out, const struct efg_graph_view *view,
                           uint32_t loop)
{
    const struct efg_loop *l = &view->tree.loops[loop];
    char function[256], time[32];
    efg_summary_function(view->run, &view->thread->graph, &view->tree, loop, function,
                         sizeof function);
    efg_format_ns(time, sizeof time, l->time);
    efg_buffer_print(out, "%llu x", (unsigned long long)l->repetitions);
    if (*function)
        efg_buffer_print(out, " in ");
    put_quoted(out, function);
    efg_buffer_print(out, ", %s, %.0f%% MPI", time,
                     efg_percent((double)l->mpi_time, (double)l->time));
}

/* The nodes whose innermost loop, as far as it is drawn, is LOOP. */
static void put_nodes(struct efg_buffer *out, const struct efg_graph_view *view, uint32_t loop,
                      int deepest, int indent)
{
    for (uint32_t v = 0; v < view->thread->graph.node_count; v++) {
        uint32_t own = view->tree.loop_of[v];
        if (own == loop ||
            (deepest && own != EFG_NONE && efg_looptree_is_inside(&view->tree, own, loop)))
            put_node(out, view, v, indent);
    }
}

static void put_loop(struct efg_buffer *out, const struct efg_graph_view *view, uint32_t loop,
                     int nesting)
{
    int indent = 4 * nesting, deepest = nesting == NESTING_MAX;
    efg_buffer_print(out, "%*ssubgraph cluster_%u {\n%*s    label=\"", indent, "", loop, indent,
                     "");
    put_loop_label(out, view, loop);
    efg_buffer_print(out, "\";\n");
    put_nodes(out, view, loop, deepest, indent + 4);
    uint32_t child = deepest ? EFG_NONE : view->tree.loops[loop].first_child;
    for (; child != EFG_NONE; child = view->tree.loops[child].next_sibling)
        put_loop(out, view, child, nesting + 1);
    efg_buffer_print(out, "%*s}\n", indent, "");
}

/* --- edges --- */

static void put_edge(struct efg_buffer *out, const struct efg_graph_view *view, uint32_t id)
{
    const struct efg_edge *edge = &view->thread->graph.edges[id];
    char mean[32];
    efg_format_ns(mean, sizeof mean, edge->time.count ? edge->time.sum / edge->time.count : 0);
    efg_buffer_print(out, "    n%u -> n%u [label=\"%llu x\\n%s\", penwidth=%.2f%s];\n",
                     edge->from, edge->to, (unsigned long long)edge->time.count, mean,
                     0.5 + 0.8 * log10(1 + (double)edge->time.count),
                     is_pivot(view, EFG_PIVOT_EDGE, id) ? ", color=\"black:white:black\"" : "");
}

void efg_graph_put_dot(struct efg_buffer *out, const struct efg_graph_view *view)
{
    const struct efg_graph *graph = &view->thread->graph;
    char title[256];
    snprintf(title, sizeof title, "%s, rank %u", view->run->application, view->rank->rank);
    efg_buffer_print(out, "digraph efg {\n    label=\"");
    put_quoted(out, title);
    efg_buffer_print(
        out, "\";\n"
             "    node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n"
             "    edge [fontname=\"sans-serif\", fontsize=10];\n"
             "    graph [fontname=\"sans-serif\", style=rounded];\n");
    put_nodes(out, view, EFG_NONE, 0, 4);
    uint32_t loop = view->tree.count ? view->tree.first : EFG_NONE;
    for (; loop != EFG_NONE; loop = view->tree.loops[loop].next_sibling)
        put_loop(out, view, loop, 1);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        put_edge(out, view, i);
    efg_buffer_print(out, "}\n");
}
