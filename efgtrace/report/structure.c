/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structure as JSON: loops, growth of the graph, calling contexts, the graph.
 */
#include <stdlib.h>

#include "cli/json.h"
#include "files/summary/summary.h"
#include "graph/formats.h"
#include "inside.h"
#include "json.h"
#include "model/distribution.h"
#include "source.h"
#include "tables.h"

#define CODE_MOST 120 /* characters of a line of source */

/* --- loops --- */

static void add_inside(cJSON *to, const struct efg_waits_iteration *inside)
{
    cJSON *recorded = inside && inside->locations ? cJSON_AddObjectToObject(to, "recorded") : NULL;
    struct efg_waits_shares shares;
    if (!recorded)
        return;
    shares = efg_waits_shares(inside);
    efg_json_number(recorded, "locations", inside->locations);
    efg_json_number(recorded, "time", inside->longest);
    efg_waits_json_shares(recorded, &shares);
}

/* What its repetitions begin with; those of the main loop, the same call as iterations in the trace. */
static void name_begin(const struct efg_model *model, uint32_t id, char *label, size_t size)
{
    const struct efg_merged *merged = &model->merged;
    const struct efg_run_pivot *pivot = &merged->at.pivot;
    const struct efg_run_thread *thread = efg_run_rank_thread(&model->run.speaker);
    bool is_main = id == merged->tree.main && thread && efg_run_begins_main(thread), is_always;
    uint32_t begin = is_main && pivot->kind != EFG_PIVOT_NONE
                         ? efg_summary_begin(&merged->graph, pivot, &is_always)
                         : merged->tree.loops[id].header;
    if (begin == EFG_NONE)
        efg_summary_pivot(&model->run, &merged->graph, pivot, label, size);
    else
        efg_summary_node(&model->run, &merged->graph.nodes[begin], label, size);
}

static cJSON *make_loop(const struct efg_model *model, uint32_t id)
{
    const struct efg_merged *merged = &model->merged;
    const struct efg_loop *loop = &merged->tree.loops[id];
    struct efg_efficiency efficiency = efg_efficiency_loop(&model->by, id);
    char label[600];
    cJSON *to = efg_graph_json_loop(model, id);
    name_begin(model, id, label, sizeof label);
    efg_json_text(to, "label", label);
    efg_json_number(to, "depth", loop->depth);
    cJSON_AddBoolToObject(to, "is_main", id == merged->tree.main);
    efg_json_number(to, "context", model->contexts.of_loop[id]);
    efg_report_json_efficiency(to, &efficiency);
    return to;
}

static void add_curve(cJSON *document, const struct efg_run *run)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    cJSON *curve = cJSON_AddObjectToObject(document, "curve");
    efg_json_number(curve, "rank", run->speaker.rank);
    cJSON *points = cJSON_AddArrayToObject(curve, "points");
    struct efg_curve_point at[EFG_CURVE_POINTS];
    uint32_t count = efg_report_points(at, run);
    for (const struct efg_curve_point *p = at; p < at + count; p++) {
        double point[] = {(double)p->time, (double)p->events, p->nodes, p->edges};
        cJSON_AddItemToArray(points, cJSON_CreateDoubleArray(point, 4));
    }
    efg_json_number(curve, "stable", thread ? thread->stability.stable_since : 0);
    efg_json_number(curve, "found", thread && thread->series ? thread->series->start : 0);
    cJSON *windows = cJSON_AddArrayToObject(curve, "windows");
    for (uint32_t i = 0; thread && i < thread->window_count; i++) {
        const struct efg_run_window *w = &thread->windows[i];
        cJSON *window = cJSON_CreateObject();
        efg_json_number(window, "first", w->first);
        efg_json_number(window, "last", w->last);
        efg_json_number(window, "start", w->start);
        efg_json_number(window, "end", w->end);
        cJSON_AddBoolToObject(window, "is_main", efg_run_is_main(thread, w));
        efg_json_number(window, "phase", w->phase);
        efg_json_text(window, "why", efg_summary_why(w));
        cJSON_AddItemToArray(windows, window);
    }
}

/* --- phases --- */

static cJSON *make_phase(const struct efg_run *run, const struct efg_run_thread *thread,
                         const struct efg_looptree *tree, const struct efg_run_phase *p)
{
    const struct efg_run_phase *main = efg_run_phase(thread, thread->main_phase);
    char name[256];
    cJSON *to = cJSON_CreateObject();
    efg_summary_phase_name(run, thread, tree, p, name, sizeof name);
    efg_json_number(to, "number", p->number);
    cJSON_AddBoolToObject(to, "is_main", p->number && p->number == thread->main_phase);
    cJSON_AddBoolToObject(to, "is_main_elsewhere",
                          main && efg_summary_is_same_code(run, &thread->graph, &main->loop, &p->loop));
    efg_json_text(to, "function", name);
    efg_json_number(to, "start", p->begin);
    efg_json_number(to, "end", p->end);
    efg_json_number(to, "time", p->time);
    cJSON_AddNumberToObject(to, "share",
                            (double)p->time / (double)(efg_run_rank_duration(&run->speaker) + 1));
    efg_json_number(to, "iterations", p->loop.iterations);
    efg_json_number(to, "counted", p->counted);
    efg_json_number(to, "iterations_time", p->iterations_time);
    efg_json_number(to, "iterations_mpi", p->iterations_mpi);
    efg_json_number(to, "recorded", efg_summary_phase_recorded(thread, p));
    return to;
}

