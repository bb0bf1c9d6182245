/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of each rank are fed to a real graph, with times that a simple model
 * gives: each call takes its own time, and a rank that computes longer waits less for the
 * others. Nothing is random: golden texts depend on it.
 */
#include "sample_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)
#define RECORDED 100 /* the first iteration that was */
#define CALLERS 5    /* lines of main, from FIRST_CALLER on */
#define FIRST_CALLER 65
#define LATE_MOST (400 * US) /* what a rank computes longer in a step, at most */

static const struct {
    const char *name, *function, *file;
    uint32_t class, line;
    uint64_t inside, before; /* ns in the call and computed before it */
    uint32_t caller;         /* line of main */
} calls[SAMPLE_CALLS] = {
    [SAMPLE_BCAST] = {"MPI_Bcast", "main", "stencil.c", EFG_CLASS_ONE2ALL, 12, 40 * US, 9 * MS, 65},
    [SAMPLE_IRECV_LEFT] = {"MPI_Irecv", "exchange", "halo.c", EFG_CLASS_POINT2POINT, 21, US, 20 * US, 66},
    [SAMPLE_IRECV_RIGHT] = {"MPI_Irecv", "exchange", "halo.c", EFG_CLASS_POINT2POINT, 22, US, US, 66},
    [SAMPLE_ISEND_LEFT] = {"MPI_Isend", "exchange", "halo.c", EFG_CLASS_POINT2POINT, 27, 6 * US, US, 66},
    [SAMPLE_ISEND_RIGHT] = {"MPI_Isend", "exchange", "halo.c", EFG_CLASS_POINT2POINT, 28, 6 * US, US, 66},
    [SAMPLE_WAITALL] = {"MPI_Waitall", "exchange", "halo.c", EFG_CLASS_POINT2POINT, 31, 120 * US, 2 * US, 66},
    [SAMPLE_ALLREDUCE] = {"MPI_Allreduce", "residual", "stencil.c", EFG_CLASS_ALL2ALL, 48, 60 * US, 3300 * US,
                          67},
    [SAMPLE_GATHER] = {"MPI_Gather", "write_field", "output.c", EFG_CLASS_ALL2ONE, 9, 2 * MS, 500 * US, 68},
    [SAMPLE_REDUCE] = {"MPI_Reduce", "main", "stencil.c", EFG_CLASS_ALL2ONE, 70, 15 * US, 10 * US, 69},
};

static void *make(size_t count, size_t size)
{
    void *things = calloc(count, size);
    return things ? things : (abort(), NULL);
}

/* --- what happened --- */

struct clock {
    uint64_t now, late; /* ns that it computes longer in a step */
    uint32_t rank, ranks;
    struct efg_run_thread *thread;
    struct efg_traffic *traffic;
};

static uint64_t path_hash(uint32_t call)
{
    return efg_hash_mix(17, call);
}

static void do_traffic(struct clock *clock, uint32_t call)
{
    uint32_t left = (clock->rank + clock->ranks - 1) % clock->ranks;
    if (call == SAMPLE_ISEND_LEFT || call == SAMPLE_ISEND_RIGHT)
        efg_traffic_add(clock->traffic, call == SAMPLE_ISEND_LEFT ? left : (clock->rank + 1) % clock->ranks,
                        8192);
    else if (calls[call].class != EFG_CLASS_POINT2POINT)
        efg_traffic_add(clock->traffic, EFG_TRAFFIC_COLLECTIVE, 8192);
}

static void do_call(struct clock *clock, uint32_t call)
{
    uint64_t late = call == SAMPLE_ALLREDUCE ? clock->late : 0;
    uint64_t wait = call == SAMPLE_ALLREDUCE ? LATE_MOST - clock->late : 0;
    struct efg_event event = {.signature = {.call = call, .path = call},
                              .path_hash = path_hash(call),
                              .bytes = call == SAMPLE_WAITALL ? 0 : 8192,
                              .flags = call == SAMPLE_ALLREDUCE ? EFG_NODE_WORLD : 0};
    event.enter = clock->now + calls[call].before + late;
    event.leave = event.enter + calls[call].inside + wait;
    efg_graph_step(&clock->thread->graph, &event);
    do_traffic(clock, call);
    clock->now = event.leave;
    efg_stability_sample(&clock->thread->stability, &clock->thread->graph, clock->now);
}

