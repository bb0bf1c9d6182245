/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Map from 64-bit keys to 64-bit values: open addressing, linear probing, deletion by
 * moving back what follows. At most half full, so that a search ends after a few slots.
 */
#ifndef EFG_MAP_H
#define EFG_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct efg_map { /* all zero is an empty map */
    struct efg_map_slot {
        uint64_t key, value;
    } * slots;
    unsigned char *used;
    uint64_t mask; /* slots - 1 */
    uint64_t count;
};

void efg_map_fini(struct efg_map *map);

/* Bytes held. */
uint64_t efg_map_memory(const struct efg_map *map);

/* Whether one more key takes twice the memory, or the first. */
static inline bool efg_map_is_full(const struct efg_map *map)
{
    return !map->slots || 2 * map->count > map->mask;
}

/* Where the value of KEY is kept, or NULL. Valid until the next change. */
uint64_t *efg_map_find(const struct efg_map *map, uint64_t key);

/* Where the value of KEY is kept, made as 0 if it is new; NULL without memory. */
uint64_t *efg_map_put(struct efg_map *map, uint64_t key);

/* The number of KEY: keys get numbers from 0 on, in the order in which they first come. UINT64_MAX without
 * memory. For maps from which nothing is removed. */
uint64_t efg_map_number(struct efg_map *map, uint64_t key);

/* Remove KEY if it is there. */
void efg_map_remove(struct efg_map *map, uint64_t key);

#endif
