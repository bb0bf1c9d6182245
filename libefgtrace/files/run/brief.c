/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leaves nodes out of the graphs of a rank until its run file is small enough. Nodes that anything else
 * refers to stay, and so does the order of the others. All that is left out becomes the overflow node, the
 * last one, as if there had been no room while the program ran; transitions that lead from it or to it are
 * lost edges.
 *
 * The rank is read again from its section for each try, since its graphs are changed.
 */
#include "brief.h"

#include <errno.h>
#include <stdlib.h>

#include "core/graph/unite.h"
#include "merge.h"
#include "parts.h"

#define SMALLER(count) ((count)*3 / 4) /* nodes of the next try */

/* --- which nodes --- */

static uint64_t weight_of(const struct efg_node *node)
{
    return node->rhythm.time + node->poll_time;
}

static int by_weight(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? 1 : one > other ? -1 : 0;
}

/* Sets the entries of IS_KEPT for COUNT nodes of the graph with the most time. Returns 0 or -ENOMEM. */
static int keep_heaviest(const struct efg_graph *graph, uint32_t count, bool *is_kept)
{
    uint64_t *weights = malloc((graph->node_count + 1) * sizeof *weights);
    if (!weights)
        return -ENOMEM;
    for (uint32_t i = 0; i < graph->node_count; i++)
        weights[i] = weight_of(&graph->nodes[i]);
    qsort(weights, graph->node_count, sizeof *weights, by_weight);
    for (uint32_t i = 0; i < graph->node_count; i++)
        is_kept[i] = count && weight_of(&graph->nodes[i]) >= weights[count - 1];
    free(weights);
    return 0;
}

/* What THREAD says of its graph: NODES has room for all of these places. Returns how many. */
#define LOOPS 5
static uint32_t places_of(struct efg_run_thread *thread, uint32_t **nodes)
{
    struct efg_run_loop *loops[LOOPS] = {&thread->loops.main, &thread->loops.automatic, &thread->loops.finer,
                                         &thread->loops.coarser, &thread->loops.best};
    uint32_t count = 0;
    for (int i = 0; i < LOOPS; i++)
        if (loops[i]->function)
            nodes[count++] = &loops[i]->node;
    for (uint32_t i = 0; i < thread->phase_count; i++)
        nodes[count++] = &thread->phases[i].loop.node;
    if (thread->pivot.kind != EFG_PIVOT_NONE)
        nodes[count++] = &thread->pivot.node;
    return count;
}

/* --- leaving them out --- */

/* NEW_ID of the nodes: the others have that of the overflow node, which is the last one. */
static void leave_nodes(struct efg_graph *graph, const bool *is_kept, uint32_t *new_id)
{
    struct efg_node rest = {.signature = {.call = UINT16_MAX, .element = UINT32_MAX},
                            .flags = EFG_NODE_OVERFLOW | EFG_NODE_UNORDERED};
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        bool stays = is_kept[i] && !(graph->nodes[i].flags & EFG_NODE_OVERFLOW);
        new_id[i] = stays ? count : EFG_NONE;
        if (stays)
            graph->nodes[count++] = graph->nodes[i];
        else
            efg_node_unite(&rest, &graph->nodes[i]);
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        new_id[i] = new_id[i] == EFG_NONE ? count : new_id[i];
    if (count < graph->node_count)
        graph->nodes[count] = rest;
    graph->overflow = count < graph->node_count ? count++ : EFG_NONE;
    graph->node_count = count;
}

static void leave_edges(struct efg_graph *graph, const uint32_t *new_id)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        struct efg_edge edge = graph->edges[i];
        edge.from = new_id[edge.from];
        edge.to = new_id[edge.to];
        if (edge.from == graph->overflow || edge.to == graph->overflow)
            graph->lost_edges += edge.visits;
        else
            graph->edges[count++] = edge;
    }
    graph->edge_count = count;
}

/* Returns 0 or -ENOMEM. */
static int reduce(struct efg_run_thread *thread, uint32_t count)
{
    struct efg_graph *graph = &thread->graph;
    bool *is_kept = calloc(graph->node_count + 1, sizeof *is_kept);
    uint32_t *new_id = calloc(graph->node_count + 1, sizeof *new_id);
    uint32_t **places = calloc(LOOPS + thread->phase_count + 1, sizeof *places);
    int error = is_kept && new_id && places ? keep_heaviest(graph, count, is_kept) : -ENOMEM;
    if (!error) {
        uint32_t place_count = places_of(thread, places);
        for (uint32_t i = 0; i < place_count; i++)
            is_kept[*places[i]] = true;
        leave_nodes(graph, is_kept, new_id);
        leave_edges(graph, new_id);
        for (uint32_t i = 0; i < place_count; i++)
            *places[i] = new_id[*places[i]];
    }
    free(is_kept);
    free(new_id);
    free(places);
    return error;
}

