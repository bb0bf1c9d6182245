/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes hashes of bytes and numbers. Bytes are read as little endian words, so that every machine
 * computes the same.
 */
#include "hash.h"

#include <endian.h>
#include <string.h>

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
