/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures what tracing costs. Calibration: batches of EFG_COST_EVERY calls, of each of which one is
 * measured by the hooks as always, while the clock runs for the whole batch. What a call takes beyond what
 * the hooks say is the difference of the medians; a process that is interrupted now and then does not
 * change them.
 *
 * A call is made as a wrapper makes it (wrap.c): the structure is filled, and the hooks are
 * called through their pointers. The real function is left out, since the program calls it in
 * any case.
 */
#include "cost.h"

#include <stdlib.h>

#include "runtime/base/clock.h"
#include "runtime/process/job.h"

#define BATCHES 41
#define FIRST_BATCHES 3 /* until caches and predictions know them */

/* ns a call: what the hooks do not see, less what measuring them adds; and all. */
static double unseen, whole;

void efg_cost_sample(struct efg_cost *cost, uint64_t ns)
{
    uint64_t rare = cost->rare - cost->rare_then;

    ns += cost->inside;
    ns -= rare < ns ? rare : ns;
    if (ns < EFG_COST_MOST) {
        cost->sum += ns;
        cost->samples++;
    } else {
        cost->rare += EFG_COST_MOST;
    }
    cost->countdown = EFG_COST_EVERY;
}

uint64_t efg_cost_of(const struct efg_cost *cost, uint64_t calls)
{
    double each = cost->samples ? (double)cost->sum / (double)cost->samples + unseen : whole;

    return cost->rare + (each > 0 ? (uint64_t)(each * (double)calls) : 0);
}

uint64_t efg_cost_so_far(const struct efg_cost *cost)
{
    return efg_cost_of(cost, cost->samples * EFG_COST_EVERY);
}

static uint64_t run_batch(const struct efg_hooks *volatile *hooks)
{
    void *thread = efg_job.at_hand ? efg_job.at_hand()->thread : NULL;
    uint64_t begin = efg_clock_ticks();

    for (int i = 0; i < EFG_COST_EVERY; i++) {
        struct efg_call call = {.id = EFG_CALL_Barrier,
                                .shape = EFG_SHAPE_PLAIN,
                                .comm = efg_job.self,
                                .thread = thread,
                                .frame = __builtin_frame_address(0)};
        if ((*hooks)->enter(&call))
            (*hooks)->leave(&call, MPI_SUCCESS);
    }
    return efg_clock_ticks() - begin;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static double median(uint64_t *values)
{
    qsort(values, BATCHES, sizeof *values, compare);
    return (double)values[BATCHES / 2];
}

void efg_cost_measure(struct efg_cost *cost, const struct efg_hooks *hooks)
{
    const struct efg_hooks *volatile now = hooks;
    uint64_t all[BATCHES], seen[BATCHES];

    for (int i = -FIRST_BATCHES; i < BATCHES; i++) {
        struct efg_cost before = *cost;
        uint64_t time = run_batch(&now);
        if (i < 0)
            continue;
        all[i] = time - (cost->rare - before.rare);
        seen[i] = cost->sum - before.sum;
    }
    whole = median(all) / EFG_COST_EVERY;
    unseen = whole - median(seen);
}
