/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel regions of OpenMP: how much of the time they take, and what their threads do in it.
 */
#include "summary.h"

void efg_summary_openmp(struct efg_buffer *out, const struct efg_totals *totals)
{
    const struct efg_openmp_totals *t = &totals->openmp;
    char visits[32];

    if (!totals->openmp_ranks)
        return;
    struct efg_openmp_efficiency e =
        efg_openmp_efficiency(t, (double)totals->openmp_time, (double)totals->openmp_mpi);
    efg_format_count(visits, sizeof visits, (double)t->visits / (double)totals->openmp_ranks);
    efg_summary_tell(
        out,
        "OpenMP       %s parallel regions a rank, %.1f%% of the time; threads wait %.1f%% of theirs in them",
        visits, efg_percent((double)t->time, (double)totals->openmp_time),
        efg_percent((double)t->waited, (double)t->room));
    efg_summary_tell(out,
                     "             efficiency %.1f%% of %llu threads: load balance %.1f%% x scheduling "
                     "%.1f%% x serialization %.1f%%",
                     100 * e.all, (unsigned long long)t->threads, 100 * e.balance, 100 * e.scheduling,
                     100 * e.serialization);
}
