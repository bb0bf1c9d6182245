/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edges that are the first way in of a round count first visits of the others, all others count
 * visits. For each of the two, the edges into a node are sorted by what is counted; those that
 * have at most half as much lie before them, and their sum grows as one goes along.
 */
#define _GNU_SOURCE /* qsort_r */
#include "ways.h"

#include <stdlib.h>

struct by { /* what edges are sorted by */
    const struct efg_history *history;
    int firsts;
};

static uint64_t count(const struct by *by, uint32_t edge)
{
    const struct efg_pace *pace = &by->history->edges[edge];

    return by->firsts ? pace->firsts : pace->visits;
}

static uint32_t target(const struct by *by, uint32_t edge)
{
    return by->history->graph->edges[edge].to;
}

static int compare(const void *a, const void *b, void *context)
{
    const struct by *by = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t to_x = target(by, x), to_y = target(by, y);
    uint64_t n_x = count(by, x), n_y = count(by, y);

    if (to_x != to_y)
        return to_x < to_y ? -1 : 1;
    return n_x < n_y ? -1 : n_x > n_y;
}

/* As in graph.c, but in the window. */
static int is_first_way_in(const struct efg_pace *pace)
{
    return 10 * (uint64_t)pace->firsts >= 9 * pace->visits;
}

/* The EDGES in ORDER go into one node, the rarest first: RARE runs behind. */
static void count_target(const struct by *by, const uint32_t *order, uint32_t edges,
                         uint64_t *counted)
{
    uint32_t rare = 0;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < edges; i++) {
        const struct efg_pace *pace = &by->history->edges[order[i]];
        for (; rare < i && 2 * count(by, order[rare]) <= count(by, order[i]); rare++)
            sum += count(by, order[rare]);
        if (is_first_way_in(pace) == by->firsts)
            counted[order[i]] = pace->visits + sum;
    }
}

static void count_all(const struct by *by, uint32_t *order, uint64_t *counted)
{
    uint32_t edges = by->history->graph->edge_count;

    for (uint32_t i = 0; i < edges; i++)
        order[i] = i;
    qsort_r(order, edges, sizeof *order, compare, (void *)by);
    for (uint32_t begin = 0, end; begin < edges; begin = end) {
        for (end = begin + 1; end < edges && target(by, order[end]) == target(by, order[begin]);
             end++)
            ;
        count_target(by, order + begin, end - begin, counted);
    }
}

void efg_ways_count(const struct efg_history *history, uint32_t *order, uint64_t *counted)
{
    for (int firsts = 0; firsts <= 1; firsts++)
        count_all(&(struct by){history, firsts}, order, counted);
}
