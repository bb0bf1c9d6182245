/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds messages to the amounts of their partner and their size. Invariant: the counts are the
 * sums and the runs together; each message is in one sum of its partner and one of its size.
 */
#include "traffic.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/hot.h"

#define SENDS 0
#define COLLECTIVES EFG_TRAFFIC_SIZES
#define OTHERS (2 * EFG_TRAFFIC_SIZES)
#define FIRST_PARTNER (OTHERS + 1)

static uint32_t slots(const struct efg_traffic *t)
{
    return t->mask + 1;
}

struct efg_traffic *efg_traffic_new(uint32_t ranks)
{
    uint32_t partners = ranks < EFG_TRAFFIC_PARTNERS ? ranks : EFG_TRAFFIC_PARTNERS, room = 2;
    struct efg_traffic *t = calloc(1, sizeof *t);

    while (room < 2 * partners) /* half of it is free, so that what is sought is found soon */
        room *= 2;
    if (!t)
        return NULL;
    t->mask = room - 1;
    t->room = FIRST_PARTNER + partners;
    t->count = FIRST_PARTNER;
    t->number = calloc(room, sizeof *t->number);
    t->sum = calloc(t->room, sizeof *t->sum);
    if (!t->number || !t->sum) {
        efg_traffic_free(t);
        return NULL;
    }
    for (uint32_t i = 0; i < EFG_TRAFFIC_SIZES; i++)
        t->sum[SENDS + i].key = t->sum[COLLECTIVES + i].key = i;
    t->sum[OTHERS].key = EFG_TRAFFIC_OTHERS;
    return t;
}

void efg_traffic_free(struct efg_traffic *t)
{
    if (!t)
        return;
    free(t->number);
    free(t->sum);
    free(t);
}

uint64_t efg_traffic_memory(const struct efg_traffic *t)
{
    return sizeof *t + slots(t) * sizeof *t->number + t->room * sizeof *t->sum;
}

/* --- counting --- */

/* Where there is room for all ranks, each has its own slot. */
static struct efg_traffic_sum *find(struct efg_traffic *t, uint32_t partner)
{
    uint32_t i = (partner ^ partner >> 11) & t->mask;
    if (partner == EFG_TRAFFIC_OTHERS)
        return &t->sum[OTHERS];
    for (; t->number[i]; i = (i + 1) & t->mask)
        if (t->sum[t->number[i]].key == partner)
            return &t->sum[t->number[i]];
    if (t->count == t->room)
        return &t->sum[OTHERS];
    t->number[i] = (uint16_t)t->count;
    t->sum[t->count].key = partner;
    return &t->sum[t->count++];
}
_Static_assert(FIRST_PARTNER + EFG_TRAFFIC_PARTNERS <= UINT16_MAX, "numbers have 16 bits");

static void add(struct efg_traffic_sum *sum, const struct efg_traffic_run *run)
{
    sum->all.count += run->count;
    sum->all.bytes += run->count * run->bytes;
}

static void end_run(struct efg_traffic *t, struct efg_traffic_run *run)
{
    uint32_t is_collective = run->partner == EFG_TRAFFIC_COLLECTIVE;
    if (!run->count || run->partner == EFG_TRAFFIC_NOTHING)
        return;
    uint32_t first = is_collective ? COLLECTIVES : SENDS;
    add(&t->sum[first + efg_traffic_size(run->bytes)], run);
    if (!is_collective)
        add(find(t, run->partner), run);
    run->count = 0;
}

EFG_HOT __attribute__((noinline)) void efg_traffic_turn(struct efg_traffic *t, struct efg_traffic_run *run,
                                                        uint32_t partner, uint64_t bytes)
{
    end_run(t, run);
    *run = (struct efg_traffic_run){.bytes = bytes, .count = 1, .partner = partner};
}

void efg_traffic_lend(struct efg_traffic *t, struct efg_traffic_run *own, size_t stride, uint32_t count)
{
    t->own = (char *)own;
    t->own_stride = stride;
    t->own_count = count;
}

void efg_traffic_own(struct efg_traffic *t, struct efg_traffic_run *run, uint32_t partner, uint64_t bytes)
{
    end_run(t, run);
    *run = (struct efg_traffic_run){.bytes = bytes, .partner = partner};
}

