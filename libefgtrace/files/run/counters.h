/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What counters have counted, as the run file keeps it. Of a rank, a text with the counts of each thread:
 *
 *     counters task-clock page-faults
 *     thread 0
 *     rest 81000 3                   between calls, on no edge
 *     node 4 120000 0                in all calls of node 4
 *     edge 7 9000000 12              between the calls of edge 7
 *     all 200 13000000 12            in 200 iterations
 *     recorded 10 650000 0           in those of them that were recorded
 *
 * Of all ranks, a text with a line for each counter, see efg_counter_total.
 */
#ifndef EFG_RUN_COUNTERS_H
#define EFG_RUN_COUNTERS_H

#include "core/graph/counts.h"

struct efg_run_rank;

/* All counts of the threads of RANK, to be freed; NULL if there are none. */
char *efg_run_counters_text(const struct efg_run_rank *rank);

/* Give the threads of RANK, which are read, their counts. Returns 0, -ENOMEM or -EBADMSG. */
int efg_run_counters_read(struct efg_run_rank *rank);

struct efg_counter_total { /* sums over ranks and threads */
    char name[EFG_COUNTER_NAME];
    uint64_t ranks;                   /* that had it */
    uint64_t calls, between;          /* in calls, and between them */
    uint64_t all_count, all;          /* iterations of those that counted them, and in these */
    uint64_t recorded_count, recorded; /* ... that were recorded */
};
#define EFG_COUNTER_TOTALS 32

/* Of RANK, as text, to be freed; NULL if there is nothing. */
char *efg_run_counters_total(const struct efg_run_rank *rank);

/* Read TEXT (NULL: nothing). What is not as it should be is passed over. Returns how many there are. */
unsigned efg_counter_totals_read(struct efg_counter_total totals[EFG_COUNTER_TOTALS], const char *text);

/* ONE and OTHER as one text, to be freed, NULL without memory. */
char *efg_counter_totals_join(const char *one, const char *other);

#endif
