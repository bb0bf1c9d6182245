/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all readers and writers of sections share. Nothing in a payload is trusted: counts are allocated
 * only when the bytes for so many things are there, and ids must be in range.
 *
 * Invariant: whatever the bytes are, what has been filled in can be freed; a count is set only
 * once its array is there, all zero.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "parts.h"

/* --- reading --- */

struct efg_input efg_input(const void *bytes, size_t size)
{
    return (struct efg_input){.reader = efg_reader(bytes, size)};
}

int efg_input_outcome(const struct efg_input *in)
{
    if (in->no_memory)
        return -ENOMEM;
    return in->reader.failed || in->reader.at != in->reader.size ? -EBADMSG : 0;
}

void efg_input_expect(struct efg_input *in, bool condition)
{
    if (!condition)
        in->reader.failed = true;
}

uint64_t efg_input_number(struct efg_input *in)
{
    return efg_reader_number(&in->reader);
}

uint32_t efg_input_to(struct efg_input *in, uint64_t most)
{
    uint64_t value = efg_reader_number(&in->reader);
    efg_input_expect(in, value <= most);
    return value <= most ? (uint32_t)value : 0;
}

uint32_t efg_input_32(struct efg_input *in)
{
    return efg_input_to(in, UINT32_MAX);
}

void efg_run_put_signed(struct efg_buffer *out, uint64_t difference)
{
    efg_buffer_number(out, difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0));
}

uint64_t efg_input_signed(struct efg_input *in)
{
    uint64_t value = efg_input_number(in);
    return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

void *efg_input_need(struct efg_input *in, void *memory)
{
    if (!memory)
        in->no_memory = in->reader.failed = true;
    return memory;
}

char *efg_input_string(struct efg_input *in)
{
    return efg_input_need(in, efg_reader_string(&in->reader));
}

void *efg_input_array(struct efg_input *in, size_t least, size_t size, uint32_t *count)
{
    size_t n = efg_reader_count(&in->reader, least);
    *count = 0;
    efg_input_expect(in, n < EFG_NONE);
    if (in->reader.failed || !n)
        return NULL;
    void *things = efg_input_need(in, calloc(n, size));
    if (things)
        *count = (uint32_t)n;
    return things;
}

/* --- sections --- */

size_t efg_section_begin(struct efg_buffer *out, enum efg_section_kind kind, uint32_t number)
{
    size_t begin = out->size;
    efg_buffer_u32(out, kind);
    efg_buffer_u32(out, number);
    efg_buffer_u64(out, 0); /* the size and the checksum: see efg_section_end */
    efg_buffer_u32(out, 0);
    return begin;
}

static uint32_t checksum(const unsigned char *header, const void *payload, uint64_t size)
{
    return efg_crc32(efg_crc32(0, header, EFG_SECTION_HEADER - 4), payload, size);
}

static void set_little_endian(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

void efg_section_end(struct efg_buffer *out, size_t begin)
{
    if (out->failed)
        return;
    unsigned char *header = out->data + begin;
    uint64_t size = out->size - begin - EFG_SECTION_HEADER;
    set_little_endian(header + 8, size, 8);
    set_little_endian(header + 16, checksum(header, header + EFG_SECTION_HEADER, size), 4);
}

struct efg_section efg_section_get(const unsigned char *header)
{
    struct efg_reader in = efg_reader(header, EFG_SECTION_HEADER);
    struct efg_section section = {.kind = efg_reader_u32(&in), .number = efg_reader_u32(&in)};
    section.size = efg_reader_u64(&in);
    section.crc = efg_reader_u32(&in);
    return section;
}

bool efg_section_is_whole(const unsigned char *header, const void *payload, uint64_t size)
{
    return efg_section_get(header).crc == checksum(header, payload, size);
}
