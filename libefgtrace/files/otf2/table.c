/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbered keys: open addressing with linear probing over rows; the bytes of all keys lie in
 * one buffer. Numbers are never taken back, so nothing is ever removed.
 *
 * Invariant: slot_count is a power of two, at least twice count.
 */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void efg_otf2_table_fini(struct efg_otf2_table *table)
{
    efg_buffer_fini(&table->keys);
    free(table->rows);
    free(table->slots);
    memset(table, 0, sizeof *table);
}

const void *efg_otf2_key(const struct efg_otf2_table *table, uint32_t number)
{
    return table->keys.data + table->rows[number].at;
}

/* The slot of a key: its own or the empty one where it belongs. */
static uint32_t *slot_of(const struct efg_otf2_table *table, const void *key, size_t size,
                         uint64_t hash)
{
    uint32_t mask = table->slot_count - 1;
    for (uint32_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
        const struct efg_otf2_row *row = table->rows + table->slots[at] - 1;
        if (!table->slots[at])
            return table->slots + at;
        if (row->hash == hash && row->size == size &&
            memcmp(table->keys.data + row->at, key, size) == 0)
            return table->slots + at;
    }
}

static int rehash(struct efg_otf2_table *table, uint32_t slot_count)
{
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return -1;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t at = (uint32_t)table->rows[i].hash & (slot_count - 1);
        while (slots[at])
            at = (at + 1) & (slot_count - 1);
        slots[at] = i + 1;
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    return 0;
}

static int make_room(struct efg_otf2_table *table)
{
    if (table->count < table->room)
        return 0;
    uint32_t room = table->room ? 2 * table->room : 32;
    struct efg_otf2_row *rows = realloc(table->rows, room * sizeof *rows);
    if (!rows)
        return -1;
    table->rows = rows;
    if (room > UINT32_MAX / 4 || rehash(table, 2 * room) != 0)
        return -1;
    table->room = room;
    return 0;
}

/* The zeros behind a key end it if it is text, and align the next one. */
static void append_key(struct efg_otf2_table *table, const void *key, size_t size)
{
    static const char zeros[8];
    efg_buffer_put(&table->keys, key, size);
    efg_buffer_put(&table->keys, zeros, 8 - size % 8);
}

uint32_t efg_otf2_intern(struct efg_otf2_table *table, const void *key, size_t size)
{
    uint64_t hash = efg_hash_bytes(0, key, size);
    if (table->failed || make_room(table) != 0) {
        table->failed = 1;
        return EFG_OTF2_NONE;
    }
    uint32_t *slot = slot_of(table, key, size, hash);
    if (*slot)
        return *slot - 1;
    size_t at = table->keys.size;
    append_key(table, key, size);
    if (table->keys.failed) {
        table->failed = 1;
        return EFG_OTF2_NONE;
    }
    table->rows[table->count] = (struct efg_otf2_row){.hash = hash, .at = at, .size = size};
    *slot = ++table->count;
    return table->count - 1;
}

uint32_t efg_otf2_intern_text(struct efg_otf2_table *table, const char *text)
{
    return efg_otf2_intern(table, text, strlen(text));
}
