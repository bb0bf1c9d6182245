/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph for graphviz. Loops are nested clusters; redder nodes take more time; wider edges are
 * taken more often; the pivot has a double line. Ranks with equally many visits share one line of
 * a label, which names them unless it is all ranks. In a large graph, boxes stand for several calls: boxes.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "boxes.h"
#include "cli/clean.h"
#include "files/summary/summary.h"
#include "formats.h"

#define NESTING_MAX 64 /* deeper loops are drawn in the one around them */
#define LINES_MAX 4    /* of a label: more different numbers of visits are a range */
#define NAMES_MAX 4    /* functions that are named in a box */

struct drawing {
    const struct efg_model *model;
    const struct efg_run *run;
    const struct efg_merged *merged;
    struct efg_boxes boxes;
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

/* Whether iterations begin in the box of ID. */
static bool is_pivot(const struct drawing *d, uint32_t id)
{
    const struct efg_run_pivot *pivot = &d->merged->at.pivot;
    return pivot->kind != EFG_PIVOT_NONE && pivot->node < d->merged->graph.node_count &&
           d->boxes.rows.first[pivot->node] == id;
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

/* COUNT, of all ranks, as that of one: "1900 x ", "0.75 x ". */
static void put_mean(struct efg_buffer *out, const struct drawing *d, uint64_t count)
{
    char mean[32];
    efg_format_digits(mean, sizeof mean, (double)count / (double)d->merged->rank_count, 2);
    efg_buffer_print(out, "%s x ", mean);
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

/* What the calls of a box are together. */
struct sum {
    uint64_t count, polls, time; /* POLLS that found nothing */
    uint32_t calls, last;        /* how many, and the last of them */
};

static struct sum sum_of(const struct drawing *d, uint32_t first)
{
    struct sum sum = {0};
    for (uint32_t v = first; v != EFG_NONE; v = d->boxes.rows.next[v]) {
        const struct efg_node *node = &d->merged->graph.nodes[v];
        sum.count += node->time.count;
        sum.polls += node->polls;
        sum.time += efg_node_time(node);
        sum.calls++;
        sum.last = v;
    }
    return sum;
}

/* The MPI functions of a box, in the order of its calls: "Send, Irecv, Wait, ...". */
static void put_calls(struct efg_buffer *out, const struct drawing *d, uint32_t first)
{
    const char *named[NAMES_MAX];
    size_t count = 0;
    for (uint32_t v = first; v != EFG_NONE; v = d->boxes.rows.next[v]) {
        const char *name = efg_run_call_name(d->run, d->merged->graph.nodes[v].signature.call);
        size_t i = 0;
        while (i < count && strcmp(named[i], name))
            i++;
        if (i < count)
            continue;
        efg_buffer_print(out, count ? ", " : "");
        if (count == NAMES_MAX) {
            efg_buffer_print(out, "...");
            return;
        }
        named[count++] = name;
        put_quoted(out, (char *)(strncmp(name, "MPI_", 4) ? name : name + 4)); // NOLINT
    }
}

/* The name of a box of several call sites. */
static void put_folded(struct efg_buffer *out, const struct drawing *d, uint32_t first, const struct sum *sum)
{
    const struct efg_box *box = &d->boxes.box[first];
    char name[600] = "";
    if (box->kind == EFG_BOX_LOOP) {
        efg_summary_loop_label(d->run, &d->merged->graph, &d->merged->tree, box->of, name, sizeof name);
        efg_buffer_print(out, "%llu x ", (unsigned long long)efg_merged_repetitions(d->merged, box->of));
    } else {
        static const char *const names[] = {[EFG_BOX_START] = "start-up",
                                            [EFG_BOX_END] = "behind the main loop",
                                            [EFG_BOX_REST] = "all that takes less time"};
        snprintf(name, sizeof name, "%s",
                 box->kind == EFG_BOX_FUNCTION ? d->model->contexts.items[box->of].name : names[box->kind]);
    }
    put_quoted(out, name);
    efg_buffer_print(out, "\\n");
    put_calls(out, d, first);
    efg_buffer_print(out, "\\n%u call site%s, ", sum->calls, sum->calls > 1 ? "s" : "");
    put_mean(out, d, sum->count);
}

static void put_node(struct efg_buffer *out, const struct drawing *d, uint32_t id, int indent)
{
    struct sum sum = sum_of(d, id);
    char mean[32];
    double percent = efg_percent((double)sum.time, (double)d->merged->duration);
    uint64_t count = sum.count ? sum.count : sum.polls;
    efg_format_ns(mean, sizeof mean, count ? sum.time / count : 0);
    efg_buffer_print(out, "%*sn%u [label=\"", indent, "", id);
    if (d->boxes.box[id].kind == EFG_BOX_CALLS && !sum.count) {
        put_name(out, d, id, sum.calls, sum.last);
        efg_buffer_print(out, "found nothing: ");
        put_mean(out, d, sum.polls);
    } else if (d->boxes.box[id].kind == EFG_BOX_CALLS) {
        put_name(out, d, id, sum.calls, sum.last);
        put_visits(out, d, &d->merged->nodes[id]);
    } else {
        put_folded(out, d, id, &sum);
    }
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

/* "9 x", "up to 9 x", "9 x on rank 3". */
static void put_repetitions(struct efg_buffer *out, const struct drawing *d, uint32_t loop)
{
    const struct efg_merged *m = d->merged;
    unsigned long long repetitions = efg_merged_repetitions(m, loop);
    bool is_same = is_even(d, loop), is_own = m->repetitions[loop];
    efg_buffer_print(out, "%s%llu x", is_same || is_own ? "" : "up to ", repetitions);
    if (is_own && !is_same)
        efg_buffer_print(out, " on rank %u", m->speaker);
}

/* Times are sums: what is said of them is the mean over the ranks. */
static void put_loop_label(struct efg_buffer *out, const struct drawing *d, uint32_t loop)
{
    const struct efg_loop *l = &d->merged->tree.loops[loop];
    const struct efg_ranklist *ranks = &d->merged->loops[loop];
    char label[600], time[32];
    efg_summary_loop_label(d->run, &d->merged->graph, &d->merged->tree, loop, label, sizeof label);
    efg_format_ns(time, sizeof time, l->time / efg_ranklist_count(ranks));
    put_repetitions(out, d, loop);
    put_ranks(out, d, ranks);
    efg_buffer_print(out, " ");
    put_quoted(out, label);
    efg_buffer_print(out, "\\n%s, %.0f%% MPI", time, efg_percent((double)l->mpi_time, (double)l->time));
}

/* The boxes that are drawn in LOOP, or, if it is the DEEPEST that is drawn, in those inside it. */
static void put_nodes(struct efg_buffer *out, const struct drawing *d, uint32_t loop, bool deepest,
                      int indent)
{
    for (uint32_t v = 0; v < d->merged->graph.node_count; v++) {
        uint32_t home = d->boxes.box[v].home;
        if (d->boxes.rows.first[v] != v)
            continue;
        if (home == loop ||
            (deepest && home != EFG_NONE && efg_looptree_is_inside(&d->merged->tree, home, loop)))
            put_node(out, d, v, indent);
    }
}

/* Whether a box is drawn in it. */
static bool is_drawn(const struct drawing *d, uint32_t loop)
{
    for (uint32_t v = 0; v < d->merged->graph.node_count; v++) {
        uint32_t home = d->boxes.box[v].home;
        if (d->boxes.rows.first[v] == v && home != EFG_NONE &&
            efg_looptree_is_inside(&d->merged->tree, home, loop))
            return true;
    }
    return false;
}

static void put_loop(struct efg_buffer *out, const struct drawing *d, uint32_t loop, int nesting)
{
    int indent = 4 * nesting, deepest = nesting == NESTING_MAX;
    if (!is_drawn(d, loop))
        return;
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

/* Edges between the same two boxes. */
struct way {
    uint32_t from, to, id, edges; /* ID: of the first of them */
    uint64_t count, time;
};

/* Nodes are numbered as they appear first, and are to be drawn in that order from above: so an
 * edge that leads back is written the other way round. */
static void put_way(struct efg_buffer *out, const struct drawing *d, const struct way *way)
{
    uint32_t from = way->from, to = way->to;
    char mean[32];
    efg_format_ns(mean, sizeof mean, way->count ? way->time / way->count : 0);
    efg_buffer_print(out, "    n%u -> n%u [%slabel=\" ", from < to ? from : to, from < to ? to : from,
                     from > to ? "dir=back, " : "");
    if (way->edges == 1)
        put_visits(out, d, &d->merged->edges[way->id]);
    else
        put_mean(out, d, way->count);
    efg_buffer_print(out, "%s \", penwidth=%.2f];\n", mean,
                     0.5 + 0.8 * log10(1 + (double)way->count / (double)d->merged->rank_count));
}

/* Add edge ID, unless it is within a box of several calls. */
static bool add_edge(struct way *ways, struct efg_map *known, const struct drawing *d, uint32_t id)
{
    const struct efg_edge *edge = &d->merged->graph.edges[id];
    uint32_t from = d->boxes.rows.first[edge->from], to = d->boxes.rows.first[edge->to];
    if (from == to && d->boxes.rows.next[from] != EFG_NONE)
        return true;
    uint64_t *number = efg_map_put(known, (uint64_t)from << 32 | to);
    if (!number)
        return false;
    if (!*number) {
        *number = known->count;
        ways[*number - 1] = (struct way){.from = from, .to = to, .id = id};
    }
    struct way *way = &ways[*number - 1];
    way->edges++;
    way->count += edge->time.count;
    way->time += edge->time.sum;
    return true;
}

static void put_edges(struct efg_buffer *out, const struct drawing *d)
{
    uint32_t edges = d->merged->graph.edge_count;
    struct way *ways = calloc((size_t)edges + 1, sizeof *ways);
    struct efg_map known = {0};
    for (uint32_t i = 0; i < edges; i++)
        out->failed |= !ways || !add_edge(ways, &known, d, i);
    for (uint64_t i = 0; !out->failed && i < known.count; i++)
        put_way(out, d, &ways[i]);
    efg_map_fini(&known);
    free(ways);
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
    if (d->boxes.count < d->merged->graph.node_count)
        efg_buffer_print(out, "\\n%u call sites in %u boxes; --all draws each", d->merged->graph.node_count,
                         d->boxes.count);
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
    uint32_t loop = tree->count ? tree->first : EFG_NONE;
    for (; loop != EFG_NONE; loop = tree->loops[loop].next_sibling)
        put_loop(out, d, loop, 1);
    put_nodes(out, d, EFG_NONE, false, 4);
    put_edges(out, d);
    efg_buffer_print(out, "}\n");
}

void efg_graph_put_dot(struct efg_buffer *out, const struct efg_model *model, bool all)
{
    struct drawing d = {.model = model, .run = &model->run, .merged = &model->merged};
    if (efg_boxes_find(&d.boxes, model, all))
        out->failed = true;
    else
        put_drawing(out, &d);
    efg_boxes_fini(&d.boxes);
}