/* COUNT nodes of all threads together. Counters are left out: they are those of all nodes. */
static int reduce_rank(struct efg_run_rank *rank, uint32_t count)
{
    int error = 0;
    for (uint32_t i = 0; i < rank->thread_count && !error; i++) {
        struct efg_run_thread *thread = &rank->threads[i];
        efg_counts_free(thread->counts);
        thread->counts = NULL;
        if (thread->graph.node_count > count / rank->thread_count)
            error = reduce(thread, count / rank->thread_count);
        if (!error && thread->phase_count) {
            free(rank->phases);
            rank->phases = efg_run_phases_text(thread);
        }
    }
    return error;
}

/* --- the file --- */

/* Those of RUN that NAMES still have, to SITES. Returns how many. */
static uint32_t choose_sites(const struct efg_run *run, const struct efg_run_names *names,
                             struct efg_run_site *sites)
{
    bool *is_used = calloc(run->site_count + 1, sizeof *is_used);
    uint32_t count = 0;
    for (uint32_t i = 0; is_used && i < names->path_count; i++)
        for (uint32_t k = 0; k < names->paths[i].depth; k++) {
            const struct efg_frame *frame = &names->paths[i].frames[k];
            const struct efg_run_site *site = efg_run_site(run, names->modules[frame->module], frame->offset);
            if (site)
                is_used[site - run->sites] = true;
        }
    for (uint32_t i = 0; is_used && i < run->site_count; i++)
        if (is_used[i])
            sites[count++] = run->sites[i];
    free(is_used);
    return count;
}

/* As RUN, of RANK alone, but with its totals. */
static void put_alone(struct efg_buffer *out, const struct efg_run *run, const struct efg_run_rank *rank)
{
    struct efg_run alone = *run;
    struct efg_merge merge = {0};
    struct efg_buffer section = {0};
    efg_merge_rank(&merge, &run->common.names, rank);
    efg_runfile_put_rank(&section, rank);
    alone.common = merge.common;
    alone.common.totals = run->common.totals;
    alone.sites = calloc(run->site_count + 1, sizeof *alone.sites);
    out->failed |= merge.failed || !alone.sites;
    if (!out->failed) {
        alone.site_count = choose_sites(run, &merge.common.names, alone.sites);
        efg_runfile_put_all(out, &alone, &section);
    }
    free(alone.sites);
    efg_buffer_fini(&section);
    efg_merge_fini(&merge);
}

/* With COUNT nodes. */
static void put_reduced(struct efg_buffer *out, const struct efg_run *run, const struct efg_buffer *section,
                        const struct efg_run_group *group, uint32_t count)
{
    struct efg_run_rank rank = {0};
    int error = efg_runfile_get_rank(&rank, section->data, section->size, group);
    if (!error)
        error = reduce_rank(&rank, count);
    out->failed |= error != 0;
    if (!error)
        put_alone(out, run, &rank);
    efg_run_rank_fini(&rank);
}

static uint32_t count_nodes(const struct efg_run_rank *rank)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rank->thread_count; i++)
        count += rank->threads[i].graph.node_count;
    return count;
}

void efg_runfile_put_brief(struct efg_buffer *out, const struct efg_run *run,
                           const struct efg_buffer *sections, const struct efg_run_rank *speaker, size_t most)
{
    const struct efg_run_group *group = efg_run_group_of(&run->common, speaker->rank);
    struct efg_buffer section = {0};
    uint32_t count = count_nodes(speaker);
    if (sections->size)
        efg_runfile_put_all(out, run, sections);
    efg_runfile_put_rank(&section, speaker);
    for (bool is_tried = sections->size; (!is_tried || out->size > most) && !out->failed; is_tried = true) {
        efg_buffer_fini(out);
        out->failed |= !group || (is_tried && !count) || section.failed;
        if (!out->failed)
            put_reduced(out, run, &section, group, count);
        count = SMALLER(count);
    }
    efg_buffer_fini(&section);
}
