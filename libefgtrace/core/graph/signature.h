/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signature: what makes two events the same node of the event flow graph.
 *
 * By default an event is its call and its call path. Further dimensions can be
 * added or taken away: a dimension that is not selected is zero in every
 * signature, so that equality is equality of all bytes.
 *
 *     call | buffer | path | region | comm | partner | element | size
 *      16      16      32      32      32      32        32       64    bits
 */
#ifndef EFG_SIGNATURE_H
#define EFG_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum efg_dimension {
    EFG_DIM_PATH = 1 << 0,       /* call path */
    EFG_DIM_SIZE_CLASS = 1 << 1, /* 1 + floor(log2 bytes), 0 for none */
    EFG_DIM_SIZE = 1 << 2,       /* exact number of bytes; overrides SIZE_CLASS */
    EFG_DIM_PARTNER = 1 << 3,    /* relative partner (partner.h) */
    EFG_DIM_COMM = 1 << 4,       /* class of the communicator: kind << 28 | size */
    EFG_DIM_REGION = 1 << 5,     /* innermost user region */
    EFG_DIM_ELEMENT = 1 << 6,    /* bytes of an element of the datatype */
    EFG_DIM_ADDRESS = 1 << 7,    /* of the buffer: its number */
};
#define EFG_DIMENSIONS 8

struct efg_signature {
    union {
        struct {
            uint16_t call;   /* id of the MPI function */
            uint16_t buffer; /* number of its address, 0 for none */
        };
        uint32_t call_only; /* to set both, the second to 0: one store, on the path of every event */
    };
    uint32_t path;    /* id of the call path in this process, 0 for none */
    uint32_t region;  /* id of the user region: agrees between ranks; 0 for none */
    uint32_t comm;    /* class of the communicator, 0 for none */
    int32_t partner;  /* relative (partner.h), 0 for none */
    uint32_t element; /* bytes of an element, at most UINT32_MAX; 0 for none */
    uint64_t size;    /* bytes or size class, 0 for none */
};

/* Signature S reduced to the DIMENSIONS (a set of enum efg_dimension). */
struct efg_signature efg_signature_reduce(struct efg_signature s, unsigned dimensions);

/* The I-th of the four 64-bit words of S. */
static inline uint64_t efg_signature_word(const struct efg_signature *s, unsigned i)
{
    uint64_t word;

    memcpy(&word, (const char *)s + i * sizeof word, sizeof word);
    return word;
}

/* Whether A and B are the same. Inline: it is on the path of every event. */
static inline bool efg_signature_is_equal(const struct efg_signature *a, const struct efg_signature *b)
{
    uint64_t difference = 0;

    for (unsigned i = 0; i < sizeof *a / sizeof difference; i++)
        difference |= efg_signature_word(a, i) ^ efg_signature_word(b, i);
    return !difference;
}

/* A hash that depends on ids of this process: for its own tables only. */
uint64_t efg_signature_hash(const struct efg_signature *s);

/* The name of S among ranks. It uses the hash of the path, since ids of paths differ between
 * processes. */
uint64_t efg_signature_name(const struct efg_signature *s, uint64_t path_hash);

#endif
