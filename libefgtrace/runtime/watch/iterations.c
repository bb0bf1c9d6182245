/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations, from one visit of the pivot to the next: their sums, and the series of them.
 */
#include "iterations.h"

#include <string.h>

#include "runtime/base/memory.h"
#include "runtime/process/job.h"
#include "threads.h"

static const struct efg_job *const job = &efg_job;

void efg_iterations_restart(struct efg_thread *t)
{
    t->last_visit = 0;
    t->pivots++;
    memset(&t->iterations, 0, sizeof t->iterations);
    if (t->counts)
        memset(&t->counts->all, 0, sizeof t->counts->all);
    if (t->series) {
        efg_series_clear(t->series);
        return;
    }
    t->series = efg_series_new();
    if (t->series)
        efg_budget_add(&efg_memory, efg_series_size(EFG_SERIES_SLOTS));
}

uint64_t efg_iterations_mpi(const struct efg_graph *graph, uint64_t now)
{
    return graph->node_time - (graph->last_leave > now ? graph->last_leave - now : 0);
}

uint64_t efg_iterations_mpi_of(uint64_t time, uint64_t before, uint64_t after)
{
    uint64_t mpi = after - before;

    return mpi < time ? mpi : time;
}

void efg_iterations_count(struct efg_thread *t, uint64_t number, uint64_t now)
{
    uint64_t begin = t->last_visit, time = now - begin, before = t->last_mpi;
    t->last_visit = now;
    t->last_mpi = efg_iterations_mpi(&t->graph, now);
    if (begin == 0)
        return;
    uint64_t mpi = efg_iterations_mpi_of(time, before, t->last_mpi);
    efg_stat_add(&t->iterations.all, time);
    t->iterations.all_mpi += mpi;
    if (t->series && !t->pause.from) /* numbers hold until the first pause */
        efg_series_add(t->series, &(struct efg_iteration){number - 1, begin - job->start, time, mpi});
}
