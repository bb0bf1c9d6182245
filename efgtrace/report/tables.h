/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of the report, each appended to OUT as lines of at most 100 columns. MOST: how many
 * lines; what is left out is counted in a last one.
 */
#ifndef EFG_REPORT_TABLES_H
#define EFG_REPORT_TABLES_H

#include "base/buffer.h"
#include "beside/beside.h"
#include "judge/representative.h"
#include "model/model.h"
#include "waiting.h"

/* The most useful sentences, a line each, of any length. */
void efg_report_findings(struct efg_buffer *out, const struct efg_model *model,
                         const struct efg_beside *beside);

/* Whether the recorded iterations stand for the run, one more of them; nothing, if there are none. */
void efg_report_say_representative(struct efg_buffer *out, const struct efg_representative *r);

/* Slow iterations beside typical ones: the sentences, and a table each. */
void efg_report_slow(struct efg_buffer *out, const struct efg_beside *beside, uint32_t most);

/* The efficiency of the run and of its longest loops; also inside of what was recorded. */
void efg_report_efficiency(struct efg_buffer *out, const struct efg_model *model,
                           const struct efg_report_waiting *w, uint32_t most);

/* What ranks did: least, median, most; and what a line of it is called, "outside MPI", and is in:
 * "ns", "bytes" or "count". */
void efg_report_ranks(struct efg_buffer *out, const struct efg_model *model);
const char *efg_report_quantity(enum efg_quantity quantity);
const char *efg_report_quantity_unit(enum efg_quantity quantity);

/* The groups of ranks with the same graph, and how others differ from the largest. */
void efg_report_groups(struct efg_buffer *out, const struct efg_model *model, uint32_t most);

/* Ranks that behave alike, and how those of other clusters differ from those of the largest; a finding
 * about outliers, if there are some. */
void efg_report_clusters(struct efg_buffer *out, const struct efg_model *model, uint32_t most);
void efg_report_say_outliers(struct efg_buffer *out, const struct efg_model *model);

/* The iterations of the rank that represents the run. */
void efg_report_iterations(struct efg_buffer *out, const struct efg_run *run);

/* Whether iterations of THREAD from FIRST on, COUNT of them, or some, were recorded. */
bool efg_report_has_recorded(const struct efg_run_thread *thread, uint64_t first, uint64_t count);

/* How long iterations took on each rank, over the run. */
void efg_report_heat(struct efg_buffer *out, const struct efg_heat *heat, uint32_t most);

/* What was sent, of all ranks: by size, by distance of the ranks, and by pair of them. */
void efg_report_sizes(struct efg_buffer *out, const struct efg_sent *sent);
void efg_report_distances(struct efg_buffer *out, const struct efg_sent *sent, uint32_t most);
void efg_report_pairs(struct efg_buffer *out, const struct efg_sent *sent, uint32_t most);

/* What was counted: in all, between calls, and in them. Nothing, if nothing was. */
void efg_report_counters(struct efg_buffer *out, const struct efg_model *model, uint32_t most);

/* Parallel regions of OpenMP. Nothing, if there were none. */
void efg_report_openmp(struct efg_buffer *out, const struct efg_model *model, uint32_t most);

/* Where the time of the main loop goes, in the order of its calls. */
void efg_report_main_loop(struct efg_buffer *out, const struct efg_run *run, uint32_t most);
/* MPI calls, or call sites, by time. */
void efg_report_joined(struct efg_buffer *out, const struct efg_run *run,
                       const struct efg_join *join, uint32_t most);
/* What efgtrace took; what the edges of the windows cut; how the graph grew. */
void efg_report_library(struct efg_buffer *out, const struct efg_run *run);
void efg_report_cut(struct efg_buffer *out, const struct efg_run *run);
void efg_report_curve(struct efg_buffer *out, const struct efg_run *run);

/* How the graph of the rank that represents the run grew: samples, each once, and what it was at its end.
 * Returns how many; 0 if no sample was taken. */
#define EFG_CURVE_POINTS (EFG_CURVE_ROOM + 2)
uint32_t efg_report_points(struct efg_curve_point *points, const struct efg_run *run);

/* How well the recorded iterations stand for the run: the sentence, and a table. */
void efg_report_representative(struct efg_buffer *out, const struct efg_representative *r,
                               const struct efg_run *run, uint32_t most);

/* How many nodes and edges there are for each signature. Reads one rank of each group.
 * Returns 0; else says on standard error what is wrong, and returns EFG_TOLD. */
int efg_report_signatures(struct efg_buffer *out, const struct efg_run *run);

/* The call path of NODE, a line per frame, innermost first. */
void efg_report_path(struct efg_buffer *out, const struct efg_run *run,
                     const struct efg_node *node);

#endif
