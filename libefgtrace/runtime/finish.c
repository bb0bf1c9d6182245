/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before MPI_Finalize: what the ranks know is brought together. Rank 0 writes the run file
 * and the summary, all write the trace.
 *
 * When a process ends without MPI_Finalize, its window is closed in the log, from which
 * `efgtrace trace` makes the OTF2 trace; no MPI is called then.
 */
#include "runtime/tracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include "files/summary.h"
#include "files/symbols.h"
#include "runtime/callpath.h"
#include "runtime/clock.h"
#include "runtime/collect.h"
#include "runtime/matching.h"
#include "runtime/memory.h"
#include "runtime/orders.h"

static struct efg_process *const p = &efg_process;

/* "" where there is no folder. */
static void run_path(char *path, size_t size)
{
    snprintf(path, size, "%.4000s%s", p->folder, p->folder[0] ? "/run.efg" : "");
}

/* --- what this rank knows --- */

static uint64_t realtime(uint64_t ticks)
{
    return p->sync.sync.realtime + (ticks - p->sync.sync.ticks);
}

static void fill_calls(struct efg_run_names *names)
{
    names->calls = calloc(EFG_CALLS, sizeof *names->calls);
    for (uint32_t i = 1; names->calls && i < EFG_CALLS; i++)
        names->calls[names->call_count++] =
            (struct efg_run_call){i, efg_call_info[i].class, (char *)efg_call_info[i].name};
}

static void fill_paths(struct efg_run_names *names)
{
    uint32_t modules = efg_callpath_modules(), paths = efg_callpath_count();
    names->modules = calloc(modules + 1, sizeof *names->modules);
    names->paths = calloc(paths + 1, sizeof *names->paths);
    for (uint32_t i = 0; names->modules && i < modules; i++)
        names->modules[names->module_count++] = (char *)efg_callpath_module(i);
    for (uint32_t i = 1; names->paths && i <= paths; i++) {
        struct efg_path path = efg_callpath_get(i);
        names->paths[names->path_count++] =
            (struct efg_run_path){path.hash, path.depth, (struct efg_frame *)path.frames};
    }
}

static void fill_regions(struct efg_run_names *names)
{
    uint32_t at = 0, id;
    names->regions = calloc(EFG_REGION_NAMES, sizeof *names->regions);
    for (const char *name; names->regions && (name = efg_regions_next(&at, &id));)
        names->regions[names->region_count++] = (struct efg_run_region){id, (char *)name};
}

static uint64_t thread_cost(const struct efg_thread *t)
{
    uint64_t calls = t->graph.events;
    for (uint32_t i = 0; i < t->graph.node_count; i++)
        calls += t->graph.nodes[i].polls;
    return efg_cost_of(&t->cost, calls);
}

static void fill_thread(struct efg_run_thread *out, struct efg_thread *t)
{
    out->number = t->number;
    out->graph = t->graph;
    out->stability = t->stability;
    out->iterations = t->iterations;
    if (t->finder)
        out->levels = *efg_pivot_levels(t->finder);
    if (t == p->leader) {
        out->pivot = p->pivot;
        out->pivot.visits = p->visits; /* over the run */
        out->windows = p->windows;
        out->window_count = p->window_count;
    }
}

/* Everything belongs to the tracer: only the array of threads is to be freed. */
static void fill_rank(struct efg_run_rank *rank, uint64_t now)
{
    *rank = (struct efg_run_rank){
        .rank = (uint32_t)p->rank,
        .host = p->host,
        .place = p->place,
        .clock_error = p->sync.error,
        .start = realtime(p->start),
        .end = realtime(now),
        .memory = efg_memory.most,
        .note = p->note,
        .init = p->init,
    };
    rank->threads = calloc(p->thread_count, sizeof *rank->threads);
    if (!rank->threads)
        return;
    rank->thread_count = p->thread_count;
    for (struct efg_thread *t = p->threads; t; t = t->next) {
        rank->cost += thread_cost(t);
        rank->memory += efg_recorder_memory(&t->recorder);
        fill_thread(&rank->threads[t->number], t);
    }
}

static struct efg_collected collect(struct efg_run *run, uint64_t now)
{
    struct efg_run_names names = {0};
    struct efg_run_rank rank;
    struct efg_buffer sequence = {0};
    struct efg_run_order order = {0};
    char path[EFG_PATH];
    efg_orders_end(&sequence, &order); /* may have to note something about the rank */
    fill_calls(&names);
    fill_paths(&names);
    fill_regions(&names);
    fill_rank(&rank, now);
    run_path(path, sizeof path);
    struct efg_collected collected = efg_collect(run, &names, &rank, &sequence, &order, path);
    free(names.calls);
    free(names.modules);
    free(names.paths);
    free(names.regions);
    free(rank.threads);
    efg_buffer_fini(&sequence);
    return collected;
}

/* --- rank 0 --- */

static char *read_command(void)
{
    char text[4096];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    if (size <= 0)
        return strdup("");
    for (ssize_t i = 0; i < size - 1; i++)
        text[i] = text[i] ? text[i] : ' ';
    text[size] = '\0';
    return strdup(text);
}