static void settle(struct efg_traffic *t)
{
    for (uint32_t i = 0; i < EFG_TRAFFIC_RUNS; i++)
        end_run(t, &t->run[i]);
    for (uint32_t i = 0; i < t->own_count; i++)
        end_run(t, (struct efg_traffic_run *)(t->own + i * t->own_stride));
}

/* --- windows --- */

static struct efg_traffic_amount sum_of(struct efg_traffic_amount a, struct efg_traffic_amount b)
{
    return (struct efg_traffic_amount){a.count + b.count, a.bytes + b.bytes};
}

static struct efg_traffic_amount difference(struct efg_traffic_amount a, struct efg_traffic_amount b)
{
    return (struct efg_traffic_amount){a.count - b.count, a.bytes - b.bytes};
}

/* Sums of partners that come later begin at 0, as they should. */
void efg_traffic_begin(struct efg_traffic *t)
{
    efg_traffic_end(t);
    settle(t);
    for (uint32_t i = 0; i < t->count; i++) {
        struct efg_traffic_sum *sum = &t->sum[i];
        if (t->window == EFG_TRAFFIC_CLOSED)
            sum->recorded = sum_of(sum->recorded, sum->window);
        sum->window = sum->all;
    }
    t->window = EFG_TRAFFIC_OPEN;
}

void efg_traffic_end(struct efg_traffic *t)
{
    if (t->window != EFG_TRAFFIC_OPEN)
        return;
    settle(t);
    for (uint32_t i = 0; i < t->count; i++)
        t->sum[i].window = difference(t->sum[i].all, t->sum[i].window);
    t->window = EFG_TRAFFIC_CLOSED;
}

void efg_traffic_discard(struct efg_traffic *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        t->sum[i].window = (struct efg_traffic_amount){0};
    t->window = EFG_TRAFFIC_NONE;
}

void efg_traffic_recount(struct efg_traffic *t)
{
    efg_traffic_discard(t);
    for (uint32_t i = 0; i < t->count; i++)
        t->sum[i].recorded = (struct efg_traffic_amount){0};
}

static void record(struct efg_traffic_sum *sum, uint64_t bytes)
{
    sum->recorded.count++;
    sum->recorded.bytes += bytes;
}

void efg_traffic_record(struct efg_traffic *t, uint32_t partner, uint64_t bytes)
{
    bool is_collective = partner == EFG_TRAFFIC_COLLECTIVE;
    record(&t->sum[(is_collective ? COLLECTIVES : SENDS) + efg_traffic_size(bytes)], bytes);
    if (!is_collective)
        record(find(t, partner), bytes);
}

/* --- what was counted --- */

static struct efg_traffic_item item_of(const struct efg_traffic *t, const struct efg_traffic_sum *sum)
{
    struct efg_traffic_amount last =
        t->window == EFG_TRAFFIC_OPEN ? difference(sum->all, sum->window) : sum->window;
    return (struct efg_traffic_item){sum->key, sum->all, sum_of(sum->recorded, last)};
}

static uint32_t list(struct efg_traffic *t, uint32_t from, uint32_t to, struct efg_traffic_item *items)
{
    uint32_t count = 0;
    settle(t);
    for (uint32_t i = from; i < to; i++)
        if (t->sum[i].all.count)
            items[count++] = item_of(t, &t->sum[i]);
    return count;
}

static int compare_keys(const void *a, const void *b)
{
    const struct efg_traffic_item *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

void efg_traffic_item_add(struct efg_traffic_item *to, const struct efg_traffic_item *more)
{
    to->all = sum_of(to->all, more->all);
    to->recorded = sum_of(to->recorded, more->recorded);
}

uint32_t efg_traffic_most(const struct efg_traffic *t)
{
    uint32_t partners = t->room - OTHERS;
    return partners > EFG_TRAFFIC_SIZES ? partners : EFG_TRAFFIC_SIZES;
}

uint32_t efg_traffic_partners(struct efg_traffic *t, struct efg_traffic_item *items)
{
    uint32_t count = list(t, OTHERS, t->room, items); /* those with no partner yet are empty */
    qsort(items, count, sizeof *items, compare_keys);
    return count;
}

uint32_t efg_traffic_sends(struct efg_traffic *t, struct efg_traffic_item *items)
{
    return list(t, SENDS, SENDS + EFG_TRAFFIC_SIZES, items);
}

uint32_t efg_traffic_collectives(struct efg_traffic *t, struct efg_traffic_item *items)
{
    return list(t, COLLECTIVES, COLLECTIVES + EFG_TRAFFIC_SIZES, items);
}
