/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses where the next window begins. Invariant: slots of windows that were made ascend; window
 * i was to begin in [start + slot stride, start + (slot + 1) stride). A window that cannot begin where
 * it was drawn to begins later. If a whole slot is missed, slots are too short: while there are
 * few windows, the stride doubles; else a slot stays empty.
 */
#include "spread.h"

#include "base/hash.h"

void efg_spread_init(struct efg_spread *s, uint64_t wanted, uint64_t stride)
{
    s->wanted = wanted < EFG_SPREAD_MOST ? wanted : EFG_SPREAD_MOST;
    s->stride = s->closest = stride;
    s->start = s->slot = s->count = s->extra = 0;
}

/* A number that is as good as drawn, the same on all ranks. */
static uint64_t draw(const struct efg_spread *s, uint64_t slot)
{
    return efg_hash_mix(s->stride, slot);
}

/* The stride doubles: of the windows in two slots one is given up. */
static void widen(struct efg_spread *s)
{
    uint32_t left = 0;

    s->stride *= 2;
    for (uint32_t i = 0; i < s->count; i++) {
        uint64_t slot = s->made[i].slot / 2;
        bool is_second = left && s->made[left - 1].slot == slot;
        if (is_second && slot && draw(s, slot) & 1)
            s->made[left - 1].first = s->made[i].first;
        if (is_second)
            continue;
        s->made[left] = s->made[i];
        s->made[left++].slot = slot;
    }
    s->count = left;
    s->extra = 0;
}

static uint64_t next_slot(const struct efg_spread *s)
{
    return s->made[s->count - 1].slot + 1;
}

static uint64_t slot_begins(const struct efg_spread *s, uint64_t slot)
{
    return s->start + slot * s->stride;
}

static bool is_missed(const struct efg_spread *s, uint64_t soonest)
{
    return soonest >= slot_begins(s, next_slot(s) + 1);
}

uint64_t efg_spread_next(struct efg_spread *s, uint64_t soonest)
{
    if (!s->count) {
        s->slot = 0;
        return s->start = soonest;
    }
    while (is_missed(s, soonest) && s->count < s->wanted) {
        widen(s);
        s->closest = s->stride;
    }
    s->slot = next_slot(s);
    if (is_missed(s, soonest))
        s->slot = (soonest - s->start + s->stride - 1) / s->stride;
    uint64_t begins = slot_begins(s, s->slot) + draw(s, s->slot) % s->stride;
    return begins > soonest ? begins : soonest;
}

void efg_spread_add(struct efg_spread *s, uint64_t first)
{
    s->extra += s->count && s->made[s->count - 1].slot == s->slot;
    s->made[s->count].slot = s->slot;
    s->made[s->count++].first = first;
    while (s->count - s->extra >= 2 * s->wanted && s->wanted > 1)
        widen(s);
}

/* With the next one there are so many. */
static bool has(const struct efg_spread *s, uint64_t windows)
{
    return s->wanted > 1 && s->count - s->extra + 1 >= windows;
}

void efg_spread_want_more(struct efg_spread *s)
{
    if (has(s, 2 * s->wanted) && 2 * s->wanted <= EFG_SPREAD_MOST)
        s->wanted *= 2;
}

uint64_t efg_spread_stretch(struct efg_spread *s)
{
    uint64_t longer = s->stride;

    if (!has(s, s->wanted) || s->count >= EFG_SPREAD_MOST || s->stride > s->closest)
        return 0;
    s->stride = s->closest = 2 * longer;
    s->slot /= 2;
    s->extra = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        s->made[i].slot /= 2;
        s->extra += i && s->made[i].slot == s->made[i - 1].slot;
    }
    return longer;
}

bool efg_spread_has(const struct efg_spread *s, uint64_t first)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->made[i].first == first)
            return true;
    return false;
}

/* I of PARTS parts of SPAN, without overflow. */
static uint64_t part_of(uint64_t span, uint64_t i, uint64_t parts)
{
    return span / parts * i + span % parts * i / parts;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The last one is as near to the end as there is one; the others are the nearest to equal parts
 * of what lies between. Enough are left for those to come. */
uint32_t efg_spread_choose(const uint64_t *first, uint32_t count, uint32_t wanted, uint8_t *keep)
{
    uint32_t kept = wanted < count ? wanted : count, next = 0;
    for (uint32_t i = 0; i < count; i++)
        keep[i] = 0;
    for (uint32_t i = 0; i < kept; i++) {
        uint64_t parts = kept > 1 ? kept - 1 : 1;
        uint64_t target = first[0] + part_of(first[count - 1] - first[0], i, parts);
        while (next + kept - i < count && apart(first[next + 1], target) <= apart(first[next], target))
            next++;
        keep[next++] = 1;
    }
    return kept;
}
