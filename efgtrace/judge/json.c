/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The judgement on the recorded iterations, as JSON. A figure has nine digits: more are not known of it,
 * and a page has many.
 */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/json.h"
#include "files/summary/summary.h"

static void add_number(cJSON *to, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    cJSON_AddNumberToObject(to, name, strtod(text, NULL));
}

static void add_figure(cJSON *to, const char *name, const struct efg_figure *f)
{
    if (!f->is_known) {
        cJSON_AddNullToObject(to, name);
        return;
    }
    cJSON *figure = cJSON_AddObjectToObject(to, name);
    add_number(figure, "run", f->run);
    add_number(figure, "recorded", f->recorded);
    add_number(figure, "error", f->error);
    cJSON_AddBoolToObject(figure, "differs", f->differs);
}

static cJSON *make_row(const struct efg_representative *r, const struct efg_run *run,
                       const struct efg_representative_row *row)
{
    static const char *const kinds[] = {"site", "loop", "compute"};
    char label[384];
    cJSON *to = cJSON_CreateObject();
    efg_representative_label(r, run, row, label, sizeof label);
    efg_json_text(to, "kind", kinds[row->kind]);
    efg_json_text(to, "label", label);
    if (row->kind == EFG_ROW_CALL)
        efg_json_hex(to, "hash", r->merged->graph.nodes[row->id].hash);
    else
        efg_json_text(to, "hash", "");
    add_number(to, "impact", row->impact);
    add_figure(to, "time", &row->time);
    add_figure(to, "share", &row->share);
    add_figure(to, "mean", &row->mean);
    add_figure(to, "calls", &row->calls);
    add_figure(to, "bytes", &row->bytes);
    return to;
}

/* Shares, where the run file has millionths. */
static void add_accuracy(cJSON *to, const struct efg_totals *totals)
{
    char sentence[256];
    efg_summary_accuracy(sentence, sizeof sentence, totals);
    if (!*sentence) {
        cJSON_AddNullToObject(to, "accuracy");
        return;
    }
    cJSON *accuracy = cJSON_AddObjectToObject(to, "accuracy");
    add_number(accuracy, "asked", (double)totals->accuracy_most / 1e6);
    if (totals->error_most)
        add_number(accuracy, "error", (double)totals->error_most / 1e6);
    else
        cJSON_AddNullToObject(accuracy, "error");
    efg_json_text(accuracy, "sentence", sentence);
}

cJSON *efg_representative_json(const struct efg_representative *r, const struct efg_run *run)
{
    static const char *const verdicts[] = {"unknown", "yes", "no"};
    cJSON *to = cJSON_CreateObject(), *iterations, *rows;
    efg_json_text(to, "verdict", verdicts[r->verdict]);
    efg_json_text(to, "sentence", r->sentence);
    add_accuracy(to, &run->common.totals);
    iterations = cJSON_AddObjectToObject(to, "iterations");
    efg_json_number(iterations, "recorded", r->recorded);
    efg_json_number(iterations, "run", r->iterations);
    efg_json_number(iterations, "ranks", r->ranks);
    add_number(iterations, "coverage", r->coverage);
    add_figure(iterations, "each", &r->each);
    add_figure(iterations, "time", &r->time);
    rows = cJSON_AddArrayToObject(to, "rows");
    for (uint32_t i = 0; i < r->row_count; i++)
        cJSON_AddItemToArray(rows, make_row(r, run, &r->rows[i]));
    return to;
}
