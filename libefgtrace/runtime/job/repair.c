/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Corrects the clocks in the logs of all ranks. All ranks go the same way, whatever happens to one of
 * them: each step ends in a value that all of them get. Either all logs are moved or none: a part of them
 * would be worse than none.
 *
 * Times in the run file are those of the whole run, to which a few microseconds in its middle
 * mean nothing: they stay as the clocks were compared.
 */
#include "repair.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/process/job.h"
#include "runtime/watch/threads.h"
#include "tree.h"

static const struct efg_job *const job = &efg_job;

/* The least value that a rank gave. */
static int64_t least_of_all(int64_t mine)
{
    PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_MIN, job->comm);
    return mine;
}

/* --- rank 0 --- */

/* The clock of a rank and what it knows, from its block. */
static int get_rank(const struct efg_blocks *blocks, int rank, struct efg_sync *clock, struct efg_skew *all)
{
    size_t size;
    const void *block = efg_blocks_get(blocks, rank, &size);
    struct efg_reader in = efg_reader(block, size);
    clock->ticks = efg_reader_u64(&in);
    clock->realtime = efg_reader_u64(&in);
    return efg_skew_get(all, &in);
}

/* The shift of each rank. Returns 0 or -errno as efg_skew_solve. */
static int solve(const struct efg_blocks *blocks, int64_t *shifts, struct efg_run_skew *found)
{
    struct efg_sync *clocks = calloc((size_t)job->here.count, sizeof *clocks);
    struct efg_skew all = {0};
    int error = clocks && shifts && blocks->count == job->here.count ? 0 : -ENOMEM;
    for (int i = 0; !error && i < job->here.count; i++)
        error = get_rank(blocks, i, &clocks[i], &all);
    if (!error)
        error = efg_skew_solve(&all, EFG_SKEW_LATENCY);
    found->early = efg_skew_early(&all);
    found->moved = efg_skew_shifted(&all);
    for (int i = 0; !error && i < job->here.count; i++)
        shifts[i] = efg_skew_shift(&all, &clocks[i]);
    efg_skew_fini(&all);
    free(clocks);
    return error;
}

/* --- all ranks --- */

/* Move the first COUNT logs of this rank. Returns how many, up to one that cannot be moved; a
 * thread that recorded nothing may have none. */
static uint32_t move_logs(uint32_t count, int64_t shift)
{
    char path[EFG_PATH];
    for (uint32_t i = 0; i < count && shift; i++) {
        efg_job_path(i, EFG_JOB_LOG, path);
        int error = efg_log_shift(path, shift);
        if (error && error != -ENOENT)
            return i;
    }
    return count;
}

/* Returns 0, or -EIO: a log could not be moved, and all are as they were. */
static int move_all(int64_t shift)
{
    uint32_t count = job->folder[0] ? efg_threads.count : 0, moved = move_logs(count, shift);
    if (least_of_all(moved == count))
        return 0;
    move_logs(moved, -shift);
    return -EIO;
}

/* Find the shifts and carry them out. Returns 0 or -errno, the same on all ranks. */
static int correct(const struct efg_skew *mine, struct efg_run_skew *found)
{
    struct efg_buffer block = {0};
    int64_t shift = 0, *shifts = NULL;
    int error = 0;
    efg_buffer_u64(&block, job->sync.sync.ticks);
    efg_buffer_u64(&block, job->sync.sync.realtime);
    efg_skew_put(mine, &block);
    struct efg_blocks blocks = efg_tree_gather(job->comm, &block);
    if (efg_job_is_first()) {
        shifts = calloc((size_t)job->here.count, sizeof *shifts);
        error = solve(&blocks, shifts, found);
    }
    PMPI_Bcast(&error, 1, MPI_INT, 0, job->comm);
    if (!error) {
        PMPI_Scatter(shifts, 1, MPI_INT64_T, &shift, 1, MPI_INT64_T, 0, job->comm);
        error = move_all(shift);
    }
    free(shifts);
    efg_blocks_fini(&blocks);
    efg_buffer_fini(&block);
    return error;
}

bool efg_repair_clocks(struct efg_run *run, const struct efg_skew *mine)
{
    int64_t least = least_of_all(efg_skew_least(mine));
    if (least >= 0)
        return false;
    struct efg_run_skew found = {.most = (uint64_t)-least};
    int error = least_of_all(!mine->failed) ? correct(mine, &found) : -ENOMEM;
    found.repair = error == -EDOM ? EFG_REPAIR_CONTRADICTORY : error ? EFG_REPAIR_FAILED : EFG_REPAIR_DONE;
    if (error)
        found.moved = 0;
    found.left = found.early;
    if (efg_job_is_first())
        run->skew = found;
    return !error;
}

void efg_repair_refuse(struct efg_run *run, uint64_t suspects)
{
    uint64_t all = 0;
    PMPI_Reduce(&suspects, &all, 1, MPI_UINT64_T, MPI_SUM, 0, job->comm);
    if (all)
        run->skew = (struct efg_run_skew){.repair = EFG_REPAIR_UNPROVEN, .early = all, .left = all};
}
