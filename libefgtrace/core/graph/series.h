/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Series: how long the iterations of the main loop took, one after the other, and how much of that
 * was in MPI, in bounded memory. Iterations follow one another without gaps, from one visit of the
 * pivot to the next.
 *
 *     slots     |  2^shift iterations  |  2^shift  |  ...  |  the rest  |
 *     longest   the longest iterations themselves
 *
 * When all slots are full, pairs of them are joined. Counts and sums of all slots together are
 * those of efg_run_iterations, to the nanosecond.
 *
 * A series belongs to one pivot: when another one is adopted, it starts again, as the sums do. It
 * ends when the pivot is lost because the graph became too coarse for it. Nothing is left out:
 * an iteration in which a window is opened or closed, or in which a save happens, includes
 * that time, too. The windows say which iterations were recorded: the windows of this pivot are
 * those that start after the series does.
 */
#ifndef EFG_SERIES_H
#define EFG_SERIES_H

#include <stddef.h>
#include <stdint.h>

#define EFG_SERIES_SLOTS 192
#define EFG_SERIES_LONGEST 8

struct efg_series_slot {
    uint64_t time, mpi;   /* ns: sums over its iterations: all time, and time in MPI */
    uint64_t least, most; /* ns: of an iteration */
};

struct efg_iteration {
    uint64_t number; /* of the visit that begins it */
    uint64_t start;  /* ns since the start of the run */
    uint64_t time, mpi;
};

struct efg_series {
    uint64_t first; /* number of the first iteration */
    uint64_t start; /* ns since the start of the run: when it began */
    uint64_t count; /* iterations */
    uint32_t shift;
    uint32_t longest_count;
    struct efg_iteration longest[EFG_SERIES_LONGEST]; /* in no order */
    uint64_t threshold; /* the shortest of these when there are EFG_SERIES_LONGEST, else 0 */
    struct efg_series_slot slot[];
};

/* Bytes of a series with SLOTS slots. */
static inline size_t efg_series_size(uint32_t slots)
{
    return sizeof(struct efg_series) + slots * sizeof(struct efg_series_slot);
}

/* An empty series with room for all slots, to be freed with free(); NULL without memory. */
struct efg_series *efg_series_new(void);
/* Forget all iterations. */
void efg_series_clear(struct efg_series *series);

/* Add ITERATION, which follows the last one. */
void efg_series_add(struct efg_series *series, const struct efg_iteration *iteration);

/* All numbers, those of iterations to come, too, are higher BY so many. */
void efg_series_renumber(struct efg_series *series, uint64_t by);

/* How many slots there are, and how many iterations are in slot I. */
uint32_t efg_series_slots(const struct efg_series *series);
uint64_t efg_series_in_slot(const struct efg_series *series, uint32_t i);

/*
 * What the run file keeps: all times of slots are rounded so that the mean iteration is 2^9
 * to 2^10 units of time: a plot does not show it, and a slot takes about 5 bytes instead of 12.
 *
 *     time, mpi      the time from the start to the end of each slot, and that in MPI, rounded down
 *                    to multiples of 2^(unit + shift); in the last slot, what is left of the
 *                    sums. So rounding errors do not accumulate, and sums do not change
 *     least, most    rounded down to multiples of 2^unit; in slots of one iteration, its time
 *
 * The longest iterations are sorted by number, and exact. Rounding twice changes nothing
 * more.
 */
unsigned efg_series_unit(const struct efg_series *series);
void efg_series_round(struct efg_series *series);

#endif
