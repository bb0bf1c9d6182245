/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flight: which messages of a job are under way at a moment, in two words.
 *
 * Each message adds the hash of its channel when it is sent and takes it away when it has been
 * received. The sum over all ranks, each at a moment of its own, is then
 *
 *     sum over all channels:  hash of the channel  x  messages that were sent before the
 *                             sender's moment and received after the receiver's
 *
 * modulo 2^64. So a guess that certain messages were under way can be checked: if the sum is that
 * of their channels, the guess is right, except for one chance in 2^64; if not, it is wrong. This
 * takes no memory, however many channels there are. (Sums of hashes as a fingerprint of a multiset:
 * Bellare, Micciancio, A new paradigm for collision-free hashing, 1997.)
 *
 * A collective that all members of a communicator enter counts as messages around a
 * ring: they cancel out if all members have made the same number, whatever their moments.
 */
#ifndef EFG_FLIGHT_H
#define EFG_FLIGHT_H

#include "base/hash.h"

struct efg_flight {
    uint64_t sum;
    int64_t count; /* messages sent - messages received */
};

/* Tags of MPI are never negative: those of collectives have the highest bit. */
#define EFG_FLIGHT_COLLECTIVE 0x80000000u /* | enum efg_collective */

/* COMM: the communicator's identity; SOURCE and DESTINATION: world ranks. Multiply and fold, as
 * in signature.c; once, since it is on the path of every message. */
static inline uint64_t efg_flight_channel(uint64_t comm, uint32_t source, uint32_t destination,
                                          uint32_t tag)
{
    uint64_t ranks = (uint64_t)source << 32 | destination;
    unsigned __int128 product =
        (unsigned __int128)(ranks ^ 0xff51afd7ed558ccdu) *
        (comm ^ 0xbf58476d1ce4e5b9u ^ (uint64_t)tag * 0x9e3779b97f4a7c15u);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Add COUNT messages of CHANNEL; a negative number removes them. */
static inline void efg_flight_add(struct efg_flight *f, uint64_t channel, int64_t count)
{
    f->sum += channel * (uint64_t)count;
    f->count += count;
}

static inline void efg_flight_join(struct efg_flight *f, struct efg_flight other)
{
    f->sum += other.sum;
    f->count += other.count;
}

#endif
