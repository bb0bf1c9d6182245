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

#define GROUPS_SHOWN 64

/* --- calls and call sites --- */

static cJSON *make_item(const struct efg_report_view *view, const struct efg_join *join,
                        const struct efg_join_item *item)
{
    double mpi = (double)efg_join_time(join), run = (double)view->run->common.totals.time;
    cJSON *to = cJSON_CreateObject();
    efg_json_number(to, "calls", item->calls);
    efg_json_number(to, "bytes", item->bytes);
    cJSON_AddNumberToObject(to, "mpi_share", efg_percent((double)item->time, mpi) / 100);
    cJSON_AddNumberToObject(to, "run_share", efg_percent((double)item->time, run) / 100);
    return to;
}

static void add_calls(cJSON *document, const struct efg_report_view *view)
{
    const struct efg_join *join = &view->ranks->calls;
    cJSON *calls = cJSON_AddArrayToObject(document, "calls");
    for (uint32_t i = 0; i < join->count; i++) {
        const struct efg_join_item *item = &join->items[i];
        cJSON *to = make_item(view, join, item);
        efg_json_text(to, "call",
                      item->flags & EFG_NODE_OVERFLOW
                          ? "(all further calls)"
                          : efg_run_call_name(view->run, item->signature.call));
        efg_distribution_json(to, "time", view->run, item->by_rank, EFG_OF_ALL,
                              EFG_DISTRIBUTION_LIST);
        cJSON_AddItemToArray(calls, to);
    }
}

static void add_sites(cJSON *document, const struct efg_report_view *view)
{
    const struct efg_join *join = &view->ranks->sites;
    cJSON *sites = cJSON_AddArrayToObject(document, "sites");
    for (uint32_t i = 0; i < join->count; i++) {
        const struct efg_join_item *item = &join->items[i];
        struct efg_node node = {.signature = item->signature, .flags = item->flags};
        char label[512];
        cJSON *to = make_item(view, join, item);
        efg_summary_node(view->run, &node, label, sizeof label);
        efg_json_text(to, "label", label);
        efg_json_hex(to, "hash", item->key);
        efg_json_number(to, "time", item->time);
        efg_json_number(to, "mean", item->calls ? item->time / item->calls : 0);
        efg_json_number(to, "longest", item->max);
        cJSON_AddItemToArray(sites, to);
    }
}

/* --- ranks --- */

static void add_quantities(cJSON *document, const struct efg_report_view *view)
{
    cJSON *ranks = cJSON_AddArrayToObject(document, "ranks");
    for (int i = 0; i < EFG_QUANTITIES; i++) {
        cJSON *to = cJSON_CreateObject();
        cJSON_AddStringToObject(to, "name", efg_quantity_name((enum efg_quantity)i));
        cJSON_AddStringToObject(to, "unit",
                                i == EFG_BYTES    ? "bytes"
                                : i == EFG_EVENTS ? "count"
                                                  : "ns");
        efg_distribution_json(to, "values", view->run, view->ranks->values[i], EFG_OF_ALL,
                              EFG_DISTRIBUTION_LIST);
        cJSON_AddItemToArray(ranks, to);
    }
}

static cJSON *make_group(const struct efg_run *run, uint32_t number,
                         const struct efg_group_size *group)
{
    struct efg_run_rank rank;
    uint32_t nodes = 0, edges = 0;
    if (efg_groups_read(run, "report", group->index, &rank))
        return NULL;
    for (uint32_t k = 0; k < rank.thread_count; k++) {
        nodes += rank.threads[k].graph.node_count;
        edges += rank.threads[k].graph.edge_count;
    }
    efg_run_rank_fini(&rank);
    cJSON *to = cJSON_CreateObject();
    efg_json_number(to, "number", number);
    efg_json_number(to, "count", group->ranks);
    efg_json_ranks(to, "ranks", &run->common.groups[group->index].ranks);
    efg_json_number(to, "nodes", nodes);
    efg_json_number(to, "edges", edges);
    return to;
}

static void add_groups(cJSON *document, const struct efg_run *run)
{
    struct efg_group_size *sorted = efg_groups_sorted(run);
    cJSON *groups = cJSON_AddArrayToObject(document, "groups");
    for (uint32_t i = 0; sorted && i < run->common.group_count && i < GROUPS_SHOWN; i++)
        cJSON_AddItemToArray(groups, make_group(run, i + 1, &sorted[i]));
    free(sorted);
    efg_json_number(document, "group_count", run->common.group_count);
}

void efg_report_json_ranks(cJSON *document, const struct efg_report_view *view)
{
    add_calls(document, view);
    add_sites(document, view);
    add_quantities(document, view);
    add_groups(document, view->run);
}
