/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The partner of a message, as in a signature: relative to the calling rank, so that ranks that
 * do the same have the same signatures.
 *
 *     0                       none
 *     EFG_PARTNER_ANY, _NOBODY   no rank
 *     1 ... 2^28              1 + (partner - calling rank) modulo the size of the communicator
 *     2^30 and more           steps on a Cartesian grid of 1 to EFG_GRID_DIMS dimensions
 *
 * Steps are packed into 30 bits: dimensions - 1 in the upper two, then the step in each
 * dimension, the first one uppermost, in 28 / dimensions bits, two's complement. In a periodic
 * dimension the shorter way around counts, or upwards if both are equal.
 */
#ifndef EFG_PARTNER_H
#define EFG_PARTNER_H

#include <stdint.h>

#define EFG_GRID_DIMS 4

/* Partners that are no rank. */
enum { EFG_PARTNER_ANY = -1, EFG_PARTNER_NOBODY = -2 };

struct efg_grid {
    int dims; /* 0: no grid, or one of more than EFG_GRID_DIMS */
    int size[EFG_GRID_DIMS], is_periodic[EFG_GRID_DIMS];
};

/* PEER as seen from rank OWN; both are 0 to SIZE - 1. */
int32_t efg_partner_in_line(int own, int peer, int size);

/* The same on GRID, whose ranks are in row-major order (MPI 3.1, 7.5.1); 0 if steps are too
 * large to be packed, or there is no grid. */
int32_t efg_partner_on_grid(const struct efg_grid *grid, int own, int peer);

/* The steps to PARTNER. Returns the number of dimensions, 0 if it is not a partner on a grid. */
int efg_partner_steps(int32_t partner, int steps[EFG_GRID_DIMS]);

#endif
