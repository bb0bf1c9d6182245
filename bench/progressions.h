/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a sequence would take as arithmetic progressions: for each exit of a node that has
 * several, at which of its visits it is taken, as (start, step, count), each in LEB128. Our own
 * estimate of the size of: Aguilar, Fürlinger, Laure, "MPI trace compression using event flow
 * graphs" (2014).
 */
#ifndef PROGRESSIONS_H
#define PROGRESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct progression; /* of one exit */

struct progressions {       /* all zero: of no events */
    struct efg_map numbers; /* of exits, + 1, by the nodes on both sides */
    struct progression *exits;
    uint64_t *visits; /* of each node */
    uint32_t exit_count, exit_room, node_room, last;
    int has_last;
};

void progressions_add(struct progressions *p, uint32_t node);
size_t progressions_bytes(const struct progressions *p);
void progressions_free(struct progressions *p);

#endif
