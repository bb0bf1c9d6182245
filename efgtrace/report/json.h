/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that the report shows of a run, as one JSON document, which the page is made of, too;
 * efg_report_json_help is the schema. Figures are those of the text: both are made from one
 * model.
 */
#ifndef EFG_REPORT_JSON_H
#define EFG_REPORT_JSON_H

#include <cjson/cJSON.h>

#include "beside/beside.h"
#include "judge/representative.h"
#include "model/efficiency.h"
#include "model/model.h"
#include "recorded/json.h"
#include "waiting.h"
#include "waits/json.h"

#define EFG_REPORT_VERSION 1

extern const char efg_report_json_help[]; /* the schema */

/* The document, or, before it is made to fit, that of a page; free it. NULL: what is wrong was said
 * on standard error. */
cJSON *efg_report_json(const struct efg_model *model, const struct efg_representative *r,
                       struct efg_timeline *timeline, const struct efg_report_waiting *waiting,
                       const struct efg_beside *beside, bool is_page);

/* What it has of the timeline, at most: 3,000 events of 64 ranks; fewer, where these have no
 * room. */
#define EFG_REPORT_LIMITS ((struct efg_recorded_limits){200000, 80000})

/* --- its parts: each adds members to TO --- */

void efg_report_json_overview(cJSON *to, const struct efg_model *model, const struct efg_beside *beside,
                              const struct efg_report_waiting *waiting,
                              const struct efg_representative *representative);
void efg_report_json_loops(cJSON *to, const struct efg_model *model,
                           const struct efg_report_waiting *waiting);
/* What was counted in an iteration of loop number L, to LOOP. */
void efg_report_json_counted_loop(cJSON *loop, const struct efg_model *model, uint32_t l);
void efg_report_json_phases(cJSON *to, const struct efg_model *model);
void efg_report_json_iterations(cJSON *to, const struct efg_model *model);
void efg_report_json_heat(cJSON *to, const struct efg_model *model);
void efg_report_json_slow(cJSON *to, const struct efg_beside *beside);
void efg_report_json_tree(cJSON *to, const struct efg_model *model);
void efg_report_json_graph(cJSON *to, const struct efg_model *model);
void efg_report_json_counters(cJSON *to, const struct efg_model *model, uint32_t most);
void efg_report_json_openmp(cJSON *document, const struct efg_model *model);
void efg_report_json_plugins(cJSON *to, const struct efg_run *run);
void efg_report_json_ranks(cJSON *to, const struct efg_model *model);
void efg_report_json_clusters(cJSON *to, const struct efg_model *model);

/* "messages", if there are some. Returns 0; else says on standard error what is wrong, and
 * returns EFG_TOLD. */
int efg_report_json_messages(cJSON *to, const struct efg_model *model);

void efg_report_json_efficiency(cJSON *to, const struct efg_efficiency *efficiency);

#endif