void efg_report_json_phases(cJSON *document, const struct efg_model *model)
{
    const struct efg_run *run = &model->run;
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    cJSON *phases = cJSON_AddArrayToObject(document, "phases");
    struct efg_looptree tree;
    if (!thread)
        return;
    efg_summary_tree(&tree, run, &thread->graph, &thread->loops.main);
    for (uint32_t i = 0; i < thread->phase_count; i++)
        cJSON_AddItemToArray(phases, make_phase(run, thread, &tree, &thread->phases[i]));
    efg_looptree_fini(&tree);
}

void efg_report_json_loops(cJSON *document, const struct efg_model *model, const struct efg_report_waiting *w)
{
    const struct efg_merged *merged = &model->merged;
    struct efg_waits_iteration *inside = *w->waits.missing ? NULL : efg_report_inside(model, w);
    cJSON *loops = cJSON_AddArrayToObject(document, "loops");
    for (uint32_t l = efg_looptree_next(&merged->tree, EFG_NONE); l != EFG_NONE;
         l = efg_looptree_next(&merged->tree, l)) {
        cJSON *loop = make_loop(model, l);
        add_inside(loop, inside ? &inside[l] : NULL);
        efg_report_json_counted_loop(loop, model, l);
        cJSON_AddItemToArray(loops, loop);
    }
    free(inside);
    add_curve(document, &model->run);
}

/* --- iterations --- */

static void add_slots(cJSON *to, const struct efg_series *series)
{
    cJSON *slots = cJSON_AddArrayToObject(to, "slots");
    uint64_t first = series->first, start = series->start;
    for (uint32_t i = 0; i < efg_series_slots(series); i++) {
        const struct efg_series_slot *slot = &series->slot[i];
        uint64_t count = efg_series_in_slot(series, i);
        double numbers[] = {(double)first,       (double)count,      (double)start,    (double)slot->time,
                            (double)slot->least, (double)slot->most, (double)slot->mpi};
        cJSON_AddItemToArray(slots, cJSON_CreateDoubleArray(numbers, 7));
        first += count;
        start += slot->time;
    }
}

static void add_longest(cJSON *to, const struct efg_series *series)
{
    cJSON *longest = cJSON_AddArrayToObject(to, "longest");
    for (uint32_t i = 0; i < series->longest_count; i++) {
        const struct efg_iteration *it = &series->longest[i];
        double numbers[] = {(double)it->number, (double)it->start, (double)it->time, (double)it->mpi};
        cJSON_AddItemToArray(longest, cJSON_CreateDoubleArray(numbers, 4));
    }
}

/* Windows of an earlier loop, or that were opened before the series began, have other numbers. */
static void add_recorded(cJSON *to, const struct efg_run_thread *thread)
{
    cJSON *recorded = cJSON_AddArrayToObject(to, "recorded");
    for (uint32_t i = 0; i < thread->window_count; i++) {
        const struct efg_run_window *window = &thread->windows[i];
        double numbers[] = {(double)window->first, (double)window->last};
        if (window->start >= thread->series->start && efg_run_is_main(thread, window))
            cJSON_AddItemToArray(recorded, cJSON_CreateDoubleArray(numbers, 2));
    }
}

void efg_report_json_iterations(cJSON *document, const struct efg_model *model)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&model->run.speaker);
    if (!thread || !thread->series || !thread->series->count)
        return;
    cJSON *to = cJSON_AddObjectToObject(document, "iterations");
    efg_json_number(to, "of_rank", model->run.speaker.rank);
    add_slots(to, thread->series);
    add_longest(to, thread->series);
    add_recorded(to, thread);
}

/* --- contexts --- */

/* Half a percent of the time or more. */
static size_t list_of(const struct efg_by_rank *by, uint32_t id)
{
    double time = 0, whole = 0;
    for (uint32_t i = 0; i < by->ranks; i++) {
        time += (double)by->context_time[(size_t)id * by->ranks + i];
        whole += (double)by->context_time[i];
    }
    return time >= whole / 200 ? EFG_DISTRIBUTION_LIST : EFG_DISTRIBUTION_SHORT;
}

