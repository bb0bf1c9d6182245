/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `efgtrace compare` prints of two runs, and of several, a file per format.
 */
#ifndef EFG_COMPARE_FORMATS_H
#define EFG_COMPARE_FORMATS_H

#include "base/buffer.h"
#include "comparison.h"
#include "several.h"

/* Append what matters most, in words, in lines of at most 100 columns. */
void efg_compare_put_findings(struct efg_buffer *out, const struct efg_comparison *comparison);

/* Append the comparison in plain text of at most 100 columns: of each table at most MOST lines. */
void efg_compare_put_text(struct efg_buffer *out, const struct efg_comparison *comparison, uint32_t most);

/* All of it as a document, which has "complete" as its last member; to be freed. */
struct cJSON;
struct cJSON *efg_compare_document(const struct efg_comparison *comparison);

/* Members of the run TO: parallel_efficiency, load_balance, communication_efficiency. */
void efg_compare_put_efficiency(struct cJSON *to, const struct efg_efficiency *efficiency);

extern const char efg_compare_json_help[]; /* the schema */

/* The same of several runs. */
void efg_several_put_text(struct efg_buffer *out, const struct efg_several *several, uint32_t most);
struct cJSON *efg_several_document(const struct efg_several *several);
extern const char efg_several_json_help[];

#endif
