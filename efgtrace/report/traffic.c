/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was sent as JSON: over the whole run, and while iterations were recorded. Where there
 * are more ranks than lines of the matrix, some in a row share a line.
 */
#include <errno.h>
#include <stdlib.h>

#include "cli/complain.h"
#include "cli/json.h"
#include "json.h"

#define LINES 128
#define SIZES 32

struct cells { /* the matrix: [from * lines + to] */
    uint32_t ranks, per_line, lines;
    struct efg_traffic_item *item;
    struct efg_traffic_item others;
};

static struct efg_traffic_item *cell_of(struct cells *cells, const struct efg_sent_pair *pair)
{
    if (pair->from >= cells->ranks || pair->to.key >= cells->ranks)
        return &cells->others;
    return &cells->item[(size_t)(pair->from / cells->per_line) * cells->lines +
                        pair->to.key / cells->per_line];
}

static int make_cells(struct cells *cells, const struct efg_run *run, const struct efg_sent *sent)
{
    uint32_t ranks = run->rank_count ? run->ranks[run->rank_count - 1].rank + 1 : 1;
    *cells = (struct cells){.ranks = ranks, .per_line = (ranks - 1) / LINES + 1};
    cells->lines = (ranks - 1) / cells->per_line + 1;
    cells->item = calloc((size_t)cells->lines * cells->lines, sizeof *cells->item);
    if (!cells->item)
        return -ENOMEM;
    for (uint32_t i = 0; i < sent->pair_count; i++)
        efg_traffic_item_add(cell_of(cells, &sent->pairs[i]), &sent->pairs[i].to);
    return 0;
}

static const struct efg_traffic_amount *amount(const struct efg_traffic_item *item, bool is_recorded)
{
    return is_recorded ? &item->recorded : &item->all;
}

/* Classes of sizes begin at no bytes, 1, 2, 4; bins at 1 (with none), 2, 4. */
static void add_bins(cJSON *to, const char *name, const struct efg_traffic_item *sizes, bool is_recorded)
{
    double bins[SIZES] = {0};
    for (uint32_t i = 0; i < EFG_TRAFFIC_SIZES; i++) {
        uint32_t bin = i ? i - 1 : 0;
        bins[bin < SIZES ? bin : SIZES - 1] += (double)amount(&sizes[i], is_recorded)->count;
    }
    cJSON_AddItemToObject(to, name, cJSON_CreateDoubleArray(bins, SIZES));
}

static void add_matrix(cJSON *to, const struct cells *cells, bool is_recorded)
{
    cJSON *matrix = cJSON_AddArrayToObject(to, "matrix");
    for (uint32_t i = 0; i < cells->lines * cells->lines; i++) {
        const struct efg_traffic_amount *a = amount(&cells->item[i], is_recorded);
        double cell[] = {i / cells->lines, i % cells->lines, (double)a->count, (double)a->bytes};
        if (a->count)
            cJSON_AddItemToArray(matrix, cJSON_CreateDoubleArray(cell, 4));
    }
}

static bool is_empty(const struct efg_sent *sent, bool is_recorded)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < EFG_TRAFFIC_SIZES; i++)
        count +=
            amount(&sent->sends[i], is_recorded)->count + amount(&sent->collectives[i], is_recorded)->count;
    return !count;
}

static void add_part(cJSON *messages, const char *name, const struct efg_sent *sent,
                     const struct cells *cells, bool is_recorded)
{
    const struct efg_traffic_amount *left = amount(&cells->others, is_recorded);
    double others[] = {(double)left->count, (double)left->bytes};
    if (is_empty(sent, is_recorded))
        return;
    cJSON *to = cJSON_AddObjectToObject(messages, name);
    efg_json_number(to, "ranks", cells->ranks);
    efg_json_number(to, "per_line", cells->per_line);
    add_bins(to, "sizes", sent->sends, is_recorded);
    add_bins(to, "collectives", sent->collectives, is_recorded);
    add_matrix(to, cells, is_recorded);
    cJSON_AddItemToObject(to, "others", cJSON_CreateDoubleArray(others, 2));
}

int efg_report_json_messages(cJSON *document, const struct efg_model *model)
{
    struct cells cells;
    if (is_empty(&model->sent, false))
        return 0;
    if (make_cells(&cells, &model->run, &model->sent))
        return efg_complain("report", "no memory for the matrix of messages");
    cJSON *messages = cJSON_AddObjectToObject(document, "messages");
    add_part(messages, "all", &model->sent, &cells, false);
    add_part(messages, "recorded", &model->sent, &cells, true);
    free(cells.item);
    return 0;
}
