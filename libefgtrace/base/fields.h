/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fields: facts of a structure that are kept as tag and value, so that a file may have more of
 * them than its reader knows, or fewer. One table, for writing and for reading.
 *
 *     (tag x 2 | is text, value) ... 0        what is 0 or empty is left out
 */
#ifndef EFG_FIELDS_H
#define EFG_FIELDS_H

#include <stddef.h>

#include "buffer.h"

enum efg_field_type {
    EFG_FIELD_64,   /* uint64_t */
    EFG_FIELD_32,   /* uint32_t */
    EFG_FIELD_ID,   /* uint32_t, kept as its successor: EFG_NONE is 0 */
    EFG_FIELD_TEXT, /* char *, never NULL after reading */
};

struct efg_field {
    uint32_t tag; /* from 1; never given to another field again */
    enum efg_field_type type;
    size_t at; /* offset in the structure */
};

void efg_fields_put(struct efg_buffer *out, const void *from, const struct efg_field *fields,
                    size_t count);

/* Fill the fields of TO, which is all zero. Returns 0 or -ENOMEM; what is wrong with the
 * bytes marks IN as failed. */
int efg_fields_get(struct efg_reader *in, void *to, const struct efg_field *fields,
                   size_t count);

#endif
