/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds up what the ranks did, by MPI function or by call site. The key of a call is the hash of its name,
 * as ids may differ between ranks.
 */
#include "join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

static struct efg_join_item *item_of(struct efg_join *join, uint64_t key)
{
    uint64_t known = join->index.count, *index = efg_map_put(&join->index, key);
    if (index && join->index.count == known)
        return &join->items[*index];
    if (!index || efg_array_grow(&join->items, join->count, 1, sizeof *join->items))
        return NULL;
    *index = join->count;
    struct efg_join_item *item = &join->items[join->count++];
    *item = (struct efg_join_item){.key = key};
    if (join->by == EFG_JOIN_CALLS)
        item->by_rank = calloc(join->ranks, sizeof *item->by_rank);
    return join->by == EFG_JOIN_CALLS && !item->by_rank ? NULL : item;
}

static uint64_t key_of(const struct efg_join *join, const struct efg_run *run, const struct efg_node *node)
{
    if (join->by == EFG_JOIN_SITES)
        return node->hash;
    if (node->flags & EFG_NODE_OVERFLOW)
        return 0;
    const char *name = efg_run_call_name(run, node->signature.call);
    return efg_hash_bytes(0, name, strlen(name));
}

static int add_node(struct efg_join *join, const struct efg_run *run, uint32_t index,
                    const struct efg_node *node)
{
    uint32_t before = join->count;
    struct efg_join_item *item = item_of(join, key_of(join, run, node));
    if (!item)
        return -ENOMEM;
    if (join->count > before) {
        item->signature = node->signature;
        item->flags = node->flags;
    }
    uint64_t time = efg_node_time(node);
    item->calls += node->time.count + node->polls;
    item->time += time;
    item->bytes += node->bytes;
    if (item->by_rank)
        item->by_rank[index] += time;
    if (node->time.count && node->time.max > item->max)
        item->max = node->time.max;
    item->polls += node->polls;
    item->poll_time += node->poll_time;
    return 0;
}

void efg_join_init(struct efg_join *join, enum efg_join_by by, uint32_t ranks)
{
    *join = (struct efg_join){.by = by, .ranks = ranks};
}

int efg_join_add(struct efg_join *join, const struct efg_run *run, const struct efg_run_rank *rank,
                 uint32_t index)
{
    for (uint32_t k = 0; k < rank->thread_count; k++) {
        const struct efg_graph *graph = &rank->threads[k].graph;
        for (uint32_t i = 0; i < graph->node_count; i++) {
            if (add_node(join, run, index, &graph->nodes[i]))
                return -ENOMEM;
        }
    }
    return 0;
}

static int by_falling_time(const void *a, const void *b)
{
    const struct efg_join_item *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

void efg_join_sort(struct efg_join *join)
{
    if (join->count)
        qsort(join->items, join->count, sizeof *join->items, by_falling_time);
}

bool efg_join_has_max(const struct efg_join_item *item)
{
    return !item->polls || item->poll_time / item->polls <= item->max;
}

uint64_t efg_join_time(const struct efg_join *join)
{
    uint64_t time = 0;
    for (uint32_t i = 0; i < join->count; i++)
        time += join->items[i].time;
    return time;
}

void efg_join_fini(struct efg_join *join)
{
    for (uint32_t i = 0; i < join->count; i++)
        free(join->items[i].by_rank);
    free(join->items);
    efg_map_fini(&join->index);
    memset(join, 0, sizeof *join);
}