static void do_step(struct clock *clock, int step)
{
    uint64_t begin = clock->now, mpi = clock->thread->graph.node_time;
    for (uint32_t call = SAMPLE_IRECV_LEFT; call <= SAMPLE_ALLREDUCE; call++)
        do_call(clock, call);
    if (step % 20 == 19)
        do_call(clock, SAMPLE_GATHER);
    struct efg_run_iterations *iterations = &clock->thread->iterations;
    int recorded = step >= RECORDED && step < RECORDED + 10;
    mpi = clock->thread->graph.node_time - mpi;
    efg_stat_add(&iterations->all, clock->now - begin);
    iterations->all_mpi += mpi;
    efg_series_add(clock->thread->series,
                   &(struct efg_iteration){(uint64_t)step, begin, clock->now - begin, mpi});
    if (recorded)
        efg_stat_add(&iterations->recorded, clock->now - begin);
    iterations->recorded_mpi += recorded ? mpi : 0;
}

static void list(struct efg_run_items *items, struct efg_traffic *traffic,
                 uint32_t fill(struct efg_traffic *, struct efg_traffic_item *))
{
    items->item = make(efg_traffic_most(traffic), sizeof *items->item);
    items->count = fill(traffic, items->item);
}

static void do_run(struct efg_run_thread *thread, uint32_t rank, uint32_t ranks, uint64_t late)
{
    struct clock clock = {
        .rank = rank, .ranks = ranks, .late = late, .thread = thread, .traffic = efg_traffic_new(ranks)};
    thread->series = efg_series_new();
    if (efg_graph_init(&thread->graph, NULL, 0) || !clock.traffic || !thread->series)
        abort();
    efg_stability_init(&thread->stability, 50);
    do_call(&clock, SAMPLE_BCAST);
    for (int step = 0; step < SAMPLE_STEPS; step++) {
        if (step == RECORDED)
            efg_traffic_begin(clock.traffic);
        if (step == RECORDED + 10)
            efg_traffic_end(clock.traffic);
        do_step(&clock, step);
    }
    do_call(&clock, SAMPLE_REDUCE);
    list(&thread->traffic.partners, clock.traffic, efg_traffic_partners);
    list(&thread->traffic.sends, clock.traffic, efg_traffic_sends);
    list(&thread->traffic.collectives, clock.traffic, efg_traffic_collectives);
    efg_traffic_free(clock.traffic);
}

/* --- what was found --- */

static uint32_t node_of(const struct efg_graph *graph, uint32_t call)
{
    uint32_t id = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].signature.call == call)
            id = i;
    return id;
}

/* All of them are in main, which is the outermost frame. */
static struct efg_run_loop loop_at(const struct efg_graph *graph, uint32_t call, uint64_t iterations)
{
    return (struct efg_run_loop){.function = SAMPLE_FUNCTION,
                                 .iterations = iterations,
                                 .node = node_of(graph, call),
                                 .share = EFG_WHOLE_SHARE};
}

static void find_loop(struct efg_run_thread *thread)
{
    const struct efg_graph *graph = &thread->graph;
    thread->loops.main = thread->loops.automatic = loop_at(graph, SAMPLE_ALLREDUCE, SAMPLE_STEPS);
    thread->loops.coarser = loop_at(graph, SAMPLE_GATHER, SAMPLE_STEPS / 20);
    thread->pivot = (struct efg_run_pivot){.kind = EFG_PIVOT_NODE,
                                           .class = EFG_PIVOT_WORLD,
                                           .node = node_of(graph, SAMPLE_ALLREDUCE),
                                           .visits = SAMPLE_STEPS,
                                           .function = SAMPLE_FUNCTION};
    thread->agreed = (struct efg_run_agreed){.is_owner = 1, .wanted = 1};
    thread->window_count = 1;
    thread->windows = make(1, sizeof *thread->windows);
    thread->windows[0] = (struct efg_run_window){.function = SAMPLE_FUNCTION,
                                                 .first = 100,
                                                 .last = 110,
                                                 .start = 400 * MS,
                                                 .end = 440 * MS,
                                                 .events = 60,
                                                 .bytes = 9600,
                                                 .complete = 1,
                                                 .agreed = 1};
}

/* --- the tables --- */

