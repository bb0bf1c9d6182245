/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random runs from a linear congruential generator (Knuth's constants), the same in every
 * test run. Graphs are made directly, not by events: ids are in range and edges are
 * linked as a graph links them, all else is arbitrary.
 */
#include "random_run.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

uint64_t random_any(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (seed >> 33 ^ seed) >> (seed >> 58); /* of all magnitudes */
}

uint32_t random_below(uint32_t most)
{
    return most ? (uint32_t)(random_any() % most) : 0;
}

static char *any_string(void)
{
    uint32_t length = random_below(20);
    char *text = malloc(length + 1);
    for (uint32_t i = 0; i < length; i++)
        text[i] = (char)(1 + random_below(255));
    text[length] = 0;
    return text;
}

static void *many(uint32_t most, size_t size, uint32_t *count)
{
    *count = random_below(most);
    return *count ? calloc(*count, size) : NULL;
}

static struct efg_stat any_stat(void)
{
    struct efg_stat stat = {0};
    for (uint32_t i = random_below(20); i; i--)
        efg_stat_add(&stat, random_any());
    return stat;
}

static struct efg_rhythm any_rhythm(void)
{
    struct efg_rhythm rhythm = {
        .visits = random_any(),
        .time = random_any(),
        .gap1 = (double)random_any(),
        .gap2 = (double)random_any() * 1e10,
        .variation = (double)random_any() / 3,
        .last = random_any(),
        .last_gap = (uint32_t)random_any(),
        .firsts = (uint32_t)random_any(),
        .last_time = random_any(),
        .longest = random_any(),
    };
    return rhythm;
}

static void any_graph(struct efg_graph *graph, uint32_t paths)
{
    graph->nodes = many(20, sizeof *graph->nodes, &graph->node_count);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct efg_signature s = {(uint32_t)random_any(),
                                  random_below(paths + 1),
                                  (uint32_t)random_any(),
                                  (uint32_t)random_any(),
                                  (int32_t)random_any(),
                                  0,
                                  random_any()};
        graph->nodes[i] = (struct efg_node){.signature = s,
                                            .hash = random_any(),
                                            .flags = random_below(8),
                                            .mark = random_below(2),
                                            .first_edge = EFG_NONE,
                                            .predicted = EFG_NONE,
                                            .bytes = random_any(),
                                            .polls = random_any(),
                                            .poll_time = random_any(),
                                            .time = any_stat(),
                                            .rhythm = any_rhythm()};
    }
    if (graph->node_count)
        graph->edges = many(40, sizeof *graph->edges, &graph->edge_count);
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        struct efg_edge *edge = &graph->edges[i];
        *edge = (struct efg_edge){.from = random_below(graph->node_count),
                                  .to = random_below(graph->node_count),
                                  .mark = random_below(2),
                                  .time = any_stat(),
                                  .rhythm = any_rhythm()};
        edge->next = graph->nodes[edge->from].first_edge;
        graph->nodes[edge->from].first_edge = i;
    }
    graph->node_room = graph->node_count;
    graph->edge_room = graph->edge_count;
    graph->dropped = (uint32_t)random_any();
    graph->current = random_below(graph->node_count + 1) - 1;
    graph->edge = random_below(graph->edge_count + 1) - 1;
    graph->overflow = random_below(graph->node_count + 1) - 1;
    graph->polled = random_below(graph->node_count + 1) - 1;
    graph->pivot_id = EFG_NONE;
    graph->events = random_any();
    graph->start = random_any();
    graph->last_leave = random_any();
    graph->poll_time = random_any();
    graph->node_time = random_any();
    graph->lost_edges = random_any();
}

static struct efg_pivot any_pivot(const struct efg_graph *graph)
{
    struct efg_pivot pivot = {0};
    uint32_t kind = random_below(3);
    uint32_t range = kind == EFG_PIVOT_NODE ? graph->node_count : graph->edge_count;
    if (kind == EFG_PIVOT_NONE || !range)
        return pivot;
    pivot = (struct efg_pivot){
        kind,         random_below(range), random_below(4),          (int)random_below(2),
        random_any(), random_any(),        (double)random_any() / 7, (double)random_any() / 1e9,
        0.25};
    return pivot;
}

static void any_stability(struct efg_stability *stability)
{
    stability->count = random_below(10) ? random_below(30) : EFG_CURVE_ROOM;
    for (uint32_t i = 0; i < stability->count; i++)
        stability->curve[i] = (struct efg_curve_point){
            random_any(), random_any(), (uint32_t)random_any(), (uint32_t)random_any()};
    stability->last = (struct efg_curve_point){random_any(), random_any(),
                                               (uint32_t)random_any(), (uint32_t)random_any()};
    stability->stride = (uint32_t)random_any();
    stability->required = (uint32_t)random_any();
    stability->stable_since = random_any();
}

