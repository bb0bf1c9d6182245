/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes and reads bytes, numbers and text; computes checksums. A buffer doubles its room
 * whenever it is too small, so that n bytes cost O(n). Invariant: size <= room, and data holds
 * room bytes; a reader has at <= size. Both stay as they are once failed is set.
 *
 * LEB128 is as in DWARF 4, section 7.6. CRC-32 is the reflected one of IEEE 802.3 (zlib,
 * PNG), four bits at a time from a table of 16 entries: small, and fast enough for
 * files of some megabytes.
 */
#include "buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- writing --- */

void efg_buffer_fini(struct efg_buffer *buffer)
{
    free(buffer->data);
    memset(buffer, 0, sizeof *buffer);
}

char *efg_buffer_text(struct efg_buffer *buffer)
{
    char *text;

    efg_buffer_put(buffer, "", 1);
    text = (char *)buffer->data;
    if (buffer->failed) {
        free(text);
        text = NULL;
    }
    memset(buffer, 0, sizeof *buffer);
    return text;
}

unsigned char *efg_buffer_extend(struct efg_buffer *buffer, size_t size)
{
    if (buffer->failed)
        return NULL;
    if (!buffer->data || size > buffer->room - buffer->size) {
        size_t room = buffer->room ? buffer->room : 256;
        while (room - buffer->size < size && room <= SIZE_MAX / 2)
            room *= 2;
        unsigned char *data = room - buffer->size < size ? NULL : realloc(buffer->data, room);
        if (!data) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = data;
        buffer->room = room;
    }
    buffer->size += size;
    return buffer->data + buffer->size - size;
}

void efg_buffer_put(struct efg_buffer *buffer, const void *bytes, size_t size)
{
    unsigned char *to = size ? efg_buffer_extend(buffer, size) : NULL;
    if (to)
        memcpy(to, bytes, size);
}

static void put_little_endian(struct efg_buffer *buffer, uint64_t value, int bytes)
{
    unsigned char text[8];
    for (int i = 0; i < bytes; i++)
        text[i] = (unsigned char)(value >> (8 * i));
    efg_buffer_put(buffer, text, (size_t)bytes);
}

void efg_buffer_u32(struct efg_buffer *buffer, uint32_t value)
{
    put_little_endian(buffer, value, 4);
}

void efg_buffer_u64(struct efg_buffer *buffer, uint64_t value)
{
    put_little_endian(buffer, value, 8);
}

void efg_buffer_number(struct efg_buffer *buffer, uint64_t value)
{
    unsigned char text[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        text[size++] = (unsigned char)(value | 0x80);
    text[size++] = (unsigned char)value;
    efg_buffer_put(buffer, text, size);
}

void efg_buffer_string(struct efg_buffer *buffer, const char *string)
{
    size_t length = string ? strlen(string) : 0;
    efg_buffer_number(buffer, length);
    efg_buffer_put(buffer, string, length);
}

void efg_buffer_print(struct efg_buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *to = length >= 0 ? (char *)efg_buffer_extend(buffer, (size_t)length + 1) : NULL;
    if (to) {
        vsnprintf(to, (size_t)length + 1, format, again);
        buffer->size--; /* the zero byte */
    }
    va_end(again);
    va_end(arguments);
}

/* --- reading --- */

struct efg_reader efg_reader(const void *data, size_t size)
{
    return (struct efg_reader){.data = data, .size = size};
}

const void *efg_reader_take(struct efg_reader *reader, size_t size)
{
    if (reader->failed || size > reader->size - reader->at) {
        reader->failed = true;
        return NULL;
    }
    reader->at += size;
    return reader->data + reader->at - size;
}

static uint64_t take_little_endian(struct efg_reader *reader, int bytes)
{
    const unsigned char *text = efg_reader_take(reader, (size_t)bytes);
    uint64_t value = 0;
    for (int i = 0; text && i < bytes; i++)
        value |= (uint64_t)text[i] << (8 * i);
    return value;
}

uint32_t efg_reader_u32(struct efg_reader *reader)
{
    return (uint32_t)take_little_endian(reader, 4);
}

uint64_t efg_reader_u64(struct efg_reader *reader)
{
    return take_little_endian(reader, 8);
}

uint64_t efg_reader_number(struct efg_reader *reader)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const unsigned char *byte = efg_reader_take(reader, 1);
        if (!byte)
            return 0;
        if (shift == 63 && *byte > 1)
            break; /* more than 64 bits */
        value |= (uint64_t)(*byte & 0x7f) << shift;
        if (!(*byte & 0x80))
            return value;
    }
    reader->failed = true;
    return 0;
}

size_t efg_reader_count(struct efg_reader *reader, size_t bytes)
{
    uint64_t count = efg_reader_number(reader);
    if (count > (reader->size - reader->at) / (bytes ? bytes : 1)) {
        reader->failed = true;
        return 0;
    }
    return (size_t)count;
}

char *efg_reader_string(struct efg_reader *reader)
{
    size_t length = efg_reader_count(reader, 1);
    const void *bytes = efg_reader_take(reader, length);
    char *string = malloc((bytes ? length : 0) + 1);
    if (!string)
        return NULL;
    if (bytes)
        memcpy(string, bytes, length);
    string[bytes ? length : 0] = '\0';
    return string;
}

/* --- checksum --- */

uint32_t efg_crc32(uint32_t crc, const void *data, size_t size)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const unsigned char *byte = data;
    crc = ~crc;
    for (; size; size--, byte++) {
        crc ^= *byte;
        crc = table[crc & 15] ^ (crc >> 4);
        crc = table[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}
