/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses what detail is dropped next, and reduces signatures to what is left. Invariant:
 * dropping is monotonous. More in the set never means more detail, and so sets can be united in
 * any order.
 */
#include "detail.h"

static unsigned shortenings(uint32_t dropped)
{
    return (unsigned)__builtin_popcount(dropped & EFG_DROP_ALL_FRAMES);
}

static unsigned depth_after(unsigned depth, unsigned times)
{
    while (times-- && depth > 1)
        depth = efg_detail_shorter(depth);
    return depth;
}

static unsigned dimensions_after(unsigned dimensions, uint32_t dropped)
{
    if (dropped & EFG_DROP_ADDRESS)
        dimensions &= ~(unsigned)EFG_DIM_ADDRESS;
    if (dropped & EFG_DROP_SIZE && dimensions & EFG_DIM_SIZE)
        dimensions = (dimensions & ~(unsigned)EFG_DIM_SIZE) | EFG_DIM_SIZE_CLASS;
    if (dropped & EFG_DROP_SIZE_CLASS)
        dimensions &= ~(unsigned)(EFG_DIM_SIZE | EFG_DIM_SIZE_CLASS | EFG_DIM_ELEMENT);
    if (dropped & EFG_DROP_PARTNER)
        dimensions &= ~(unsigned)EFG_DIM_PARTNER;
    if (dropped & EFG_DROP_REGION)
        dimensions &= ~(unsigned)EFG_DIM_REGION;
    if (dropped & EFG_DROP_COMM)
        dimensions &= ~(unsigned)EFG_DIM_COMM;
    if (dropped & EFG_DROP_PATH)
        dimensions &= ~(unsigned)EFG_DIM_PATH;
    return dimensions;
}

struct efg_detail efg_detail_without(struct efg_detail detail, uint32_t dropped)
{
    unsigned depth = depth_after(detail.depth, shortenings(dropped));

    return (struct efg_detail){
        .dimensions = dimensions_after(detail.dimensions, dropped),
        .depth = dropped & EFG_DROP_PATH ? 0 : depth,
    };
}

/* Where call paths tell nothing apart, it does not matter how long they are. */
static bool is_coarser(struct efg_detail a, struct efg_detail b)
{
    return a.dimensions != b.dimensions || (a.dimensions & EFG_DIM_PATH && a.depth != b.depth);
}

uint32_t efg_detail_next(struct efg_detail detail, uint32_t dropped)
{
    struct efg_detail now = efg_detail_without(detail, dropped);

    if (now.dimensions & EFG_DIM_ADDRESS)
        return dropped | EFG_DROP_ADDRESS;
    for (uint32_t bit = EFG_DROP_SIZE; bit < EFG_DROP_ADDRESS; bit <<= 1)
        if (is_coarser(efg_detail_without(detail, dropped | bit), now))
            return dropped | bit;
    return dropped;
}

uint32_t efg_detail_shorten(struct efg_detail detail, uint32_t dropped, unsigned depth)
{
    uint32_t bit = EFG_DROP_FRAMES;

    for (; efg_detail_without(detail, dropped).depth > depth && bit < EFG_DROP_REGION; bit <<= 1)
        dropped |= bit;
    return depth ? dropped : dropped | EFG_DROP_PATH;
}

struct efg_signature efg_detail_reduce(struct efg_signature s, unsigned from, unsigned to)
{
    uint64_t size = s.size;

    s = efg_signature_reduce(s, to);
    if (to & EFG_DIM_SIZE_CLASS && !(from & EFG_DIM_SIZE))
        s.size = size; /* it is a class already */
    return s;
}
