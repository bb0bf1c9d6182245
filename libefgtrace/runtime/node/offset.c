/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures how far the clocks of two processes are apart. An answer is given after its question was sent
 * and before it is received: each exchange sets two bounds to the offset, as far apart as its round trip
 * took. (Cristian, Probabilistic clock synchronization, 1989, and since then most tracers, keep the
 * exchange with the shortest round trip.) All bounds hold, so here the closest ones count: the way to of
 * one exchange and the way back of another. Delays in between, of a rank that had to wait for its core,
 * fall out unless no message was without. In the few ms of it drift is below 100 ns.
 */
#include "offset.h"

bool efg_offset_add(struct efg_offset *o, uint64_t sent, uint64_t theirs, uint64_t received)
{
    int64_t low = (int64_t)(theirs - received), high = (int64_t)(theirs - sent);
    if (!o->exchanges++) {
        *o = (struct efg_offset){low, high, received, 1};
        return false;
    }
    o->low = low > o->low ? low : o->low;
    o->high = high < o->high ? high : o->high;
    if (o->exchanges <= EFG_OFFSET_LEAST)
        return false;
    return o->exchanges > EFG_OFFSET_MOST || received - o->began >= EFG_OFFSET_BUDGET;
}

uint64_t efg_offset_theirs(const struct efg_offset *o, uint64_t mine, uint64_t *error)
{
    int64_t half = (o->high - o->low) / 2; /* below 0 by drift only */
    *error = half > 0 ? (uint64_t)half : 0;
    return mine + (uint64_t)(o->low + half);
}

uint32_t efg_offset_parent(uint32_t i, uint32_t *round)
{
    *round = 31 - (uint32_t)__builtin_clz(i);
    return i - (UINT32_C(1) << *round);
}
