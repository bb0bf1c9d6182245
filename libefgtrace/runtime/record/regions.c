/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the regions that the user marks. The names are in a hash table with the region's
 * id as the key, at most half full. Nothing is ever removed, so that a name stays where it is. A region
 * within others has a number of its own, in a list that only grows.
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

static struct {
    pthread_mutex_t lock;
    uint32_t count; /* atomic */
    struct nested {
        uint32_t id, around; /* around: a number, 0 for none */
        const char *name;
    } all[EFG_REGION_NAMES]; /* by number - 1 */
} nested = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread struct efg_regions own; /* also of a thread that has not called MPI yet */

struct efg_regions *efg_regions_own(void)
{
    return &own;
}

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

/* NULL if it was not kept. */
static const char *name_of(uint32_t id)
{
    uint32_t slot = id / 2 % SLOTS, found;
    while ((found = __atomic_load_n(&table.id[slot], __ATOMIC_ACQUIRE)) && found != id)
        slot = (slot + 1) % SLOTS;
    return found ? table.name[slot] : NULL;
}

static void enter(struct efg_regions *r, uint32_t id)
{
    if (r->depth < EFG_REGION_DEPTH)
        r->id[r->depth] = id;
    r->depth++;
}

static bool leave(struct efg_regions *r, uint32_t id)
{
    if (r->depth > EFG_REGION_DEPTH) { /* not known which: taken for the innermost */
        r->depth--;
        return true;
    }
    for (uint32_t depth = r->depth; depth-- > 0;) {
        if (r->id[depth] == id) {
            r->depth = depth;
            return true;
        }
    }
    return false;
}

bool efg_regions_control(struct efg_regions *r, int level, const char *name)
{
    if (!name)
        return false;
    uint32_t id = efg_regions_id(name);
    if (level == -1)
        return leave(r, id);
    if (level != 1)
        return false;
    keep(id, name);
    enter(r, id);
    return true;
}

/* Of the COUNT first ones that of region ID within AROUND, 0 if it is not among them. */
static uint32_t find_nested(uint32_t count, uint32_t id, uint32_t around)
{
    for (uint32_t i = 0; i < count; i++)
        if (nested.all[i].id == id && nested.all[i].around == around)
            return i + 1;
    return 0;
}

/* 0: there is no room. */
static uint32_t add_nested(uint32_t id, uint32_t around)
{
    pthread_mutex_lock(&nested.lock);
    uint32_t number = find_nested(nested.count, id, around);
    if (!number && nested.count < EFG_REGION_NAMES) {
        nested.all[nested.count] = (struct nested){id, around, name_of(id)};
        number = nested.count + 1;
        __atomic_store_n(&nested.count, number, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&nested.lock);
    return number;
}

uint32_t efg_regions_nest(const struct efg_regions *r)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < r->depth && i < EFG_REGION_DEPTH; i++) {
        uint32_t known = __atomic_load_n(&nested.count, __ATOMIC_ACQUIRE);
        uint32_t inner = find_nested(known, r->id[i], number);
        if (!inner)
            inner = add_nested(r->id[i], number);
        if (!inner)
            break;
        number = inner;
    }
    return number;
}

const char *efg_regions_nested(uint32_t number, uint32_t *around)
{
    const struct nested *region = &nested.all[number - 1];
    *around = region->around;
    return region->name ? region->name : "?";
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
