/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run files, changed so that their checksums and sizes stay right: else no change of a byte
 * would ever come further than to a checksum. What is changed is the payload of a section, its
 * header, or which sections there are.
 *
 *     header (magic, version, size of the file, CRC-32) | section | section | ...
 *     section: kind, number, size of the payload, CRC-32 | payload
 *
 * Whatever is behind the end that the header names is left to the fuzzer.
 */
#include "mutate_run.h"

#include <string.h>

#include "files/run/parts.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

size_t run_size(const uint8_t *bytes, size_t size)
{
    uint64_t own = size < EFG_RUN_SECTIONS ? 0 : get(bytes + 12, 8);
    return own < EFG_RUN_SECTIONS || own > size ? size : (size_t)own;
}

/* Checksums of a file of SIZE bytes, of sections as far as they follow one another. */
static void seal(uint8_t *bytes, size_t size)
{
    put(bytes + 12, size, 8);
    put(bytes + 20, efg_crc32(0, bytes, 20), 4);
    for (size_t at = EFG_RUN_SECTIONS; size - at >= EFG_SECTION_HEADER;) {
        uint64_t length = get(bytes + at + 8, 8);
        if (length > size - at - EFG_SECTION_HEADER)
            return;
        uint32_t crc = efg_crc32(0, bytes + at, 16);
        put(bytes + at + 16, efg_crc32(crc, bytes + at + EFG_SECTION_HEADER, length), 4);
        at += EFG_SECTION_HEADER + length;
    }
}

/* Where one of the sections is, chosen by SEED; SIZE if there is none. */
static size_t choose(const uint8_t *bytes, size_t size, unsigned seed)
{
    size_t chosen = size;
    unsigned seen = 0;
    for (size_t at = EFG_RUN_SECTIONS; size - at >= EFG_SECTION_HEADER;) {
        uint64_t length = get(bytes + at + 8, 8);
        if (length > size - at - EFG_SECTION_HEADER)
            break;
        seed = seed * 1664525u + 1013904223u;
        if ((seed >> 8) % ++seen == 0)
            chosen = at;
        at += EFG_SECTION_HEADER + length;
    }
    return chosen;
}

/* Change the payload of the section at AT. Returns the new size of the file. */
static size_t mutate_section(uint8_t *bytes, size_t size, size_t room, size_t at)
{
    size_t begin = at + EFG_SECTION_HEADER, length = (size_t)get(bytes + at + 8, 8);
    size_t behind = size - begin - length, most = room - size + length;
    uint8_t *rest = bytes + begin + length;
    if (!most)
        return size;
    memmove(bytes + room - behind, rest, behind);
    size_t now = LLVMFuzzerMutate(bytes + begin, length, most);
    put(bytes + at + 8, now, 8);
    memmove(bytes + begin + now, bytes + room - behind, behind);
    return begin + now + behind;
}

/* A second time what is at AT, as that of the next number; or none of it. */
static size_t copy_section(uint8_t *bytes, size_t size, size_t room, size_t at, int twice)
{
    size_t whole = EFG_SECTION_HEADER + (size_t)get(bytes + at + 8, 8);
    if (!twice) {
        memmove(bytes + at, bytes + at + whole, size - at - whole);
        return size - whole;
    }
    if (whole > room - size)
        return size;
    memmove(bytes + at + whole, bytes + at, size - at);
    put(bytes + at + whole + 4, get(bytes + at + 4, 4) + 1, 4);
    return size + whole;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    size_t own = run_size(bytes, size), behind = size - own, now = own;
    if (size < EFG_RUN_SECTIONS || seed % 64 == 0)
        return LLVMFuzzerMutate(bytes, size, room);
    if (behind && seed % 4 == 1)
        return own + LLVMFuzzerMutate(bytes + own, behind, room - own);
    size_t at = choose(bytes, own, seed / 64);
    if (at == own)
        return LLVMFuzzerMutate(bytes, size, room);
    memmove(bytes + room - behind, bytes + own, behind);
    if (seed % 16 == 2)
        now = copy_section(bytes, own, room - behind, at, seed / 16 % 3);
    else if (seed % 16 == 3)
        LLVMFuzzerMutate(bytes + at, 8, 8); /* kind and number */
    else
        now = mutate_section(bytes, own, room - behind, at);
    seal(bytes, now);
    memmove(bytes + now, bytes + room - behind, behind);
    return now + behind;
}
