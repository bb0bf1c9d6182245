/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel regions of OpenMP: where they are, and what their threads do.
 */
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/text.h"
#include "files/summary/summary.h"
#include "json.h"
#include "tables.h"

#define SHARE(part, of) efg_percent((double)(part), (double)(of))

/* "omp parallel  solver.c:120 step" */
static void name(const struct efg_run *run, const struct efg_openmp_place *p, char *text, size_t size)
{
    const char *call = p->is_barrier ? "omp barrier" : "omp parallel";
    struct efg_node node = {0};
    for (uint32_t i = 0; i < run->common.names.call_count; i++)
        if (strcmp(run->common.names.calls[i].name, call) == 0)
            node.signature.call = run->common.names.calls[i].id;
    for (uint32_t i = 0; i < run->common.names.path_count; i++)
        if (p->path && run->common.names.paths[i].hash == p->path)
            node.signature.path = i + 1;
    if (p->path)
        efg_summary_node(run, &node, text, size);
    else
        snprintf(text, size, "%s  (elsewhere)", call);
}

static void put_place(struct efg_buffer *out, const struct efg_model *model, const struct efg_openmp_place *p)
{
    char text[512], visits[32], time[32];
    name(&model->run, p, text, sizeof text);
    efg_format_count(visits, sizeof visits, (double)p->visits);
    efg_format_ns(time, sizeof time, p->time);
    if (p->is_barrier)
        efg_buffer_print(out, "%10s %10s %6.1f%%%36s%s\n", visits, time,
                         SHARE(p->time, model->run.common.totals.openmp_time), "", text);
    else
        efg_buffer_print(out, "%10s %10s %6.1f%% %8llu %7.1f%% %7.1f%% %7.1f%%  %s\n", visits, time,
                         SHARE(p->time, model->run.common.totals.openmp_time), (unsigned long long)p->threads,
                         SHARE(p->busy, p->room), SHARE(p->busy, p->most), SHARE(p->waited, p->room), text);
}

void efg_report_openmp(struct efg_buffer *out, const struct efg_model *model, uint32_t most)
{
    const struct efg_threaded *t = &model->threaded;
    if (!t->count)
        return;
    efg_text_title(out, "Parallel regions of OpenMP, all ranks; of barriers, what the main thread waits");
    efg_summary_openmp(out, &model->run.common.totals);
    efg_buffer_print(out, "    visits       time   share  threads    busy balance waiting  where\n");
    for (uint32_t i = 0; i < t->count && i < most; i++)
        put_place(out, model, &t->items[i]);
    if (t->count > most)
        efg_buffer_print(out, "and %u more\n", t->count - most);
}

static void add_place(cJSON *to, const struct efg_run *run, const struct efg_openmp_place *p)
{
    char text[512];
    cJSON *one = cJSON_CreateObject();
    name(run, p, text, sizeof text);
    cJSON_AddStringToObject(one, "kind", p->is_barrier ? "barrier" : "parallel");
    efg_json_text(one, "label", text);
    efg_json_number(one, "visits", p->visits);
    efg_json_number(one, "time", p->time);
    if (!p->is_barrier) {
        efg_json_number(one, "threads", p->threads);
        efg_json_number(one, "room", p->room);
        efg_json_number(one, "busy", p->busy);
        efg_json_number(one, "most", p->most);
        efg_json_number(one, "waited", p->waited);
    }
    cJSON_AddItemToArray(to, one);
}

void efg_report_json_openmp(cJSON *document, const struct efg_model *model)
{
    const struct efg_totals *totals = &model->run.common.totals;
    if (!model->threaded.count)
        return;
    struct efg_openmp_efficiency e =
        efg_openmp_efficiency(&totals->openmp, (double)totals->openmp_time, (double)totals->openmp_mpi);
    cJSON *openmp = cJSON_AddObjectToObject(document, "openmp"), *efficiency;
    efg_json_number(openmp, "ranks", totals->openmp_ranks);
    efg_json_number(openmp, "threads", totals->openmp.threads);
    efficiency = cJSON_AddObjectToObject(openmp, "efficiency");
    cJSON_AddNumberToObject(efficiency, "parallel", e.all);
    cJSON_AddNumberToObject(efficiency, "load_balance", e.balance);
    cJSON_AddNumberToObject(efficiency, "scheduling", e.scheduling);
    cJSON_AddNumberToObject(efficiency, "serialization", e.serialization);
    cJSON *places = cJSON_AddArrayToObject(openmp, "places");
    for (uint32_t i = 0; i < model->threaded.count; i++)
        add_place(places, &model->run, &model->threaded.items[i]);
}
