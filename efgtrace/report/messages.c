/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages over the whole run, against those that were sent while iterations were recorded.
 */
#include <stdio.h>

#include "cli/text.h"
#include "files/summary/summary.h"
#include "tables.h"

#define AMOUNTS 256 /* characters */

/* The number, bytes and shares of ITEM, of WHOLE: "8000 50.0%   1.02 MB 50.0%". */
static void format_amounts(char *text, size_t size, const struct efg_traffic_item *item,
                           const struct efg_traffic_item *whole)
{
    char count[32], bytes[32], recorded[32];
    efg_format_count(count, sizeof count, (double)item->all.count);
    efg_format_bytes(bytes, sizeof bytes, item->all.bytes);
    efg_format_count(recorded, sizeof recorded, (double)item->recorded.count);
    snprintf(text, size, "%14s %6.1f%% %9s %6.1f%% %14s %6.1f%% %6.1f%%", count,
             efg_percent((double)item->all.count, (double)whole->all.count), bytes,
             efg_percent((double)item->all.bytes, (double)whole->all.bytes), recorded,
             efg_percent((double)item->recorded.count, (double)whole->recorded.count),
             efg_percent((double)item->recorded.bytes, (double)whole->recorded.bytes));
}

static void put_head(struct efg_buffer *out, const char *what, const char *which)
{
    efg_summary_line(out, "%-22s%14s   share     bytes   share       recorded   share  (bytes)", what, which);
}

/* --- sizes --- */

static void put_sizes(struct efg_buffer *out, const char *what, const char *which,
                      const struct efg_traffic_item *sizes)
{
    struct efg_traffic_item whole = {0};
    char least[32] = "0 B", amounts[AMOUNTS];
    for (uint32_t i = 0; i < EFG_TRAFFIC_SIZES; i++)
        efg_traffic_item_add(&whole, &sizes[i]);
    if (!whole.all.count)
        return;
    put_head(out, what, which);
    for (uint32_t i = 0; i < EFG_TRAFFIC_SIZES; i++) {
        if (!sizes[i].all.count)
            continue;
        if (i)
            efg_format_size_class(least, sizeof least, i);
        format_amounts(amounts, sizeof amounts, &sizes[i], &whole);
        efg_summary_line(out, "%-22s%s", least, amounts);
    }
}

void efg_report_sizes(struct efg_buffer *out, const struct efg_sent *sent)
{
    if (!sent->all.all.count)
        efg_summary_line(out, "no messages were sent from one rank to another");
    put_sizes(out, "bytes of a message", "messages", sent->sends);
    put_sizes(out, "bytes of a collective", "calls", sent->collectives);
}

/* --- partners --- */

/* "rank +1", from the own one on; to others that is not known. */
static void put_distance(struct efg_buffer *out, const struct efg_sent_distance *distance,
                         const struct efg_traffic_item *whole)
{
    char amounts[AMOUNTS], to[32] = "others";
    if (!distance->is_other)
        snprintf(to, sizeof to, distance->steps ? "%+lld" : "itself", (long long)distance->steps);
    format_amounts(amounts, sizeof amounts, &distance->sum, whole);
    efg_summary_line(out, "%10s %11u%s", to, distance->pairs, amounts);
}

void efg_report_distances(struct efg_buffer *out, const struct efg_sent *sent, uint32_t most)
{
    put_head(out, "   to rank       pairs", "messages");
    for (uint32_t i = 0; i < sent->distance_count && i < most; i++)
        put_distance(out, &sent->distances[i], &sent->all);
    efg_text_rest(out, sent->distance_count, most);
}

static void put_pair(struct efg_buffer *out, const struct efg_sent_pair *pair,
                     const struct efg_traffic_item *whole)
{
    char amounts[AMOUNTS], to[32] = "others";
    if (pair->to.key != EFG_TRAFFIC_OTHERS)
        snprintf(to, sizeof to, "%u", pair->to.key);
    format_amounts(amounts, sizeof amounts, &pair->to, whole);
    efg_summary_line(out, "%10u to %-8s%s", pair->from, to, amounts);
}

void efg_report_pairs(struct efg_buffer *out, const struct efg_sent *sent, uint32_t most)
{
    put_head(out, "      rank to rank", "messages");
    for (uint32_t i = 0; i < sent->pair_count && i < most; i++)
        put_pair(out, &sent->pairs[i], &sent->all);
    efg_text_rest(out, sent->pair_count, most);
}
