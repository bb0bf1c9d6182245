/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive.h"

#include <string.h>

#include "fuzz.h"

/* In the order of seeds.sh. */
static const char *const names[] = {"run.efg",      "traces.otf2",  "traces.def",  "traces/0.def",
                                    "traces/0.evt", "traces/1.def", "traces/1.evt"};
#define NAMES (sizeof names / sizeof *names)

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

size_t archive_part(const uint8_t *bytes, size_t size)
{
    if (size < ARCHIVE_HEAD)
        return 0;
    size_t wanted = bytes[1] | (size_t)bytes[2] << 8 | (size_t)bytes[3] << 16;
    return ARCHIVE_HEAD + (wanted < size - ARCHIVE_HEAD ? wanted : size - ARCHIVE_HEAD);
}

void archive_unpack(const uint8_t *bytes, size_t size)
{
    fuzz_empty("");
    for (size_t part; (part = archive_part(bytes, size)); bytes += part, size -= part)
        fuzz_write(names[*bytes % NAMES], bytes + ARCHIVE_HEAD, part - ARCHIVE_HEAD);
}

/* What is in one of its files is changed, but for the run file: other targets do that. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    static uint8_t rest[1 << 20];
    size_t at = 0, part, skip = seed % NAMES;
    if (seed % 64 == 0 || room > sizeof rest)
        return LLVMFuzzerMutate(bytes, size, room);
    while ((part = archive_part(bytes + at, size - at)) && (bytes[at] % NAMES == ARCHIVE_RUN || skip-- > 0))
        at += part;
    if (!part)
        return LLVMFuzzerMutate(bytes, size, room);
    uint8_t *head = bytes + at, *inside = head + ARCHIVE_HEAD;
    size_t left = size - at - part;
    memcpy(rest, head + part, left);
    size_t changed = LLVMFuzzerMutate(inside, part - ARCHIVE_HEAD, room - at - ARCHIVE_HEAD - left);
    head[1] = (uint8_t)changed;
    head[2] = (uint8_t)(changed >> 8);
    head[3] = (uint8_t)(changed >> 16);
    memcpy(inside + changed, rest, left);
    return at + ARCHIVE_HEAD + changed + left;
}
