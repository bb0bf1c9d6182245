/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/known.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/callpath.h"
#include "runtime/memory.h"

static struct efg_process *const p = &efg_process;

/* --- names --- */

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

int efg_known_names(struct efg_run_names *names)
{
    *names = (struct efg_run_names){0};
    fill_calls(names);
    fill_paths(names);
    fill_regions(names);
    return names->calls && names->modules && names->paths && names->regions ? 0 : -1;
}

void efg_known_forget(struct efg_run_names *names)
{
    free(names->calls);
    free(names->modules);
    free(names->paths);
    free(names->regions);
}

/* --- the rank --- */

static uint64_t realtime(uint64_t ticks)
{
    return p->sync.sync.realtime + (ticks - p->sync.sync.ticks);
}

static uint64_t thread_cost(const struct efg_thread *t)
{
    uint64_t calls = t->graph.events;
    for (uint32_t i = 0; i < t->graph.node_count; i++)
        calls += t->graph.nodes[i].polls;
    return efg_cost_of(&t->cost, calls);
}

static struct efg_run_items list_items(struct efg_traffic *traffic,
                                       uint32_t list(struct efg_traffic *traffic,
                                                     struct efg_traffic_item *items))
{
    struct efg_run_items items = {.item =
                                      calloc(efg_traffic_most(traffic), sizeof *items.item)};
    if (items.item)
        items.count = list(traffic, items.item);
    return items;
}

static void fill_thread(struct efg_run_thread *out, struct efg_thread *t)
{
    out->number = t->number;
    out->graph = t->graph;
    out->stability = t->stability;
    out->iterations = t->iterations;
    out->series = t->series;
    out->traffic.partners = list_items(t->recorder.traffic, efg_traffic_partners);
    out->traffic.sends = list_items(t->recorder.traffic, efg_traffic_sends);
    out->traffic.collectives = list_items(t->recorder.traffic, efg_traffic_collectives);
    if (t->finder)
        out->levels = *efg_pivot_levels(t->finder);
    if (t == p->leader) {
        out->pivot = p->pivot;
        out->pivot.visits = p->visits; /* over the run */
        out->windows = p->windows;
        out->window_count = p->window_count;
    }
}

static void add_thread(struct efg_run_rank *rank, struct efg_thread *t)
{
    rank->cost += thread_cost(t);
    rank->memory += efg_recorder_memory(&t->recorder);
    fill_thread(&rank->threads[t->number < rank->thread_count ? t->number : 0], t);
}

void efg_known_rank(struct efg_run_rank *rank, struct efg_thread *only, uint64_t now)
{
    *rank = (struct efg_run_rank){
        .rank = (uint32_t)p->rank,
        .host = p->host,
        .place = p->place,
        .clock_error = p->sync.error,
        .start = realtime(p->start),
        .end = realtime(now),
        .memory = __atomic_load_n(&efg_memory.most, __ATOMIC_RELAXED),
        .note = p->note,
        .init = p->init,
    };
    rank->thread_count = only ? 1 : p->thread_count;
    rank->threads = calloc(rank->thread_count, sizeof *rank->threads);
    if (!rank->threads)
        rank->thread_count = 0;
    else if (only)
        add_thread(rank, only);
    for (struct efg_thread *t = p->threads; rank->threads && !only && t; t = t->next)
        add_thread(rank, t);
}

void efg_known_forget_rank(struct efg_run_rank *rank)
{
    for (uint32_t i = 0; i < rank->thread_count; i++) {
        free(rank->threads[i].traffic.partners.item);
        free(rank->threads[i].traffic.sends.item);
        free(rank->threads[i].traffic.collectives.item);
    }
    free(rank->threads);
}

/* --- the run --- */

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

void efg_known_run(struct efg_run *run)
{
    run->application = strdup(p->application);
    run->command = read_command();
    run->version = strdup(EFG_VERSION);
    run->mpi = strdup(p->mpi);
    run->output = strdup(p->folder);
    run->trace_note = strdup("");
    run->mode = (uint32_t)p->conf.mode;
    run->level = (uint32_t)p->conf.level;
    run->dimensions = p->conf.signature;
    run->iterations = p->conf.iterations;
    run->interval = p->conf.interval;
    run->size = (uint32_t)p->size;
}
