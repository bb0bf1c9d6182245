/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that the report shows of a run, as one JSON document, which the page is made of, too;
 * efg_report_json_help is the schema. Figures come from the functions that make the text.
 */
#ifndef EFG_REPORT_JSON_H
#define EFG_REPORT_JSON_H

#include <cjson/cJSON.h>

#include "model/by_rank.h"
#include "model/contexts.h"
#include "model/efficiency.h"
#include "model/merged.h"
#include "model/ranks.h"

#define EFG_REPORT_VERSION 1

struct efg_report_view { /* what the parts of the document are made from */
    const struct efg_run *run;
    const struct efg_report_ranks *ranks;
    const struct efg_merged *merged;
    const struct efg_contexts *contexts;
    const struct efg_by_rank *by;
};

extern const char efg_report_json_help[]; /* the schema */

/* The document of RUN; free it. NULL: what is wrong was said on standard error. */
cJSON *efg_report_json(const struct efg_run *run);

/* --- its parts: each adds members to TO --- */

void efg_report_json_overview(cJSON *to, const struct efg_report_view *view);
void efg_report_json_loops(cJSON *to, const struct efg_report_view *view);
void efg_report_json_iterations(cJSON *to, const struct efg_report_view *view);
void efg_report_json_tree(cJSON *to, const struct efg_report_view *view);
void efg_report_json_graph(cJSON *to, const struct efg_report_view *view);
void efg_report_json_ranks(cJSON *to, const struct efg_report_view *view);

/* "messages", if there are some. Returns 0; else says on standard error what is wrong, and
 * returns -1. */
int efg_report_json_messages(cJSON *to, const struct efg_run *run);

void efg_report_json_efficiency(cJSON *to, const struct efg_efficiency *efficiency);

#endif
