/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fit: makes a report fit into a page, however large the program: each part that grows with its
 * call paths has a limit in bytes.
 *
 *     contexts   800 kB: those with the most time, about 1700. What is left out is part of the
 *                context that it is called from, as always; "left_out" of that one is
 *                its time.
 *     graph      500 kB. Beyond that, nodes of the same context are one node, for which only
 *                sums are kept, and edges between the same two are one edge; edges 300 kB,
 *                those with the most time.
 *     the rest   loops 200 kB, of those with the most time; sites, rows of the
 *                representative table, and differences of slow iterations 120 kB each, groups and
 *                clusters of ranks 100 kB each: the first ones, since the largest come first.
 *
 * In a comparison, loops have 200 kB: those with the most time in either run; and differences
 * 500 kB: the largest ones.
 *
 * "left_out" of the document says how many are left out of each part. With the timeline (3 MB),
 * messages and calls (1 MB), and the libraries (500 kB) a page has 7 MB at most.
 */
#ifndef EFG_REPORT_FIT_H
#define EFG_REPORT_FIT_H

#include <cjson/cJSON.h>

/* Make DOCUMENT (report/json.h) fit. Without memory it is not "complete" any more. */
void efg_report_fit(cJSON *document);

/* The same of a comparison (compare/comparison.h). */
void efg_report_fit_comparison(cJSON *document);

#endif
