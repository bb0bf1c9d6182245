/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bypass: in a pause (thrift.h) what the program calls is MPI itself, with nothing of ours in between. Nobody
 * sees then that the pause is over, so a thread waits for that: it has no signals, calls no MPI and ends with
 * the pause.
 *
 * That is not done in a process that has never had another thread: the C library makes do without locks
 * there, which would be over for good. Open MPI has threads of its own. Where the bypass cannot be made, all
 * is as without it.
 */
#ifndef EFG_BYPASS_H
#define EFG_BYPASS_H

#include <stdbool.h>
#include <stdint.h>

/* Until then (ticks) calls go past us, as far as may be. By the leader, while no bypass is on; signals are
 * deferred. Returns whether it is on. */
bool efg_bypass_begin(uint64_t until);

/* Whether calls still go past us. */
bool efg_bypass_is_on(void);

/* Now at the latest they come here again; waits for that, for a moment. Returns when (ticks) they did, and in
 * *COST ns that setting back took. */
uint64_t efg_bypass_end(uint64_t *cost);

#endif
