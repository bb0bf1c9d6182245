/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that have no value take no part. The ranks of a third are printed as ranges, as many as there is room for.
 */
#include "distribution.h"

#include <stdlib.h>

#include "join.h"

struct range { /* of the values that take part */
    const uint64_t *values;
    uint64_t floor; /* those from here on do */
    uint64_t least, most;
    uint32_t least_at, most_at, count;
    double sum;
};

static struct range range_of(const uint64_t *values, uint32_t count,
                             enum efg_distribution_of of)
{
    struct range r = {.values = values, .floor = of == EFG_OF_ALL ? 0 : 1, .least = UINT64_MAX};
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] < r.floor)
            continue;
        r.least_at = values[i] < r.least ? i : r.least_at;
        r.most_at = !r.count || values[i] > r.most ? i : r.most_at;
        r.least = values[r.least_at];
        r.most = values[r.most_at];
        r.sum += (double)values[i];
        r.count++;
    }
    return r;
}

static void add_bins(cJSON *to, const struct range *r, uint32_t count)
{
    double bins[EFG_DISTRIBUTION_BINS] = {0};
    double width = (double)(r->most - r->least) / EFG_DISTRIBUTION_BINS;
    for (uint32_t i = 0; i < count; i++) {
        if (r->values[i] < r->floor)
            continue;
        int b = width > 0 ? (int)((double)(r->values[i] - r->least) / width) : 0;
        bins[b < EFG_DISTRIBUTION_BINS ? b : EFG_DISTRIBUTION_BINS - 1]++;
    }
    cJSON_AddItemToObject(to, "bins", cJSON_CreateDoubleArray(bins, EFG_DISTRIBUTION_BINS));
}

/* 0 below, 1 near, 2 above the mean. */
static int third_of(const struct range *r, uint64_t value)
{
    double mean = r->sum / r->count, away = (double)value - mean;
    double near = (double)(r->most - r->least) / 6;
    if (near < mean / 100)
        near = mean / 100; /* the same, for all that one sees */
    return away < -near ? 0 : away > near ? 2 : 1;
}

static void cut(struct efg_buffer *text, size_t end)
{
    if (text->failed || text->size <= end)
        return;
    while (end && text->data[end] != ',')
        end--;
    text->size = end;
    efg_buffer_print(text, ",...");
}

static cJSON *make_third(const struct efg_run *run, const struct range *r, int third,
                         size_t most)
{
    struct efg_ranklist list = {0};
    struct efg_buffer text = {0};
    cJSON *to = cJSON_CreateArray();
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        if (r->values[i] < r->floor || third_of(r, r->values[i]) != third)
            continue;
        text.failed |= efg_ranklist_add(&list, run->ranks[i].rank);
        count++;
    }
    efg_ranklist_write(&text, &list);
    cut(&text, most);
    efg_buffer_put(&text, "", 1);
    cJSON_AddItemToArray(to, cJSON_CreateNumber(count));
    cJSON_AddItemToArray(to, text.failed ? NULL : cJSON_CreateString((char *)text.data));
    efg_ranklist_fini(&list);
    efg_buffer_fini(&text);
    return to;
}

/* The middle one of those that take part: they are the last ones, sorted. */
static uint64_t median_of(const struct efg_run *run, const struct range *r)
{
    uint64_t *sorted = calloc((size_t)run->rank_count + 1, sizeof *sorted), median = 0;
    if (sorted) {
        efg_join_spread(r->values, run->rank_count, sorted);
        median = sorted[run->rank_count - r->count + r->count / 2];
    }
    free(sorted);
    return median;
}

void efg_distribution_json(cJSON *parent, const char *name, const struct efg_run *run,
                           const uint64_t *values, enum efg_distribution_of of, size_t list)
{
    struct range r = range_of(values, run->rank_count, of);
    cJSON *to = cJSON_AddObjectToObject(parent, name);
    efg_json_number(to, "count", r.count);
    cJSON_AddNumberToObject(to, "sum", r.sum);
    if (!r.count)
        return;
    cJSON_AddNumberToObject(to, "mean", r.sum / r.count);
    efg_json_number(to, "least", r.least);
    efg_json_number(to, "least_rank", run->ranks[r.least_at].rank);
    efg_json_number(to, "median", median_of(run, &r));
    efg_json_number(to, "most", r.most);
    efg_json_number(to, "most_rank", run->ranks[r.most_at].rank);
    add_bins(to, &r, run->rank_count);
    cJSON *thirds = cJSON_AddArrayToObject(to, "thirds");
    for (int third = 0; third < 3; third++)
        cJSON_AddItemToArray(thirds, make_third(run, &r, third, list));
}
