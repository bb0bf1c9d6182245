/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds iterations to a series. Invariant: all slots but the last one are full; iteration number
 * i, counted from 0, is in slot i >> shift.
 */
#include "series.h"

#include <stdlib.h>

#include "base/hot.h"

#define UNIT_BITS 9 /* the mean iteration has 2^9 units or more, and less than 2^10 */

struct efg_series *efg_series_new(void)
{
    return calloc(1, efg_series_size(EFG_SERIES_SLOTS));
}

void efg_series_clear(struct efg_series *series)
{
    *series = (struct efg_series){0};
}

uint32_t efg_series_slots(const struct efg_series *series)
{
    return series->count ? (uint32_t)((series->count - 1) >> series->shift) + 1 : 0;
}

uint64_t efg_series_in_slot(const struct efg_series *series, uint32_t i)
{
    uint64_t begin = (uint64_t)i << series->shift, width = UINT64_C(1) << series->shift;
    return series->count - begin < width ? series->count - begin : width;
}

/* --- adding --- */

static void join(struct efg_series_slot *slot, const struct efg_series_slot *more)
{
    slot->time += more->time;
    slot->mpi += more->mpi;
    slot->least = more->least < slot->least ? more->least : slot->least;
    slot->most = more->most > slot->most ? more->most : slot->most;
}

static __attribute__((noinline)) void join_pairs(struct efg_series *s)
{
    for (uint32_t i = 0; i < EFG_SERIES_SLOTS / 2; i++) {
        struct efg_series_slot joint = s->slot[2 * i];
        join(&joint, &s->slot[2 * i + 1]);
        s->slot[i] = joint;
    }
    s->shift++;
}

static __attribute__((noinline)) void keep_long(struct efg_series *s, const struct efg_iteration *iteration)
{
    uint32_t at = s->longest_count;
    if (at < EFG_SERIES_LONGEST) {
        s->longest_count++;
    } else {
        at = 0;
        for (uint32_t i = 1; i < EFG_SERIES_LONGEST; i++)
            at = s->longest[i].time < s->longest[at].time ? i : at;
    }
    s->longest[at] = *iteration;
    if (s->longest_count < EFG_SERIES_LONGEST)
        return;
    s->threshold = s->longest[0].time;
    for (uint32_t i = 1; i < EFG_SERIES_LONGEST; i++)
        s->threshold = s->longest[i].time < s->threshold ? s->longest[i].time : s->threshold;
}

EFG_HOT void efg_series_add(struct efg_series *s, const struct efg_iteration *iteration)
{
    struct efg_series_slot one = {iteration->time, iteration->mpi, iteration->time, iteration->time};

    if (!s->count) {
        s->first = iteration->number;
        s->start = iteration->start;
    }
    if (s->count >> s->shift == EFG_SERIES_SLOTS)
        join_pairs(s);
    struct efg_series_slot *slot = &s->slot[s->count >> s->shift];
    if (s->count & ((UINT64_C(1) << s->shift) - 1))
        join(slot, &one);
    else
        *slot = one;
    s->count++;
    if (iteration->time > s->threshold || s->longest_count < EFG_SERIES_LONGEST)
        keep_long(s, iteration);
}

void efg_series_renumber(struct efg_series *s, uint64_t by)
{
    s->first += by;
    for (uint32_t i = 0; i < s->longest_count; i++)
        s->longest[i].number += by;
}

/* --- rounding --- */

static uint64_t down(uint64_t time, unsigned unit)
{
    return time >> unit << unit;
}

unsigned efg_series_unit(const struct efg_series *s)
{
    uint64_t time = 0;
    for (uint32_t i = 0; i < efg_series_slots(s); i++)
        time += s->slot[i].time;
    uint64_t mean = s->count ? time / s->count : 0;
    unsigned bits = 63 - (unsigned)__builtin_clzll(mean | 1);
    return bits > UNIT_BITS ? bits - UNIT_BITS : 0;
}

static int compare_numbers(const void *a, const void *b)
{
    const struct efg_iteration *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

void efg_series_round(struct efg_series *s)
{
    unsigned unit = efg_series_unit(s), unit_of_slots = unit + s->shift;
    uint32_t slots = efg_series_slots(s);
    struct efg_series_slot so_far = {0}, before = {0}; /* sums; and as they are rounded */

    for (uint32_t i = 0; i < slots; i++) {
        struct efg_series_slot *slot = &s->slot[i];
        unsigned bits = i + 1 < slots ? unit_of_slots : 0;
        so_far.time += slot->time;
        so_far.mpi += slot->mpi;
        slot->time = down(so_far.time, bits) - before.time;
        slot->mpi = down(so_far.mpi, bits) - before.mpi;
        slot->least = s->shift ? down(slot->least, unit) : slot->time;
        slot->most = s->shift ? down(slot->most, unit) : slot->time;
        before.time += slot->time;
        before.mpi += slot->mpi;
    }
    qsort(s->longest, s->longest_count, sizeof *s->longest, compare_numbers);
}
