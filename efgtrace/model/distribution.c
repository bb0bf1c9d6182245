/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Describes how a value is distributed over the ranks. Ranks that have no value take no part. The ranks of
 * a third are printed as ranges, as many as there is room for.
 */
#include "distribution.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"

/* The middle one of those that take part, of an even number the mean of the middle two: they are the last
 * ones, sorted. */
static uint64_t median_of(const struct efg_distribution *d, uint32_t count)
{
    uint64_t *sorted = calloc((size_t)count + 1, sizeof *sorted), median = 0;
    if (sorted && count) {
        memcpy(sorted, d->values, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, efg_compare_numbers);
        uint32_t first = count - d->count;
        uint64_t low = sorted[first + (d->count - 1) / 2], high = sorted[first + d->count / 2];
        median = low + (high - low) / 2;
    }
    free(sorted);
    return median;
}

struct efg_distribution efg_distribution(const uint64_t *values, uint32_t count, enum efg_distribution_of of)
{
    struct efg_distribution d = {.values = values, .floor = of == EFG_OF_ALL ? 0 : 1, .least = UINT64_MAX};
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] < d.floor)
            continue;
        d.least_at = values[i] < d.least ? i : d.least_at;
        d.most_at = !d.count || values[i] > d.most ? i : d.most_at;
        d.least = values[d.least_at];
        d.most = values[d.most_at];
        d.sum += (double)values[i];
        d.count++;
    }
    d.mean = d.count ? d.sum / d.count : 0;
    d.median = d.count ? median_of(&d, count) : 0;
    return d;
}

/* --- as JSON --- */

static void add_bins(cJSON *to, const struct efg_distribution *d, uint32_t count)
{
    double bins[EFG_DISTRIBUTION_BINS] = {0};
    double width = (double)(d->most - d->least) / EFG_DISTRIBUTION_BINS;
    for (uint32_t i = 0; i < count; i++) {
        if (d->values[i] < d->floor)
            continue;
        int b = width > 0 ? (int)((double)(d->values[i] - d->least) / width) : 0;
        bins[b < EFG_DISTRIBUTION_BINS ? b : EFG_DISTRIBUTION_BINS - 1]++;
    }
    cJSON_AddItemToObject(to, "bins", cJSON_CreateDoubleArray(bins, EFG_DISTRIBUTION_BINS));
}

/* 0 below, 1 near, 2 above the mean. */
static int third_of(const struct efg_distribution *d, uint64_t value)
{
    double mean = d->mean, away = (double)value - mean;
    double near = (double)(d->most - d->least) / 6;
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

static cJSON *make_third(const struct efg_run *run, const struct efg_distribution *d, int third, size_t most)
{
    struct efg_ranklist list = {0};
    struct efg_buffer text = {0};
    cJSON *to = cJSON_CreateArray();
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        if (d->values[i] < d->floor || third_of(d, d->values[i]) != third)
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

void efg_distribution_json(cJSON *parent, const char *name, const struct efg_run *run, const uint64_t *values,
                           enum efg_distribution_of of, size_t list)
{
    struct efg_distribution d = efg_distribution(values, run->rank_count, of);
    cJSON *to = cJSON_AddObjectToObject(parent, name);
    efg_json_number(to, "count", d.count);
    cJSON_AddNumberToObject(to, "sum", d.sum);
    if (!d.count)
        return;
    cJSON_AddNumberToObject(to, "mean", d.mean);
    efg_json_number(to, "least", d.least);
    efg_json_number(to, "least_rank", run->ranks[d.least_at].rank);
    efg_json_number(to, "median", d.median);
    efg_json_number(to, "most", d.most);
    efg_json_number(to, "most_rank", run->ranks[d.most_at].rank);
    add_bins(to, &d, run->rank_count);
    cJSON *thirds = cJSON_AddArrayToObject(to, "thirds");
    for (int third = 0; third < 3; third++)
        cJSON_AddItemToArray(thirds, make_third(run, &d, third, list));
}
