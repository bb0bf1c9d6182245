/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slow iterations, each beside a typical one: what made them slow. As text and as JSON.
 */
#include "cli/text.h"
#include "files/summary/summary.h"
#include "json.h"
#include "tables.h"

static void put_pair(struct efg_buffer *out, const struct efg_beside *b, const struct efg_beside_pair *pair,
                     uint32_t most)
{
    if (pair->is_found[0] && pair->is_found[1])
        efg_beside_put(out, b, pair, most);
    else
        efg_summary_line(out, "Iteration %llu has none to compare it with in the trace.",
                         (unsigned long long)pair->number[0]);
}

void efg_report_slow(struct efg_buffer *out, const struct efg_beside *b, uint32_t most)
{
    if (!b->pair_count)
        return;
    efg_text_title(out, "Slow iterations beside typical ones");
    for (uint32_t i = 0; i < b->pair_count; i++) {
        if (i)
            efg_buffer_put(out, "\n", 1);
        put_pair(out, b, &b->pairs[i], most);
    }
}

void efg_report_json_slow(cJSON *document, const struct efg_beside *b)
{
    cJSON *slow = cJSON_AddArrayToObject(document, "slow");
    for (uint32_t i = 0; i < b->pair_count; i++)
        if (b->pairs[i].rank_count)
            cJSON_AddItemToArray(slow, efg_beside_json(b, &b->pairs[i]));
}
