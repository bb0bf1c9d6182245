/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clusters of ranks that behave alike, and what ranks of others do more and less of than those of the
 * largest one: as text, as a finding, and as JSON.
 */
#include <math.h>
#include <stdio.h>

#include "cli/json.h"
#include "cli/text.h"
#include "files/summary/summary.h"
#include "json.h"
#include "tables.h"

#define SHOWN 3 /* differences of a cluster */
#define INDENT 44
#define IN_JSON 8

static const char *const what_of[EFG_BEHAVIOUR_PARTS] = {"in", "before", "calls"};
static const char *const words_of[EFG_BEHAVIOUR_PARTS] = {"in", "computing before", "calls of"};

/* "310 ms more computing before MPI_Send  x.c:10"; HOW: "more ", or nothing. */
static void format_difference(char *text, size_t size, const struct efg_model *model,
                              const struct efg_cluster_difference *d, const char *how)
{
    char name[256], by[32];
    efg_summary_node(&model->run, &model->merged.graph.nodes[d->node], name, sizeof name);
    if (d->part == EFG_CALLS)
        efg_format_count(by, sizeof by, fabs(d->by));
    else
        efg_format_ns(by, sizeof by, (uint64_t)fabs(d->by));
    snprintf(text, size, "%s %s%s %s", by, how, words_of[d->part], name);
}

/* ns of a rank, in the mean; MPI: how much of that is in MPI. */
static double time_of(const struct efg_clusters *c, uint32_t k, double *mpi)
{
    double before = 0;
    *mpi = 0;
    for (uint32_t i = 0; i < c->behaviour.nodes; i++) {
        *mpi += (double)c->items[k].mean[EFG_INSIDE * c->behaviour.nodes + i];
        before += (double)c->items[k].mean[EFG_BEFORE * c->behaviour.nodes + i];
    }
    return *mpi + before;
}

/* --- the text --- */

static void put_differences(struct efg_buffer *out, const struct efg_model *model, uint32_t k)
{
    struct efg_cluster_difference d[SHOWN];
    uint32_t count = efg_clusters_differences(&model->clusters, k, d, SHOWN);
    for (uint32_t i = 0; i < count; i++) {
        char text[400];
        format_difference(text, sizeof text, model, &d[i], "");
        efg_summary_line(out, "%*s %c %s", INDENT, "", d[i].by < 0 ? '-' : '+', text);
    }
}

static int put_cluster(struct efg_buffer *out, const struct efg_model *model, uint32_t k)
{
    const struct efg_cluster *cluster = &model->clusters.items[k];
    struct efg_ranklist ranks = {0};
    char which[EFG_COLUMNS - INDENT], time[32];
    double mpi, all = time_of(&model->clusters, k, &mpi);
    int error = efg_clusters_ranks(&model->clusters, &model->run, k, &ranks);
    efg_ranklist_print(&ranks, which, sizeof which);
    efg_format_ns(time, sizeof time, (uint64_t)all);
    efg_summary_line(out, "%8u %8u  %6.1f%% %9s %6.1f%%   %s", k + 1, cluster->count, 100 * cluster->apart,
                     time, efg_percent(mpi, all), which);
    put_differences(out, model, k);
    efg_ranklist_fini(&ranks);
    return error;
}

/* Where there is nothing to tell apart. */
static void say_alike(struct efg_buffer *out, const struct efg_model *model)
{
    const struct efg_clusters *c = &model->clusters;
    uint32_t far = model->run.ranks[c->far].rank;
    char text[300];
    if (c->behaviour.ranks < 2)
        snprintf(text, sizeof text, "There is one rank only.");
    else
        snprintf(text, sizeof text,
                 "No rank and no group of ranks stands out: rank %u differs most, by %.1f%% of the time "
                 "or of the calls.",
                 far, 100 * c->range);
    efg_summary_wrap(out, "", text);
}

void efg_report_clusters(struct efg_buffer *out, const struct efg_model *model, uint32_t most)
{
    const struct efg_clusters *c = &model->clusters;
    if (c->count < 2) {
        say_alike(out, model);
        return;
    }
    efg_summary_line(out,
                     " cluster    ranks  differs      time  in MPI   which ranks (a rank has in the mean");
    efg_summary_line(out, "%*s + more, - less than in the first cluster)", INDENT, "");
    for (uint32_t k = 0; k < c->count && k < most; k++)
        out->failed |= !!put_cluster(out, model, k);
    efg_text_rest(out, c->count, most);
    efg_summary_line(out,
                     "(differs: share of the time, or of the calls, that is not as in the first cluster)");
}

