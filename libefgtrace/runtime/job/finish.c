/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before MPI_Finalize: what the ranks know is brought together. Rank 0 writes the run file
 * and the summary, all write the trace.
 *
 * When a process ends without MPI_Finalize, its window is closed in the log, and what it knows
 * is saved; of these `efgtrace trace` makes the trace and the run file. No MPI is called then.
 */
#include "finish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive.h"
#include "collect.h"
#include "files/disk/below.h"
#include "files/run/brief.h"
#include "files/summary/summary.h"
#include "files/symbols/symbols.h"
#include "folder.h"
#include "matching.h"
#include "orders.h"
#include "runtime/base/clock.h"
#include "runtime/base/signals.h"
#include "runtime/count/count.h"
#include "runtime/hybrid/hybrid.h"
#include "runtime/plugin/plugin.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/stack/python.h"
#include "runtime/watch/coarse.h"
#include "runtime/watch/events.h"
#include "runtime/watch/known.h"
#include "runtime/watch/last.h"
#include "runtime/watch/live.h"
#include "runtime/watch/rounds.h"
#include "runtime/watch/save.h"
#include "runtime/watch/steer.h"
#include "runtime/watch/threads.h"
#include "runtime/watch/thrift.h"
#include "runtime/watch/windows.h"
#include "scratch.h"
#include "sessions.h"
#include "spawned.h"

static struct efg_job *const job = &efg_job;

/* "" where there is no folder. */
static void run_path(char *path, size_t size)
{
    snprintf(path, size, "%.4000s%s", job->folder, job->folder[0] ? "/run.efg" : "");
}

/* --- all ranks --- */

static struct efg_collected collect(struct efg_run *run, uint64_t now)
{
    struct efg_run_names names = {0};
    struct efg_run_rank rank;
    struct efg_buffer sequence = {0};
    struct efg_run_order order = {0};
    char path[EFG_PATH];
    efg_orders_end(&sequence, &order); /* may have to note something about the rank */
    bool has_names = efg_known_names(&names) == 0;
    efg_known_rank(&rank, NULL, now);
    run_path(path, sizeof path);
    struct efg_collected collected =
        efg_collect(run, has_names ? &names : NULL, &rank, &sequence, &order, path);
    efg_known_forget(&names);
    efg_known_forget_rank(&rank);
    efg_buffer_fini(&sequence);
    return collected;
}

/* --- rank 0 --- */

/* The end of the run file, and its name. Returns whether it is there. */
static bool write_run(const struct efg_run *run, const struct efg_collected *collected)
{
    char path[EFG_PATH];
    run_path(path, sizeof path);
    int error = collected->error;
    if (!error)
        error = efg_runfile_finish(run, path, EFG_BELOW_OWN + 1, collected->end);
    if (!error)
        return true;
    if (*path)
        efg_runfile_abandon(path, EFG_BELOW_OWN + 1);
    efg_note("cannot write %s: %s", *path ? path : "run.efg", strerror(-error));
    return false;
}

/* Run file and summary of a record have EFG_CONF_RECORD bytes together. */
#define SUMMARY 8192

static bool write_record(const struct efg_run *run, struct efg_collected *collected)
{
    char path[EFG_PATH];
    struct efg_buffer file = {0};
    run_path(path, sizeof path);
    if (!collected->error)
        efg_runfile_put_brief(&file, run, &collected->sections, &run->speaker, EFG_CONF_RECORD - SUMMARY);
    bool is_written = file.size && !file.failed && efg_runfile_replace(path, EFG_BELOW_OWN + 1, &file) == 0;
    efg_buffer_fini(&file);
    efg_buffer_fini(&collected->sections);
    return is_written;
}

/* On a terminal, in lines that it has room for. */
static void show(const struct efg_run *run, const struct efg_buffer *text)
{
    struct efg_buffer narrow = {0}, fit = {0};
    int width = efg_summary_width(STDERR_FILENO);
    if (width) {
        efg_summary_narrow(width);
        efg_summary_write(&narrow, run);
        efg_summary_fit(&fit, &narrow, width);
        text = &fit;
    }
    if (!text->failed && !narrow.failed)
        fwrite(text->data, 1, text->size, stderr);
    efg_buffer_fini(&narrow);
    efg_buffer_fini(&fit);
}

static void write_summary(const struct efg_run *run)
{
    struct efg_buffer text = {0};
    efg_summary_write(&text, run);
    if (efg_conf_is_brief(&job->conf) && text.size > SUMMARY)
        text.size = SUMMARY;
    if (!text.failed) {
        efg_folder_write("summary.txt", &text);
        if (job->conf.summary && !job->conf.is_record) {
            fflush(stdout);
            show(run, &text);
        }
    }
    efg_buffer_fini(&text);
}

/* --- the end --- */

static bool has_windows(void)
{
    int some = efg_steering.window_count > 0 || job->conf.mode == EFG_MODE_FULL;
    PMPI_Allreduce(MPI_IN_PLACE, &some, 1, MPI_INT, MPI_MAX, job->comm);
    return some;
}

static const char *explain_log(int error)
{
    return error == EFBIG                     ? "log_limit is reached"
           : error == ESTALE                  ? "somebody has cut or removed its file"
           : error == ENOSPC && job->local[0] ? "No space left on device (EFGTRACE_LOCAL)"
                                              : strerror(error);
}