/* The line from which it is called: that of a function is in the file of its caller. */
static void add_code(cJSON *to, const struct efg_contexts *contexts, const struct efg_context *c)
{
    char code[CODE_MOST];
    const char *file = c->is_call || c->parent == EFG_NONE ? c->file : contexts->items[c->parent].file;
    efg_source_line(code, sizeof code, file, c->line);
    if (*code)
        efg_json_text(to, "code", code);
}

/* --- times by rank --- */

#define RANKS_MOST 64 /* of which a page has the times */

static void mark(char *is_shown, uint32_t *count, uint32_t index)
{
    if (*count < RANKS_MOST && !is_shown[index]) {
        is_shown[index] = 1;
        (*count)++;
    }
}

/* Which ranks have their times in the document, by index: all; of many, those that stand for a cluster,
 * outliers, and some of the others, evenly. */
static char *choose_ranks(const struct efg_model *model)
{
    const struct efg_clusters *c = &model->clusters;
    uint32_t ranks = model->run.rank_count, count = 0;
    char *is_shown = calloc((size_t)ranks + 1, 1);
    for (uint32_t k = 0; is_shown && k < c->count; k++)
        mark(is_shown, &count, c->items[k].representative);
    for (uint32_t i = 0; is_shown && i < ranks && c->of_rank; i++)
        if (c->items[c->of_rank[i]].is_outlier)
            mark(is_shown, &count, i);
    for (uint32_t i = 0; is_shown && i < RANKS_MOST && i < ranks; i++)
        mark(is_shown, &count, ranks <= RANKS_MOST ? i : (uint32_t)((uint64_t)i * ranks / RANKS_MOST));
    return is_shown;
}

static void add_times(cJSON *to, const char *name, const uint64_t *times, const char *is_shown,
                      uint32_t ranks)
{
    cJSON *list = cJSON_AddArrayToObject(to, name);
    for (uint32_t i = 0; i < ranks; i++)
        if (is_shown[i])
            cJSON_AddItemToArray(list, cJSON_CreateNumber((double)times[i]));
}

static cJSON *make_context(const struct efg_model *model, uint32_t id, const char *is_shown)
{
    const struct efg_context *c = &model->contexts.items[id];
    const struct efg_by_rank *by = &model->by;
    size_t at = (size_t)id * by->ranks, list = list_of(by, id);
    cJSON *to = cJSON_CreateObject();
    efg_json_id(to, "parent", c->parent);
    efg_json_text(to, "name", c->name);
    cJSON_AddBoolToObject(to, "is_call", c->is_call);
    efg_json_text(to, "file", c->file);
    efg_json_number(to, "line", c->line);
    add_code(to, &model->contexts, c);
    efg_json_text(to, "module", c->module);
    efg_json_number(to, "calls", by->context_calls[id]);
    efg_json_number(to, "bytes", by->context_bytes[id]);
    efg_distribution_json(to, "time", &model->run, by->context_time + at, EFG_OF_THOSE, list);
    if (!c->is_call)
        efg_distribution_json(to, "mpi", &model->run, by->context_mpi + at, EFG_OF_THOSE, list);
    if (is_shown && list == EFG_DISTRIBUTION_LIST)
        add_times(to, "time_by", by->context_time + at, is_shown, by->ranks);
    if (is_shown && list == EFG_DISTRIBUTION_LIST && !c->is_call)
        add_times(to, "mpi_by", by->context_mpi + at, is_shown, by->ranks);
    return to;
}

void efg_report_json_tree(cJSON *document, const struct efg_model *model)
{
    char *is_shown = choose_ranks(model);
    cJSON *contexts = cJSON_AddArrayToObject(document, "contexts");
    for (uint32_t i = 0; i < model->contexts.count; i++)
        cJSON_AddItemToArray(contexts, make_context(model, i, is_shown));
    cJSON *ranks = cJSON_AddArrayToObject(document, "times_of");
    for (uint32_t i = 0; is_shown && i < model->run.rank_count; i++)
        if (is_shown[i])
            cJSON_AddItemToArray(ranks, cJSON_CreateNumber(model->run.ranks[i].rank));
    free(is_shown);
}

/* --- the graph --- */

void efg_report_json_graph(cJSON *document, const struct efg_model *model)
{
    const struct efg_merged *merged = &model->merged;
    cJSON *to = cJSON_AddObjectToObject(document, "graph");
    efg_json_ranks(to, "ranks", &merged->ranks);
    efg_graph_json_pivot(to, merged);
    cJSON *nodes = cJSON_AddArrayToObject(to, "nodes");
    for (uint32_t i = 0; i < merged->graph.node_count; i++) {
        cJSON *node = efg_graph_json_node(model, i);
        efg_json_number(node, "context", model->contexts.of_node[i]);
        cJSON_AddItemToArray(nodes, node);
    }
    cJSON *edges = cJSON_AddArrayToObject(to, "edges");
    for (uint32_t i = 0; i < merged->graph.edge_count; i++)
        cJSON_AddItemToArray(edges, efg_graph_json_edge(model, i));
}
