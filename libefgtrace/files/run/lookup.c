/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Questions to a run: the thread that stands for a rank, its time, names by their numbers.
 */
#include "runfile.h"

static bool speaks_better(const struct efg_run_thread *a, const struct efg_run_thread *b)
{
    if (a->iterations.all.sum != b->iterations.all.sum)
        return a->iterations.all.sum > b->iterations.all.sum;
    if (!a->window_count != !b->window_count)
        return a->window_count > 0;
    bool has_a = a->loops.main.function != 0, has_b = b->loops.main.function != 0;
    return has_a != has_b ? has_a : a->graph.events > b->graph.events;
}

const struct efg_run_thread *efg_run_rank_thread(const struct efg_run_rank *rank)
{
    const struct efg_run_thread *best = NULL;
    for (uint32_t i = 0; i < rank->thread_count; i++) {
        if (!best || speaks_better(&rank->threads[i], best))
            best = &rank->threads[i];
    }
    return best;
}

/* Other levels of its function have other numbers: here, they are seen if they are too large.
 */
static bool is_main(const struct efg_run_loop *main, uint64_t function, uint64_t iterations)
{
    return (!function || function == main->function) &&
           (double)iterations <= 1.25 * (double)main->iterations + 2;
}

bool efg_run_is_main(const struct efg_run_thread *thread, const struct efg_run_window *window)
{
    if (thread->main_phase && window->phase)
        return window->phase == thread->main_phase;
    return is_main(&thread->loops.main, window->function, window->last);
}

bool efg_run_has_main(const struct efg_run_thread *thread)
{
    uint32_t i = 0;

    while (i < thread->window_count && !efg_run_is_main(thread, &thread->windows[i]))
        i++;
    return i < thread->window_count;
}

bool efg_run_begins_main(const struct efg_run_thread *thread)
{
    return thread->pivot.kind != EFG_PIVOT_NONE &&
           is_main(&thread->loops.main, thread->pivot.function, thread->pivot.visits);
}

uint64_t efg_run_rank_duration(const struct efg_run_rank *rank)
{
    uint64_t longest = 0;
    if (rank->end > rank->start)
        return rank->end - rank->start;
    for (uint32_t i = 0; i < rank->thread_count; i++) {
        const struct efg_graph *graph = &rank->threads[i].graph;
        if (graph->last_leave > graph->start && graph->last_leave - graph->start > longest)
            longest = graph->last_leave - graph->start;
    }
    return longest;
}

uint64_t efg_run_rank_watched(const struct efg_run_rank *rank)
{
    uint64_t time = efg_run_rank_duration(rank);

    return time > rank->paused ? time - rank->paused : 0;
}

const struct efg_run_group *efg_run_group_of(const struct efg_run_common *common, uint32_t rank)
{
    for (uint32_t i = 0; i < common->group_count; i++)
        if (efg_ranklist_has(&common->groups[i].ranks, rank))
            return &common->groups[i];
    return NULL;
}

const char *efg_run_call_name(const struct efg_run *run, uint32_t call)
{
    const struct efg_run_names *names = &run->common.names;
    for (uint32_t i = 0; i < names->call_count; i++) {
        if (names->calls[i].id == call)
            return names->calls[i].name;
    }
    return "?";
}

const struct efg_run_path *efg_run_path(const struct efg_run *run, uint32_t path)
{
    const struct efg_run_names *names = &run->common.names;
    return path && path <= names->path_count ? &names->paths[path - 1] : NULL;
}

const char *efg_run_module(const struct efg_run *run, uint32_t module)
{
    const struct efg_run_names *names = &run->common.names;
    return module < names->module_count ? names->modules[module] : "?";
}

const char *efg_run_region_name(const struct efg_run *run, uint32_t region)
{
    const struct efg_run_names *names = &run->common.names;
    for (uint32_t i = 0; i < names->region_count; i++) {
        if (names->regions[i].id == region)
            return names->regions[i].name;
    }
    return NULL;
}
