/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds up counts. Call sites are the same on two ranks if their hashes are.
 */
#include "counted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

int efg_counted_find(const struct efg_counted *counted, const char *name)
{
    for (unsigned k = 0; k < counted->width; k++)
        if (efg_counter_is(counted->name[k], name))
            return (int)k;
    return -1;
}

static int column_of(const struct efg_counted *counted, const char *name)
{
    for (unsigned k = 0; k < counted->width; k++)
        if (strcmp(counted->name[k], name) == 0)
            return (int)k;
    return -1;
}

/* COLUMN: which of the counters of all each of C is, or -1. */
static void find_columns(struct efg_counted *counted, const struct efg_counts *c, int column[EFG_COUNTERS])
{
    for (unsigned k = 0; k < c->width; k++) {
        column[k] = column_of(counted, c->name[k]);
        if (column[k] >= 0 || counted->width == EFG_COUNTERS)
            continue;
        column[k] = (int)counted->width;
        memcpy(counted->name[counted->width++], c->name[k], EFG_COUNTER_NAME);
    }
}

static struct efg_counted_item *item_of(struct efg_counted *counted, uint64_t key)
{
    uint64_t known = counted->index.count, *index = efg_map_put(&counted->index, key);

    if (index && counted->index.count == known)
        return &counted->items[*index];
    if (!index || efg_array_grow(&counted->items, counted->count, 1, sizeof *counted->items))
        return NULL;
    *index = counted->count;
    counted->items[counted->count] = (struct efg_counted_item){0};
    return &counted->items[counted->count++];
}

static struct efg_counted_site site_of(const struct efg_node *node)
{
    return (struct efg_counted_site){node->signature, node->hash, node->flags};
}

static void add_values(struct efg_counted_item *item, const uint64_t *values, unsigned width,
                       const int column[EFG_COUNTERS])
{
    for (unsigned k = 0; values && k < width; k++)
        if (column[k] >= 0)
            item->value[column[k]] += values[k];
}

static int add_nodes(struct efg_counted *counted, const struct efg_run_thread *thread,
                     const int column[EFG_COUNTERS])
{
    const struct efg_counts *c = thread->counts;

    for (uint32_t i = 0; i < thread->graph.node_count; i++) {
        const struct efg_node *node = &thread->graph.nodes[i];
        struct efg_counted_item *item = item_of(counted, efg_hash_mix(0, node->hash));
        if (!item)
            return -ENOMEM;
        item->to = site_of(node);
        item->visits += node->time.count + node->polls;
        item->time += efg_node_time(node);
        add_values(item, efg_counts_of(c, c->nodes, c->node_count, i), c->width, column);
    }
    return 0;
}

static int add_edges(struct efg_counted *counted, const struct efg_run_thread *thread,
                     const int column[EFG_COUNTERS])
{
    const struct efg_counts *c = thread->counts;

    for (uint32_t i = 0; i < thread->graph.edge_count; i++) {
        const struct efg_edge *edge = &thread->graph.edges[i];
        const struct efg_node *from = &thread->graph.nodes[edge->from], *to = &thread->graph.nodes[edge->to];
        struct efg_counted_item *item = item_of(counted, efg_hash_mix(efg_hash_mix(1, from->hash), to->hash));
        if (!item)
            return -ENOMEM;
        item->is_between = true;
        item->from = site_of(from);
        item->to = site_of(to);
        item->visits += edge->time.count;
        item->time += edge->time.sum;
        add_values(item, efg_counts_of(c, c->edges, c->edge_count, i), c->width, column);
    }
    return 0;
}

int efg_counted_add(struct efg_counted *counted, const struct efg_run_rank *rank)
{
    int column[EFG_COUNTERS], error = 0;

    for (uint32_t i = 0; i < rank->thread_count && !error; i++) {
        if (!rank->threads[i].counts)
            continue;
        find_columns(counted, rank->threads[i].counts, column);
        error = add_nodes(counted, &rank->threads[i], column);
        error = error ? error : add_edges(counted, &rank->threads[i], column);
    }
    return error;
}

double efg_counted_ipc(const struct efg_counted *counted, const double *values)
{
    int instructions = efg_counted_find(counted, "instructions"),
        cycles = efg_counted_find(counted, "cycles");

    return instructions >= 0 && cycles >= 0 && values[cycles] > 0 ? values[instructions] / values[cycles] : 0;
}

/* --- loops --- */

/* Repetitions are those of the rank with the most: so many on all as its header was visited more often. */
static double iterations_of(const struct efg_merged *merged, const struct efg_loop *loop)
{
    const struct efg_node *header = &merged->graph.nodes[loop->header];

    return header->rhythm.visits
               ? (double)loop->repetitions * (double)header->time.count / (double)header->rhythm.visits
               : 0;
}

/* What is between two calls belongs to the innermost loop that has both. */
static uint32_t loop_of(const struct efg_map *nodes, const struct efg_merged *merged,
                        const struct efg_counted_item *item)
{
    const uint64_t *to = efg_map_find(nodes, item->to.hash);
    const uint64_t *from = item->is_between ? efg_map_find(nodes, item->from.hash) : to;

    return from && to ? efg_looptree_common(&merged->tree, (uint32_t)*from, (uint32_t)*to) : EFG_NONE;
}

static void add_to_loops(struct efg_counted *counted, const struct efg_merged *merged,
                         const struct efg_map *nodes)
{
    for (uint32_t i = 0; i < counted->count; i++)
        for (uint32_t l = loop_of(nodes, merged, &counted->items[i]); l != EFG_NONE;
             l = merged->tree.loops[l].parent)
            for (unsigned k = 0; k < counted->width; k++)
                counted->loops[l].value[k] += (double)counted->items[i].value[k];
}

static int sum_loops(struct efg_counted *counted, const struct efg_merged *merged)
{
    struct efg_map nodes = {0};
    bool failed = false;

    counted->loops = calloc((size_t)merged->tree.count + 1, sizeof *counted->loops);
    for (uint32_t i = 0; i < merged->graph.node_count; i++) {
        uint64_t *node = efg_map_put(&nodes, merged->graph.nodes[i].hash);
        failed |= !node;
        if (node)
            *node = i;
    }
    if (counted->loops && !failed)
        add_to_loops(counted, merged, &nodes);
    for (uint32_t l = 0; counted->loops && l < merged->tree.count; l++)
        counted->loops[l].iterations = iterations_of(merged, &merged->tree.loops[l]);
    efg_map_fini(&nodes);
    return counted->loops && !failed ? 0 : -ENOMEM;
}

/* --- the end --- */

static int compare_items(const void *a, const void *b)
{
    const struct efg_counted_item *x = a, *y = b;

    if (x->value[0] != y->value[0])
        return x->value[0] > y->value[0] ? -1 : 1;
    if (x->to.hash != y->to.hash)
        return x->to.hash < y->to.hash ? -1 : 1;
    return x->from.hash < y->from.hash ? -1 : x->from.hash > y->from.hash;
}

int efg_counted_end(struct efg_counted *counted, const struct efg_merged *merged)
{
    if (counted->count)
        qsort(counted->items, counted->count, sizeof *counted->items, compare_items);
    return counted->width ? sum_loops(counted, merged) : 0;
}

void efg_counted_fini(struct efg_counted *counted)
{
    efg_map_fini(&counted->index);
    free(counted->items);
    free(counted->loops);
    memset(counted, 0, sizeof *counted);
}