static void fill_names(struct efg_run_names *names)
{
    names->call_count = names->path_count = SAMPLE_CALLS - 1;
    names->calls = make(names->call_count, sizeof *names->calls);
    names->paths = make(names->path_count, sizeof *names->paths);
    names->module_count = 1;
    names->modules = make(1, sizeof *names->modules);
    names->modules[0] = strdup("/home/user/stencil");
    for (uint32_t call = 1; call < SAMPLE_CALLS; call++) {
        struct efg_run_path *path = &names->paths[call - 1];
        names->calls[call - 1] = (struct efg_run_call){call, calls[call].class, strdup(calls[call].name)};
        path->hash = path_hash(call);
        path->depth = 2;
        path->frames = make(2, sizeof *path->frames);
        path->frames[0].offset = 0x1000 + call * 16;
        path->frames[1].offset = 0x2000 + calls[call].caller;
    }
}

static struct efg_run_symbol symbol(const char *function, const char *file, uint32_t line)
{
    return (struct efg_run_symbol){strdup(function), strdup(file), line};
}

static void fill_site(struct efg_run_site *site, uint64_t offset, uint32_t count)
{
    site->module = strdup("/home/user/stencil");
    site->offset = offset;
    site->symbols = make(count, sizeof *site->symbols);
    site->symbol_count = count;
}

static void fill_sites(struct efg_run *run)
{
    uint32_t callers = CALLERS;
    run->site_count = SAMPLE_CALLS - 1 + callers;
    run->sites = make(run->site_count, sizeof *run->sites);
    for (uint32_t call = 1; call < SAMPLE_CALLS; call++) {
        struct efg_run_site *site = &run->sites[call - 1];
        fill_site(site, 0x1000 + call * 16, call == SAMPLE_ALLREDUCE ? 2 : 1);
        char file[64] = "/home/user/src/";
        strcat(file, calls[call].file);
        site->symbols[0] = symbol(calls[call].function, file, calls[call].line);
        if (call == SAMPLE_ALLREDUCE)
            site->symbols[1] = symbol("step", "/home/user/src/stencil.c", 55);
    }
    for (uint32_t i = 0; i < callers; i++) {
        struct efg_run_site *site = &run->sites[SAMPLE_CALLS - 1 + i];
        fill_site(site, 0x2000 + FIRST_CALLER + i, 1);
        site->symbols[0] = symbol("main", "/home/user/src/stencil.c", FIRST_CALLER + i);
    }
}

static void fill_rank(struct efg_run_rank *rank, uint32_t number, uint32_t ranks, uint64_t late)
{
    char host[32];
    snprintf(host, sizeof host, "node%u", 1 + number / SAMPLE_NODE);
    rank->rank = number;
    rank->host = strdup(host);
    rank->note = strdup("");
    rank->thread_count = 1;
    rank->threads = make(1, sizeof *rank->threads);
    do_run(&rank->threads[0], number, ranks, late);
    find_loop(&rank->threads[0]);
    rank->start = UINT64_C(1700000000) * 1000 * MS;
    rank->end = rank->start + rank->threads[0].graph.last_leave;
    rank->cost = 300 * US;
    rank->memory = 2000000;
}

static void fill_run(struct whole_run *whole, uint32_t ranks, uint64_t late_of(uint32_t))
{
    struct efg_run *run = &whole->run;
    memset(whole, 0, sizeof *whole);
    run->application = strdup("stencil");
    run->command = strdup("./stencil 512 1000");
    run->version = strdup("0.1.0");
    run->mpi = strdup("Open MPI v4.1.4");
    run->output = strdup("efgtrace.stencil.1234");
    run->trace_note = strdup("");
    run->dimensions = EFG_DIM_PATH;
    run->iterations = 10;
    run->interval = 100 * MS;
    run->trace_events = 560;
    run->trace_bytes = 24000;
    run->is_checked = 1;
    run->size = ranks;
    run->messages = (struct efg_run_messages){.sends = 80, .receives = 80, .matched = 78, .early = 2};
    run->cut_count = 1;
    run->cuts = make(1, sizeof *run->cuts);
    run->cuts[0] = (struct efg_run_cut){100, 100, 110, 110, ranks, 401 * MS, 402 * MS, 440 * MS, 441 * MS};
    run->objects = make(1, sizeof *run->objects);
    run->objects[run->object_count++] =
        (struct efg_run_object){strdup("MPI_COMM_WORLD"), ranks, 2, 3 * MS, 1400, 6400, ranks * 5 * MS};
    run->objects_left = 4;
    run->rounds = 4;
    run->finish = 20 * MS;
    run->own = 3 * MS;
    whole->rank_count = ranks;
    whole->ranks = make(ranks, sizeof *whole->ranks);
    for (uint32_t i = 0; i < ranks; i++)
        fill_rank(&whole->ranks[i], i, ranks, late_of(i));
    fill_names(&whole->names);
    fill_sites(run);
}

