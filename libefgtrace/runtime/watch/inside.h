/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether an iteration made a call in the region, or below the function, that the key `when` names.
 */
#ifndef EFG_INSIDE_H
#define EFG_INSIDE_H

#include "threads.h"

/* Calls of THREAD, the leader, in it so far, as its graph has them. Resolves symbols of new call paths. */
uint64_t efg_inside_calls(struct efg_thread *thread);

#endif
