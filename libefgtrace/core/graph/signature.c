/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signatures are compared and hashed as four 64-bit words; fields that are not
 * selected are zero, so equality of the words is equality of the signatures.
 *
 * The hash is multiply and fold: the upper half of a 64-bit product depends on all
 * bits of the factor, folding it down lets a table use the low bits. Bytes are
 * read as little endian words, so that every machine computes the same.
 *
 * Source of the constants and of the final mixing: Steele, Lea, Flood, "Fast
 * splittable pseudorandom number generators" (2014), the SplitMix64 variant.
 */
#include "signature.h"

#include <endian.h>

_Static_assert(sizeof(struct efg_signature) == 32, "a signature has no padding");

/* 1 + floor(log2 BYTES), 0 for no bytes. */
static uint64_t size_class(uint64_t bytes)
{
    return bytes ? 64 - (uint64_t)__builtin_clzll(bytes) : 0;
}

struct efg_signature efg_signature_reduce(struct efg_signature s, unsigned dimensions)
{
    if (!(dimensions & EFG_DIM_PATH))
        s.path = 0;
    if (!(dimensions & EFG_DIM_REGION))
        s.region = 0;
    if (!(dimensions & EFG_DIM_COMM))
        s.comm = 0;
    if (!(dimensions & EFG_DIM_PARTNER))
        s.partner = 0;
    if (!(dimensions & EFG_DIM_SIZE))
        s.size = dimensions & EFG_DIM_SIZE_CLASS ? size_class(s.size) : 0;
    s.zero = 0;
    return s;
}

uint64_t efg_signature_hash(const struct efg_signature *s)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < 4; i++)
        h = efg_hash_mix(h, efg_signature_word(s, i));
    return h;
}

uint64_t efg_hash_mix(uint64_t h, uint64_t x)
{
    /* H first, so that (a, b) is not (b, a); the last term keeps (0, 0) from being 0. */
    h = h * 0xff51afd7ed558ccdu + x + 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

uint64_t efg_signature_name(const struct efg_signature *s, uint64_t path_hash)
{
    uint64_t hash = efg_hash_mix(s->call, s->path ? path_hash : 0);

    if (efg_signature_word(s, 1) | efg_signature_word(s, 2) | efg_signature_word(s, 3)) {
        hash = efg_hash_mix(hash, (uint64_t)s->region << 32 | s->comm);
        hash = efg_hash_mix(hash, (uint64_t)(uint32_t)s->partner);
        hash = efg_hash_mix(hash, s->size);
    }
    return hash;
}

uint64_t efg_hash_bytes(uint64_t h, const void *bytes, uint64_t length)
{
    const unsigned char *p = bytes;
    uint64_t word, i;

    for (i = 0; i + sizeof word <= length; i += sizeof word) {
        memcpy(&word, p + i, sizeof word);
        h = efg_hash_mix(h, le64toh(word));
    }
    if (i < length) {
        word = 0;
        memcpy(&word, p + i, length - i);
        h = efg_hash_mix(h, le64toh(word));
    }
    return efg_hash_mix(h, length); /* tells "a" from "a\0" */
}
