/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Few, long iterations are recorded before the ranks have agreed on them, provisionally; also those of a loop
 * around the one that this rank has, before it is the main loop: of 8 time steps the rule needs 5 to prefer
 * them to the solver in them. Then the window of the solver ends, at once where it would last for more than a
 * round; a pivot of the loop around is marked, and this rank votes for no loop until it is known which of the
 * two is the main loop.
 *
 * Only the leader calls this; NOW is in ticks.
 */
#ifndef EFG_AHEAD_H
#define EFG_AHEAD_H

#include "threads.h"

/* After a sample: if a round takes long, record from the next one on. */
void efg_ahead_consider(struct efg_thread *thread, uint64_t now);

/* Between samples: ends a window that is in the way as soon as it has an iteration. Returns whether a sample
 * should be taken at once: the ranks are done with the first window of a loop, and the next iteration of one
 * around it is not to be missed. */
bool efg_ahead_look(struct efg_thread *thread, uint64_t now);

/* Whether the pivot is that of a loop around, and it is not known yet whether that is the main loop. */
bool efg_ahead_is_on(void);

/* Another loop was accepted. Returns true if it is on: then that may be it, or is not marked yet. */
bool efg_ahead_found(struct efg_thread *thread, uint64_t now);

/* The run ends: if the loop around did not become the main loop, the pivot is that of this rank's loop. */
void efg_ahead_finish(struct efg_thread *thread, uint64_t now);

#endif
