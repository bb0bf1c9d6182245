/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table: keys of any length, numbered from 0 in the order of adding.
 */
#ifndef EFG_OTF2_TABLE_H
#define EFG_OTF2_TABLE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/none.h"

struct efg_otf2_table { /* all zero is an empty one */
    struct efg_buffer keys;
    struct efg_otf2_row {
        uint64_t value;  /* the user's, 0 at first */
        size_t at, size; /* of the key in keys */
    } * rows;
    struct efg_map by_hash; /* of the key -> row + 1 */
    uint32_t count;
    bool failed; /* no memory; sticky */
};

void efg_otf2_table_fini(struct efg_otf2_table *table);
/* The number of KEY, which is added if it is new; EFG_NONE without memory. */
uint32_t efg_otf2_intern(struct efg_otf2_table *table, const void *key, size_t size);
uint32_t efg_otf2_intern_text(struct efg_otf2_table *table, const char *text);
/* The key with this number, valid until the next one is added; keys are aligned to 8 bytes
 * and followed by a zero byte. */
const void *efg_otf2_key(const struct efg_otf2_table *table, uint32_t number);

#endif
