/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is computed between two calls. The graph knows the sum of each edge, and how many of its visits took
 * about how long (a bin is a factor of 2); the trace knows the order of long and short ones, on all ranks at
 * the same time. So a visit takes what the recorded one took that it is like, and all are stretched to the
 * sum of the graph.
 *
 * Few recorded visits may have an odd one among them. So the i-th longest of n is moved into the bin that the
 * i-th n-th of all visits is in.
 */
#include <errno.h>
#include <stdlib.h>

#include "parts.h"

struct known {
    struct efg_replay_call *call;
};

static int by_edge(const void *a, const void *b)
{
    const struct efg_replay_call *x = ((const struct known *)a)->call, *y = ((const struct known *)b)->call;
    if (x->edge != y->edge)
        return x->edge < y->edge ? -1 : 1;
    return (x->gap > y->gap) - (x->gap < y->gap);
}

/* The bin that the one is in that has a PART of all before it. */
static unsigned bin_at(const struct efg_stat *stat, double part)
{
    double before = 0;
    unsigned bin = 0;
    for (unsigned i = 0; i < EFG_BINS; i++) {
        before += stat->bin[i];
        if (!stat->bin[i])
            continue;
        bin = i;
        if (before > part * (double)stat->count)
            break;
    }
    return bin;
}

/* COUNT recorded visits of an edge, the shortest first. */
static void move_to_bins(struct known *known, uint64_t count, const struct efg_stat *stat)
{
    for (uint64_t i = 0; i < count; i++) {
        unsigned bin = bin_at(stat, ((double)i + 0.5) / (double)count);
        uint64_t least = bin ? UINT64_C(1) << bin : 0, most = (UINT64_C(2) << bin) - 1,
                 *gap = &known[i].call->gap;
        if (bin == EFG_BINS - 1)
            most = UINT64_MAX;
        *gap = *gap < least ? least : *gap > most ? most : *gap;
    }
}

static uint64_t key_of(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

static int map_edges(struct efg_map *edges, const struct efg_graph *graph)
{
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        uint64_t *at = efg_map_put(edges, key_of(graph->edges[i].from, graph->edges[i].to));
        if (!at)
            return -ENOMEM;
        *at = i;
    }
    return 0;
}

/* ns from the call before C on, if C follows it; what lies between two polls, or a poll and what it has
 * found, is in MPI if it is short. */
static void measure(struct efg_replay_facts *f, struct known *known, uint64_t *count,
                    const struct efg_map *edges)
{
    const struct efg_replay_call *before = NULL;
    uint64_t gap = 0;
    for (uint64_t i = 0; i < f->call_count; i++) {
        struct efg_replay_call *c = &f->calls[i];
        if (i) {
            uint64_t space = c->begin > c[-1].end ? c->begin - c[-1].end : 0;
            gap += c[-1].is_event || space > EFG_SPIN ? space : 0;
        }
        if (!c->is_event)
            continue;
        uint64_t *edge =
            before && c->node != EFG_NONE && before->node != EFG_NONE && before->window == c->window
                ? efg_map_find(edges, key_of(before->node, c->node))
                : NULL;
        if (edge) {
            c->edge = (uint32_t)*edge;
            c->gap = gap;
            known[(*count)++] = (struct known){c};
        }
        before = c;
        gap = 0;
    }
}

int efg_replay_fill_gaps(struct efg_replay_facts *f, const struct efg_graph *graph)
{
    struct known *known = calloc(f->call_count + 1, sizeof *known);
    struct efg_map edges = {0};
    uint64_t count = 0;
    f->gaps = calloc((size_t)graph->edge_count + 1, sizeof *f->gaps);
    f->stretch = calloc((size_t)graph->edge_count + 1, sizeof *f->stretch);
    int error = known && f->gaps && f->stretch ? map_edges(&edges, graph) : -ENOMEM;
    if (!error)
        measure(f, known, &count, &edges);
    if (count)
        qsort(known, count, sizeof *known, by_edge);
    for (uint64_t i = 0, end; i < count; i = end) {
        uint32_t edge = known[i].call->edge;
        for (end = i; end < count && known[end].call->edge == edge; end++)
            ;
        move_to_bins(known + i, end - i, &graph->edges[edge].time);
    }
    efg_map_fini(&edges);
    free(known);
    return error;
}

uint64_t efg_replay_gap(struct efg_replay_walk *w, const struct efg_rebuilt *call,
                        const struct efg_replay_call *like, uint64_t mean)
{
    if (call->edge == EFG_NONE)
        return mean;
    uint64_t gap = like && like->edge == call->edge ? like->gap : mean;
    if (w->is_count)
        w->facts->gaps[call->edge] += (double)gap;
    else
        gap = (uint64_t)((double)gap * w->facts->stretch[call->edge] + 0.5);
    return gap;
}

void efg_replay_end_gaps(struct efg_replay_facts *f, const struct efg_graph *graph)
{
    for (uint32_t i = 0; i < graph->edge_count; i++)
        f->stretch[i] = f->gaps[i] > 0 ? (double)graph->edges[i].time.sum / f->gaps[i] : 1;
}
