/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the regions that the user marks by MPI_Pcontrol. The names are in a hash table with the region's
 * id as the key, at most half full. Nothing is ever removed, so that a name stays where it is.
 *
 * Two names of the same id (one pair in 2^31) are one region, with the name that came first.
 */
#include "regions.h"

#include <pthread.h>
#include <string.h>

#include "base/hash.h"

#define SLOTS (2 * EFG_REGION_NAMES)

static struct {
    pthread_mutex_t lock;
    uint32_t count;
    uint32_t id[SLOTS]; /* 0: free, else the name is there; atomic */
    char name[SLOTS][EFG_REGION_NAME];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint32_t efg_regions_id(const char *name)
{
    return (uint32_t)efg_hash_bytes(0, name, strlen(name)) | 1;
}

static void keep(uint32_t id, const char *name)
{
    uint32_t slot = id / 2 % SLOTS;
    pthread_mutex_lock(&table.lock);
    while (table.id[slot] && table.id[slot] != id)
        slot = (slot + 1) % SLOTS;
    if (!table.id[slot] && table.count < EFG_REGION_NAMES) {
        table.count++;
        strncpy(table.name[slot], name, EFG_REGION_NAME - 1);
        __atomic_store_n(&table.id[slot], id, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&table.lock);
}

static void enter(struct efg_regions *r, uint32_t id)
{
    if (r->depth < EFG_REGION_DEPTH)
        r->id[r->depth] = id;
    r->depth++;
}

static void leave(struct efg_regions *r, uint32_t id)
{
    if (r->depth > EFG_REGION_DEPTH) { /* not known which: taken for the innermost */
        r->depth--;
        return;
    }
    for (uint32_t depth = r->depth; depth-- > 0;) {
        if (r->id[depth] == id) {
            r->depth = depth;
            return;
        }
    }
}

void efg_regions_control(struct efg_regions *r, int level, const char *name)
{
    if (!name)
        return;
    uint32_t id = efg_regions_id(name);
    if (level == 1) {
        keep(id, name);
        enter(r, id);
    } else if (level == -1) {
        leave(r, id);
    }
}

const char *efg_regions_next(uint32_t *at, uint32_t *id)
{
    for (; *at < SLOTS; (*at)++) {
        *id = __atomic_load_n(&table.id[*at], __ATOMIC_ACQUIRE);
        if (*id)
            return table.name[(*at)++];
    }
    return NULL;
}
