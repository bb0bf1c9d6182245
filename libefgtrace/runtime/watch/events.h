/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events: what the calls of a thread become in its graph. They wait in a batch (core/graph/backlog.h)
 * until it is full or something depends on them.
 */
#ifndef EFG_EVENTS_H
#define EFG_EVENTS_H

#include <stdbool.h>

#include "threads.h"

/* At NOW ticks: bring the graph of THREAD, the order of its events and the number of its iterations up to
 * date. IS_LAST_AWAITED: a visit by the last event is counted by the caller. Returns whether the last event
 * counts for the pivot. */
bool efg_events_add(struct efg_thread *thread, uint64_t now, bool is_last_awaited);

#endif
