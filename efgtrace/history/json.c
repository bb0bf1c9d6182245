/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The history as JSON.
 */
#include "cli/json.h"
#include "formats.h"

const char efg_past_json_help[] =
    "JSON: one object. Times are s, of the mean rank.\n"
    "  format   \"efgtrace-history\", version 1; efgtrace, its version\n"
    "  series   [{application, command, ranks, loop, enough (runs to find a\n"
    "           change), level (value since the last change), runs [{folder, user, start (since 1970), "
    "ended,\n"
    "           seconds, iterations, value, mpi_share, parallel, balance, communication (null: not\n"
    "           known)}], changes\n"
    "           [{run (index of the first one), before, after, sites [{name, before, after}]}]}]\n"
    "           value: an iteration of the main loop, or the run where there is none\n";

/* One that the record does not have is 0 in the index. */
static void put_efficiency(cJSON *to, const char *name, double value)
{
    if (value > 0)
        cJSON_AddNumberToObject(to, name, value);
    else
        cJSON_AddNullToObject(to, name);
}

static cJSON *make_run(const struct efg_series_run *run)
{
    cJSON *to = cJSON_CreateObject();
    efg_json_text(to, "folder", run->folder);
    efg_json_text(to, "user", run->user);
    cJSON_AddNumberToObject(to, "start", run->start);
    cJSON_AddBoolToObject(to, "ended", run->ended);
    cJSON_AddNumberToObject(to, "seconds", run->seconds);
    cJSON_AddNumberToObject(to, "iterations", run->iterations);
    cJSON_AddNumberToObject(to, "value", run->value);
    cJSON_AddNumberToObject(to, "mpi_share", run->mpi_share);
    put_efficiency(to, "parallel", run->parallel);
    put_efficiency(to, "balance", run->balance);
    put_efficiency(to, "communication", run->communication);
    return to;
}

static cJSON *make_change(const struct efg_past_series *series, const struct efg_turn *event)
{
    cJSON *to = cJSON_CreateObject();
    efg_json_number(to, "run", event->at);
    cJSON_AddNumberToObject(to, "before", event->before);
    cJSON_AddNumberToObject(to, "after", event->after);
    cJSON *sites = cJSON_AddArrayToObject(to, "sites");
    for (uint32_t i = 0; i < event->site_count; i++) {
        cJSON *site = cJSON_CreateObject();
        efg_json_text(site, "name", series->sites[event->sites[i].site].name);
        cJSON_AddNumberToObject(site, "before", event->sites[i].before);
        cJSON_AddNumberToObject(site, "after", event->sites[i].after);
        cJSON_AddItemToArray(sites, site);
    }
    return to;
}

static cJSON *make_series(const struct efg_past_series *series)
{
    cJSON *to = cJSON_CreateObject();
    efg_json_text(to, "application", series->application);
    efg_json_text(to, "command", series->command);
    efg_json_number(to, "ranks", series->ranks);
    efg_json_text(to, "loop", series->loop);
    cJSON_AddBoolToObject(to, "enough", series->count >= EFG_CHANGE_BEFORE + EFG_CHANGE_AFTER);
    cJSON_AddNumberToObject(to, "level", series->level);
    cJSON *runs = cJSON_AddArrayToObject(to, "runs");
    for (uint32_t i = 0; i < series->count; i++)
        cJSON_AddItemToArray(runs, make_run(&series->runs[i]));
    cJSON *changes = cJSON_AddArrayToObject(to, "changes");
    for (uint32_t i = 0; i < series->event_count; i++)
        cJSON_AddItemToArray(changes, make_change(series, &series->events[i]));
    return to;
}

cJSON *efg_past_document(const struct efg_past *history, uint32_t most)
{
    uint32_t shown = history->count < most ? history->count : most;
    cJSON *document = cJSON_CreateObject();
    efg_json_text(document, "format", "efgtrace-history");
    efg_json_number(document, "version", 1);
    efg_json_text(document, "efgtrace", EFG_VERSION);
    cJSON *series = cJSON_AddArrayToObject(document, "series");
    for (uint32_t i = 0; i < shown; i++)
        cJSON_AddItemToArray(series, make_series(&history->series[i]));
    if (shown < history->count)
        efg_json_number(cJSON_AddObjectToObject(document, "left_out"), "series", history->count - shown);
    cJSON_AddBoolToObject(document, "complete", 1);
    return document;
}
