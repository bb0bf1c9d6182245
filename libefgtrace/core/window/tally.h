/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tally: what a rank counts so that the ranks can compare their counts.
 *
 * World collectives (collectives on a communicator as large as the world) are numbered 1, 2, 3
 * .. All ranks make the same ones in the same order, so number w is the same event everywhere,
 * and the visits of the pivot that were counted before it should be the same on all ranks, but
 * for those of the start-up. The tally keeps them for some w: for each power of two the last
 * EFG_TALLY_KEPT odd multiples of it. So there are many recent ones and some of all ages:
 *
 *     multiples of 1:  .. 993 995 997 999      of 4:  .. 980 988 996
 *     multiples of 2:  .. 986 990 994 998      of 8:  .. 968 984 1000
 *
 * A visit that is a world collective itself is counted after it: efg_tally_world comes first.
 *
 * The struct is the caller's and may be all zero at first; one thread uses it. Nothing
 * allocates.
 */
#ifndef EFG_TALLY_H
#define EFG_TALLY_H

#include <stdint.h>

#define EFG_TALLY_LEVELS 40
#define EFG_TALLY_KEPT 8 /* a power of two */

struct efg_tally {
    uint64_t worlds; /* world collectives passed; also the number of the last one */
    uint64_t visits; /* of the pivot, since the start of the run */
    uint64_t marked, marked_with; /* collectives and visits when the pivot was marked */
    uint64_t kept[EFG_TALLY_LEVELS][EFG_TALLY_KEPT]; /* visits; see efg_tally_world */
};

enum efg_tally_answer {
    EFG_TALLY_KNOWN,
    EFG_TALLY_AHEAD, /* that collective has not been passed yet */
    EFG_TALLY_GONE   /* no longer known, or not since the pivot was marked */
};

/* How often 2 divides W, which is not 0. */
static inline unsigned efg_tally_level(uint64_t w)
{
    return (unsigned)__builtin_ctzll(w | UINT64_C(1) << (EFG_TALLY_LEVELS - 1));
}

/* A world collective is passed. */
static inline void efg_tally_world(struct efg_tally *tally)
{
    uint64_t w = ++tally->worlds;
    unsigned level = efg_tally_level(w);
    tally->kept[level][w >> level >> 1 & (EFG_TALLY_KEPT - 1)] = tally->visits;
}

/* The pivot is visited. */
static inline void efg_tally_visit(struct efg_tally *tally)
{
    tally->visits++;
}

/* Another pivot is marked, which has had VISITS since the start of the run. */
static inline void efg_tally_mark(struct efg_tally *tally, uint64_t visits)
{
    tally->visits = tally->marked_with = visits;
    tally->marked = tally->worlds;
}

/* The visits that had been counted when collective W was passed. W = 0 is the start of the run,
 * known always, with none. *VISITS is set if they are known. */
enum efg_tally_answer efg_tally_at(const struct efg_tally *tally, uint64_t w, uint64_t *visits);

/* Of the numbers above AFTER, up to UPTO, the one that is known longest. AFTER < UPTO. */
uint64_t efg_tally_between(uint64_t after, uint64_t upto);

/* A number not above UPTO, by at most 3% of it, that is known until about a fifth more
 * collectives are passed. */
uint64_t efg_tally_near(uint64_t upto);

#endif
