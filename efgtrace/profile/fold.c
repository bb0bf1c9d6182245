/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is written shorter than it is: the same items again, call sites in a row.
 */
#include "profile.h"

#define PERIOD 64 /* items that may come again, at most */

bool efg_profile_is_same(const struct efg_program_item *a, const struct efg_program_item *b)
{
    return a->node == b->node && a->loop == b->loop && a->least == b->least && a->most == b->most;
}

/* How often the first PERIOD of COUNT items come one after the other. */
static uint32_t count_times(const struct efg_program_item *items, uint32_t count, uint32_t period)
{
    uint32_t same = period;
    while (same < count && efg_profile_is_same(&items[same], &items[same - period]))
        same++;
    return same / period;
}

uint32_t efg_profile_fold(const struct efg_program_item *items, uint32_t count, struct efg_program_item *body,
                          uint32_t *times)
{
    for (uint32_t period = 2; period <= PERIOD && 2 * period <= count; period++) {
        *times = count_times(items, count, period);
        if (*times < 2)
            continue;
        for (uint32_t i = 0; i < period; i++) {
            body[i] = items[i];
            for (uint32_t k = i + period; k < period * *times; k += period) {
                body[i].repetitions += items[k].repetitions;
                body[i].before += items[k].before;
            }
        }
        return period;
    }
    return 0;
}

static bool is_next(const struct efg_profile *profile, const struct efg_program_item *item,
                    const struct efg_program_item *next)
{
    const struct efg_node *nodes = profile->graph->nodes;
    if (item->node == EFG_NONE || next->node == EFG_NONE || item->most > 1 || next->most > 1)
        return false;
    return nodes[item->node].signature.call == nodes[next->node].signature.call &&
           profile->number[item->node] + 1 == profile->number[next->node];
}

uint32_t efg_profile_row(const struct efg_profile *profile, const struct efg_program_item *items,
                         uint32_t count)
{
    uint32_t end = 1;
    while (end < count && is_next(profile, &items[end - 1], &items[end]))
        end++;
    return end;
}
