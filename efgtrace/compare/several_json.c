/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several runs as JSON; efg_several_json_help is the schema.
 */
#include "cli/json.h"
#include "files/summary/summary.h"
#include "formats.h"

const char efg_several_json_help[] =
    "JSON of several runs: one object. Times are ns of a rank, the mean over the ranks of a run.\n"
    "  format \"efgtrace-runs\", version 1, efgtrace (its version)\n"
    "  runs   [{folder, ranks, start (ns since 1970), time, in_mpi, loop (all iterations of the main loop),\n"
    "         iteration (one of them; both 0 for none), same_loop (as in the last run),\n"
    "         parallel_efficiency, load_balance, communication_efficiency}], by ranks, then by start\n"
    "  sites  [{what \"call\"|\"compute\" (before the call), label, time [of each run],\n"
    "         doubling (how many times as long with twice the ranks; null if not known)}], those of\n"
    "         the last run, falling time in it\n";

static cJSON *make_run(const struct efg_several_run *run)
{
    cJSON *to = cJSON_CreateObject();
    efg_json_text(to, "folder", run->dir);
    efg_json_number(to, "ranks", run->ranks);
    efg_json_number(to, "start", run->start);
    cJSON_AddNumberToObject(to, "time", run->time);
    cJSON_AddNumberToObject(to, "in_mpi", run->mpi);
    cJSON_AddNumberToObject(to, "loop", run->loop);
    cJSON_AddNumberToObject(to, "iteration", run->iteration);
    cJSON_AddBoolToObject(to, "same_loop", run->is_same_loop);
    efg_compare_put_efficiency(to, &run->efficiency);
    return to;
}

static cJSON *make_site(const struct efg_several *s, const struct efg_several_site *site)
{
    const struct efg_difference *d = &s->last.differences[site->difference];
    const struct efg_model *model = &s->last.side[1];
    char label[600];
    cJSON *to = cJSON_CreateObject();
    efg_summary_node(&model->run, &model->merged.graph.nodes[d->node.b], label, sizeof label);
    efg_json_text(to, "what", d->is_compute ? "compute" : "call");
    efg_json_text(to, "label", label);
    cJSON_AddItemToObject(to, "time", cJSON_CreateDoubleArray(site->time, (int)s->count));
    if (site->doubling > 0)
        cJSON_AddNumberToObject(to, "doubling", site->doubling);
    else
        cJSON_AddNullToObject(to, "doubling");
    return to;
}

cJSON *efg_several_document(const struct efg_several *s)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "format", "efgtrace-runs");
    cJSON_AddNumberToObject(document, "version", 1);
    cJSON_AddStringToObject(document, "efgtrace", EFG_VERSION);
    cJSON *runs = cJSON_AddArrayToObject(document, "runs");
    for (uint32_t i = 0; i < s->count; i++)
        cJSON_AddItemToArray(runs, make_run(&s->runs[i]));
    cJSON *sites = cJSON_AddArrayToObject(document, "sites");
    for (uint32_t i = 0; i < s->site_count; i++)
        cJSON_AddItemToArray(sites, make_site(s, &s->sites[i]));
    cJSON_AddBoolToObject(document, "complete", true);
    return document;
}
