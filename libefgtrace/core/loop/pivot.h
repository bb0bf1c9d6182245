/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pivots: what may delimit the iterations of a loop, each visit one iteration: a call, or a call site
 * that is entered. Ranks choose one that all of them have (core/window/agree.h).
 */
#ifndef EFG_PIVOT_H
#define EFG_PIVOT_H

#include <stdbool.h>

#include "judge.h"

struct efg_pivot {
    uint32_t kind;   /* enum efg_pivot_kind */
    uint32_t id;     /* node or site */
    uint32_t class;  /* enum efg_pivot_class */
    uint64_t hash;   /* agrees between ranks */
    uint64_t visits; /* so far */
};

/* Pivots of LOOP, up to ROOM, the best ones first: once in each iteration. Returns how many. */
uint32_t efg_pivot_list(const struct efg_judge *judge, const struct efg_loop_found *loop,
                        struct efg_pivot *pivots, uint32_t room);

/* Whether one of them is a collective of all ranks. */
bool efg_pivot_is_world(const struct efg_judge *judge, const struct efg_loop_found *loop);

#endif
