/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table from key to item, open addressing, at most half full; the key of a call is the
 * hash of its name, as ids may differ between ranks.
 */
#include "join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

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
    *item = (struct efg_join_item){.key = key};
    if (join->by == EFG_JOIN_CALLS) {
        item->by_rank = calloc(join->ranks, sizeof *item->by_rank);
        if (!item->by_rank)
            return NULL;
    }
    *slot = ++join->count;
    return item;
}

static uint64_t key_of(const struct efg_join *join, const struct efg_run *run,
                       const struct efg_node *node)
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
    uint64_t time = node->time.sum + node->poll_time;
    item->calls += node->time.count + node->polls;
    item->time += time;
    item->bytes += node->bytes;
    if (item->by_rank)
        item->by_rank[index] += time;
    if (node->time.count && node->time.max > item->max)
        item->max = node->time.max;
    return 0;
}

void efg_join_init(struct efg_join *join, enum efg_join_by by, uint32_t ranks)
{
    *join = (struct efg_join){.by = by, .ranks = ranks};
}

int efg_join_add(struct efg_join *join, const struct efg_run *run,
                 const struct efg_run_rank *rank, uint32_t index)
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
