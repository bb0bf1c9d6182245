/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Saves the graph and the order of calls now and then. A piece, DIR/pieces/RANK.THREAD.efg (or as fan.h has
 * it), is a run file of one rank with one thread: each thread can look at its own graph without a lock, but
 * not at another's. Of its sequence it has what is not yet in the file of the order, from which the tool
 * takes the rest.
 *
 * It is written beside its name and moved there, so that there is always a whole one.
 */
#include "save.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "files/disk/below.h"
#include "files/disk/fan.h"
#include "files/run/brief.h"
#include "files/run/merge.h"
#include "known.h"
#include "runtime/base/clock.h"
#include "runtime/base/memory.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/process/processor.h"
#include "threads.h"
#include "windows.h"

#define SAVES 100 /* saves take at most 1/SAVES of the time */

static const struct efg_job *const job = &efg_job;

static void folder_of_pieces(char *path, size_t size)
{
    snprintf(path, size, "%.4000s/pieces", job->folder);
}

/* Of a record there is one, of the first thread of the first rank: it has the place of the run file until
 * that is written. */
static bool is_whole(void)
{
    return efg_conf_is_brief(&job->conf);
}

static unsigned below(const char *path)
{
    return EFG_BELOW_OWN + (is_whole() ? 1 : efg_fan_below(path));
}

static void path_of_piece(const struct efg_thread *t, char path[EFG_PATH])
{
    if (is_whole())
        snprintf(path, EFG_PATH, "%.4000s/run.efg", job->folder);
    else
        efg_job_path(t->number, EFG_JOB_PIECE, path);
}

/* --- when --- */

int efg_save_begin(void)
{
    char path[EFG_PATH];

    folder_of_pieces(path, sizeof path);
    return job->conf.save == 0 ? 0 : efg_fan_make(path, EFG_BELOW_OWN + 1, (uint32_t)job->size);
}

/* After half of the pause to all of it, so that the ranks are spread. */
uint64_t efg_save_first(uint64_t now)
{
    double part = (1 + (double)job->rank / (double)job->size) / 2;

    if (job->conf.save == 0 || !job->folder[0] || is_whole())
        return UINT64_MAX;
    return now + (uint64_t)(part * (double)job->conf.save);
}

static uint64_t pause_at(uint64_t now)
{
    return efg_finder_pause(now - job->start, job->conf.save);
}

/* What is recorded is not to be disturbed, unless it takes long. */
static bool has_to_wait(const struct efg_thread *t, uint64_t now)
{
    return t->recorder.is_on && job->conf.mode != EFG_MODE_FULL && now - t->next_save < pause_at(now);
}

/* --- what --- */

static void put_sequence(struct efg_buffer *sections, struct efg_merge *merge, const struct efg_thread *t)
{
    struct efg_buffer segments = {0}, section = {0};
    struct efg_run_order order = {0};
    struct efg_run_sequence_thread thread = {
        .events = efg_order_peek(&t->order, &segments),
        .table_count = t->order.table_count,
        .tables = t->order.tables,
        .segments = segments.data,
        .size = segments.size,
    };
    efg_runfile_put_sequence(&section, (uint32_t)job->rank,
                             &(struct efg_run_sequence){.thread_count = 1, .threads = &thread}, &order);
    efg_merge_order(merge, (uint32_t)job->rank, &order);
    efg_buffer_put(sections, section.data, section.size);
    sections->failed |= segments.failed | section.failed;
    efg_buffer_fini(&segments);
    efg_buffer_fini(&section);
}

/* Takes from RANK what goes into the sections of it and of the run. */
static void put_rank(struct efg_buffer *out, const struct efg_thread *t, const struct efg_run_names *names,
                     struct efg_run_rank *rank)
{
    struct efg_buffer sections = {0};
    struct efg_merge merge = {0};
    struct efg_run run = {.is_saved = 1};

