/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two runs compared: where the time of a rank, the mean over the ranks of each run, differs.
 *
 *     time of a rank = calls + computation before calls + the rest
 *
 * The rest is the time before the first call and after the last one. What ran in several
 * threads of a rank at once counts more than once, so the rest may be negative.
 */
#ifndef EFG_COMPARISON_H
#define EFG_COMPARISON_H

#include <stdbool.h>

#include "model/efficiency.h"
#include "model/matched.h"

struct efg_difference { /* a call site, or the computation before it */
    struct efg_pair node;
    bool is_compute;
    double time[2], calls[2]; /* ns and number of calls of a rank; 0 where it has none */
};

struct efg_comparison {
    struct efg_model side[2];
    struct efg_matched matched;
    const char *nameless[2]; /* by side: what has no names of functions, as efg_summary_nameless says */
    int named;               /* the side whose names are shown of what both have */
    double time[2], mpi[2], rest[2];                      /* ns of a rank */
    double iterations[2], iteration[2], iteration_mpi[2]; /* of the main loop: of a rank; ns of
                                                             one, 0 for none */
    double loop[2];        /* ns of all iterations of the main loop, of a rank; 0 for none */
    uint32_t main_loop[2]; /* of the merged trees, EFG_NONE for none */
    bool is_same_loop;     /* these are matched */
    struct efg_efficiency efficiency[2];
    struct efg_difference *differences; /* the largest first */
    uint32_t difference_count;
};

/* Read the runs in the folders DIR and compare them. Returns 0; else says on standard error what is
 * wrong, and returns EFG_TOLD. To be freed in any case. */
int efg_comparison_make(struct efg_comparison *comparison, const char *const dir[2]);
void efg_comparison_fini(struct efg_comparison *comparison);

/* The side that names PAIR: the one that has it. */
int efg_comparison_side(const struct efg_comparison *comparison, struct efg_pair pair);

/* The ratio of the ranks of B to those of A, and of their times. */
double efg_comparison_ranks(const struct efg_comparison *comparison);
double efg_comparison_time(const struct efg_comparison *comparison);

#endif
