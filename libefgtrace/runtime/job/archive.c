/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The OTF2 archive of a job, written by all its ranks at once in MPI_Finalize:
 *
 *     every rank:  scan of its logs  --gather-->  rank 0: unify
 *     every rank:  events            <--scatter-- maps
 *     every rank:  number of events  --gather-->  rank 0: global definitions
 *
 * The steps themselves are files/otf2/otf2.h's; here is how the bytes travel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTF2_MPI_USE_PMPI
#include <otf2/OTF2_MPI_Collectives.h>

#include "files/disk/below.h"
#include "files/disk/fan.h"
#include "files/otf2/otf2.h"
#include "files/summary/summary.h"
#include "runtime/base/clock.h"
#include "tree.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/watch/threads.h"
#include "archive.h"

static const struct efg_job *const job = &efg_job;

/* The logs of this rank, open for reading. */
struct logs {
    bool is_in; /* false: they are not for the trace */
    uint32_t count;
    const struct efg_strays *strays; /* in them */
    struct efg_log_view *view;
    uint32_t *thread;            /* of each */
    uint64_t *events;            /* written of each */
    uint64_t marks, calls, team; /* of all, as in struct efg_otf2_count */
    uint32_t workers;            /* threads of OpenMP, that the first log has recorded */
};

/* --- steps --- */

/* Of all threads that have one. What cannot be read is left as it is. Returns 0 or -ENOMEM. */
static int open_logs(struct logs *logs)
{
    char path[EFG_PATH];
    const char *why;
    logs->view = calloc(efg_threads.count + 1, sizeof *logs->view);
    logs->thread = calloc(efg_threads.count + 1, sizeof *logs->thread);
    logs->events = calloc(efg_threads.count + 1, sizeof *logs->events);
    if (!logs->view || !logs->thread || !logs->events)
        return -ENOMEM;
    for (uint32_t i = 0; i < efg_threads.count && job->folder[0] && logs->is_in; i++) {
        efg_job_path(i, EFG_JOB_LOG, path);
        int error = efg_log_open(&logs->view[logs->count], path, &why);
        if (!error)
            logs->thread[logs->count++] = i;
        else if (error != -ENOENT)
            efg_note("%s is left out of the trace: %s", path, why ? why : strerror(-error));
    }
    return 0;
}

static void unmap_logs(struct logs *logs)
{
    for (uint32_t i = 0; i < logs->count; i++)
        efg_log_unmap(&logs->view[i]);
}

static void free_logs(struct logs *logs)
{
    free(logs->view);
    free(logs->thread);
    free(logs->events);
}

/* Number of logs, then each with its size in front. */
static void scan_logs(const struct logs *logs, struct efg_buffer *out)
{
    efg_buffer_u32(out, logs->count);
    for (uint32_t i = 0; i < logs->count; i++) {
        struct efg_buffer one = {0};
        if (efg_otf2_scan(&logs->view[i], logs->strays, &one) != 0)
            out->failed = true;
        efg_buffer_u64(out, one.size);
        efg_buffer_put(out, one.data, one.size);
        efg_buffer_fini(&one);
    }
}

/* On rank 0: all scans into the unifier; LOG_COUNTS[i]: how many logs rank i has. */
static int unify(struct efg_otf2_unifier *u, const struct efg_blocks *scans, uint32_t *log_counts)
{
    int error = 0;
    for (int rank = 0; rank < job->here.count; rank++) {
        size_t bytes;
        const void *scan_of_rank = efg_blocks_get(scans, rank, &bytes);
        struct efg_reader reader = efg_reader(scan_of_rank, bytes);
        log_counts[rank] = efg_reader_u32(&reader);
        for (uint32_t i = 0; i < log_counts[rank] && !error && !reader.failed; i++) {
            uint64_t size = efg_reader_u64(&reader);
            const void *scan = efg_reader_take(&reader, size);
            error = scan ? efg_otf2_unify(u, scan, size) : -EBADMSG;
            error = error < 0 ? error : 0;
        }
    }
    return error;
}

static int make_maps(struct efg_otf2_unifier *u, const uint32_t *log_counts, struct efg_buffer *out,
                     uint64_t *ends)
{
    int log = 0, error = 0;
    for (int rank = 0; rank < job->here.count; rank++) {
        for (uint32_t i = 0; i < log_counts[rank] && !error; i++) {
            struct efg_buffer one = {0};
            error = efg_otf2_map(u, log++, &one);
            efg_buffer_u64(out, one.size);
            efg_buffer_put(out, one.data, one.size);
            efg_buffer_fini(&one);
        }
        ends[rank] = out->size;
    }
    return error ? error : out->failed ? -ENOMEM : 0;
}

