/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tracer costs the program, as it measures itself. A call costs
 *
 *     what the hooks say they take      measured in one call of EFG_COST_EVERY
 *   + what they cannot see              the wrapper and the calls of the hooks, less the clock
 *                                       that is read to measure them: found once, at the start
 *
 * and what is done rarely (many events added to the graph, samples of it, coarsening) is measured
 * each time. What the hooks cost the program by using its caches is not measured.
 */
#ifndef EFG_COST_H
#define EFG_COST_H

#include <stdint.h>

#include "runtime/calls/call.h"

/* A prime, so that samples meet each call of a loop in its turn. */
#define EFG_COST_EVERY 127
#define EFG_COST_MOST 50000 /* ns: a hook that takes longer was interrupted */

struct efg_cost {          /* of a thread; what each call touches comes last */
    uint64_t inside;       /* ns, of the present one: on entering */
    uint64_t sum, samples; /* ns in the hooks of the calls that were measured */
    uint64_t rare;         /* ns of what is done rarely, of CPU time where it is long */
    uint64_t rare_then;    /* ... when the present call began */
    uint64_t entered;      /* ticks, while one is measured; else 0 */
    uint32_t countdown;    /* calls until one is measured */
};

/* The call that is measured has taken NS more on leaving; what it did rarely is measured by itself. */
void efg_cost_sample(struct efg_cost *cost, uint64_t ns);

/* Something rare has taken NS, for some of which the thread WAITED for a processor that others had. */
static inline void efg_cost_rare(struct efg_cost *cost, uint64_t ns, uint64_t waited)
{
    cost->rare += ns > waited ? ns - waited : 0;
}

/* ns that CALLS have cost. */
uint64_t efg_cost_of(const struct efg_cost *cost, uint64_t calls);

/* ns so far, about: as many calls as samples say. */
uint64_t efg_cost_so_far(const struct efg_cost *cost);

/* Measure what a call costs that HOOKS do not see, with calls of this thread, the COST of which is given. */
void efg_cost_measure(struct efg_cost *cost, const struct efg_hooks *hooks);

#endif
