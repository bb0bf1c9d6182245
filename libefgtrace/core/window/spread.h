/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spread: where several windows lie in a run of unknown length. One is made in each of the
 * SLOTS of STRIDE iterations, from the first one on. When there are twice as many as are
 * wanted, one of each two is given up and the stride doubles:
 *
 *     wanted 3    0 1 2 3 4 5               six windows
 *                 0 . . 3 4 .     6     8   three of them stay, two more; then
 *                 0 . . . 4 . . . 8 ..
 *
 * So at any time there are between wanted and 2 x wanted - 1 windows, spread over the run. At the end, the
 * wanted number is chosen from them. Where in its slot one begins, and which of two stays, is drawn: what a
 * program does in every 20th iteration would else be in none of them, or in all. The first one stays.
 *
 * STRETCH: where more is needed than windows of one size can have, slots become longer, but no window is
 * given up: those to come can be longer. Windows that share a slot with one before count as one with it.
 *
 * The struct is the caller's. Nothing allocates. Ranks that make the same calls have the same
 * spread.
 */
#ifndef EFG_SPREAD_H
#define EFG_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#define EFG_SPREAD_MOST 1000 /* windows that may be wanted */

struct efg_spread {
    uint64_t wanted; /* 1 to EFG_SPREAD_MOST; with 1, nothing is ever given up */
    uint64_t start;  /* first iteration of the first window */
    uint64_t stride; /* iterations of a slot */
    uint64_t closest; /* of one without which slots would be missed */
    uint64_t slot;   /* of the window that is to be made, or was made last */
    uint32_t count;  /* windows that were made and not given up */
    uint32_t extra;  /* so many of them share the slot of one before */
    struct {
        uint64_t slot, first; /* first: the first iteration, by number */
    } made[3 * EFG_SPREAD_MOST];
};

/* No window yet; STRIDE is what one takes, at least 1. */
void efg_spread_init(struct efg_spread *spread, uint64_t wanted, uint64_t stride);

/* Where the next window begins, if it cannot be before iteration SOONEST. If it was not made,
 * ask again. May give up some. */
uint64_t efg_spread_next(struct efg_spread *spread, uint64_t soonest);

/* The window of efg_spread_next was made; it begins at iteration FIRST. May give up some. */
void efg_spread_add(struct efg_spread *spread, uint64_t first);

/* Before another window is made: rather than give up some, want twice as many. */
void efg_spread_want_more(struct efg_spread *spread);

/* The same, if there are as many as are wanted, and windows follow one another as closely as they can:
 * the stride doubles. By how many iterations a window may be longer from now on; 0: all is as before. */
uint64_t efg_spread_stretch(struct efg_spread *spread);

/* 1 unless the window that begins at iteration FIRST was given up. */
bool efg_spread_has(const struct efg_spread *spread, uint64_t first);

/* Choose at most WANTED of COUNT windows, evenly spread: FIRST has their first iterations, in
 * ascending order; KEEP[i] becomes 1 or 0. Returns how many are kept. */
uint32_t efg_spread_choose(const uint64_t *first, uint32_t count, uint32_t wanted,
                           uint8_t *keep);

#endif
