/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Enough: whether the iterations that are spread over the run are as accurate as the key accuracy asks
 * for, on this rank. Only the leader calls this.
 */
#ifndef EFG_ENOUGH_H
#define EFG_ENOUGH_H

#include "threads.h"

/* Another pivot is marked: other iterations follow. */
void efg_enough_restart(const struct efg_thread *thread);

/* A window begins, or has ended, with the present visit of the pivot. */
void efg_enough_open(const struct efg_thread *thread);
void efg_enough_close(const struct efg_thread *thread);

/* What the ranks have given up goes. */
void efg_enough_settle(void);

/* None may be given up, and there is room in the log for more. */
bool efg_enough_is_rough(const struct efg_thread *thread);

/* No further iterations of this pivot come: the error of the loop with the most time is what counts. */
void efg_enough_finish(const struct efg_thread *thread);

/* For the facts of the rank: millionths; 0: not known. */
uint64_t efg_enough_error(void);

#endif