/* Phases are called what summary and report call them. */
static int name_phases(struct efg_otf2_unifier *u, const struct efg_run *run)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    struct efg_looptree tree;
    char name[256];
    int error = thread ? efg_summary_tree(&tree, run, &thread->graph, &thread->loops.main) : 0;
    if (!thread || error)
        return error;
    for (uint32_t i = 0; i < thread->phase_count && !error; i++) {
        const struct efg_run_phase *phase = &thread->phases[i];
        efg_summary_phase_name(run, thread, &tree, phase, name, sizeof name);
        if (phase->number && *name)
            error = efg_otf2_name_phase(u, phase->number, name);
    }
    efg_looptree_fini(&tree);
    return error;
}

/* All on rank 0 that must be known before events can be written. */
static int prepare(struct efg_otf2_unifier **u, struct efg_run *run, struct efg_symbols *symbols,
                   const struct efg_blocks *scans, uint32_t *log_counts, struct efg_buffer *maps,
                   uint64_t *ends)
{
    if (!scans->count || !log_counts || !ends)
        return -ENOMEM;
    *u = efg_otf2_unifier_new(symbols);
    if (!*u)
        return -ENOMEM;
    int error = name_phases(*u, run);
    if (!error)
        error = unify(*u, scans, log_counts);
    if (!error)
        error = efg_otf2_say_usage(*u, run);
    return error ? error : make_maps(*u, log_counts, maps, ends);
}

static int write_events(OTF2_Archive *archive, struct logs *logs, const struct efg_buffer *maps)
{
    struct efg_reader reader = efg_reader(maps->data, maps->size);
    struct efg_otf2_count count = {0};
    int error = 0;
    for (uint32_t i = 0; i < logs->count && !error; i++) {
        uint64_t size = efg_reader_u64(&reader);
        const void *map = efg_reader_take(&reader, size);
        error = map ? efg_otf2_events(archive, &logs->view[i], map, size, logs->strays, &count) : -EBADMSG;
        logs->events[i] = count.events;
        logs->marks += count.marks;
        logs->calls += count.calls;
        logs->team += count.team;
        logs->workers = count.workers > logs->workers ? count.workers : logs->workers;
    }
    return error;
}

/* Whether any rank met an error; the same answer on all. */
static int any(int error)
{
    PMPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_INT, MPI_MIN, job->comm);
    return error;
}

/* By our own communicator. The set-up that comes with OTF2 asks for memory before it duplicates
 * one, and a rank that gets none would leave the others waiting. */
static OTF2_ErrorCode set_collectives(OTF2_Archive *archive)
{
    static OTF2_CollectiveCallbacks callbacks;
    static OTF2_CollectiveContext context;

    otf2_mpi_get_collectives(&callbacks);
    callbacks.otf2_release = NULL; /* there is nothing to free */
    context = (OTF2_CollectiveContext){.comm = job->comm, .size = job->here.count, .rank = job->here.place};
    return OTF2_Archive_SetCollectiveCallbacks(archive, &callbacks, NULL, &context, NULL);
}

static OTF2_Archive *open_archive(void)
{
    /* In place of a snapshot that was taken while the job ran. */
    if (any(efg_job_is_first() ? efg_otf2_make(job->folder, EFG_BELOW_OWN) : 0))
        return NULL;
    OTF2_Archive *archive = efg_otf2_open(job->folder, EFG_BELOW_OWN, (uint32_t)job->size);
    if (any(archive ? 0 : -EIO)) /* what follows is collective */
        return NULL;
    return any(set_collectives(archive) == OTF2_SUCCESS ? 0 : -EIO) ? NULL : archive;
}

/* Numbers of events of all logs, in the order of the unifier, to rank 0; their sum to *TOTAL.
 */
static uint64_t *gather_counts(const struct logs *logs, uint64_t *total)
{
    struct efg_buffer counts = {0};

    efg_buffer_put(&counts, logs->events, logs->count * sizeof *logs->events);
    struct efg_blocks blocks = efg_tree_gather(job->comm, &counts);
    efg_buffer_fini(&counts);
    if (!blocks.count)
        return NULL;
    uint64_t *all = (uint64_t *)(void *)blocks.data;
    for (uint64_t i = 0; i < blocks.ends[job->here.count - 1] / sizeof *all; i++)
        *total += all[i];
    free(blocks.ends);
    return all;
}

/* All write their events, then rank 0 defines what they refer to. After an error nobody
 * touches the archive again: OTF2 would write past its buffers. */
