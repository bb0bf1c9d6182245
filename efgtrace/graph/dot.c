/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph for graphviz. Loops are nested clusters; redder nodes take more time; wider edges are
 * taken more often; the pivot has a double line. Ranks with equally many visits share one line of
 * a label, which names them unless it is all ranks.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/clean.h"
#include "files/summary/summary.h"
#include "formats.h"
#include "rows.h"

#define ROW_LEAST 4    /* calls of a row that is drawn as one */
#define NESTING_MAX 64 /* deeper loops are drawn in the one around them */
#define LINES_MAX 4    /* of a label: more different numbers of visits are a range */

struct drawing {
    const struct efg_run *run;
    const struct efg_merged *merged;
    struct efg_rows rows;
};

static void put_quoted(struct efg_buffer *out, char *text)
{
    efg_clean(text);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            efg_buffer_put(out, "\\", 1);
        efg_buffer_put(out, text, 1);
    }
}

static bool is_pivot(const struct drawing *d, uint32_t id)
{
    return d->merged->at.pivot.kind != EFG_PIVOT_NONE && d->merged->at.pivot.node == id;
}

/* --- how often --- */

/* " (0-3, 8)" or " (412 ranks: 0, 2, 5, ...)"; nothing where that is all of them. */
static void put_ranks(struct efg_buffer *out, const struct drawing *d, const struct efg_ranklist *ranks)
{
    char text[28];
    uint64_t count = efg_ranklist_count(ranks);
    if (count == d->merged->rank_count)
        return;
    efg_ranklist_print(ranks, text, sizeof text);
    if (strstr(text, "..."))
        efg_buffer_print(out, " (%llu ranks: %s)", (unsigned long long)count, text);
    else
        efg_buffer_print(out, " (%s)", text);
}

/* "9 x", "9-12 x (0-3)". */
static void put_times(struct efg_buffer *out, const struct drawing *d, uint64_t least, uint64_t most,
                      const struct efg_ranklist *ranks)
{
    efg_buffer_print(out, "%llu", (unsigned long long)least);
    if (most > least)
        efg_buffer_print(out, "-%llu", (unsigned long long)most);
    efg_buffer_print(out, " x");
    put_ranks(out, d, ranks);
}

/* A line for each number of visits, or one for all of them if there are too many; then what
 * follows goes on in the same line. */
static void put_visits(struct efg_buffer *out, const struct drawing *d, const struct efg_merged_item *item)
{
    uint64_t least, most;
    efg_merged_visits(item, &least, &most);
    if (item->visits_count > LINES_MAX)
        put_times(out, d, least, most, &item->ranks);
    for (uint32_t i = 0; i < item->visits_count && item->visits_count <= LINES_MAX; i++) {
        const struct efg_visits *visits = &item->visits[i];
        efg_buffer_print(out, i ? "\\n" : "");
        put_times(out, d, visits->least, visits->most, &visits->ranks);
    }
    efg_buffer_print(out, item->visits_count > 1 && item->visits_count <= LINES_MAX ? "\\n" : " ");
}

/* --- nodes --- */

/* The call and where it is made, a line each; IN_ROW of them, the last one of which is LAST. */
static void put_name(struct efg_buffer *out, const struct drawing *d, uint32_t id, uint32_t in_row,
                     uint32_t last)
{
    const struct efg_node *nodes = d->merged->graph.nodes;
    char name[512], end[256];
    efg_summary_node(d->run, &nodes[id], name, sizeof name);
    efg_summary_place(d->run, &nodes[last], end, sizeof end);
    char *place = strstr(name, "  ");
    if (place)
        *place = '\0';
    put_quoted(out, name);
    if (in_row > 1)
        efg_buffer_print(out, ", %u in a row", in_row);
    if (place) {
        efg_buffer_print(out, "\\n");
        put_quoted(out, place + 2);
    }
    if (place && in_row > 1 && strcmp(place + 2, end)) {
        efg_buffer_print(out, "\\nto ");
        put_quoted(out, end);
    }
    efg_buffer_print(out, "\\n");
}

static void put_node(struct efg_buffer *out, const struct drawing *d, uint32_t id, int indent)
{
    const struct efg_node *nodes = d->merged->graph.nodes;
    uint64_t count = 0, time = 0;
    uint32_t in_row = 0, last = id;
    char mean[32];
    for (uint32_t v = id; v != EFG_NONE; v = d->rows.next[v]) {
        count += nodes[v].time.count;
        time += efg_node_time(&nodes[v]);
        in_row++;
        last = v;
    }
    double percent = efg_percent((double)time, (double)d->merged->duration);
    efg_format_ns(mean, sizeof mean, count ? time / count : 0);
    efg_buffer_print(out, "%*sn%u [label=\"", indent, "", id);
    put_name(out, d, id, in_row, last);
    put_visits(out, d, &d->merged->nodes[id]);
    efg_buffer_print(out, "%s, %.1f%%\", fillcolor=\"0.03 %.3f 1.0\"%s];\n", mean, percent,
                     percent < 100 ? sqrt(percent / 100) * 0.9 : 0.9, /* small shares are seen too */
                     is_pivot(d, id) ? ", peripheries=2, penwidth=2" : "");
}

/* --- loops --- */

/* Whether each rank comes by all of its calls equally often. */
static bool is_even(const struct drawing *d, uint32_t loop)
{
    for (uint32_t v = 0; v < d->merged->graph.node_count; v++) {
        const struct efg_merged_item *item = &d->merged->nodes[v];
        uint32_t own = d->merged->tree.loop_of[v];
        if (own != EFG_NONE && efg_looptree_is_inside(&d->merged->tree, own, loop) &&
            (item->visits_count > 1 || item->visits[0].least < item->visits[0].most))
            return false;
    }
    return true;
}

