/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives windows and files an identity that all their ranks compute alike: identity = hash(identity of the
 * communicator, kind, how many were made on it before). The making of windows and files is collective over
 * their communicator, so the count agrees.
 */
#include "objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "runtime/base/memory.h"
#include "runtime/base/recent.h"

static struct {
    pthread_mutex_t lock;
    struct efg_map by_handle[EFG_OBJECT_KINDS];
    struct efg_map made; /* hash(communicator, kind) -> how many */
    uint64_t removed;    /* how many; atomic */
    uint32_t next_id;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread struct efg_recent recent[EFG_OBJECT_KINDS];

static struct efg_object *look_up(enum efg_object_kind kind, uint64_t handle)
{
    pthread_mutex_lock(&all.lock);
    uint64_t *slot = efg_map_find(&all.by_handle[kind], handle);
    struct efg_object *o = slot ? (struct efg_object *)(uintptr_t)*slot : NULL;
    pthread_mutex_unlock(&all.lock);
    return o;
}

struct efg_object *efg_objects_find(enum efg_object_kind kind, uint64_t handle)
{
    uint64_t removed = __atomic_load_n(&all.removed, __ATOMIC_ACQUIRE);
    struct efg_object *o = efg_recent_find(&recent[kind], handle, removed);
    if (!o) {
        o = look_up(kind, handle);
        efg_recent_put(&recent[kind], handle, removed, o);
    }
    return o;
}

static void release(struct efg_object *o)
{
    if (!o)
        return;
    efg_memory_settle(&o->memory, 0);
    efg_comms_release((struct efg_comm *)o->comm);
    free(o->name);
    free(o);
}

struct efg_object *efg_objects_add(enum efg_object_kind kind, uint64_t handle, MPI_Comm comm,
                                   const char *name)
{
    struct efg_object *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->comm = efg_comms_copy(efg_comms_find(comm)); /* that may be freed before the object */
    o->name = name ? strdup(name) : NULL;
    efg_memory_settle(&o->memory, sizeof *o + (o->comm ? efg_comms_memory(o->comm) : 0));
    pthread_mutex_lock(&all.lock);
    uint64_t origin = efg_hash_mix(o->comm ? o->comm->identity : 0, 1 + (uint64_t)kind);
    uint64_t *made = efg_map_put(&all.made, origin);
    o->identity = efg_hash_mix(origin, made ? ++*made : 0);
    o->id = all.next_id++;
    uint64_t *slot = o->comm ? efg_map_put(&all.by_handle[kind], handle) : NULL;
    if (slot) {
        __atomic_add_fetch(&all.removed, *slot != 0, __ATOMIC_RELEASE);
        release((struct efg_object *)(uintptr_t)*slot);
        *slot = (uintptr_t)o;
    }
    pthread_mutex_unlock(&all.lock);
    if (!slot)
        release(o);
    return slot ? o : NULL;
}

void efg_objects_remove(enum efg_object_kind kind, uint64_t handle)
{
    struct efg_object *o = efg_objects_find(kind, handle);
    pthread_mutex_lock(&all.lock);
    efg_map_remove(&all.by_handle[kind], handle);
    __atomic_add_fetch(&all.removed, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&all.lock);
    release(o);
}
