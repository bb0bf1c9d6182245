/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares and hashes what tells the nodes of the graph apart. Signatures are compared and hashed as four
 * 64-bit words; fields that are not selected are zero, so equality of the words is equality of the
 * signatures.
 */
#include "signature.h"

#include "base/hash.h"

_Static_assert(sizeof(struct efg_signature) == 32, "a signature has no padding");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the call is in the first bytes of call_only");

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
    if (!(dimensions & EFG_DIM_ELEMENT))
        s.element = 0;
    if (!(dimensions & EFG_DIM_ADDRESS))
        s.buffer = 0;
    return s;
}

uint64_t efg_signature_hash(const struct efg_signature *s)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < 4; i++)
        h = efg_hash_mix(h, efg_signature_word(s, i));
    return h;
}

uint64_t efg_signature_name(const struct efg_signature *s, uint64_t path_hash)
{
    uint64_t hash = efg_hash_mix(s->call, s->path ? path_hash : 0);

    if (efg_signature_word(s, 1) | efg_signature_word(s, 2) | efg_signature_word(s, 3)) {
        hash = efg_hash_mix(hash, (uint64_t)s->region << 32 | s->comm);
        hash = efg_hash_mix(hash, (uint64_t)s->element << 32 | (uint32_t)s->partner);
        hash = efg_hash_mix(hash, s->size);
    }
    return s->buffer ? efg_hash_mix(hash, s->buffer) : hash;
}