/* Times are sums: what is said of them is the mean over the ranks. */
static void put_loop_label(struct efg_buffer *out, const struct drawing *d, uint32_t loop)
{
    const struct efg_loop *l = &d->merged->tree.loops[loop];
    const struct efg_ranklist *ranks = &d->merged->loops[loop];
    char function[256], time[32];
    efg_summary_function(d->run, &d->merged->graph, &d->merged->tree, loop, function, sizeof function);
    efg_format_ns(time, sizeof time, l->time / efg_ranklist_count(ranks));
    efg_buffer_print(out, "%s%llu x", is_even(d, loop) ? "" : "up to ", (unsigned long long)l->repetitions);
    put_ranks(out, d, ranks);
    if (*function)
        efg_buffer_print(out, " in ");
    put_quoted(out, function);
    efg_buffer_print(out, ", %s, %.0f%% MPI", time, efg_percent((double)l->mpi_time, (double)l->time));
}

/* The nodes whose innermost loop, as far as it is drawn, is LOOP. */
static void put_nodes(struct efg_buffer *out, const struct drawing *d, uint32_t loop, bool deepest,
                      int indent)
{
    for (uint32_t v = 0; v < d->merged->graph.node_count; v++) {
        uint32_t own = d->merged->tree.loop_of[v];
        if (d->rows.first[v] != v)
            continue;
        if (own == loop ||
            (deepest && own != EFG_NONE && efg_looptree_is_inside(&d->merged->tree, own, loop)))
            put_node(out, d, v, indent);
    }
}

static void put_loop(struct efg_buffer *out, const struct drawing *d, uint32_t loop, int nesting)
{
    int indent = 4 * nesting, deepest = nesting == NESTING_MAX;
    efg_buffer_print(out, "%*ssubgraph cluster_%u {\n%*s    label=\"", indent, "", loop, indent, "");
    put_loop_label(out, d, loop);
    efg_buffer_print(out, "\";\n");
    put_nodes(out, d, loop, deepest, indent + 4);
    uint32_t child = deepest ? EFG_NONE : d->merged->tree.loops[loop].first_child;
    for (; child != EFG_NONE; child = d->merged->tree.loops[child].next_sibling)
        put_loop(out, d, child, nesting + 1);
    efg_buffer_print(out, "%*s}\n", indent, "");
}

/* --- edges --- */

/* Nodes are numbered as they appear first, and are to be drawn in that order from above: so an
 * edge that leads back is written the other way round. */
static void put_edge(struct efg_buffer *out, const struct drawing *d, uint32_t id)
{
    const struct efg_edge *edge = &d->merged->graph.edges[id];
    uint32_t from = d->rows.first[edge->from], to = d->rows.first[edge->to];
    char mean[32];
    if (d->rows.next[edge->from] == edge->to)
        return;
    efg_format_ns(mean, sizeof mean, edge->time.count ? edge->time.sum / edge->time.count : 0);
    efg_buffer_print(out, "    n%u -> n%u [%slabel=\" ", from < to ? from : to, from < to ? to : from,
                     from > to ? "dir=back, " : "");
    put_visits(out, d, &d->merged->edges[id]);
    efg_buffer_print(out, "%s \", penwidth=%.2f];\n", mean,
                     0.5 + 0.8 * log10(1 + (double)edge->time.count / (double)d->merged->rank_count));
}

/* What is drawn, and how to read it. */
static void put_title(struct efg_buffer *out, const struct drawing *d)
{
    char title[256], ranks[64];
    efg_ranklist_print(&d->merged->ranks, ranks, sizeof ranks);
    if (d->merged->rank_count == 1)
        snprintf(title, sizeof title, "%s, rank %s", d->run->application, ranks);
    else
        snprintf(title, sizeof title, "%s, %llu ranks: %s", d->run->application,
                 (unsigned long long)d->merged->rank_count, ranks);
    put_quoted(out, title);
    if (d->merged->rank_count > 1)
        efg_buffer_print(out, "\\nN x: on each rank, or on each of (ranks)");
    efg_buffer_print(out, "\\ntimes are means, %% of the time of %s",
                     d->merged->rank_count > 1 ? "these ranks" : "the rank");
}

static void put_drawing(struct efg_buffer *out, const struct drawing *d)
{
    const struct efg_looptree *tree = &d->merged->tree;
    efg_buffer_print(out, "digraph efg {\n    label=\"");
    put_title(out, d);
    efg_buffer_print(out, "\";\n"
                          "    node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n"
                          "    edge [fontname=\"sans-serif\", fontsize=10];\n"
                          "    graph [fontname=\"sans-serif\", style=rounded, ranksep=0.3];\n");
    put_nodes(out, d, EFG_NONE, false, 4);
    uint32_t loop = tree->count ? tree->first : EFG_NONE;
    for (; loop != EFG_NONE; loop = tree->loops[loop].next_sibling)
        put_loop(out, d, loop, 1);
    for (uint32_t i = 0; i < d->merged->graph.edge_count; i++)
        put_edge(out, d, i);
    efg_buffer_print(out, "}\n");
}

void efg_graph_put_dot(struct efg_buffer *out, const struct efg_model *model, bool all)
{
    struct drawing d = {.run = &model->run, .merged = &model->merged};
    if (efg_rows_find(&d.rows, d.merged, all ? UINT32_MAX : ROW_LEAST))
        out->failed = true;
    else
        put_drawing(out, &d);
    efg_rows_fini(&d.rows);
}
