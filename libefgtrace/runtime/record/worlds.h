/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worlds: those that this one has spawned, and the one that has spawned it: what messages went to each
 * and came from it, over the whole run, recorded or not. Both sides know such a pair of worlds by the
 * same key (spawn.h), and each message by its communicator's ranks and its tag. So what one side has
 * sent can be compared with what the other has received, without a message between them.
 *
 * Not counted: collective and one-sided communication, and receives from anybody whose request is freed.
 */
#ifndef EFG_WORLDS_H
#define EFG_WORLDS_H

#include <stdint.h>

#include "files/match/flight.h"
#include "runtime/mpi/comms.h"

#define EFG_WORLDS 64 /* as many are followed */

enum efg_way { EFG_WAY_THERE, EFG_WAY_BACK };

struct efg_world {
    uint32_t key; /* never 0 */
    struct efg_flight messages[2]; /* by enum efg_way; atomic */
};

/* COMM, which MPI has just made, is shared with the world of KEY, as all that is made of it will be. */
void efg_worlds_meet(MPI_Comm comm, uint32_t key);

/* The one with the next larger key, of KEY or above; NULL if there is none. */
const struct efg_world *efg_worlds_from(uint64_t key);

void efg_worlds_count(const struct efg_comm *comm, enum efg_way way, int peer, int tag, int count)
    __attribute__((cold));

/* COUNT messages to or from PEER, a rank that partners on COMM have; COMM may be NULL. They count if it is
 * of another world that is followed. */
static inline void efg_worlds_add(const struct efg_comm *comm, enum efg_way way, int peer, int tag, int count)
{
    if (comm && comm->other && peer >= 0)
        efg_worlds_count(comm, way, peer, tag, count);
}

#endif
