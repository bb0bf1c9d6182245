/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds up the time that each rank spent in each loop and calling context. What belongs to one context is
 * added up first; then, from the last context to the first, each adds its own to its parent's, as parents
 * have smaller indices.
 */
#include "by_rank.h"

#include <errno.h>
#include <stdlib.h>

/* --- nodes and edges of the merged graph --- */

static void add_node(struct efg_by_rank *by, const struct efg_looptree *tree,
                     const struct efg_contexts *contexts, const struct efg_merged_part *part)
{
    for (uint32_t l = tree->loop_of[part->id]; l != EFG_NONE; l = tree->loops[l].parent)
        by->loop_mpi[(size_t)l * by->ranks + part->rank] += part->time;
    if (!contexts)
        return;
    size_t at = (size_t)contexts->of_node[part->id] * by->ranks + part->rank;
    by->context_time[at] += part->time;
    by->context_mpi[at] += part->time;
}

/* As looptree.c does it: what enters a loop brings the time of its call only. */
static void add_edge(struct efg_by_rank *by, const struct efg_merged *merged,
                     const struct efg_contexts *contexts, const struct efg_merged_part *part)
{
    const struct efg_looptree *tree = &merged->tree;
    const struct efg_edge *edge = &merged->graph.edges[part->id];
    uint32_t common = efg_looptree_common(tree, edge->from, edge->to);
    uint64_t inside = part->spent, call = inside > part->time ? inside - part->time : 0;
    uint32_t l = tree->loop_of[edge->to];
    for (; l != common; l = tree->loops[l].parent)
        by->loop_time[(size_t)l * by->ranks + part->rank] += call;
    for (; l != EFG_NONE; l = tree->loops[l].parent)
        by->loop_time[(size_t)l * by->ranks + part->rank] += inside;
    if (contexts)
        by->context_time[(size_t)contexts->of_edge[part->id] * by->ranks + part->rank] += part->time;
}

static void add_parts(struct efg_by_rank *by, const struct efg_merged *merged,
                      const struct efg_contexts *contexts)
{
    const struct efg_merged_part *nodes = (struct efg_merged_part *)merged->node_parts.data,
                                 *edges = (struct efg_merged_part *)merged->edge_parts.data;
    for (size_t i = 0; i < merged->node_parts.size / sizeof *nodes; i++)
        add_node(by, &merged->tree, contexts, &nodes[i]);
    for (size_t i = 0; i < merged->edge_parts.size / sizeof *edges; i++)
        add_edge(by, merged, contexts, &edges[i]);
    for (size_t at = 0; at < (size_t)by->loops * by->ranks; at++) /* the first event, polls at the edge */
        if (by->loop_time[at] < by->loop_mpi[at])
            by->loop_time[at] = by->loop_mpi[at];
}

/* --- contexts --- */

static void add_up(struct efg_by_rank *by, const struct efg_graph *graph, const struct efg_contexts *contexts)
{
    for (uint32_t v = 0; v < graph->node_count; v++) {
        const struct efg_node *node = &graph->nodes[v];
        by->context_calls[contexts->of_node[v]] += node->time.count + node->polls;
        by->context_bytes[contexts->of_node[v]] += node->bytes;
    }
    for (uint32_t c = by->contexts; c-- > 1;) {
        uint32_t parent = contexts->items[c].parent;
        for (uint32_t i = 0; i < by->ranks; i++) {
            size_t to = (size_t)parent * by->ranks + i, from = (size_t)c * by->ranks + i;
            by->context_time[to] += by->context_time[from];
            by->context_mpi[to] += by->context_mpi[from];
        }
        by->context_calls[parent] += by->context_calls[c];
        by->context_bytes[parent] += by->context_bytes[c];
    }
}

/* --- all of them --- */

static int make_room(struct efg_by_rank *by)
{
    size_t loops = (size_t)by->loops * by->ranks + 1;
    size_t contexts = (size_t)by->contexts * by->ranks + 1;
    by->loop_time = calloc(loops, sizeof *by->loop_time);
    by->loop_mpi = calloc(loops, sizeof *by->loop_mpi);
    by->context_time = calloc(contexts, sizeof *by->context_time);
    by->context_mpi = calloc(contexts, sizeof *by->context_mpi);
    by->context_calls = calloc((size_t)by->contexts + 1, sizeof *by->context_calls);
    by->context_bytes = calloc((size_t)by->contexts + 1, sizeof *by->context_bytes);
    return by->loop_time && by->loop_mpi && by->context_time && by->context_mpi && by->context_calls &&
                   by->context_bytes
               ? 0
               : -ENOMEM;
}

int efg_by_rank_make(struct efg_by_rank *by, uint32_t ranks, const struct efg_merged *merged,
                     const struct efg_contexts *contexts)
{
    *by = (struct efg_by_rank){
        .ranks = ranks, .loops = merged->tree.count, .contexts = contexts ? contexts->count : 0};
    if (make_room(by))
        return -ENOMEM;
    add_parts(by, merged, contexts);
    if (contexts)
        add_up(by, &merged->graph, contexts);
    return 0;
}

void efg_by_rank_fini(struct efg_by_rank *by)
{
    free(by->loop_time);
    free(by->loop_mpi);
    free(by->context_time);
    free(by->context_mpi);
    free(by->context_calls);
    free(by->context_bytes);
    *by = (struct efg_by_rank){0};
}
