/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes of a rank are looked up by their signature, edges by their ends. What belongs to one
 * context is added up first; then, from the last context to the first, each adds its own to
 * its parent's, as parents have smaller indices.
 */
#include "by_rank.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/open.h"
#include "core/graph/unite.h"

struct reading {
    struct efg_by_rank *by;
    const struct efg_run *run;
    const struct efg_merged *merged;
    const struct efg_contexts *contexts; /* or NULL */
    uint32_t *slots, slot_count;         /* hash table: node of MERGED + 1 */
};

/* --- nodes and edges of the merged graph --- */

static int is_node(const struct efg_node *a, const struct efg_node *b)
{
    if ((a->flags | b->flags) & EFG_NODE_OVERFLOW)
        return !!(a->flags & b->flags & EFG_NODE_OVERFLOW);
    return efg_signature_is_equal(&a->signature, &b->signature);
}

static uint32_t *slot_of(const struct reading *r, const struct efg_node *node)
{
    uint64_t h = node->flags & EFG_NODE_OVERFLOW ? 0 : efg_signature_hash(&node->signature);
    for (;; h++) {
        uint32_t *slot = &r->slots[h & (r->slot_count - 1)];
        if (!*slot || is_node(&r->merged->graph.nodes[*slot - 1], node))
            return slot;
    }
}

static int make_slots(struct reading *r)
{
    const struct efg_graph *graph = &r->merged->graph;
    for (r->slot_count = 64; r->slot_count < 2 * graph->node_count;)
        r->slot_count *= 2;
    r->slots = calloc(r->slot_count, sizeof *r->slots);
    for (uint32_t v = 0; r->slots && v < graph->node_count; v++)
        *slot_of(r, &graph->nodes[v]) = v + 1;
    return r->slots ? 0 : -ENOMEM;
}

static uint32_t find_edge(const struct efg_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t e = graph->nodes[from].first_edge;
    while (e != EFG_NONE && graph->edges[e].to != to)
        e = graph->edges[e].next;
    return e;
}

/* --- a rank --- */

static void add_node(const struct reading *r, uint32_t index, uint32_t id,
                     const struct efg_node *node)
{
    struct efg_by_rank *by = r->by;
    const struct efg_looptree *tree = &r->merged->tree;
    uint64_t time = node->time.sum + node->poll_time;
    for (uint32_t l = tree->loop_of[id]; l != EFG_NONE; l = tree->loops[l].parent)
        by->loop_mpi[(size_t)l * by->ranks + index] += time;
    if (!r->contexts)
        return;
    uint32_t c = r->contexts->of_node[id];
    by->context_time[(size_t)c * by->ranks + index] += time;
    by->context_mpi[(size_t)c * by->ranks + index] += time;
    by->context_calls[c] += node->time.count + node->polls;
    by->context_bytes[c] += node->bytes;
}

/* As looptree.c does it: what enters a loop brings the time of its call only. */
static void add_edge(const struct reading *r, uint32_t index, uint32_t id,
                     const struct efg_edge *edge)
{
    struct efg_by_rank *by = r->by;
    const struct efg_looptree *tree = &r->merged->tree;
    const struct efg_edge *whole = &r->merged->graph.edges[id];
    uint32_t common = efg_looptree_common(tree, whole->from, whole->to);
    uint64_t inside = edge->spent;
    uint64_t call = inside > edge->time.sum ? inside - edge->time.sum : 0;
    uint32_t l = tree->loop_of[whole->to];
    for (; l != common; l = tree->loops[l].parent)
        by->loop_time[(size_t)l * by->ranks + index] += call;
    for (; l != EFG_NONE; l = tree->loops[l].parent)
        by->loop_time[(size_t)l * by->ranks + index] += inside;
    if (r->contexts)
        by->context_time[(size_t)r->contexts->of_edge[id] * by->ranks + index] +=
            edge->time.sum;
}

static void add_graph(const struct reading *r, uint32_t index, const struct efg_graph *one)
{
    struct efg_by_rank *by = r->by;
    const struct efg_graph *graph = &r->merged->graph;
    for (uint32_t v = 0; v < one->node_count; v++) {
        uint32_t slot = *slot_of(r, &one->nodes[v]);
        if (slot)
            add_node(r, index, slot - 1, &one->nodes[v]);
    }
    for (uint32_t i = 0; i < one->edge_count; i++) {
        const struct efg_edge *edge = &one->edges[i];
        uint32_t from = *slot_of(r, &one->nodes[edge->from]);
        uint32_t to = *slot_of(r, &one->nodes[edge->to]);
        uint32_t e = from && to ? find_edge(graph, from - 1, to - 1) : EFG_NONE;
        if (e != EFG_NONE)
            add_edge(r, index, e, edge);
    }
    for (uint32_t l = 0; l < by->loops; l++) { /* the first event, polls at the edge */
        size_t at = (size_t)l * by->ranks + index;
        if (by->loop_time[at] < by->loop_mpi[at])
            by->loop_time[at] = by->loop_mpi[at];
    }
}

static int add_rank(const struct reading *r, uint32_t index, const struct efg_run_rank *rank)
{
    struct efg_graph one;
    if (!rank->thread_count)
        return 0;
    if (efg_graph_init(&one, NULL, 0))
        return -ENOMEM;
    int error = efg_merged_threads(&one, NULL, r->run, rank, r->merged->dimensions);
    if (!error)
        add_graph(r, index, &one);
    efg_graph_fini(&one);
    return error;
}

static void add_up(const struct reading *r)
{
    struct efg_by_rank *by = r->by;
    for (uint32_t c = by->contexts; c-- > 1;) {
        uint32_t parent = r->contexts->items[c].parent;
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
    return by->loop_time && by->loop_mpi && by->context_time && by->context_mpi &&
                   by->context_calls && by->context_bytes
               ? 0
               : -ENOMEM;
}

static int read_ranks(const struct reading *r, const char *command)
{
    int error = 0;
    for (uint32_t i = 0; i < r->run->rank_count && !error; i++) {
        struct efg_run_rank rank;
        if (efg_open_rank(r->run, command, i, &rank))
            return -1;
        error = add_rank(r, i, &rank);
        efg_run_rank_fini(&rank);
    }
    return error;
}

int efg_by_rank_read(struct efg_by_rank *by, const struct efg_run *run,
                     const struct efg_merged *merged, const struct efg_contexts *contexts,
                     const char *command)
{
    struct reading r = {by, run, merged, contexts, NULL, 0};
    *by = (struct efg_by_rank){.ranks = run->rank_count,
                               .loops = merged->tree.count,
                               .contexts = contexts ? contexts->count : 0};
    int error = make_room(by) || make_slots(&r) ? -ENOMEM : read_ranks(&r, command);
    free(r.slots);
    if (error == -ENOMEM)
        fprintf(stderr, "efgtrace %s: no memory for the times of %u ranks\n", command,
                run->rank_count);
    if (error)
        efg_by_rank_fini(by);
    else
        add_up(&r);
    return error ? -1 : 0;
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