static uint64_t late_is_one(uint32_t rank)
{
    return rank == SAMPLE_RANKS - 1 ? LATE_MOST : 0;
}

/* Most a little, few a lot: the cube of what looks random between 0 and 1. */
static uint64_t late_are_few(uint32_t rank)
{
    double share = (double)(efg_hash_mix(rank, 1) >> 11) / (double)(UINT64_C(1) << 53);
    return (uint64_t)(share * share * share * (double)LATE_MOST);
}

void sample_run(struct whole_run *whole)
{
    fill_run(whole, SAMPLE_RANKS, late_is_one);
}

void sample_run_uneven(struct whole_run *whole, uint32_t ranks)
{
    fill_run(whole, ranks, late_are_few);
}

/* --- many call paths --- */

static const struct {
    const char *name;
    uint32_t of; /* so many calls */
    uint64_t offset;
} levels[] = {{"phase", 1000, 0x10000}, {"part", 50, 0x100000}, {"solve", 1, 0x1000000}};

#define LEVELS 3

static uint64_t offset_at(int level, uint32_t call)
{
    return levels[level].offset + call / levels[level].of;
}

static void name_paths(struct efg_run_names *names, uint32_t count)
{
    uint32_t known = names->path_count;
    struct efg_run_path *paths = make(known + count, sizeof *paths);
    memcpy(paths, names->paths, known * sizeof *paths);
    for (uint32_t i = 0; i < count; i++) {
        struct efg_run_path *path = &paths[known + i];
        path->hash = path_hash(known + 1 + i);
        path->depth = LEVELS + 1;
        path->frames = make(path->depth, sizeof *path->frames);
        for (int level = 0; level < LEVELS; level++)
            path->frames[LEVELS - 1 - level].offset = offset_at(level, i);
        path->frames[LEVELS].offset = 0x2000 + FIRST_CALLER + 4;
    }
    free(names->paths);
    names->paths = paths;
    names->path_count += count;
}

static void name_functions(struct efg_run *run, uint32_t count)
{
    struct efg_run_site *sites = make(run->site_count + LEVELS * (size_t)count, sizeof *sites);
    memcpy(sites, run->sites, run->site_count * sizeof *sites);
    free(run->sites);
    run->sites = sites;
    for (int level = 0; level < LEVELS; level++) {
        for (uint32_t i = 0; i < count; i += levels[level].of) {
            char name[32];
            struct efg_run_site *site = &sites[run->site_count++];
            snprintf(name, sizeof name, "%s_%u", levels[level].name, i / levels[level].of);
            fill_site(site, offset_at(level, i), 1);
            site->symbols[0] = symbol(name, "/home/user/src/end.c", 10 + i);
        }
    }
}

static void do_end(struct efg_run_rank *rank, uint32_t count)
{
    struct efg_graph *graph = &rank->threads[0].graph;
    uint64_t now = graph->last_leave;
    for (uint32_t i = 0; i < 3 * count; i++) {
        uint32_t call = i % count, path = SAMPLE_CALLS + call;
        struct efg_event event = {.signature = {.call = SAMPLE_BCAST, .path = path},
                                  .path_hash = path_hash(path),
                                  .bytes = 8,
                                  .enter = now + US,
                                  .leave = now + 2 * US + 10 * MS / (call + 1)};
        efg_graph_step(graph, &event);
        now = event.leave;
    }
    rank->end = rank->start + now;
}

void sample_run_paths(struct whole_run *whole, uint32_t count)
{
    sample_run(whole);
    name_paths(&whole->names, count);
    name_functions(&whole->run, count);
    for (uint32_t i = 0; i < whole->rank_count; i++)
        do_end(&whole->ranks[i], count);
}
