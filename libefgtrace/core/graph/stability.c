/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes samples of the size of the graph, and keeps some of them as a curve. The curve keeps
 * every STRIDE-th sample. When it is full every other point goes and the stride doubles, so that
 * it spans the whole run with EFG_CURVE_ROOM / 2 to EFG_CURVE_ROOM points, whatever the length of
 * the run.
 *
 * Invariant: curve[i] is sample number i * stride, counted from 0.
 */
#include "stability.h"

#include <string.h>

void efg_stability_init(struct efg_stability *stability, uint32_t required)
{
    memset(stability, 0, sizeof *stability);
    stability->stride = 1;
    stability->required = required ? required : 1;
}

static void drop_every_other(struct efg_stability *stability)
{
    uint32_t kept = (stability->count + 1) / 2;

    for (uint32_t i = 0; i < kept; i++)
        stability->curve[i] = stability->curve[2 * i];
    stability->count = kept;
    stability->stride *= 2;
}

static void keep(struct efg_stability *stability, struct efg_curve_point point)
{
    if (stability->count && ++stability->skipped < stability->stride)
        return;
    if (stability->count == EFG_CURVE_ROOM) {
        /* The room is even: the sample that is due now is a multiple of the new
         * stride as well. */
        drop_every_other(stability);
    }
    stability->curve[stability->count++] = point;
    stability->skipped = 0;
}

_Static_assert(EFG_CURVE_ROOM % 2 == 0, "dropping every other sample keeps the raster");

bool efg_stability_sample(struct efg_stability *stability, const struct efg_graph *graph, uint64_t now)
{
    struct efg_curve_point point = {.time = now > graph->start ? now - graph->start : 0,
                                    .events = graph->events,
                                    .nodes = graph->node_count,
                                    .edges = graph->edge_count};
    bool same =
        stability->equal && point.nodes == stability->last.nodes && point.edges == stability->last.edges;

    keep(stability, point);
    stability->last = point;
    stability->equal = same ? stability->equal + 1 : 1;
    if (stability->equal < stability->required || !point.nodes)
        stability->stable_since = 0;
    else if (!stability->stable_since)
        stability->stable_since = point.time ? point.time : 1;
    return stability->stable_since != 0;
}
