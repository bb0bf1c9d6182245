/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication: which rank's part of a window a call is about. Told after the call.
 */
#include "parts.h"

static void put(struct efg_recorded_reading *r, enum efg_recorded_act act, uint32_t win, uint32_t rank,
                uint64_t bytes)
{
    struct efg_recorded_item item = {
        .kind = EFG_RECORDED_ACCESS,
        .access = {.window = win, .act = act, .rank = rank, .call = efg_recorded_present(r), .bytes = bytes}};
    if (rank < r->definitions.ranks && item.access.call != EFG_RECORDED_NONE)
        efg_recorded_put_behind(r, &item);
}

void efg_recorded_access(struct efg_recorded_reading *r, enum efg_recorded_act act, uint32_t win,
                         uint32_t rank, uint64_t bytes)
{
    const struct efg_recorded_definitions *d = &r->definitions;
    put(r, act, win, efg_recorded_peer(d, efg_recorded_win(d, win), r->rank, rank), bytes);
}

void efg_recorded_epoch(struct efg_recorded_reading *r, uint32_t win, uint32_t group)
{
    const struct efg_recorded_group *members = efg_recorded_group(&r->definitions, group);
    for (uint32_t i = 0; members && i < members->count; i++)
        put(r, EFG_ACT_EPOCH, win, (uint32_t)members->members[i], 0);
}
