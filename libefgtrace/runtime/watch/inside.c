/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps a list of the nodes that are inside; new nodes are looked at once. Invariant: the first SEEN nodes
 * have been, and the graph tells them apart as it did then.
 */
#include "inside.h"

#include "base/array.h"
#include "files/symbols/symbols.h"
#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "runtime/record/regions.h"
#include "runtime/stack/callpath.h"
#include "wish.h"

static const struct efg_job *const job = &efg_job;

/* Of the leader. */
static struct efg_symbols *symbols;
static uint32_t *list, count;
static uint32_t seen, dropped;

static bool is_below(struct efg_path path)
{
    const struct efg_symbol *frames;

    for (uint32_t i = 0; i < path.depth; i++) {
        const char *module = efg_callpath_module(path.frames[i].module);
        int inlined = efg_symbols_find(symbols, module, path.frames[i].offset, &frames);
        for (int k = 0; k < inlined; k++)
            if (efg_wish_is_named(frames[k].function, job->conf.when.region))
                return true;
    }
    return false;
}

static bool is_inside(const struct efg_node *node)
{
    return node->signature.region == efg_regions_id(job->conf.when.region) ||
           (node->signature.path && symbols && is_below(efg_callpath_get(node->signature.path)));
}

static void look_at_new(const struct efg_graph *graph)
{
    if (!symbols)
        symbols = efg_symbols_new();
    for (; seen < graph->node_count; seen++)
        if (seen != graph->overflow && is_inside(&graph->nodes[seen]) &&
            !efg_array_grow(&list, count, 1, sizeof *list))
            list[count++] = seen;
}

uint64_t efg_inside_calls(struct efg_thread *t)
{
    const struct efg_graph *graph = &t->graph;
    uint64_t calls = 0;

    if (seen > graph->node_count || dropped != graph->dropped)
        seen = count = 0;
    dropped = graph->dropped;
    if (seen < graph->node_count) {
        uint64_t begin = efg_clock_cpu();
        look_at_new(graph);
        t->cost.rare += efg_clock_cpu() - begin;
    }
    for (uint32_t i = 0; i < count; i++)
        calls += graph->nodes[list[i]].time.count;
    return calls;
}