static void describe(struct efg_run *run)
{
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    PMPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, ",\n")] = '\0';
    run->application = strdup(p->application);
    run->command = read_command();
    run->version = strdup(EFG_VERSION);
    run->mpi = strdup(mpi);
    run->output = strdup(p->folder);
    run->trace_note = strdup("");
    run->mode = (uint32_t)p->conf.mode;
    run->level = (uint32_t)p->conf.level;
    run->dimensions = p->conf.signature;
    run->iterations = p->conf.iterations;
    run->interval = p->conf.interval;
}

static void write_text(const char *name, const struct efg_buffer *text)
{
    char path[EFG_PATH];
    snprintf(path, sizeof path, "%.4000s/%s", p->folder, name);
    FILE *file = fopen(path, "wx");
    if (!file)
        return;
    size_t written = fwrite(text->data, 1, text->size, file);
    if (fclose(file) || written < text->size)
        remove(path);
}

/* The end of the run file, and its name. */
static void write_run(const struct efg_run *run, const struct efg_collected *collected)
{
    char path[EFG_PATH];
    run_path(path, sizeof path);
    int error = collected->error;
    if (!error)
        error = efg_runfile_finish(run, path, collected->end);
    if (!error)
        return;
    if (*path)
        efg_runfile_abandon(path);
    efg_tracer_note("cannot write %s: %s", *path ? path : "run.efg", strerror(-error));
}

static void write_summary(const struct efg_run *run)
{
    struct efg_buffer text = {0};
    efg_summary_write(&text, run);
    if (!text.failed) {
        write_text("summary.txt", &text);
        if (p->conf.summary) {
            fflush(stdout);
            fwrite(text.data, 1, text.size, stderr);
        }
    }
    efg_buffer_fini(&text);
}

/* --- the end --- */

static int has_windows(void)
{
    int some = p->window_count > 0 || p->conf.mode == EFG_MODE_FULL;
    PMPI_Allreduce(MPI_IN_PLACE, &some, 1, MPI_INT, MPI_MAX, p->comm);
    return some;
}

static void close_recorders(uint64_t now)
{
    for (struct efg_thread *t = p->threads; t; t = t->next) {
        if (t->recorder.failed)
            efg_tracer_note("thread %u: the log ended early: %s", t->number,
                            strerror(t->recorder.failed));
        efg_recorder_close(&t->recorder, now);
    }
}

/* The other end of the line on which all times between will lie. */
static void compare_clocks(void)
{
    struct efg_moment end;
    efg_clocks_compare(&p->nodes, &p->sync, &end);
    if (end.error > p->sync.error)
        p->sync.error = end.error;
    for (struct efg_thread *t = p->threads; t; t = t->next)
        if (t->recorder.log.header) {
            t->recorder.log.header->sync[1] = end.sync;
            t->recorder.log.header->clock_error = p->sync.error;
        }
}

/* What one rank could not tell apart, the others do not either: so their graphs have the same
 * names. */
static void share_detail(uint64_t now)
{
    uint32_t dropped = p->dropped;

    PMPI_Allreduce(MPI_IN_PLACE, &dropped, 1, MPI_UINT32_T, MPI_BOR, p->comm);
    efg_coarse_hear(dropped);
    for (struct efg_thread *t = p->threads; t; t = t->next)
        efg_coarse_follow(t, now);
}

static void note_requests(void)
{
    if (efg_requests_refused())
        efg_tracer_note("%llu requests found no memory and were not followed: their completion "
                        "is not in the trace (EFGTRACE_MEMORY)",
                        (unsigned long long)efg_requests_refused());
}

void efg_finish_run(void)
{
    uint64_t now = efg_clock_ticks();
    struct efg_run run = {0};
    struct efg_strays strays = {0};

    efg_steer_finish(now, 1);
    PMPI_Barrier(p->comm); /* who comes late does so without us, too */
    uint64_t begin = efg_clock_ticks();
    compare_clocks();
    share_detail(now);
    note_requests();
    close_recorders(now);
    struct efg_collected collected = collect(&run, now);
    struct efg_symbols *symbols = p->rank == 0 && p->conf.symbols ? efg_symbols_new() : NULL;
    if (p->rank == 0) {
        uint64_t start = efg_clock_cpu();
        describe(&run);
        if (symbols)
            efg_run_resolve(&run, symbols);
        run.own = efg_clock_cpu() - start + collected.work;
        efg_tracer_tell(now, "ranks joined: %u kinds of graphs; rank 0 got %llu bytes, %llu us",
                        run.common.group_count, (unsigned long long)collected.received,
                        (unsigned long long)collected.work / 1000);
    }
    if (has_windows()) {
        efg_matching_check(&run, &strays);
        efg_archive_write(&run, symbols, &strays);
        efg_strays_fini(&strays);
    }
    run.rounds = p->rounds;
    run.finish = efg_clock_ticks() - begin;
    if (p->rank == 0) {
        write_run(&run, &collected);
        write_summary(&run);
    }
    efg_run_fini(&run);
    if (symbols)
        efg_symbols_free(symbols);
    efg_nodes_fini(&p->nodes);
    PMPI_Comm_free(&p->comm);
}

void efg_finish_leave(void)
{
    uint64_t now = efg_clock_ticks();
    efg_steer_finish(now, 0);
    close_recorders(now);
}
