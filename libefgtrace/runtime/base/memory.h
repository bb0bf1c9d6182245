/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the process: the budget (key "memory") that all tables of the runtime share while
 * the program runs. A table that can do without takes before it allocates; memory that cannot be
 * refused is added, and there is less for others.
 *
 *     graphs           without room they drop detail (core/graph/detail.h)
 *     call paths       a part of the budget each time before they are cut to half the frames
 *     requests         half of the budget; further ones are not followed
 *     walks            remembered while half of the budget is left, and some up to a limit
 *     orders of calls  an eighth of the budget, half of that for the second thread, and so on:
 *                      then they are written out
 *     threads          a further one is not traced if there is no room for its first tables
 *     communicators, windows, files, modules, arrays of requests in one call, what a thread
 *     sent, its series of iterations: added
 *
 * Not included: the window logs (key "log-limit"), and what is needed briefly in MPI_Init, in
 * MPI_Finalize and for saves (key "save"), which is noted.
 */
#ifndef EFG_MEMORY_H
#define EFG_MEMORY_H

#include <stdbool.h>

#include "base/budget.h"

extern struct efg_budget efg_memory; /* without a limit until the configuration is read */

/* Whether BYTES more may be taken for something that can be recomputed when it is forgotten: half of
 * the budget is kept for what cannot. */
static inline bool efg_memory_may_remember(uint64_t bytes)
{
    return efg_budget_has(&efg_memory, efg_memory.limit / 2 + bytes);
}

/* Adjust the charge to the budget from *HELD to NOW bytes. */
static inline void efg_memory_settle(uint64_t *held, uint64_t now)
{
    if (now > *held)
        efg_budget_add(&efg_memory, now - *held);
    else
        efg_budget_give(&efg_memory, *held - now);
    *held = now;
}

#endif
