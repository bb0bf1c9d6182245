/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Offset of two clocks, from exchanges of messages, and the order in which many clocks are
 * compared: a tree of logarithmic depth.
 *
 *     mine     sent ----------------------------- received
 *                   \                             /
 *     theirs         ---------- theirs ----------
 *
 * All times in ns.
 */
#ifndef EFG_OFFSET_H
#define EFG_OFFSET_H

#include <stdbool.h>
#include <stdint.h>

#define EFG_OFFSET_LEAST 20 /* exchanges, besides the first, which makes the connection */
#define EFG_OFFSET_MOST 200
#define EFG_OFFSET_BUDGET 4000000 /* ns, after which the least are enough */

struct efg_offset {    /* all zero before the first exchange */
    int64_t low, high; /* theirs - mine lies between */
    uint64_t began;    /* mine */
    uint32_t exchanges;
};

/* Take an exchange into account. Returns whether there were enough. */
bool efg_offset_add(struct efg_offset *o, uint64_t sent, uint64_t theirs, uint64_t received);

/* Their time at MINE; *ERROR: by how much it may be wrong. */
uint64_t efg_offset_theirs(const struct efg_offset *o, uint64_t mine, uint64_t *error);

/* In round R, from 0, the clocks below 2^R are known, and I gives its time to I + 2^R: the one
 * that number I (> 0) gets its time from, and in which round. */
uint32_t efg_offset_parent(uint32_t i, uint32_t *round);

#endif
