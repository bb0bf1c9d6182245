/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table from key to item, open addressing, at most half full; the key of a call is the
 * hash of its name, as ids may differ between ranks.
 */
#include "join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *slot_of(const struct efg_join *join, uint64_t key)
{
    uint32_t mask = join->slot_count - 1;
    for (uint64_t h = efg_hash_mix(0, key);; h++) {
        uint32_t *slot = &join->slots[h & mask];
        if (!*slot || join->items[*slot - 1].key == key)
            return slot;
    }
}

static int reserve(struct efg_join *join)
{
    if (join->count < join->room)
        return 0;
    uint32_t room = join->room ? 2 * join->room : 64;
    struct efg_join_item *items = realloc(join->items, room * sizeof *items);
    if (items)
        join->items = items;
    uint32_t *slots = calloc(2 * (size_t)room, sizeof *slots);
    if (!items || !slots) {
        free(slots);
        return -ENOMEM;
    }
    free(join->slots);
    join->slots = slots;
    join->slot_count = 2 * room;
    join->room = room;
    for (uint32_t i = 0; i < join->count; i++)
        *slot_of(join, items[i].key) = i + 1;
    return 0;
}

static struct efg_join_item *item_of(struct efg_join *join, uint64_t key)
{
    if (reserve(join))
        return NULL;
    uint32_t *slot = slot_of(join, key);
    if (*slot)
        return &join->items[*slot - 1];
    struct efg_join_item *item = &join->items[join->count];
    *item = (struct efg_join_item){.key = key,
                                   .by_rank = calloc(join->ranks, sizeof *item->by_rank)};
    if (!item->by_rank)
        return NULL;
    *slot = ++join->count;
    return item;
}

static uint64_t key_of(const struct efg_run_rank *rank, const struct efg_node *node,
                       enum efg_join_by by)
{
    if (by == EFG_JOIN_SITES)
        return node->hash;
    if (node->flags & EFG_NODE_OVERFLOW)
        return 0;
    const char *name = efg_runfile_call(rank, node->signature.call);
    return efg_hash_bytes(0, name, strlen(name));
}

static int add_node(struct efg_join *join, const struct efg_run_rank *rank, uint32_t index,
                    const struct efg_node *node, enum efg_join_by by)
{
    struct efg_join_item *item = item_of(join, key_of(rank, node, by));
    if (!item)
        return -ENOMEM;
    if (!item->node) {
        item->node = node;
        item->rank = rank;
    }
    uint64_t time = node->time.sum + node->poll_time;
    item->calls += node->time.count + node->polls;
    item->time += time;
    item->bytes += node->bytes;
    item->by_rank[index] += time;
    if (node->time.count && node->time.max > item->max)
        item->max = node->time.max;
    return 0;
}

static int add_rank(struct efg_join *join, const struct efg_run_rank *rank, uint32_t index,
                    enum efg_join_by by)
{
    for (uint32_t k = 0; k < rank->thread_count; k++) {
        const struct efg_graph *graph = &rank->threads[k].graph;
        for (uint32_t i = 0; i < graph->node_count; i++) {
            if (add_node(join, rank, index, &graph->nodes[i], by))
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

int efg_join_make(struct efg_join *join, const struct efg_run *run, enum efg_join_by by)
{
    memset(join, 0, sizeof *join);
    join->ranks = run->rank_count;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        if (add_rank(join, &run->ranks[i], i, by)) {
            efg_join_fini(join);
            return -ENOMEM;
        }
    }
    if (join->count)
        qsort(join->items, join->count, sizeof *join->items, by_falling_time);
    return 0;
}

void efg_join_fini(struct efg_join *join)
{
    for (uint32_t i = 0; i < join->count; i++)
        free(join->items[i].by_rank);
    free(join->items);
    free(join->slots);
    memset(join, 0, sizeof *join);
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct efg_spread efg_join_spread(const uint64_t *values, uint32_t count, uint64_t *sorted)
{
    if (!count)
        return (struct efg_spread){0};
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, by_size);
    return (struct efg_spread){sorted[0], sorted[count / 2], sorted[count - 1]};
}
