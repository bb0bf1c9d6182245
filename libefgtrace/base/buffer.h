/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer: bytes that grow while they are written, and a reader of bytes that
 * never reads past their end. Numbers are little-endian, or LEB128 (7 bits a
 * byte, low ones first) where they are mostly small.
 *
 * Errors are sticky: after a failure (no memory; end of the bytes) every further
 * call does nothing and yields zero, so that a caller checks once, at the end.
 */
#ifndef EFG_BUFFER_H
#define EFG_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct efg_buffer { /* all zero is an empty buffer */
    unsigned char *data;
    size_t size, room;
    bool failed; /* no memory */
};

void efg_buffer_fini(struct efg_buffer *buffer);
void efg_buffer_put(struct efg_buffer *buffer, const void *bytes, size_t size);
/* Where to write SIZE more bytes; valid until the next call. NULL without memory. */
unsigned char *efg_buffer_extend(struct efg_buffer *buffer, size_t size);
void efg_buffer_u32(struct efg_buffer *buffer, uint32_t value);
void efg_buffer_u64(struct efg_buffer *buffer, uint64_t value);
void efg_buffer_number(struct efg_buffer *buffer, uint64_t value); /* LEB128 */
void efg_buffer_string(struct efg_buffer *buffer, const char *string); /* length, bytes; NULL is "" */
/* Text as printf makes it, without a length or a zero byte. */
void efg_buffer_print(struct efg_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What BUFFER has, as a text with a zero behind it, to be freed; NULL without memory. BUFFER is
 * empty then. */
char *efg_buffer_text(struct efg_buffer *buffer);

struct efg_reader {
    const unsigned char *data;
    size_t size, at;
    bool failed; /* the bytes ended, or a value was out of range */
};

struct efg_reader efg_reader(const void *data, size_t size);
/* A pointer to the next SIZE bytes, or NULL. */
const void *efg_reader_take(struct efg_reader *reader, size_t size);
uint32_t efg_reader_u32(struct efg_reader *reader);
uint64_t efg_reader_u64(struct efg_reader *reader);
uint64_t efg_reader_number(struct efg_reader *reader);
/* A number of things that follow and take at least BYTES each: fails if there cannot be that
 * many, so that it is safe to allocate them. */
size_t efg_reader_count(struct efg_reader *reader, size_t bytes);
/* A string of its own (free it), "" after a failure; NULL without memory. */
char *efg_reader_string(struct efg_reader *reader);

/* CRC-32 (IEEE 802.3) of SIZE bytes, continuing CRC (0 to begin). */
uint32_t efg_crc32(uint32_t crc, const void *data, size_t size);

#endif
