/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table. Invariant: between the home slot of a key and the slot that holds it, all are
 * used. Source of the deletion: Knuth, The Art of Computer Programming, 6.4, algorithm R.
 */
#include "map.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS 64

static uint64_t home(const struct efg_map *map, uint64_t key)
{
    key *= 0x9e3779b97f4a7c15ull; /* Fibonacci hashing: handles differ in middle bits */
    return (key ^ key >> 32) & map->mask;
}

void efg_map_fini(struct efg_map *map)
{
    free(map->slots);
    free(map->used);
    *map = (struct efg_map){0};
}

uint64_t efg_map_memory(const struct efg_map *map)
{
    return map->slots ? (map->mask + 1) * (sizeof *map->slots + sizeof *map->used) : 0;
}

static uint64_t locate(const struct efg_map *map, uint64_t key)
{
    uint64_t at = home(map, key);
    while (map->used[at] && map->slots[at].key != key)
        at = (at + 1) & map->mask;
    return at;
}

uint64_t *efg_map_find(const struct efg_map *map, uint64_t key)
{
    if (!map->slots)
        return NULL;
    uint64_t at = locate(map, key);
    return map->used[at] ? &map->slots[at].value : NULL;
}

static int grow(struct efg_map *map)
{
    uint64_t slots = map->slots ? 2 * (map->mask + 1) : FIRST_SLOTS;
    struct efg_map larger = {
        .slots = malloc(slots * sizeof *larger.slots),
        .used = calloc(slots, 1),
        .mask = slots - 1,
        .count = map->count,
    };
    if (!larger.slots || !larger.used) {
        efg_map_fini(&larger);
        return -ENOMEM;
    }
    for (uint64_t i = 0; map->slots && i <= map->mask; i++) {
        if (!map->used[i])
            continue;
        uint64_t at = locate(&larger, map->slots[i].key);
        larger.slots[at] = map->slots[i];
        larger.used[at] = 1;
    }
    efg_map_fini(map);
    *map = larger;
    return 0;
}

uint64_t *efg_map_put(struct efg_map *map, uint64_t key)
{
    if (efg_map_is_full(map) && grow(map) != 0)
        return efg_map_find(map, key);
    uint64_t at = locate(map, key);
    if (!map->used[at]) {
        map->used[at] = 1;
        map->slots[at] = (struct efg_map_slot){key, 0};
        map->count++;
    }
    return &map->slots[at].value;
}

uint64_t efg_map_number(struct efg_map *map, uint64_t key)
{
    uint64_t known = map->count, *number = efg_map_put(map, key);

    if (number && map->count > known)
        *number = known;
    return number ? *number : UINT64_MAX;
}

void efg_map_remove(struct efg_map *map, uint64_t key)
{
    if (!map->slots)
        return;
    uint64_t hole = locate(map, key);
    if (!map->used[hole])
        return;
    map->count--;
    for (uint64_t at = hole;;) {
        at = (at + 1) & map->mask;
        if (!map->used[at])
            break;
        /* An entry may move into the hole unless its home lies behind it. */
        if (((at - home(map, map->slots[at].key)) & map->mask) < ((at - hole) & map->mask))
            continue;
        map->slots[hole] = map->slots[at];
        hole = at;
    }
    map->used[hole] = 0;
}
