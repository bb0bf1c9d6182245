/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes up the times of calls. Visit number k of n, from 0, takes floor(sum (k + 1) / n) -
 * floor(sum k / n): the mean, and of all together the sum. What is in no sum, the time up to the
 * first call, comes first.
 */
#include "rebuild.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t key_of(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

/* ns of no call, no transition and no poll. */
static uint64_t lead_of(const struct efg_graph *graph)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        sum += efg_node_time(&graph->nodes[i]);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        sum += graph->edges[i].time.sum;
    return sum < graph->last_leave ? graph->last_leave - sum : 0;
}

uint64_t efg_rebuild_end(const struct efg_run_thread *thread)
{
    const struct efg_graph *graph = &thread->graph;
    uint64_t end = lead_of(graph);
    for (uint32_t i = 0; i < graph->node_count; i++)
        end += efg_node_time(&graph->nodes[i]);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        end += graph->edges[i].time.sum;
    return end;
}

int efg_rebuild_init(struct efg_rebuild *r, const struct efg_run_thread *thread,
                     const struct efg_run_sequence_thread *sequence)
{
    const struct efg_graph *graph = &thread->graph;
    memset(r, 0, sizeof *r);
    efg_expand_init(&r->expand, sequence, graph->node_count);
    r->graph = graph;
    r->before = EFG_NONE;
    r->now = lead_of(graph);
    r->nodes_seen = calloc((size_t)graph->node_count + 1, sizeof *r->nodes_seen);
    r->edges_seen = calloc((size_t)graph->edge_count + 1, sizeof *r->edges_seen);
    r->polled = calloc((size_t)graph->node_count + 1, sizeof *r->polled);
    int error = r->nodes_seen && r->edges_seen && r->polled ? 0 : -ENOMEM;
    if (!error)
        efg_graph_polled(graph, r->polled);
    for (uint32_t i = 0; i < graph->edge_count && !error; i++) {
        uint64_t *edge = efg_map_put(&r->edges, key_of(graph->edges[i].from, graph->edges[i].to));
        if (edge)
            *edge = (uint64_t)i + 1;
        else
            error = -ENOMEM;
    }
    if (error)
        efg_rebuild_fini(r);
    return error;
}

void efg_rebuild_fini(struct efg_rebuild *r)
{
    efg_expand_fini(&r->expand);
    efg_map_fini(&r->edges);
    free(r->nodes_seen);
    free(r->edges_seen);
    free(r->polled);
    memset(r, 0, sizeof *r);
}

/* What visit number SEEN of COUNT has of SUM. */
static uint64_t part(uint64_t sum, uint64_t count, uint64_t seen)
{
    if (seen >= count)
        return 0; /* more of them than were counted: a damaged file */
    return (uint64_t)((unsigned __int128)sum * (seen + 1) / count - (unsigned __int128)sum * seen / count);
}

static uint64_t share(const struct efg_stat *stat, uint64_t seen)
{
    return part(stat->sum, stat->count, seen);
}

static uint32_t edge_before(const struct efg_rebuild *r)
{
    uint64_t *edge = r->before == EFG_NONE ? NULL : efg_map_find(&r->edges, key_of(r->before, r->node));
    return edge ? (uint32_t)*edge - 1 : EFG_NONE;
}

bool efg_rebuild_next(struct efg_rebuild *r, struct efg_rebuilt *call)
{
    if (r->failed)
        return false;
    r->before = r->expand.at ? r->node : EFG_NONE;
    if (!r->left) {
        int found = efg_expand_next(&r->expand, &r->node, &r->left);
        r->failed = found < 0;
        if (found <= 0)
            return false;
    }
    r->left--;
    const struct efg_stat *time = &r->graph->nodes[r->node].time;
    uint64_t seen = r->nodes_seen[r->node]++, polled = part(r->polled[r->node], time->count, seen),
             enter = r->now + polled;
    uint32_t edge = edge_before(r);
    if (edge != EFG_NONE)
        enter += share(&r->graph->edges[edge].time, r->edges_seen[edge]++);
    r->now = enter + share(time, seen);
    *call = (struct efg_rebuilt){r->node, edge, enter, r->now, polled};
    return true;
}
