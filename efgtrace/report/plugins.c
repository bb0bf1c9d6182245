/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What plug-ins have said, as JSON: numbers and lines, in the order in which they were said.
 */
#include "cli/json.h"
#include "files/run/said.h"
#include "json.h"

static void add_item(cJSON *to, const struct efg_said_item *item)
{
    cJSON *one = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "plugin", item->plugin);
    cJSON_AddStringToObject(one, item->unit ? "name" : "line", item->name);
    efg_json_number(one, "ranks", item->ranks);
    if (item->unit) {
        cJSON_AddStringToObject(one, "unit", item->unit);
        efg_json_number(one, "sum", item->sum);
        efg_json_number(one, "least", item->least);
        efg_json_number(one, "least_rank", item->least_rank);
        efg_json_number(one, "most", item->most);
        efg_json_number(one, "most_rank", item->most_rank);
    } else {
        efg_json_number(one, "first_rank", item->least_rank);
    }
    cJSON_AddItemToArray(to, one);
}

void efg_report_json_plugins(cJSON *document, const struct efg_run *run)
{
    struct efg_said said;

    if (efg_said_read(&said, run->common.totals.said))
        return;
    cJSON *plugins = said.count ? cJSON_AddArrayToObject(document, "plugins") : NULL;
    for (size_t i = 0; i < said.count; i++)
        add_item(plugins, &said.items[i]);
    efg_said_fini(&said);
}
