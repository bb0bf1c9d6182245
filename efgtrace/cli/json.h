/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Members of JSON documents. Counts and times are numbers, exact up to 2^53 (104 days in ns);
 * hashes and offsets, which use all 64 bits, are strings.
 *
 * If memory runs out, a member is NULL, which cJSON leaves out: so a document is trusted
 * only if it has its last member.
 */
#ifndef EFG_JSON_H
#define EFG_JSON_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/ranklist.h"

/* Add to TO a member NAME. */
void efg_json_text(cJSON *to, const char *name, const char *text); /* cleaned; NULL as "" */
void efg_json_number(cJSON *to, const char *name, uint64_t value);
void efg_json_id(cJSON *to, const char *name, uint32_t id); /* EFG_NONE: null */
void efg_json_hex(cJSON *to, const char *name, uint64_t value);
void efg_json_ranks(cJSON *to, const char *name, const struct efg_ranklist *ranks);

/* An array of the LINES, each without its first SKIP bytes, where it is longer. */
void efg_json_lines(cJSON *to, const char *name, const struct efg_buffer *lines, size_t skip);

/* Append TEXT to OUT as a JSON string, cleaned, that may be inside a <script>. */
void efg_json_quote(struct efg_buffer *out, const char *text);

/* Append ITEM to OUT as text in one line that may be inside a <script>. */
void efg_json_print(struct efg_buffer *out, const cJSON *item);

/* Append DOCUMENT to OUT, which fails if there is no member LAST; and free DOCUMENT. */
void efg_json_end(struct efg_buffer *out, cJSON *document, const char *last);

#endif
