/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distribution: a value for each rank, as pages show it for any number of ranks.
 *
 *     bins    of equal width, from the least value to the most
 *     thirds  of the range from the least to the most: near the mean, by at most a sixth of the
 *             range or 1%, below it, and above it; with their ranks
 *
 * As JSON, {count, sum, mean, least, least_rank, median, most, most_rank, bins [24 numbers],
 * thirds [[count, RANKS] of those below, near, above]}. A list of ranks that is too long
 * ends in "...": so the document stays small, whatever the number of ranks.
 */
#ifndef EFG_DISTRIBUTION_H
#define EFG_DISTRIBUTION_H

#include "cli/json.h"
#include "files/run/runfile.h"

#define EFG_DISTRIBUTION_BINS 24
#define EFG_DISTRIBUTION_LIST 600 /* characters of a list of ranks, of what matters */
#define EFG_DISTRIBUTION_SHORT 60 /* of what does not */

enum efg_distribution_of {
    EFG_OF_ALL,   /* all ranks */
    EFG_OF_THOSE, /* those whose value is not 0: that took part */
};

struct efg_distribution {
    const uint64_t *values;
    uint64_t floor; /* those from here on take part */
    uint64_t least, median, most;
    uint32_t least_at, most_at, count; /* indices of the first that have it; how many take part */
    double sum, mean;
};

/* Of COUNT values. Without memory the median is 0. */
struct efg_distribution efg_distribution(const uint64_t *values, uint32_t count,
                                         enum efg_distribution_of of);

/* Add to TO a member NAME, the distribution of VALUES, by index of the ranks of RUN, with lists of
 * at most LIST characters. */
void efg_distribution_json(cJSON *to, const char *name, const struct efg_run *run,
                           const uint64_t *values, enum efg_distribution_of of, size_t list);

#endif
