/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a series of measurements has changed its level, and stayed there.
 *
 * Times of jobs have outliers, nearly always slow ones, so means and deviations of them are no good. A level
 * is the median of up to 64 runs, what is usual their median absolute deviation; a run counts for
 * at most 4 times that. Three runs in a row that are off by so much in one direction are a change, two
 * are not.
 *
 * Source: the sum of clipped deviations is Huber's (Robust Statistics, 1981); several changes are
 * found by binary segmentation (Scott and Knott 1974).
 */
#ifndef EFG_CHANGE_H
#define EFG_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#define EFG_CHANGE_BEFORE 16 /* runs that a level takes, at least */
#define EFG_CHANGE_AFTER 3   /* runs that a change takes, at least */

struct efg_change {
    uint32_t at;          /* the first value of the new level */
    double before, after; /* medians */
    double score;         /* by how much it is beyond what is usual; positive */
};

/* The changes of the COUNT VALUES that are FLOOR or more, ascending, to CHANGES, MOST at most. Returns how
 * many there are. */
uint32_t efg_changes(const double *values, uint32_t count, double floor, struct efg_change *changes,
                     uint32_t most);

/* Whether there is one at AT, of the COUNT VALUES. */
bool efg_change_is_at(const double *values, uint32_t at, uint32_t count, double floor);

/* The median of COUNT VALUES, the last 64 at most; 0 of none. */
double efg_change_level(const double *values, uint32_t count);

#endif