    efg_known_run(&run);
    efg_runfile_put_rank(&sections, rank);
    efg_merge_rank(&merge, names, rank);
    merge.failed |= efg_totals_host(&merge.common.totals, rank, 1) != 0;
    if (job->conf.sequence)
        put_sequence(&sections, &merge, t);
    run.common = merge.common;
    if (is_whole())
        efg_runfile_put_brief(out, &run, &sections, rank, EFG_CONF_RECORD);
    else
        efg_runfile_put_all(out, &run, &sections);
    out->failed |= merge.failed;
    run.common = (struct efg_run_common){0};
    efg_buffer_fini(&sections);
    efg_merge_fini(&merge);
    efg_run_fini(&run);
}

/* Iterations around slow ones are windows of their own until the job ends. Returns what is to be freed. */
static struct efg_run_window *join_windows(struct efg_run_thread *thread)
{
    struct efg_run_window *copy = NULL;

    if (thread->window_count && !efg_array_grow(&copy, 0, thread->window_count, sizeof *copy)) {
        memcpy(copy, thread->windows, thread->window_count * sizeof *copy);
        thread->windows = copy;
        thread->window_count = efg_windows_joined(copy, thread->window_count);
    }
    return copy;
}

static void put_piece(struct efg_buffer *out, struct efg_thread *t, uint64_t now)
{
    struct efg_run_names names;
    struct efg_run_rank rank;

    efg_known_rank(&rank, t, now);
    struct efg_run_window *windows = rank.threads ? join_windows(rank.threads) : NULL;
    if (efg_known_names(&names) == 0 && rank.threads)
        put_rank(out, t, &names, &rank);
    else
        out->failed = true;
    efg_known_forget(&names);
    efg_known_forget_rank(&rank);
    free(windows);
}

/* --- saving --- */

/* For a moment there was a second sequence, and the PIECE, of so many bytes. */
static void note_memory(const struct efg_thread *t, size_t piece)
{
    uint64_t used = __atomic_load_n(&efg_memory.used, __ATOMIC_RELAXED);
    efg_budget_note(&efg_memory, used + efg_sequence_memory(&t->order.sequence) + piece);
}

/* Returns 0 or -errno. */
static int write_piece(struct efg_thread *t, uint64_t now)
{
    struct efg_buffer piece = {0};
    char path[EFG_PATH];

    path_of_piece(t, path);
    put_piece(&piece, t, now);
    int error = piece.failed ? -ENOMEM : efg_log_may_have(piece.size) ? 0 : -EFBIG;
    if (!error)
        error = efg_runfile_replace(path, below(path), &piece);
    note_memory(t, piece.room);
    efg_buffer_fini(&piece);
    return error;
}

static void save(struct efg_thread *t, uint64_t now)
{
    int saved = errno, error = write_piece(t, now);

    t->next_save = now + pause_at(now);
    if (error && error != -ENOMEM) { /* there may be memory again the next time */
        t->next_save = UINT64_MAX;
        efg_note("thread %u: what it has cannot be saved, in case the job is killed: "
                 "%s (EFGTRACE_SAVE%s)",
                 t->number, strerror(-error), job->local[0] ? ", EFGTRACE_LOCAL" : "");
    }
    errno = saved;
}

void efg_save(struct efg_thread *t, uint64_t now)
{
    if (has_to_wait(t, now))
        return;
    uint64_t begin = efg_clock_ticks(), waited = efg_processor_waited();
    save(t, now);
    uint64_t took = efg_clock_ticks() - begin;
    efg_cost_rare(&t->cost, took, efg_processor_waited() - waited);
    if (t->next_save < now + SAVES * took)
        t->next_save = now + SAVES * took;
}

void efg_save_last(struct efg_thread *t, uint64_t now)
{
    if (t->next_save != UINT64_MAX)
        save(t, now);
}

/* --- the end --- */

void efg_save_end(bool is_written)
{
    char path[EFG_PATH];

    if (job->conf.save == 0 || is_whole())
        return;
    PMPI_Bcast(&is_written, 1, MPI_INT, 0, job->comm);
    if (!is_written)
        return;
    for (const struct efg_thread *t = efg_threads.list; t; t = t->next) {
        path_of_piece(t, path);
        if (job->folder[0])
            efg_below_remove(path, below(path));
    }
    PMPI_Barrier(job->comm);
    folder_of_pieces(path, sizeof path);
    if (efg_job_is_first())
        efg_fan_remove(path, EFG_BELOW_OWN + 1, (uint32_t)job->size);
}
