/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns ranks into steps from one rank to another, on a line or a grid. Coordinates are extracted
 * from the rank one by one, from the last, which varies fastest, and their steps are packed.
 */
#include <stdbool.h>

#include "partner.h"

#define ON_GRID (UINT32_C(1) << 30)
#define STEP_BITS 28 /* of all steps */

int32_t efg_partner_in_line(int own, int peer, int size)
{
    int distance = peer - own;

    return 1 + (distance < 0 ? distance + size : distance);
}

/* From coordinate OWN to PEER. */
static int step(int own, int peer, int size, bool is_periodic)
{
    int distance = peer - own;

    if (!is_periodic)
        return distance;
    if (distance < 0)
        distance += size;
    return distance > size / 2 ? distance - size : distance;
}

int32_t efg_partner_on_grid(const struct efg_grid *grid, int own, int peer)
{
    if (grid->dims < 1 || grid->dims > EFG_GRID_DIMS)
        return 0;
    int bits = STEP_BITS / grid->dims, limit = 1 << (bits - 1);
    uint32_t packed = ON_GRID | (uint32_t)(grid->dims - 1) << STEP_BITS;

    for (int d = grid->dims; d-- > 0;) { /* the last coordinate is the fastest */
        int size = grid->size[d];
        int way = step(own % size, peer % size, size, grid->is_periodic[d]);
        if (way < -limit || way >= limit)
            return 0;
        packed |= ((uint32_t)way & ((UINT32_C(1) << bits) - 1)) << bits * (grid->dims - 1 - d);
        own /= size;
        peer /= size;
    }
    return (int32_t)packed;
}

int efg_partner_steps(int32_t partner, int steps[EFG_GRID_DIMS])
{
    uint32_t packed = (uint32_t)partner;

    if (partner < 0 || !(packed & ON_GRID))
        return 0;
    int dims = 1 + (int)(packed >> STEP_BITS & 3), bits = STEP_BITS / dims;
    for (int d = 0; d < dims; d++) {
        uint32_t field = packed >> bits * (dims - 1 - d) & ((UINT32_C(1) << bits) - 1);
        steps[d] = field >> (bits - 1) ? (int)field - (1 << bits) : (int)field;
    }
    return dims;
}
