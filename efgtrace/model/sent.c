/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds up who sent how much to whom. Ranks are read one after the other: what each has sent is added to
 * the pairs, the threads of a rank as one.
 */
#include "sent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void efg_sent_fini(struct efg_sent *sent)
{
    free(sent->pairs);
    free(sent->distances);
    memset(sent, 0, sizeof *sent);
}

/* --- adding --- */

static void add_sizes(struct efg_traffic_item *to, const struct efg_run_items *items)
{
    for (uint32_t i = 0; i < items->count; i++)
        efg_traffic_item_add(&to[items->item[i].key], &items->item[i]);
}

static int compare_partners(const void *a, const void *b)
{
    const struct efg_sent_pair *x = a, *y = b;
    return x->to.key < y->to.key ? -1 : x->to.key > y->to.key;
}

/* From FIRST on there are those of one rank: each partner once. */
static void join_threads(struct efg_sent *sent, uint32_t first)
{
    uint32_t kept = first;
    if (sent->pair_count > first)
        qsort(&sent->pairs[first], sent->pair_count - first, sizeof *sent->pairs, compare_partners);
    for (uint32_t i = first; i < sent->pair_count; i++) {
        if (kept > first && !compare_partners(&sent->pairs[kept - 1], &sent->pairs[i]))
            efg_traffic_item_add(&sent->pairs[kept - 1].to, &sent->pairs[i].to);
        else
            sent->pairs[kept++] = sent->pairs[i];
    }
    sent->pair_count = kept;
}

int efg_sent_add(struct efg_sent *sent, const struct efg_run_rank *rank)
{
    uint32_t first = sent->pair_count;
    for (uint32_t k = 0; k < rank->thread_count; k++) {
        const struct efg_run_traffic *traffic = &rank->threads[k].traffic;
        const struct efg_run_items *partners = &traffic->partners;
        if (partners->count > UINT32_MAX - sent->pair_count ||
            efg_array_grow(&sent->pairs, sent->pair_count, partners->count, sizeof *sent->pairs))
            return -ENOMEM;
        for (uint32_t i = 0; i < partners->count; i++) {
            sent->pairs[sent->pair_count++] = (struct efg_sent_pair){rank->rank, partners->item[i]};
            efg_traffic_item_add(&sent->all, &partners->item[i]);
        }
        add_sizes(sent->sends, &traffic->sends);
        add_sizes(sent->collectives, &traffic->collectives);
    }
    join_threads(sent, first);
    return 0;
}

/* --- distances --- */

static struct efg_sent_distance distance_of(const struct efg_sent_pair *pair, uint32_t size)
{
    struct efg_sent_distance distance = {
        .is_other = pair->to.key == EFG_TRAFFIC_OTHERS, .pairs = 1, .sum = pair->to};
    if (distance.is_other)
        return distance;
    distance.steps = (int64_t)pair->to.key - pair->from;
    if (2 * distance.steps > size)
        distance.steps -= size;
    else if (2 * distance.steps <= -(int64_t)size)
        distance.steps += size;
    return distance;
}

static int compare_steps(const void *a, const void *b)
{
    const struct efg_sent_distance *x = a, *y = b;
    if (x->is_other != y->is_other)
        return x->is_other - y->is_other;
    return x->steps < y->steps ? -1 : x->steps > y->steps;
}

static int compare_distances(const void *a, const void *b)
{
    const struct efg_sent_distance *x = a, *y = b;
    if (x->sum.all.bytes != y->sum.all.bytes)
        return x->sum.all.bytes > y->sum.all.bytes ? -1 : 1;
    return compare_steps(a, b);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct efg_sent_pair *x = a, *y = b;
    if (x->to.all.bytes != y->to.all.bytes)
        return x->to.all.bytes > y->to.all.bytes ? -1 : 1;
    if (x->to.all.count != y->to.all.count)
        return x->to.all.count > y->to.all.count ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return compare_partners(a, b);
}

int efg_sent_end(struct efg_sent *sent, uint32_t size)
{
    uint32_t kept = 0;
    struct efg_sent_distance *all = calloc((size_t)sent->pair_count + 1, sizeof *all);
    if (!all)
        return -ENOMEM;
    for (uint32_t i = 0; i < sent->pair_count; i++)
        all[i] = distance_of(&sent->pairs[i], size);
    qsort(all, sent->pair_count, sizeof *all, compare_steps);
    for (uint32_t i = 0; i < sent->pair_count; i++) {
        if (kept && !compare_steps(&all[kept - 1], &all[i])) {
            efg_traffic_item_add(&all[kept - 1].sum, &all[i].sum);
            all[kept - 1].pairs++;
        } else {
            all[kept++] = all[i];
        }
    }
    qsort(all, kept, sizeof *all, compare_distances);
    if (sent->pair_count)
        qsort(sent->pairs, sent->pair_count, sizeof *sent->pairs, compare_pairs);
    sent->distances = all;
    sent->distance_count = kept;
    return 0;
}

void efg_sent_begin(struct efg_sent *sent)
{
    memset(sent, 0, sizeof *sent);
    for (uint32_t i = 0; i < EFG_TRAFFIC_SIZES; i++)
        sent->sends[i].key = sent->collectives[i].key = i;
}
