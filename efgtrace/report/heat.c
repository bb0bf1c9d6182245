/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations x ranks (model/heat.h), as a table of a few columns, and as JSON.
 */
#include <math.h>
#include <stdio.h>

#include "cli/json.h"
#include "cli/text.h"
#include "files/summary/summary.h"
#include "json.h"
#include "tables.h"

#define COLUMNS 7

/* --- text --- */

static void put_mean(char *text, size_t size, double time, const struct efg_heat_cell *cell)
{
    char mean[32] = "";
    if (cell->iterations > 0)
        efg_format_ns(mean, sizeof mean, (uint64_t)(time / cell->iterations));
    snprintf(text, size, "%9s", mean);
}

/* ROW NULL: all ranks, and all of the time; else the computation of those of the row. */
static void put_row(struct efg_buffer *out, const struct efg_heat *heat, const struct efg_heat_row *row,
                    const char *which)
{
    uint32_t width = (heat->columns + COLUMNS - 1) / COLUMNS;
    char line[128] = "", text[32];
    size_t at = 0;
    for (uint32_t i = 0; i <= COLUMNS; i++) {
        uint32_t from = i < COLUMNS ? i * width : 0, end = i < COLUMNS ? from + width : heat->columns;
        struct efg_heat_cell cell =
            row ? efg_heat_sum(heat, row, from, end) : efg_heat_sum_all(heat, from, end);
        put_mean(text, sizeof text, row ? fmax(cell.time - cell.mpi, 0) : cell.time, &cell);
        at += (size_t)snprintf(line + at, sizeof line - at, "%s", text);
        if (i == COLUMNS)
            snprintf(line + at, sizeof line - at, " %5.1f%%", efg_percent(cell.mpi, cell.time));
    }
    efg_summary_line(out, "%s  %s", line, which);
}

static void put_head(struct efg_buffer *out, const struct efg_heat *heat)
{
    uint32_t width = (heat->columns + COLUMNS - 1) / COLUMNS;
    char line[128] = "", text[32];
    size_t at = 0;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        uint64_t first = heat->first + (uint64_t)i * width * heat->width;
        text[0] = '\0';
        if (i * width < heat->columns)
            snprintf(text, sizeof text, "%llu%s", (unsigned long long)first,
                     efg_report_has_recorded(heat->speaker, first, width * heat->width) ? "*" : "");
        at += (size_t)snprintf(line + at, sizeof line - at, "%9s", text);
    }
    efg_summary_line(out, "%s %8s %6s  computation, ranks", line, "all", "MPI");
}

void efg_report_heat(struct efg_buffer *out, const struct efg_heat *heat, uint32_t most)
{
    char ranks[24];
    if (!heat->columns) {
        efg_summary_line(out, "none: no main loop was found");
        return;
    }
    put_head(out, heat);
    for (uint32_t i = 0; i < heat->row_count && i < most; i++) {
        efg_ranklist_print(&heat->rows[i].ranks, ranks, sizeof ranks);
        put_row(out, heat, &heat->rows[i], ranks);
    }
    efg_text_rest(out, heat->row_count, most);
    put_row(out, heat, NULL, "time, all ranks");
    efg_summary_line(
        out, "(means of the iterations from that number on, and of all of these; * some were recorded%s)",
        heat->apart > 0 ? "; ranks that are alike share a line" : "");
    if (!heat->without.range_count)
        return;
    efg_ranklist_print(&heat->without, ranks, sizeof ranks);
    efg_summary_line(out, "(ranks %s do not have the loop)", ranks);
}

/* --- JSON --- */

static void add_means(cJSON *to, const char *name, const struct efg_heat *heat,
                      const struct efg_heat_row *row, bool is_mpi)
{
    cJSON *means = cJSON_AddArrayToObject(to, name);
    for (uint32_t c = 0; c < heat->columns; c++) {
        const struct efg_heat_cell *cell = &row->cells[c];
        double time = is_mpi ? cell->mpi : cell->time;
        cJSON_AddItemToArray(means, cell->iterations > 0 ? cJSON_CreateNumber(round(time / cell->iterations))
                                                         : cJSON_CreateNull());
    }
}

static void add_mean(cJSON *to, const struct efg_heat *heat, const struct efg_heat_row *row)
{
    struct efg_heat_cell all = efg_heat_sum(heat, row, 0, heat->columns);
    cJSON_AddNumberToObject(to, "mean_time", all.iterations > 0 ? round(all.time / all.iterations) : 0);
    cJSON_AddNumberToObject(to, "mean_mpi", all.iterations > 0 ? round(all.mpi / all.iterations) : 0);
}

void efg_report_json_heat(cJSON *document, const struct efg_model *model)
{
    const struct efg_heat *heat = &model->heat;
    if (!heat->columns)
        return;
    cJSON *to = cJSON_AddObjectToObject(document, "heat"), *rows;
    efg_json_number(to, "first", heat->first);
    efg_json_number(to, "width", heat->width);
    cJSON_AddNumberToObject(to, "apart", heat->apart);
    efg_json_ranks(to, "without", &heat->without);
    rows = cJSON_AddArrayToObject(to, "rows");
    for (uint32_t i = 0; i < heat->row_count; i++) {
        cJSON *row = cJSON_CreateObject();
        efg_json_ranks(row, "ranks", &heat->rows[i].ranks);
        efg_json_number(row, "rank_count", efg_ranklist_count(&heat->rows[i].ranks));
        add_means(row, "time", heat, &heat->rows[i], false);
        add_means(row, "mpi", heat, &heat->rows[i], true);
        add_mean(row, heat, &heat->rows[i]);
        cJSON_AddItemToArray(rows, row);
    }
}
