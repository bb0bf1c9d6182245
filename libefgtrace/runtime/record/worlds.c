/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts messages by the hash of their channels, as files/match/flight.h does: two multisets of
 * messages with the same sum are the same, except for one chance in 2^64. Source and destination
 * are ranks of the communicator, since neither world knows the other's ranks.
 */
#include "worlds.h"

#include <pthread.h>

static struct {
    pthread_mutex_t mutex;
    struct efg_world world[EFG_WORLDS];
    int count;
} all = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct efg_world *find(uint32_t key)
{
    for (int i = 0; i < all.count; i++)
        if (all.world[i].key == key)
            return &all.world[i];
    return NULL;
}

void efg_worlds_meet(MPI_Comm comm, uint32_t key)
{
    pthread_mutex_lock(&all.mutex);
    struct efg_world *world = find(key);
    if (!world && all.count < EFG_WORLDS) {
        world = &all.world[all.count++];
        world->key = key;
    }
    pthread_mutex_unlock(&all.mutex);
    efg_comms_add(comm, NULL);
    efg_comms_share(comm, world);
}

const struct efg_world *efg_worlds_from(uint64_t key)
{
    const struct efg_world *next = NULL;
    for (int i = 0; i < all.count; i++)
        if (all.world[i].key >= key && (!next || all.world[i].key < next->key))
            next = &all.world[i];
    return next;
}

void efg_worlds_count(const struct efg_comm *comm, enum efg_way way, int peer, int tag, int count)
{
    uint32_t own = (uint32_t)comm->rank, other = (uint32_t)peer;
    struct efg_flight *f = &comm->other->messages[way];
    if (!comm->partners || comm->partners[peer] != (uint32_t)MPI_UNDEFINED)
        return; /* one of this world, on a communicator of both */
    uint64_t channel = way == EFG_WAY_THERE ? efg_flight_channel(comm->other->key, own, other, (uint32_t)tag)
                                            : efg_flight_channel(comm->other->key, other, own, (uint32_t)tag);
    __atomic_fetch_add(&f->sum, channel * (uint64_t)count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&f->count, count, __ATOMIC_RELAXED);
}
