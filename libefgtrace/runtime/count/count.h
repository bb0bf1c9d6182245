/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that the user asks for (key counters): read before and after each MPI call, by each thread its
 * own. What they count goes to the node of the call, to the edge that leads to it, and to iterations
 * (core/graph/counts.h).
 *
 * All this is not on the path of a call if there are none: then wrappers call the tracer itself.
 */
#ifndef EFG_COUNT_H
#define EFG_COUNT_H

#include "runtime/calls/call.h"

/* Open what the configuration asks for; what cannot be counted is said. Returns the hooks of the wrappers:
 * HOOKS, those of the tracer, if nothing is counted. */
const struct efg_hooks *efg_count_begin(const struct efg_hooks *hooks);

/* No thread is at work on its state any more, and no window is open. */
void efg_count_end(void);

#endif
