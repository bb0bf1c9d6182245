/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Says in one sentence what made an iteration take longer than another one, by the rule of the header.
 */
#include <stdio.h>
#include <stdlib.h>

#include "beside.h"
#include "files/summary/summary.h"

void efg_beside_label(const struct efg_beside *b, const struct efg_beside_row *row, char *text, size_t size)
{
    char call[384];
    if (row->site == EFG_NONE) {
        snprintf(text, size, "computation behind the last call");
        return;
    }
    efg_recorded_label(&b->names, &b->recorded->sites[row->site], call, sizeof call);
    snprintf(text, size, "%s%s", row->is_compute ? "computation before " : "", call);
}

static int64_t more_time(const struct efg_beside_rank *rank)
{
    return rank->time[0] - rank->time[1];
}

static int64_t more_computation(const struct efg_beside_rank *rank)
{
    return rank->compute[0] - rank->compute[1];
}

/* The rank that computed most beyond what it did in the other one. */
static const struct efg_beside_rank *find_busiest(const struct efg_beside_pair *pair)
{
    const struct efg_beside_rank *busiest = pair->ranks;
    for (uint32_t i = 1; i < pair->rank_count; i++)
        if (more_computation(&pair->ranks[i]) > more_computation(busiest))
            busiest = &pair->ranks[i];
    return busiest;
}

/* The row whose time grew most on a rank, of computation or of calls. */
static const struct efg_beside_row *find_row(const struct efg_beside_pair *pair, bool is_compute)
{
    const struct efg_beside_row *found = NULL;
    for (uint32_t i = 0; i < pair->row_count; i++) {
        const struct efg_beside_row *row = &pair->rows[i];
        if (row->is_compute == is_compute && row->most > 0 && (!found || row->most > found->most))
            found = row;
    }
    return found;
}

/* "rank 2, 41.0 ms", "ranks 0-2, up to 41.0 ms" more of ROW. */
static void put_amount(char *text, size_t size, const struct efg_beside_row *row)
{
    char ranks[64], most[32];
    bool is_one = efg_ranklist_count(&row->ranks) == 1;
    efg_ranklist_print(&row->ranks, ranks, sizeof ranks);
    efg_format_ns(most, sizeof most, (uint64_t)row->most);
    snprintf(text, size, "rank%s %s, %s%s", is_one ? "" : "s", ranks, is_one ? "" : "up to ", most);
}

static void put_computation(char *text, size_t size, const struct efg_beside *b,
                            const struct efg_beside_rank *busiest, const struct efg_beside_row *row)
{
    char amount[160], label[384], all[32];
    efg_beside_label(b, row, label, sizeof label);
    put_amount(amount, sizeof amount, row);
    efg_format_ns(all, sizeof all, (uint64_t)more_computation(busiest));
    if (2 * row->most >= more_computation(busiest))
        snprintf(text, size, "%s more of %s", amount, label);
    else
        snprintf(text, size, "rank %u, %s more of computation, most of it %s", busiest->rank, all, label);
}

static void put_cause(char *text, size_t size, const struct efg_beside *b, const struct efg_beside_pair *pair)
{
    const struct efg_beside_rank *busiest = find_busiest(pair);
    const struct efg_beside_row *compute = find_row(pair, true), *call = find_row(pair, false);
    char amount[160], label[384];
    if (compute && 2 * more_computation(busiest) >= more_time(&pair->ranks[pair->longest])) {
        put_computation(text, size, b, busiest, compute);
    } else if (call) {
        efg_beside_label(b, call, label, sizeof label);
        put_amount(amount, sizeof amount, call);
        snprintf(text, size, "no rank computed much longer; %s more in %s", amount, label);
    } else {
        snprintf(text, size, "in many places, a little in each");
    }
}

void efg_beside_judge(const struct efg_beside *b, struct efg_beside_pair *pair)
{
    unsigned long long number = pair->number[0], other = pair->number[1];
    char cause[700], some[32], all[32];
    if (!pair->rank_count) {
        snprintf(pair->sentence, sizeof pair->sentence, "No rank recorded both iteration %llu and %llu.",
                 number, other);
        return;
    }
    const struct efg_beside_rank *longest = &pair->ranks[pair->longest];
    efg_format_ns(some, sizeof some, (uint64_t)longest->time[0]);
    efg_format_ns(all, sizeof all, (uint64_t)longest->time[1]);
    if (more_time(longest) <= 0) {
        snprintf(pair->sentence, sizeof pair->sentence,
                 "Iteration %llu took no longer than iteration %llu on any rank: %s, not %s, on rank %u.",
                 number, other, some, all, longest->rank);
        return;
    }
    double times = (double)longest->time[0] / (double)(longest->time[1] ? longest->time[1] : 1);
    put_cause(cause, sizeof cause, b, pair);
    snprintf(pair->sentence, sizeof pair->sentence,
             "Iteration %llu took %.*f times as long as iteration %llu (%s, not %s, on rank %u): %s.", number,
             times < 99.5, times, other, some, all, longest->rank, cause);
}