static void close_recorders(uint64_t now)
{
    efg_windows_clean();
    for (struct efg_thread *t = efg_threads.list; t; t = t->next) {
        efg_recorder_close(&t->recorder, now);
        if (t->recorder.failed)
            efg_note("thread %u: the log ended early: %s", t->number, explain_log(t->recorder.failed));
    }
}

/* The other end of the line on which all times between will lie. */
static void compare_clocks(void)
{
    struct efg_moment end;
    efg_clocks_compare(&job->nodes, &job->sync, &end);
    if (end.error > job->sync.error)
        job->sync.error = end.error;
    for (struct efg_thread *t = efg_threads.list; t; t = t->next)
        if (t->recorder.log.header) {
            t->recorder.log.header->sync[1] = end.sync;
            t->recorder.log.header->clock_error = job->sync.error;
        }
}

/* What one rank could not tell apart, the others do not either: so their graphs have the same
 * names. */
static void share_detail(uint64_t now)
{
    uint32_t dropped = efg_coarse_dropped();

    PMPI_Allreduce(MPI_IN_PLACE, &dropped, 1, MPI_UINT32_T, MPI_BOR, job->comm);
    efg_coarse_hear(dropped);
    for (struct efg_thread *t = efg_threads.list; t; t = t->next)
        efg_coarse_follow(t, now);
}

static void note_requests(void)
{
    if (efg_requests_refused())
        efg_note("%llu requests found no memory and were not followed: their completion "
                 "is not in the trace (EFGTRACE_MEMORY)",
                 (unsigned long long)efg_requests_refused());
}

static void note_python(void)
{
    const char *version = efg_python_missed();

    if (version && efg_job_is_first())
        efg_note_silently("functions of Python %.*s are not known: call paths are those of the interpreter",
                          (int)strcspn(version, " "), version);
}

void efg_finish_run(void)
{
    struct efg_run run = {0};
    struct efg_strays strays = {0};
    struct efg_signals signals;

    efg_last_end();
    efg_live_say(EFG_LIVE_FINISHING);
    efg_threads_stop();
    efg_plugins_end();
    uint64_t now = efg_clock_ticks();
    efg_thrift_end(now);
    efg_signals_hold(&signals);
    for (struct efg_thread *t = efg_threads.list; t; t = t->next)
        efg_events_add(t, now, false);
    efg_steer_finish(now, true);
    efg_count_end();
    job->openmp = efg_hybrid_text();
    PMPI_Barrier(job->comm); /* who comes late does so without us, too */
    efg_live_end();
    uint64_t begin = efg_clock_ticks();
    compare_clocks();
    share_detail(now);
    note_requests();
    note_python();
    efg_spawned_note();
    close_recorders(now);
    bool has_trace = has_windows();
    if (has_trace)
        efg_matching_check(&run, &strays); /* first: it counts what was sent in windows */
    struct efg_collected collected = collect(&run, now);
    struct efg_symbols *symbols = efg_job_is_first() && job->conf.symbols ? efg_symbols_new() : NULL;
    if (efg_job_is_first()) {
        uint64_t start = efg_clock_cpu();
        efg_known_run(&run);
        if (symbols)
            efg_run_resolve(&run, symbols);
        efg_summary_tell_apart(&run);
        run.own = efg_clock_cpu() - start + collected.work;
        efg_tell(now, "ranks joined: %u kinds of graphs; rank 0 got %llu bytes, %llu us",
                 run.common.group_count, (unsigned long long)collected.received,
                 (unsigned long long)collected.work / 1000);
    }
    if (has_trace)
        efg_archive_write(&run, symbols, &strays,
                          job->conf.ranks == EFG_RANKS_ALL || efg_collect_represents(&run));
    else
        efg_archive_drop();
    efg_strays_fini(&strays);
    run.rounds = efg_rounds_count();
    run.finish = efg_clock_ticks() - begin;
    bool is_written = false;
    if (efg_job_is_first()) {
        efg_live_remove_folder(); /* all have sent what they know, and so have removed their files */
        is_written =
            efg_conf_is_brief(&job->conf) ? write_record(&run, &collected) : write_run(&run, &collected);
        if (!is_written) { /* it is nowhere */
            free(run.output);
            run.output = NULL;
        }
        write_summary(&run);
    }
    if (efg_conf_is_brief(&job->conf) && efg_job_is_first())
        efg_below_remove_folder(job->folder, EFG_BELOW_OWN); /* where nothing could be written to it */
    efg_save_end(is_written);
    efg_scratch_end();
    efg_run_fini(&run);
    if (symbols)
        efg_symbols_free(symbols);
    efg_nodes_fini(&job->nodes);
    PMPI_Comm_free(&job->comm);
    efg_sessions_end();
    efg_signals_release(&signals);
}

void efg_finish_leave(void)
{
    efg_last_end();
    efg_live_say(EFG_LIVE_ENDED);
    efg_threads_stop();
    efg_plugins_end();
    uint64_t now = efg_clock_ticks();
    efg_thrift_end(now);
    struct efg_thread *self = efg_threads_become(NULL);
    struct efg_signals signals;

    efg_signals_hold(&signals);
    efg_steer_finish(now, false);
    efg_count_end();
    job->openmp = efg_hybrid_text();
    close_recorders(now);
    if (self) {
        efg_events_add(self, now, false);
        efg_save_last(self, now);
    }
    efg_scratch_leave();
    efg_signals_release(&signals);
}
