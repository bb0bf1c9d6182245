/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations x ranks: how long the iterations of the main loop took on each rank, over the whole run, and
 * how much of that was in MPI.
 *
 * A column is some consecutive iterations: a slot of the series (core/graph/series.h) of the rank that
 * represents the run. If the slots of another rank begin elsewhere or are wider, they are divided in
 * proportion to the iterations. A row is a rank; if there are more than EFG_HEAT_ROWS, ranks that are alike
 * share one. The distance of two rows is the sum over their columns of the differences of the mean time of
 * an iteration, in MPI and outside, as a share of the time of the one. Ranks share a row if that is at most
 * APART, which is doubled until there is room.
 *
 * Ranks are added one after the other and need not stay: memory does not depend on how many there are.
 */
#ifndef EFG_HEAT_H
#define EFG_HEAT_H

#include "files/run/runfile.h"

#define EFG_HEAT_ROWS 64

struct efg_heat_cell { /* of all ranks of a row */
    double iterations; /* 0: it has none */
    double time, mpi;  /* ns */
};

struct efg_heat_row {
    struct efg_ranklist ranks;
    struct efg_heat_cell *cells; /* by column */
};

struct efg_heat {
    const struct efg_run_thread *speaker;
    uint64_t first, width; /* number of the first iteration; iterations in a column, but for the last one */
    uint32_t columns;      /* 0: there is no main loop */
    struct efg_heat_row *rows; /* by their lowest ranks */
    uint32_t row_count;
    struct efg_ranklist without; /* ranks that do not have the loop */
    double apart;                /* 0: each row is a rank */
};

/* Begin, of the ranks of RUN; add one, after those with smaller numbers. Return 0 or -ENOMEM. FINI in any
 * case, also of what is all zero. */
int efg_heat_begin(struct efg_heat *heat, const struct efg_run *run);
int efg_heat_add(struct efg_heat *heat, const struct efg_run_rank *rank);
void efg_heat_fini(struct efg_heat *heat);

/* Columns FROM to END, but not END, of a row; of all rows. */
struct efg_heat_cell efg_heat_sum(const struct efg_heat *heat, const struct efg_heat_row *row,
                                  uint32_t from, uint32_t end);
struct efg_heat_cell efg_heat_sum_all(const struct efg_heat *heat, uint32_t from, uint32_t end);

#endif
