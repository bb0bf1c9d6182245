/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hash: 64 bits of any words or bytes, the same on every machine and rank. It is multiply and
 * fold: the upper half of a 64-bit product depends on all bits of the factor, folding it down
 * lets a table use the low bits.
 *
 * Source of the constants and of the final mixing: Steele, Lea, Flood, "Fast
 * splittable pseudorandom number generators" (2014), the SplitMix64 variant.
 */
#ifndef EFG_HASH_H
#define EFG_HASH_H

#include <stdint.h>

/* Mix the word X into the hash H. Inline: it is on the path of events. */
static inline uint64_t efg_hash_mix(uint64_t h, uint64_t x)
{
    /* H first, so that (a, b) is not (b, a); the last term keeps (0, 0) from being 0. */
    h = h * 0xff51afd7ed558ccdu + x + 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

/* Hash of LENGTH bytes, continuing H. */
uint64_t efg_hash_bytes(uint64_t h, const void *bytes, uint64_t length);

#endif
