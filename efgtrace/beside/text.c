/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two iterations side by side as text: the sentence, then a line for each row.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plural.h"
#include "beside.h"
#include "cli/text.h"
#include "files/summary/summary.h"

#define LEAST 1e-3 /* of the difference: smaller ones are not worth a line */

/* With its sign. */
static void put_difference(char text[32], int64_t ns)
{
    char size[30];
    efg_format_ns(size, sizeof size, (uint64_t)llabs(ns));
    snprintf(text, 32, "%s%s", ns < 0 ? "-" : "+", size);
}

/* What is in a line but its end, WHERE. SHARE: of the difference of the iterations. */
static void put_line(struct efg_buffer *out, const struct efg_beside_pair *pair, const int64_t time[2],
                     const char *most, const char *where)
{
    char some[32], other[32], difference[32];
    double all = (double)(pair->time[0] - pair->time[1]);
    efg_format_ns(some, sizeof some, (uint64_t)time[0]);
    efg_format_ns(other, sizeof other, (uint64_t)time[1]);
    put_difference(difference, time[0] - time[1]);
    efg_summary_line(out, "%10s %6.1f%% %9s %9s %10s  %s", difference,
                     all != 0 ? 100 * (double)(time[0] - time[1]) / all : 0, some, other, most, where);
}

static void put_row(struct efg_buffer *out, const struct efg_beside *b, const struct efg_beside_pair *pair,
                    const struct efg_beside_row *row)
{
    static const char computation[] = "computation ";
    char text[400], ranks[32], most[32], where[480];
    bool is_one = efg_ranklist_count(&row->ranks) == 1;
    efg_beside_label(b, row, text, sizeof text);
    const char *label = row->is_compute ? text + sizeof computation - 1 : text;
    efg_ranklist_print(&row->ranks, ranks, sizeof ranks);
    put_difference(most, row->most);
    snprintf(where, sizeof where, "%s%s%s%s", label,
             !*ranks  ? ""
             : is_one ? " [rank "
                      : " [ranks ",
             ranks, *ranks ? "]" : "");
    put_line(out, pair, row->time, most, where);
}

/* All of them only if all are asked for. */
static bool is_worth(const struct efg_beside_pair *pair, const struct efg_beside_row *row, uint32_t most)
{
    double all = fabs((double)(pair->time[0] - pair->time[1]));
    return most == UINT32_MAX || fabs((double)(row->time[0] - row->time[1])) >= LEAST * all;
}

static void put_rest(struct efg_buffer *out, const struct efg_beside_pair *pair, uint32_t shown)
{
    int64_t time[2] = {0, 0};
    char where[64];
    for (uint32_t i = shown; i < pair->row_count; i++)
        for (int side = 0; side < 2; side++)
            time[side] += pair->rows[i].time[side];
    snprintf(where, sizeof where, "(%u more, smaller ones)", pair->row_count - shown);
    if (shown < pair->row_count)
        put_line(out, pair, time, "", where);
}

void efg_beside_put(struct efg_buffer *out, const struct efg_beside *b, const struct efg_beside_pair *pair,
                    uint32_t most)
{
    char one[24], other[24];
    uint32_t shown = 0;
    efg_summary_wrap(out, "", pair->sentence);
    if (!pair->rank_count)
        return;
    if (pair->left_out)
        efg_summary_line(out, "%u rank%s recorded only one of the two and %s left out.", pair->left_out,
                         efg_plural(pair->left_out), pair->left_out == 1 ? "is" : "are");
    snprintf(one, sizeof one, "%" PRIu64, pair->number[0]);
    snprintf(other, sizeof other, "%" PRIu64, pair->number[1]);
    efg_summary_line(out, "%10s %7s %9s %9s %10s  %s", "difference", "share", one, other, "of a rank",
                     "\"before\" is computation; times of all ranks");
    for (; shown < pair->row_count && shown < most && is_worth(pair, &pair->rows[shown], most); shown++)
        put_row(out, b, pair, &pair->rows[shown]);
    put_rest(out, pair, shown);
    put_line(out, pair, pair->time, "", "the iterations");
}
