/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leader: the one thread of a process that steers (steering.h). While it has claimed the state of
 * steering, that belongs to it alone; claims may be nested.
 */
#ifndef EFG_LEADER_H
#define EFG_LEADER_H

#include <stdbool.h>

#include "threads.h"

/* THREAD is the leader. Only the thread itself may rely on that, and only if it is. */
static inline bool efg_leader_is(const struct efg_thread *thread)
{
    return __atomic_load_n(&efg_threads.leader, __ATOMIC_RELAXED) == thread;
}

/* By THREAD. Returns 0 if it is not the leader, else what it has to release. */
int efg_leader_claim(struct efg_thread *thread);
void efg_leader_release(int claim);

/* THREAD becomes the leader if the present one does next to nothing, such as that of MPI_Init, which waits
 * for the others. Returns whether it did: then a pivot that is marked is the other one's, to be forgotten. */
bool efg_leader_elect(struct efg_thread *thread);

/* The program ends: from here on THREAD, the leader, has claimed it. No thread is at work. */
void efg_leader_claim_last(struct efg_thread *thread);

/* THREAD has ended, perhaps in the middle of its work. */
void efg_leader_retire(const struct efg_thread *thread);

#endif
