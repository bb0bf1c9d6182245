/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `efgtrace history` prints.
 */
#ifndef EFG_HISTORY_FORMATS_H
#define EFG_HISTORY_FORMATS_H

#include <cjson/cJSON.h>

#include "base/buffer.h"
#include "series.h"

/* A line for each series, what changed in each of them, and of one that is alone its runs; the last MOST
 * of each. */
void efg_past_put_text(struct efg_buffer *out, const struct efg_past *history, uint32_t most);

/* Of MOST series. */
cJSON *efg_past_document(const struct efg_past *history, uint32_t most);
extern const char efg_past_json_help[];

#endif
