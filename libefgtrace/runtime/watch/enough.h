/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Enough: whether the iterations that are spread over the run are as accurate as the key accuracy asks
 * for, on this rank. Only the leader calls this; NOW is in ticks.
 */
#ifndef EFG_ENOUGH_H
#define EFG_ENOUGH_H

#include "threads.h"

/* Another pivot is marked: other iterations follow, or the same ones, cut at another place. */
void efg_enough_restart(void);

/* The pivot is visited, and its iterations are counted; a window begins, or has ended, with this visit. */
void efg_enough_visit(const struct efg_thread *thread, uint64_t now);
void efg_enough_open(const struct efg_thread *thread, uint64_t now);
void efg_enough_close(const struct efg_thread *thread, uint64_t now);

/* All ranks are done with the present window. What they have given up goes. */
void efg_enough_settle(void);

/* None may be given up, and there is room in the log for more. */
bool efg_enough_is_rough(const struct efg_thread *thread);

/* For the facts of the rank: millionths, of the main loop, which has the number PHASE; 0: not known. */
uint64_t efg_enough_error(uint32_t phase);

#endif