static int write_archive(struct efg_otf2_unifier *u, struct efg_run *run, struct logs *logs,
                         const struct efg_buffer *maps, uint64_t *total)
{
    OTF2_Archive *archive = open_archive();
    if (!archive || any(efg_otf2_open_files(archive)))
        return -EIO;
    int error = write_events(archive, logs, maps);
    if (!error && efg_job_is_first())
        error = efg_otf2_absent(u, archive);
    if (any(error) || any(efg_otf2_close_files(archive)))
        return -EIO;
    uint64_t *all = gather_counts(logs, total);
    uint64_t own[] = {logs->marks, logs->calls, logs->team}, sums[] = {0, 0, 0};
    PMPI_Reduce(own, sums, 3, MPI_UINT64_T, MPI_SUM, 0, job->comm);
    run->trace_marks = sums[0];
    run->trace_calls = sums[1];
    *total += sums[2];
    uint64_t begin = efg_clock_cpu();
    if (efg_job_is_first())
        error = efg_otf2_describe(archive, run->application, run->size, run->mode == EFG_MODE_FULL,
                                  !run->common.totals.with_short_log);
    if (efg_job_is_first() && !error)
        error = all ? efg_otf2_define(u, archive, all, false) : -ENOMEM;
    run->own += efg_clock_cpu() - begin;
    free(all);
    if (any(error))
        return -EIO;
    if (any(efg_otf2_close(archive)))
        return -EIO;
    return any(efg_job_is_first() ? efg_otf2_publish(job->folder, EFG_BELOW_OWN) : 0);
}

/* --- afterwards --- */

/* What is in the folder traces of the archive. */
struct written {
    uint64_t files, bytes;
    uint64_t events; /* bytes of those that grow with them */
};

static void add_file(struct written *written, const char *name)
{
    char path[EFG_PATH + 300];
    snprintf(path, sizeof path, "%.4000s/traces/%.255s", job->folder, name);
    uint64_t size = efg_below_size(path, EFG_BELOW_OWN + 2);
    written->files += size > 0;
    written->bytes += size;
    written->events += strstr(name, ".evt") ? size : 0;
}

static void add_thread(struct written *written, uint32_t thread)
{
    unsigned long long location = (uint64_t)thread << 32 | (uint32_t)job->rank;
    char name[64];
    snprintf(name, sizeof name, "%llu.evt", location);
    add_file(written, name);
    snprintf(name, sizeof name, "%llu.def", location);
    add_file(written, name);
}

/* Each rank looks at its own files: a shared file system does not like one that looks at those of all.
 * Each has one of its first thread. Returns the sums on rank 0. */
static struct written add_up_files(const struct logs *logs)
{
    struct written own = {0}, all = {0};
    add_thread(&own, 0);
    for (uint32_t i = 0; i < logs->count; i++)
        if (logs->thread[i] > 0)
            add_thread(&own, logs->thread[i]);
    for (uint32_t i = 1; i <= logs->workers; i++)
        add_thread(&own, EFG_OTF2_WORKER + i);
    PMPI_Reduce(&own, &all, sizeof own / sizeof(uint64_t), MPI_UINT64_T, MPI_SUM, 0, job->comm);
    return all;
}

/* There are others if some ranks are not traced; then rank 0 looks at all. */
static void add_others(struct written *all)
{
    char path[EFG_PATH];
    struct written found = {0};
    uint64_t count = 0;
    snprintf(path, sizeof path, "%.4000s/traces", job->folder);
    DIR *folder = efg_below_list(path, EFG_BELOW_OWN + 1);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder && count != all->files) {
        rewinddir(folder);
        for (struct dirent *entry; (entry = readdir(folder));)
            if (entry->d_name[0] != '.')
                add_file(&found, entry->d_name);
        *all = found;
    }
    if (folder)
        closedir(folder);
}

/* *DEFINITIONS: those of them that do not grow with the events. */
static uint64_t archive_bytes(struct written *all, uint64_t *definitions)
{
    char path[EFG_PATH];
    add_others(all);
    snprintf(path, sizeof path, "%.4000s/traces.otf2", job->folder);
    uint64_t bytes = all->bytes + efg_below_size(path, EFG_BELOW_OWN + 1);
    snprintf(path, sizeof path, "%.4000s/traces.def", job->folder);
    bytes += efg_below_size(path, EFG_BELOW_OWN + 1);
    *definitions = bytes - all->events;
    return bytes;
}

/* If there is nothing in it. */
static void remove_folder(void)
{
    char path[EFG_PATH];
    snprintf(path, sizeof path, "%.4000s/logs", job->folder);
    if (efg_job_is_first())
        efg_fan_remove(path, EFG_BELOW_OWN + 1, (uint32_t)job->size);
}

