/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two iterations side by side as JSON; efg_beside_json_help is the schema.
 */
#include "beside.h"
#include "cli/json.h"
#include "files/otf2/otf2.h"

const char efg_beside_json_help[] =
    "            {iteration, other (numbers), kept, other_kept (why each was recorded), times_median\n"
    "            (of the first, where it was slowest, 0: not known), sentence, time, other_time (ns, of\n"
    "            all ranks), left_out (ranks that have only one of them),\n"
    "            ranks [[rank, time, other time, computation, other computation]],\n"
    "            differences [{what \"call\"|\"compute\" (before the call, or behind the last one), label,\n"
    "            difference, share (of that of the iterations), time, other_time, calls,\n"
    "            other_calls (of all ranks), most, rank (the largest difference of a rank), ranks\n"
    "            (RANKS with at least half of that)}]}, the largest difference first\n";

static void add_time(cJSON *to, const char *name, int64_t ns)
{
    cJSON_AddNumberToObject(to, name, (double)ns);
}

static cJSON *make_row(const struct efg_beside *b, const struct efg_beside_pair *pair,
                       const struct efg_beside_row *row)
{
    double all = (double)(pair->time[0] - pair->time[1]);
    char label[400];
    cJSON *to = cJSON_CreateObject();
    efg_beside_label(b, row, label, sizeof label);
    cJSON_AddStringToObject(to, "what", row->is_compute ? "compute" : "call");
    efg_json_text(to, "label", label);
    add_time(to, "difference", row->time[0] - row->time[1]);
    cJSON_AddNumberToObject(to, "share", all != 0 ? (double)(row->time[0] - row->time[1]) / all : 0);
    add_time(to, "time", row->time[0]);
    add_time(to, "other_time", row->time[1]);
    efg_json_number(to, "calls", row->calls[0]);
    efg_json_number(to, "other_calls", row->calls[1]);
    add_time(to, "most", row->most);
    efg_json_number(to, "rank", row->rank);
    efg_json_ranks(to, "ranks", &row->ranks);
    return to;
}

static cJSON *make_rank(const struct efg_beside_rank *rank)
{
    const double values[] = {rank->rank, (double)rank->time[0], (double)rank->time[1],
                             (double)rank->compute[0], (double)rank->compute[1]};
    return cJSON_CreateDoubleArray(values, sizeof values / sizeof *values);
}

cJSON *efg_beside_json(const struct efg_beside *b, const struct efg_beside_pair *pair)
{
    cJSON *to = cJSON_CreateObject();
    efg_json_number(to, "iteration", pair->number[0]);
    efg_json_number(to, "other", pair->number[1]);
    efg_json_text(to, "kept", efg_otf2_kept(pair->kept[0]));
    efg_json_text(to, "other_kept", efg_otf2_kept(pair->kept[1]));
    cJSON_AddNumberToObject(to, "times_median", pair->times[0] / 1000.0);
    efg_json_text(to, "sentence", pair->sentence);
    add_time(to, "time", pair->time[0]);
    add_time(to, "other_time", pair->time[1]);
    efg_json_number(to, "left_out", pair->left_out);
    cJSON *ranks = cJSON_AddArrayToObject(to, "ranks");
    for (uint32_t i = 0; i < pair->rank_count; i++)
        cJSON_AddItemToArray(ranks, make_rank(&pair->ranks[i]));
    cJSON *rows = cJSON_AddArrayToObject(to, "differences");
    for (uint32_t i = 0; i < pair->row_count; i++)
        cJSON_AddItemToArray(rows, make_row(b, pair, &pair->rows[i]));
    return to;
}
