/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the parallel efficiencies of the run and of its loops. All figures are ratios of three times:
 * the mean useful time of the ranks, the most of one, and all of the longest.
 */
#include "efficiency.h"

/* Of COUNT ranks, from their times and those in MPI. */
static struct efg_efficiency efficiency_of(const uint64_t *time, const uint64_t *mpi, uint32_t count)
{
    struct efg_efficiency e = {0};
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        double useful = time[i] > mpi[i] ? (double)(time[i] - mpi[i]) : 0;
        sum += useful;
        most = useful > most ? useful : most;
        e.time = time[i] > e.time ? time[i] : e.time;
        e.ranks += time[i] > 0;
    }
    if (!e.ranks)
        return e;
    e.parallel = sum / e.ranks / (double)e.time;
    e.balance = most > 0 ? sum / e.ranks / most : 1; /* all have the same: nothing */
    e.communication = most / (double)e.time;
    return e;
}

struct efg_efficiency efg_efficiency_run(const struct efg_ranks *ranks, uint32_t count)
{
    return efficiency_of(ranks->values[EFG_RUN_TIME], ranks->values[EFG_MPI_TIME], count);
}

struct efg_efficiency efg_efficiency_loop(const struct efg_by_rank *by, uint32_t loop)
{
    size_t at = (size_t)loop * by->ranks;
    return efficiency_of(by->loop_time + at, by->loop_mpi + at, by->ranks);
}
