/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds and adds keys. The bytes of all keys lie in one buffer. A key is found by its hash; where
 * another key has the same one, by the next number after it that is not taken.
 */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

void efg_otf2_table_fini(struct efg_otf2_table *table)
{
    efg_buffer_fini(&table->keys);
    free(table->rows);
    efg_map_fini(&table->by_hash);
    memset(table, 0, sizeof *table);
}

const void *efg_otf2_key(const struct efg_otf2_table *table, uint32_t number)
{
    return table->keys.data + table->rows[number].at;
}

/* The zeros behind a key end it if it is text, and align the next one. Returns 0 or -ENOMEM. */
static int append_key(struct efg_otf2_table *table, const void *key, size_t size)
{
    static const char zeros[8];
    efg_buffer_put(&table->keys, key, size);
    efg_buffer_put(&table->keys, zeros, 8 - size % 8);
    return table->keys.failed ? -ENOMEM : 0;
}

static bool is_key(const struct efg_otf2_table *table, uint64_t number, const void *key, size_t size)
{
    const struct efg_otf2_row *row = &table->rows[number];
    return row->size == size && memcmp(table->keys.data + row->at, key, size) == 0;
}

/* Where the number + 1 of a key is kept, 0 if it is new; NULL without memory. */
static uint64_t *number_of(struct efg_otf2_table *table, const void *key, size_t size)
{
    uint64_t *number, hash = efg_hash_bytes(0, key, size);
    do
        number = efg_map_put(&table->by_hash, hash++);
    while (number && *number && !is_key(table, *number - 1, key, size));
    return number;
}

uint32_t efg_otf2_intern(struct efg_otf2_table *table, const void *key, size_t size)
{
    uint64_t *number = table->failed ? NULL : number_of(table, key, size);
    if (number && *number)
        return (uint32_t)*number - 1;
    size_t at = table->keys.size;
    if (!number || append_key(table, key, size) ||
        efg_array_grow(&table->rows, table->count, 1, sizeof *table->rows)) {
        table->failed = true;
        return EFG_NONE;
    }
    table->rows[table->count] = (struct efg_otf2_row){.at = at, .size = size};
    *number = ++table->count;
    return table->count - 1;
}

uint32_t efg_otf2_intern_text(struct efg_otf2_table *table, const char *text)
{
    return efg_otf2_intern(table, text, strlen(text));
}
