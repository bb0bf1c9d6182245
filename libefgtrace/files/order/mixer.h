/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mixer: codes bits, many of which it can guess. Each bit comes with some contexts, that is,
 * hashes of what was known before it; in each context the mixer has counted what such bits
 * were, and it learns which contexts are worth listening to. A bit guessed with probability p
 * takes -log2 p bits.
 *
 * The same calls read what they wrote: coding and decoding are one function, which
 * takes the bit to be written and returns the bit that was written or read.
 *
 *     efg_mixer_number(&mixer, contexts, 0, 42)        writing: writes 42, returns 42
 *                                                      reading: returns 42, whatever is given
 *
 * Integers only, so that every machine reads what another has written.
 *
 * Sources: Mahoney, "Adaptive weighing of context models for lossless data compression" (2005);
 * Witten, Neal, Cleary, "Arithmetic coding for data compression" (1987).
 */
#ifndef EFG_MIXER_H
#define EFG_MIXER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#define EFG_MIXER_CONTEXTS 8
#define EFG_MIXER_SETS 8 /* of weights, for bits of different kinds */

struct efg_mixer_slot { /* bits seen in a context */
    uint16_t chance;    /* of a 1, in 1/65536 */
    uint8_t seen;
    uint8_t check; /* tells most contexts that share a slot from each other */
};

struct efg_mixer {
    struct efg_buffer *to; /* NULL: reading */
    struct efg_reader from;
    uint32_t low, high, code; /* of arithmetic coding; CODE: reading only */
    struct efg_mixer_slot *slots;
    uint32_t mask;                                       /* slots - 1 */
    int32_t weights[EFG_MIXER_SETS][EFG_MIXER_CONTEXTS]; /* in 1/65536 */
    int16_t stretched[4096];                             /* see mixer.c */
};

/* Write to TO, or, if that is NULL, read from FROM, which is never read beyond its end: there
 * are zeros. SLOTS: a power of two >= 16, 4 bytes each. Returns 0, or -ENOMEM. */
int efg_mixer_init(struct efg_mixer *mixer, struct efg_buffer *to, struct efg_reader from,
                   uint32_t slots);
void efg_mixer_fini(struct efg_mixer *mixer);

/* After the last number that is written. */
void efg_mixer_end(struct efg_mixer *mixer);

/* Mix X into the hash H of a context. */
static inline uint32_t efg_mixer_hash(uint32_t h, uint32_t x)
{
    h = (h ^ x) * 0x9e3779b1u;
    return (h ^ h >> 15) + 0x7f4a7c15u;
}

/* A bit in EFG_MIXER_CONTEXTS contexts; each kind of bit is mixed with its own set of
 * weights. */
int efg_mixer_bit(struct efg_mixer *mixer, const uint32_t *contexts, unsigned set, int bit);

/* The same for a number below 2^62, small ones in few bits. */
uint64_t efg_mixer_number(struct efg_mixer *mixer, const uint32_t *contexts, unsigned set,
                          uint64_t number);

#endif
