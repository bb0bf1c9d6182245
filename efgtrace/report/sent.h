/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of the report that say how the iterations went and what was sent, each appended to OUT
 * as lines of at most 100 columns. MOST: how many lines of a table; what is left out is counted
 * in a last one.
 */
#ifndef EFG_REPORT_SENT_H
#define EFG_REPORT_SENT_H

#include "base/buffer.h"
#include "files/run/runfile.h"
#include "model/sent.h"

/* The iterations of the rank that represents the run. */
void efg_report_iterations(struct efg_buffer *out, const struct efg_run *run);

/* What was sent, of all ranks: by size, by distance of the ranks, and by pair of them. */
void efg_report_sizes(struct efg_buffer *out, const struct efg_sent *sent);
void efg_report_distances(struct efg_buffer *out, const struct efg_sent *sent, uint32_t most);
void efg_report_pairs(struct efg_buffer *out, const struct efg_sent *sent, uint32_t most);

#endif