/* Those that were read, or that nobody wants. */
static void remove_logs(const struct logs *logs)
{
    char path[EFG_PATH];
    for (uint32_t i = 0; i < logs->count; i++) {
        efg_job_path(logs->thread[i], EFG_JOB_LOG, path);
        efg_below_remove(path, EFG_BELOW_OWN + efg_fan_below(path));
    }
    for (uint32_t i = 0; i < efg_threads.count && job->folder[0] && !logs->is_in; i++) {
        efg_job_path(i, EFG_JOB_LOG, path);
        efg_below_remove(path, EFG_BELOW_OWN + efg_fan_below(path));
    }
    PMPI_Barrier(job->comm);
    remove_folder();
}

void efg_archive_drop(void)
{
    if (!job->conf.keep_logs && !efg_conf_is_brief(&job->conf))
        remove_logs(&(struct logs){.is_in = false});
}

/* Who is in the trace, where not all are. */
static void say_whom(struct efg_run *run)
{
    struct efg_ranklist first = {0};
    struct efg_buffer text = {0};
    char which[60];
    for (uint32_t i = 0; i < run->common.group_count; i++)
        efg_ranklist_add(&first, run->common.groups[i].ranks.ranges[0].first);
    efg_ranklist_print(&first, which, sizeof which);
    efg_buffer_print(&text,
                     "it has %u of %u ranks, one of each group with the same graph: %s; messages with other "
                     "ranks have one end in it",
                     run->common.group_count, run->size, which);
    free(run->trace_note);
    run->trace_note = efg_buffer_text(&text);
    efg_ranklist_fini(&first);
}

/* 0 on all ranks, if any of them has a log. */
static int expect_logs(const struct logs *logs)
{
    uint32_t most = logs->count;
    PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT32_T, MPI_MAX, job->comm);
    return most ? 0 : -ENOENT;
}

/* The maps of this rank's logs, from the scans of all; the unifier stays on rank 0. */
static int exchange(const struct logs *logs, struct efg_run *run, struct efg_symbols *symbols,
                    struct efg_otf2_unifier **u, struct efg_buffer *mine)
{
    struct efg_buffer scans = {0}, maps = {0};
    uint64_t *ends = NULL;
    uint32_t *log_counts = NULL;
    int error = 0;

    scan_logs(logs, &scans);
    struct efg_blocks all = efg_tree_gather(job->comm, &scans);
    if (efg_job_is_first()) {
        uint64_t begin = efg_clock_cpu();
        log_counts = calloc((size_t)job->here.count, sizeof *log_counts);
        ends = calloc((size_t)job->here.count, sizeof *ends);
        error = prepare(u, run, symbols, &all, log_counts, &maps, ends);
        run->own += efg_clock_cpu() - begin;
    }
    error = any(error);
    if (!error)
        error = any(efg_tree_scatter(job->comm, &maps, ends, mine));
    efg_buffer_fini(&scans);
    efg_buffer_fini(&maps);
    efg_blocks_fini(&all);
    free(ends);
    free(log_counts);
    return error;
}

void efg_archive_write(struct efg_run *run, struct efg_symbols *symbols, const struct efg_strays *strays,
                       bool is_in)
{
    struct logs logs = {.is_in = is_in, .strays = strays};
    struct efg_otf2_unifier *u = NULL;
    struct efg_buffer mine = {0};
    uint64_t total = 0;
    int error = any(open_logs(&logs)), has_logs = logs.count > 0, none = error ? 0 : expect_logs(&logs);

    if (none)
        remove_folder();
    if (!error)
        error = none;
    if (!error)
        error = exchange(&logs, run, symbols, &u, &mine);
    if (!error)
        error = write_archive(u, run, &logs, &mine, &total);
    struct written files = {0};
    if (!error)
        files = add_up_files(&logs);
    unmap_logs(&logs);
    if (!error && !job->conf.keep_logs)
        remove_logs(&logs);
    free_logs(&logs);
    if (efg_job_is_first() && !error) {
        run->trace_events = total;
        run->trace_bytes = archive_bytes(&files, &run->trace_definitions);
        if (job->conf.ranks == EFG_RANKS_REPRESENTATIVES)
            say_whom(run);
    } else if (efg_job_is_first()) {
        efg_otf2_remove(job->folder, EFG_BELOW_OWN);
        free(run->trace_note);
        run->trace_note =
            strdup(has_logs ? "it could not be written; from the logs, `efgtrace trace -o DIR2 DIR` does it"
                            : "there are no logs to make it of");
    }
    if (u)
        efg_otf2_unifier_free(u);
    efg_buffer_fini(&mine);
}