/* --- the finding --- */

static uint32_t count_outliers(const struct efg_clusters *c, uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t k = c->count; k-- > 0;) {
        count += c->items[k].is_outlier ? c->items[k].count : 0;
        *first = c->items[k].is_outlier ? k : *first;
    }
    return count;
}

/* The largest difference; what is computed says more than what is waited for then. */
static const struct efg_cluster_difference *telling(const struct efg_cluster_difference *d, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (d[i].part != EFG_INSIDE)
            return &d[i];
    return d;
}

void efg_report_say_outliers(struct efg_buffer *out, const struct efg_model *model)
{
    const struct efg_clusters *c = &model->clusters;
    uint32_t first = 0, count = count_outliers(c, &first);
    struct efg_ranklist ranks = {0};
    struct efg_cluster_difference d[SHOWN];
    uint32_t known = count ? efg_clusters_differences(c, first, d, SHOWN) : 0;
    char which[60], what[400], text[600];
    if (!known)
        return;
    const struct efg_cluster_difference *most = telling(d, known);
    out->failed |= !!efg_clusters_ranks(c, &model->run, EFG_NONE, &ranks);
    efg_ranklist_print(&ranks, which, sizeof which);
    format_difference(what, sizeof what, model, most, most->by < 0 ? "less " : "more ");
    snprintf(text, sizeof text,
             "%u of %u ranks %s not behave like the others, rank%s %s: beside the largest cluster, rank %u "
             "has %s.",
             count, c->behaviour.ranks, count == 1 ? "does" : "do", count == 1 ? "" : "s", which,
             model->run.ranks[c->items[first].representative].rank, what);
    efg_buffer_print(out, "%s\n", text);
    efg_ranklist_fini(&ranks);
}

/* --- as JSON --- */

static cJSON *make_difference(const struct efg_model *model, const struct efg_cluster_difference *d)
{
    const struct efg_node *node = &model->merged.graph.nodes[d->node];
    char label[512];
    cJSON *to = cJSON_CreateObject();
    efg_summary_node(&model->run, node, label, sizeof label);
    cJSON_AddStringToObject(to, "what", what_of[d->part]);
    efg_json_text(to, "label", label);
    efg_json_hex(to, "hash", node->hash);
    cJSON_AddNumberToObject(to, "by", d->by);
    cJSON_AddNumberToObject(to, "share", d->share);
    return to;
}

static void add_ranks(cJSON *to, const char *name, const struct efg_model *model, uint32_t k)
{
    struct efg_ranklist ranks = {0};
    if (!efg_clusters_ranks(&model->clusters, &model->run, k, &ranks))
        efg_json_ranks(to, name, &ranks);
    efg_ranklist_fini(&ranks);
}

static cJSON *make_cluster(const struct efg_model *model, uint32_t k)
{
    const struct efg_cluster *cluster = &model->clusters.items[k];
    struct efg_cluster_difference d[IN_JSON];
    double mpi, time = time_of(&model->clusters, k, &mpi);
    cJSON *to = cJSON_CreateObject();
    efg_json_number(to, "number", k + 1);
    efg_json_number(to, "count", cluster->count);
    add_ranks(to, "ranks", model, k);
    efg_json_number(to, "representative", model->run.ranks[cluster->representative].rank);
    cJSON_AddBoolToObject(to, "is_outlier", cluster->is_outlier);
    cJSON_AddNumberToObject(to, "apart", cluster->apart);
    cJSON_AddNumberToObject(to, "spread", cluster->spread);
    cJSON_AddNumberToObject(to, "time", time);
    cJSON_AddNumberToObject(to, "mpi", mpi);
    cJSON *differences = cJSON_AddArrayToObject(to, "differences");
    uint32_t count = efg_clusters_differences(&model->clusters, k, d, IN_JSON);
    for (uint32_t i = 0; i < count; i++)
        cJSON_AddItemToArray(differences, make_difference(model, &d[i]));
    return to;
}

void efg_report_json_clusters(cJSON *document, const struct efg_model *model)
{
    const struct efg_clusters *c = &model->clusters;
    cJSON *to = cJSON_AddObjectToObject(document, "alike");
    cJSON_AddNumberToObject(to, "range", c->range);
    efg_json_number(to, "range_rank", c->count ? model->run.ranks[c->far].rank : 0);
    add_ranks(to, "outliers", model, EFG_NONE);
    cJSON *items = cJSON_AddArrayToObject(document, "clusters");
    for (uint32_t k = 0; k < c->count; k++)
        cJSON_AddItemToArray(items, make_cluster(model, k));
}
