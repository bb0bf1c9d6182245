/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detail: how much of a signature is kept. When a graph no longer fits into its memory,
 * it drops detail, in this order, skipping what the signature does not have:
 *
 *     addresses > exact sizes (their classes stay) > size classes, and sizes of elements > partners
 *     > the inner quarter of the frames of call paths, again and again down to the outermost
 *     > user regions > communicators > call paths altogether
 *
 * Inner frames are dropped, since the loops that take the time of a run are in outer ones: below these
 * there may be tens of thousands of paths through layers of libraries.
 *
 * What has been dropped is a set of bits. The sets of several ranks or threads are combined by or:
 * what one of them has dropped, all drop, so that they use the same name for the same thing.
 */
#ifndef EFG_DETAIL_H
#define EFG_DETAIL_H

#include "signature.h"

#define EFG_SHORTENINGS 14 /* of the frames, at most: 128 to 1 */

enum efg_drop { /* in the order of dropping, but for addresses, which are the first */
                EFG_DROP_SIZE = 1 << 0,
                EFG_DROP_SIZE_CLASS = 1 << 1,
                EFG_DROP_PARTNER = 1 << 2,
                EFG_DROP_FRAMES = 1 << 3, /* and the next ones: one bit for each time; the lowest first */
                EFG_DROP_REGION = EFG_DROP_FRAMES << EFG_SHORTENINGS,
                EFG_DROP_COMM = EFG_DROP_REGION << 1,
                EFG_DROP_PATH = EFG_DROP_REGION << 2,
                EFG_DROP_ADDRESS = EFG_DROP_REGION << 3,
                EFG_DROP_END = EFG_DROP_REGION << 4
};
#define EFG_DROP_ALL_FRAMES (EFG_DROP_REGION - EFG_DROP_FRAMES) /* all of its bits */

struct efg_detail {
    unsigned dimensions; /* set of enum efg_dimension */
    unsigned depth;      /* frames of a call path, the outermost ones; 0 for none */
};

/* What is left of DEPTH frames without the inner quarter of them. */
static inline unsigned efg_detail_shorter(unsigned depth)
{
    return depth - (depth + 3) / 4;
}

/* What is left of DETAIL when DROPPED is dropped. */
struct efg_detail efg_detail_without(struct efg_detail detail, uint32_t dropped);

/* DROPPED, plus the next thing to drop that DETAIL still has; DROPPED itself if nothing is
 * left to drop. */
uint32_t efg_detail_next(struct efg_detail detail, uint32_t dropped);

/* DROPPED, as often shortened as it takes to have call paths of at most DEPTH frames. */
uint32_t efg_detail_shorten(struct efg_detail detail, uint32_t dropped, unsigned depth);

/* S, which has the dimensions FROM, reduced to the dimensions TO, which are coarser. */
struct efg_signature efg_detail_reduce(struct efg_signature s, unsigned from, unsigned to);

#endif
