/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well the recorded iterations stand for the run (representative.h), as JSON: the table of the
 * report.
 *
 *   {"verdict": "yes" | "no" | "unknown",
 *    "sentence": "The recorded iterations stand for the run: ...",
 *    "accuracy": null, or what the key accuracy asks for and what it got: {"asked": share of the time,
 *                 "error": likewise, null if it is not known, "sentence": "shares of ..."},
 *    "iterations": {"recorded": how many, "run": how many, "ranks": that recorded them,
 *                   "coverage": share of the time of these ranks that the loop takes,
 *                   "each": F, ns of one, the mean over the ranks, as in the summary,
 *                   "time": F, ns of one, all ranks together},
 *    "rows": [{"kind": "site" | "loop" | "compute" (what is between the calls),
 *              "label": text,
 *              "hash": "0x...", as in recorded/json.h, "" but for a site,
 *              "impact": time that it takes more (or less) in a recorded iteration, as a
 *                        share of that of an iteration of the run,
 *              "time": F, "share": F, "mean": F, "calls": F, "bytes": F}, ...]}
 *                                                                  the worst first
 *
 *   F: {"run": number, "recorded": number, "error": number, "differs": bool}, or null where
 *   it is not known. error: half of the 95% confidence interval of what was recorded.
 *   time: ns in an iteration, all ranks; share: of the time of the iterations, 0 to 1;
 *   mean: ns of a call, or of a repetition of a loop; calls, or repetitions: in an
 *   iteration, of all ranks; bytes: of a call.
 */
#ifndef EFG_JUDGE_JSON_H
#define EFG_JUDGE_JSON_H

#include <cjson/cJSON.h>

#include "representative.h"

/* The object; without a trace it has no rows, and the sentence says why. Free it. */
cJSON *efg_representative_json(const struct efg_representative *r, const struct efg_run *run);

#endif
