/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of the report as JSON: calls, call sites, ranks and their groups.
 */
#include <stdlib.h>

#include "cli/json.h"
#include "files/summary/summary.h"
#include "json.h"
#include "model/distribution.h"
#include "model/groups.h"
#include "tables.h"

#define GROUPS_SHOWN 64

/* --- calls and call sites --- */

static cJSON *make_item(const struct efg_model *model, const struct efg_join *join,
                        const struct efg_join_item *item)
{
    double mpi = (double)efg_join_time(join), run = (double)model->run.common.totals.time;
    cJSON *to = cJSON_CreateObject();
    efg_json_number(to, "calls", item->calls);
    efg_json_number(to, "bytes", item->bytes);
    cJSON_AddNumberToObject(to, "mpi_share", efg_percent((double)item->time, mpi) / 100);
    cJSON_AddNumberToObject(to, "run_share", efg_percent((double)item->time, run) / 100);
    return to;
}

static void add_calls(cJSON *document, const struct efg_model *model)
{
    const struct efg_join *join = &model->ranks.calls;
    cJSON *calls = cJSON_AddArrayToObject(document, "calls");
    for (uint32_t i = 0; i < join->count; i++) {
        const struct efg_join_item *item = &join->items[i];
        cJSON *to = make_item(model, join, item);
        efg_json_text(to, "call",
                      item->flags & EFG_NODE_OVERFLOW ? "(all further calls)"
                                                      : efg_run_call_name(&model->run, item->signature.call));
        efg_distribution_json(to, "time", &model->run, item->by_rank, EFG_OF_ALL, EFG_DISTRIBUTION_LIST);
        cJSON_AddItemToArray(calls, to);
    }
}

/* CONTEXT_OF: of call sites, by their keys, the context. */
static void find_contexts(struct efg_map *context_of, const struct efg_model *model)
{
    const struct efg_graph *graph = &model->merged.graph;
    for (uint32_t v = 0; v < graph->node_count; v++) {
        uint64_t *context = efg_map_put(context_of, graph->nodes[v].hash);
        if (context)
            *context = model->contexts.of_node[v];
    }
}

static void add_sites(cJSON *document, const struct efg_model *model)
{
    const struct efg_join *join = &model->ranks.sites;
    struct efg_map context_of = {0};
    find_contexts(&context_of, model);
    cJSON *sites = cJSON_AddArrayToObject(document, "sites");
    for (uint32_t i = 0; i < join->count; i++) {
        const struct efg_join_item *item = &join->items[i];
        struct efg_node node = {.signature = item->signature, .flags = item->flags};
        char label[512];
        cJSON *to = make_item(model, join, item);
        efg_summary_node(&model->run, &node, label, sizeof label);
        efg_json_text(to, "label", label);
        efg_json_hex(to, "hash", item->key);
        const uint64_t *context = efg_map_find(&context_of, item->key);
        efg_json_number(to, "context", context ? *context : 0);
        efg_json_number(to, "time", item->time);
        efg_json_number(to, "mean", item->calls ? item->time / item->calls : 0);
        if (efg_join_has_max(item))
            efg_json_number(to, "longest", item->max);
        else
            cJSON_AddNullToObject(to, "longest");
        cJSON_AddItemToArray(sites, to);
    }
    efg_map_fini(&context_of);
}

/* --- ranks --- */

static void add_quantities(cJSON *document, const struct efg_model *model)
{
    cJSON *ranks = cJSON_AddArrayToObject(document, "ranks");
    for (int i = 0; i < EFG_QUANTITIES; i++) {
        cJSON *to = cJSON_CreateObject();
        cJSON_AddStringToObject(to, "name", efg_report_quantity((enum efg_quantity)i));
        cJSON_AddStringToObject(to, "unit", efg_report_quantity_unit((enum efg_quantity)i));
        efg_distribution_json(to, "values", &model->run, model->ranks.values[i], EFG_OF_ALL,
                              EFG_DISTRIBUTION_LIST);
        cJSON_AddItemToArray(ranks, to);
    }
}

static void add_groups(cJSON *document, const struct efg_model *model)
{
    const struct efg_run_common *common = &model->run.common;
    struct efg_group_size *sorted = efg_groups_sorted(&model->run);
    cJSON *groups = cJSON_AddArrayToObject(document, "groups");
    for (uint32_t i = 0; sorted && i < common->group_count && i < GROUPS_SHOWN; i++) {
        cJSON *to = cJSON_CreateObject();
        efg_json_number(to, "number", i + 1);
        efg_json_number(to, "count", sorted[i].ranks);
        efg_json_ranks(to, "ranks", &common->groups[sorted[i].index].ranks);
        efg_json_number(to, "nodes", model->ranks.groups[sorted[i].index].nodes);
        efg_json_number(to, "edges", model->ranks.groups[sorted[i].index].edges);
        cJSON_AddItemToArray(groups, to);
    }
    free(sorted);
    efg_json_number(document, "group_count", common->group_count);
}

void efg_report_json_ranks(cJSON *document, const struct efg_model *model)
{
    add_calls(document, model);
    add_sites(document, model);
    add_quantities(document, model);
    add_groups(document, model);
}
