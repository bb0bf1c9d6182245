/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What runtime/job/collect.c does with many processes, done by one.
 */
#include "whole_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/run/merge.h"

#define MARK 77

static void must(int fine)
{
    if (!fine)
        abort();
}

void whole_run_fini(struct whole_run *whole)
{
    efg_run_fini(&whole->run);
    efg_run_names_fini(&whole->names);
    for (uint32_t i = 0; i < whole->rank_count; i++) {
        efg_run_rank_fini(&whole->ranks[i]);
        if (whole->sequences)
            efg_buffer_fini(&whole->sequences[i]);
    }
    free(whole->ranks);
    free(whole->sequences);
    free(whole->orders);
    memset(whole, 0, sizeof *whole);
}

static const char *host_of(const struct efg_run_rank *rank)
{
    return rank->host ? rank->host : "";
}

/* A host is where ranks first name it. */
static void add_hosts(struct whole_run *whole, struct efg_totals *totals)
{
    struct efg_run_rank *same = calloc(whole->rank_count + 1, sizeof *same);
    must(same != NULL);
    for (uint32_t i = 0; i < whole->rank_count; i++) {
        uint32_t count = 0, known = 0;
        for (uint32_t k = 0; k < i; k++)
            known |= !strcmp(host_of(&whole->ranks[k]), host_of(&whole->ranks[i]));
        for (uint32_t k = i; k < whole->rank_count; k++)
            if (!strcmp(host_of(&whole->ranks[k]), host_of(&whole->ranks[i])))
                same[count++] = whole->ranks[k];
        if (!known)
            must(efg_totals_host(totals, same, count) == 0);
    }
    free(same);
}

void whole_run_join(struct whole_run *whole)
{
    struct efg_merge merge = {0};
    struct efg_run *run = &whole->run;
    for (uint32_t i = 0; i < whole->rank_count; i++) {
        efg_merge_rank(&merge, &whole->names, &whole->ranks[i]);
        if (whole->sequences && whole->sequences[i].size)
            efg_merge_order(&merge, whole->ranks[i].rank, &whole->orders[i]);
    }
    add_hosts(whole, &merge.common.totals);
    must(!merge.failed);
    efg_run_common_fini(&run->common);
    run->common = merge.common;
    merge.common = (struct efg_run_common){0};
    efg_merge_fini(&merge);
    efg_run_rank_fini(&run->speaker);
    for (uint32_t i = 0; i < whole->rank_count; i++) {
        struct efg_buffer section = {0};
        if (whole->ranks[i].rank != run->common.totals.speaker)
            continue;
        efg_runfile_put_rank(&section, &whole->ranks[i]);
        must(efg_runfile_get_rank(&run->speaker, section.data, section.size,
                                  efg_run_group_of(&run->common, whole->ranks[i].rank)) == 0);
        efg_buffer_fini(&section);
    }
}

static int is_owner(const struct efg_run_common *common, uint32_t rank)
{
    for (uint32_t i = 0; i < common->order_count; i++)
        if (common->orders[i].ranks.ranges[0].first == rank)
            return 1;
    return 0;
}

/* The sections of all ranks, node after node. */
static int write_nodes(struct whole_run *whole, const char *path, uint32_t node_ranks, uint64_t *end)
{
    int error = efg_runfile_create(path, 1, MARK);
    *end = EFG_RUN_SECTIONS;
    for (uint32_t i = 0; i < whole->rank_count && !error; i += node_ranks) {
        struct efg_buffer node = {0};
        for (uint32_t k = i; k < whole->rank_count && k < i + node_ranks; k++)
            efg_runfile_put_rank(&node, &whole->ranks[k]);
        for (uint32_t k = i; k < whole->rank_count && k < i + node_ranks; k++)
            if (is_owner(&whole->run.common, whole->ranks[k].rank))
                efg_buffer_put(&node, whole->sequences[k].data, whole->sequences[k].size);
        if (node_ranks < whole->rank_count)
            efg_runfile_put_filler(&node, *end + node.size);
        error = efg_runfile_put(path, 1, MARK, *end, node.data, node.size);
        *end += node.size;
        efg_buffer_fini(&node);
    }
    return error;
}

int whole_run_write(struct whole_run *whole, const char *path, uint32_t node_ranks)
{
    uint64_t end;
    whole_run_join(whole);
    int error = write_nodes(whole, path, node_ranks, &end);
    if (!error)
        error = efg_runfile_finish(&whole->run, path, 1, end);
    if (error)
        efg_runfile_abandon(path, 1);
    return error;
}

static int by_key(const void *a, const void *b)
{
    const struct efg_traffic_item *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* Add to SECTIONS and MERGE rank NUMBER of COUNT, which did what rank LIKE of WHOLE did. */
static void put_like(struct efg_merge *merge, struct efg_buffer *sections, const struct whole_run *whole,
                     uint32_t like, uint32_t number, uint32_t count, const char *host)
{
    struct efg_run_rank rank = whole->ranks[like];
    struct efg_run_thread thread = rank.threads[0];
    struct efg_run_items *partners = &thread.traffic.partners;
    struct efg_traffic_item *items = calloc(partners->count + 1, sizeof *items);
    must(items && rank.thread_count == 1);
    for (uint32_t i = 0; i < partners->count; i++) {
        uint32_t ahead = partners->item[i].key + whole->rank_count - like;
        int is_behind = ahead % whole->rank_count > whole->rank_count / 2;
        items[i] = partners->item[i];
        items[i].key =
            (number + ahead % whole->rank_count + count - (is_behind ? whole->rank_count : 0)) % count;
    }
    qsort(items, partners->count, sizeof *items, by_key);
    partners->item = items;
    rank.threads = &thread;
    rank.rank = number;
    rank.host = (char *)host;
    efg_merge_rank(merge, &whole->names, &rank);
    efg_runfile_put_rank(sections, &rank);
    free(items);
}

int whole_run_write_many(struct whole_run *whole, const char *path, uint32_t count, uint32_t node_ranks)
{
    struct efg_merge merge = {0};
    struct efg_buffer sections = {0};
    for (uint32_t i = 0; i < count; i++) {
        char host[32];
        struct efg_run_rank first = {.rank = i, .host = host};
        snprintf(host, sizeof host, "node%u", 1 + i / node_ranks);
        put_like(&merge, &sections, whole, i % whole->rank_count, i, count, host);
        must(i % node_ranks || !efg_totals_host(&merge.common.totals, &first, 1));
    }
    must(!merge.failed && !sections.failed);
    whole->run.common = merge.common;
    merge.common = (struct efg_run_common){0};
    efg_merge_fini(&merge);
    int error = efg_runfile_create(path, 1, MARK);
    if (!error)
        error = efg_runfile_put(path, 1, MARK, EFG_RUN_SECTIONS, sections.data, sections.size);
    if (!error)
        error = efg_runfile_finish(&whole->run, path, 1, EFG_RUN_SECTIONS + sections.size);
    efg_buffer_fini(&sections);
    return error;
}
