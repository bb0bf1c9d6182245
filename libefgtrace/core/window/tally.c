/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Remembers how often the pivot had been visited when some world collectives were passed.
 * Invariant: kept[level] is a ring of the last odd multiples of 2^level, number (2 i + 1) 2^level
 * at i % EFG_TALLY_KEPT. So a number is known until EFG_TALLY_KEPT more of its level are passed.
 */
#include "tally.h"

#define NEAR_BITS 6 /* leading bits of a number that efg_tally_near keeps */

enum efg_tally_answer efg_tally_at(const struct efg_tally *tally, uint64_t w, uint64_t *visits)
{
    if (w > tally->worlds)
        return EFG_TALLY_AHEAD;
    if (!w) {
        *visits = 0;
        return EFG_TALLY_KNOWN;
    }
    unsigned level = efg_tally_level(w);
    uint64_t number = w >> level >> 1, last = ((tally->worlds >> level) - 1) >> 1;
    if (w <= tally->marked || last - number >= EFG_TALLY_KEPT)
        return EFG_TALLY_GONE;
    *visits = tally->kept[level][number & (EFG_TALLY_KEPT - 1)];
    return EFG_TALLY_KNOWN;
}

uint64_t efg_tally_between(uint64_t after, uint64_t upto)
{
    while ((upto & (upto - 1)) > after)
        upto &= upto - 1;
    return upto;
}

uint64_t efg_tally_near(uint64_t upto)
{
    unsigned bits = upto ? 64 - (unsigned)__builtin_clzll(upto) : 0;
    return bits > NEAR_BITS ? upto >> (bits - NEAR_BITS) << (bits - NEAR_BITS) : upto;
}