static void any_thread(struct efg_run_thread *thread, uint32_t paths)
{
    thread->number = (uint32_t)random_any();
    any_graph(&thread->graph, paths);
    any_stability(&thread->stability);
    thread->pivot = any_pivot(&thread->graph);
    thread->levels.finer = any_pivot(&thread->graph);
    thread->levels.automatic = any_pivot(&thread->graph);
    thread->levels.coarser = any_pivot(&thread->graph);
    thread->iterations.all = any_stat();
    thread->iterations.recorded = any_stat();
    thread->iterations.all_mpi = random_any();
    thread->windows = many(4, sizeof *thread->windows, &thread->window_count);
    for (uint32_t i = 0; i < thread->window_count; i++)
        thread->windows[i] = (struct efg_run_window){random_any(),
                                                     random_any(),
                                                     random_any(),
                                                     random_any(),
                                                     random_any(),
                                                     random_any(),
                                                     1,
                                                     random_below(2)};
}

static void any_tables(struct efg_run_rank *rank)
{
    rank->calls = many(9, sizeof *rank->calls, &rank->call_count);
    for (uint32_t i = 0; i < rank->call_count; i++)
        rank->calls[i] =
            (struct efg_run_call){(uint32_t)random_any(), random_below(9), any_string()};
    rank->modules = many(5, sizeof *rank->modules, &rank->module_count);
    for (uint32_t i = 0; i < rank->module_count; i++)
        rank->modules[i] = any_string();
    rank->paths = many(9, sizeof *rank->paths, &rank->path_count);
    for (uint32_t i = 0; i < rank->path_count; i++) {
        rank->paths[i].hash = random_any();
        if (rank->module_count)
            rank->paths[i].frames =
                many(6, sizeof *rank->paths[i].frames, &rank->paths[i].depth);
        for (uint32_t k = 0; k < rank->paths[i].depth; k++)
            rank->paths[i].frames[k] = (struct efg_frame){
                .module = random_below(rank->module_count), .offset = random_any()};
    }
    rank->regions = many(4, sizeof *rank->regions, &rank->region_count);
    for (uint32_t i = 0; i < rank->region_count; i++)
        rank->regions[i] = (struct efg_run_region){(uint32_t)random_any(), any_string()};
}

static void any_place(struct efg_run_place *place)
{
    place->package = random_below(3) - 1; /* or EFG_NONE */
    place->numa = random_below(3) - 1;
    place->core = (uint32_t)random_any();
    place->last_core = random_below(3) - 1;
    place->core_count = random_below(3);
    place->node_cores = (uint32_t)random_any();
    place->cores = any_string();
}

static void any_rank(struct efg_run_rank *rank, uint32_t number)
{
    rank->rank = number;
    rank->host = any_string();
    any_place(&rank->place);
    rank->clock_error = random_any();
    rank->note = any_string();
    rank->start = random_any();
    rank->end = random_any();
    rank->cost = random_any();
    rank->memory = random_any();
    rank->init = random_any();
    any_tables(rank);
    rank->threads = many(3, sizeof *rank->threads, &rank->thread_count);
    for (uint32_t i = 0; i < rank->thread_count; i++)
        any_thread(&rank->threads[i], rank->path_count);
}

static void any_checks(struct efg_run *run)
{
    run->is_checked = random_below(2);
    run->messages = (struct efg_run_messages){random_any(), random_any(), random_any(),
                                              random_any(), random_any(), random_any(),
                                              random_any(), random_any(), random_below(2)};
    run->skew =
        (struct efg_run_skew){random_below(EFG_REPAIR_UNPROVEN + 1), (uint32_t)random_any(),
                              random_any(), random_any(), random_any()};
    run->cuts = many(3, sizeof *run->cuts, &run->cut_count);
    for (uint32_t i = 0; i < run->cut_count; i++) {
        run->cuts[i].first_least = random_any();
        run->cuts[i].first_most = random_any();
        run->cuts[i].last_least = random_any();
        run->cuts[i].last_most = random_any();
        run->cuts[i].ranks = random_below(4);
    }
    run->rounds = random_any();
    run->finish = random_any();
    run->own = random_any();
}

void random_run(struct efg_run *run)
{
    memset(run, 0, sizeof *run);
    run->application = any_string();
    run->command = any_string();
    run->version = any_string();
    run->mpi = any_string();
    run->output = any_string();
    run->trace_note = any_string();
    run->mode = random_below(4);
    run->level = random_below(3);
    run->iterations = random_any();
    run->trace_bytes = random_any();
    any_checks(run);
    run->ranks = many(5, sizeof *run->ranks, &run->rank_count);
    for (uint32_t i = 0; i < run->rank_count; i++)
        any_rank(&run->ranks[i], 3 * i);
    run->sites = many(9, sizeof *run->sites, &run->site_count);
    for (uint32_t i = 0; i < run->site_count; i++) {
        struct efg_run_site *site = &run->sites[i];
        site->module = any_string();
        site->offset = random_any();
        site->symbols = many(4, sizeof *site->symbols, &site->symbol_count);
        for (uint32_t k = 0; k < site->symbol_count; k++)
            site->symbols[k] =
                (struct efg_run_symbol){any_string(), any_string(), random_below(99)};
    }
}
