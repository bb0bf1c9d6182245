/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The overview as JSON: what the summary says, as figures and as its lines.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/json.h"
#include "files/conf/conf.h"
#include "files/summary/summary.h"
#include "json.h"
#include "tables.h"

static void add_started(cJSON *to, uint64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm at;
    char text[64] = "";
    if (ns && gmtime_r(&seconds, &at))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &at);
    efg_json_text(to, "started", text);
}

static const char *mode_name(uint32_t mode)
{
    return mode == EFG_MODE_FULL ? "full" : mode == EFG_MODE_GRAPH ? "graph" : "adaptive";
}

static void add_recorded(cJSON *to, const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    cJSON *recorded = cJSON_AddObjectToObject(to, "recorded");
    efg_json_number(recorded, "calls", totals->recorded);
    efg_json_number(recorded, "iterations", totals->recorded_count);
    efg_json_number(recorded, "time", totals->recorded_time);
    efg_json_number(recorded, "events", run->trace_events);
    efg_json_number(recorded, "bytes", run->trace_bytes);
    efg_json_number(recorded, "sends", run->messages.sends);
    efg_json_number(recorded, "receives", run->messages.receives);
    efg_json_number(recorded, "matched", run->messages.matched);
    efg_json_text(recorded, "when", run->when ? run->when : "");
}

static void add_moved(cJSON *to, const char *name, const struct efg_totals_moved *moved)
{
    cJSON *object = cJSON_AddObjectToObject(to, name);
    efg_json_number(object, "operations", moved->operations);
    efg_json_number(object, "bytes", moved->bytes);
    efg_json_number(object, "time", moved->time);
}

static void add_cost(cJSON *to, const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    cJSON *cost = cJSON_AddObjectToObject(to, "cost");
    double share, all = efg_summary_cost(run, &share);
    cJSON_AddNumberToObject(cost, "time", all * (double)totals->ranks);
    cJSON_AddNumberToObject(cost, "share", share);
    efg_json_number(cost, "memory", totals->memory_most);
    efg_json_number(cost, "init", totals->init_most);
    efg_json_number(cost, "finish", run->finish);
    efg_json_number(cost, "calls", totals->cost);
    efg_json_number(cost, "paused", totals->paused);
    efg_json_number(cost, "unwatched", totals->unwatched);
}

static void add_summary(cJSON *to, const struct efg_run *run)
{
    struct efg_buffer lines = {0};
    efg_summary_write(&lines, run);
    efg_json_lines(to, "summary", &lines, 0);
    efg_buffer_fini(&lines);
}

/* The lines of hosts belong to the text, too: so a copy. */
static void add_places(cJSON *to, const struct efg_ranks *ranks)
{
    struct efg_buffer lines = {0};
    efg_buffer_put(&lines, ranks->hosts.lines.data, ranks->hosts.lines.size);
    efg_json_lines(to, "places", &lines, strlen("host         "));
    efg_buffer_fini(&lines);
}

void efg_report_json_overview(cJSON *document, const struct efg_model *model, const struct efg_beside *beside,
                              const struct efg_report_waiting *waiting,
                              const struct efg_representative *representative)
{
    const struct efg_run *run = &model->run;
    const struct efg_totals *totals = &run->common.totals;
    struct efg_efficiency efficiency = efg_efficiency_run(&model->ranks, run->rank_count);
    struct efg_buffer findings = {0};
    cJSON *to = cJSON_AddObjectToObject(document, "overview");
    efg_json_text(to, "application", run->application);
    efg_json_text(to, "command", run->command);
    efg_json_text(to, "version", run->version);
    efg_json_text(to, "mpi", run->mpi);
    efg_json_text(to, "folder", run->output);
    efg_json_text(to, "mode", mode_name(run->mode));
    add_started(to, totals->start);
    efg_json_number(to, "duration", efg_summary_duration(run));
    efg_json_number(to, "ranks", totals->ranks);
    efg_json_number(to, "hosts", totals->hosts);
    efg_json_number(to, "threads", totals->threads);
    efg_json_number(to, "calls", totals->calls);
    efg_json_number(to, "time", totals->time);
    efg_json_number(to, "mpi_time", totals->in_mpi);
    efg_report_json_efficiency(to, &efficiency);
    efg_report_findings(&findings, model, beside);
    efg_report_say_waiting(&findings, waiting);
    efg_report_say_representative(&findings, representative);
    efg_json_lines(to, "findings", &findings, 0);
    efg_buffer_fini(&findings);
    add_summary(to, run);
    add_places(to, &model->ranks);
    add_recorded(to, run);
    add_moved(to, "one_sided", &run->common.totals.rma);
    add_moved(to, "file_io", &run->common.totals.file_io);
    add_cost(to, run);
}
