/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes snapshots of the graph, and finds the one that is about half as old as the run.
 * Invariant: times ascend, and at most one snapshot is not younger than half the time. Older ones
 * will never again be closest to half the time, as that only increases.
 */
#include "history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPACING 1.1 /* a snapshot is kept if the time has grown so much since the last one */

/* ---- snapshots ---- */

static int reserve(struct efg_snapshot *snapshot, const struct efg_graph *graph)
{
    if (graph->node_count <= snapshot->room)
        return 0;
    uint64_t *bigger = malloc(graph->node_room * sizeof *bigger);
    if (!bigger)
        return -ENOMEM;
    free(snapshot->spent);
    snapshot->spent = bigger;
    snapshot->room = graph->node_room;
    return 0;
}

static uint64_t half_time(const struct efg_history *history, uint64_t now)
{
    return history->zero + (now - history->zero) / 2;
}

static void drop_oldest(struct efg_history *history)
{
    struct efg_snapshot oldest = history->snapshots[0];

    history->count--;
    memmove(history->snapshots, history->snapshots + 1, history->count * sizeof *history->snapshots);
    history->snapshots[history->count] = oldest; /* its memory is used again */
}

static uint64_t spent_by(const struct efg_node *node)
{
    return node->rhythm.time - node->rhythm.first;
}

static int take_snapshot(struct efg_history *history, uint64_t now)
{
    const struct efg_graph *graph = history->graph;

    while (history->count > 1 && history->snapshots[1].time <= half_time(history, now))
        drop_oldest(history);
    if (history->count == EFG_SNAPSHOTS)
        drop_oldest(history);
    struct efg_snapshot *snapshot = &history->snapshots[history->count];
    if (reserve(snapshot, graph))
        return -ENOMEM;
    snapshot->time = now;
    snapshot->nodes = graph->node_count;
    for (uint32_t i = 0; i < graph->node_count; i++)
        snapshot->spent[i] = spent_by(&graph->nodes[i]);
    history->count++;
    return 0;
}

void efg_history_sample(struct efg_history *history, uint64_t now)
{
    uint64_t last = history->snapshots[history->count - 1].time - history->zero;

    if ((double)(now - history->zero) >= SPACING * (double)last)
        take_snapshot(history, now);
}

/* ---- beginning and end ---- */

int efg_history_init(struct efg_history *history, const struct efg_graph *graph, uint64_t now)
{
    *history = (struct efg_history){.graph = graph, .zero = now};
    return take_snapshot(history, now);
}

void efg_history_fini(struct efg_history *history)
{
    for (uint32_t i = 0; i < EFG_SNAPSHOTS; i++)
        free(history->snapshots[i].spent);
    *history = (struct efg_history){.graph = history->graph};
}

int efg_history_restart(struct efg_history *history, uint64_t now)
{
    efg_history_fini(history);
    return efg_history_init(history, history->graph, now);
}

/* ---- the window ---- */

const struct efg_snapshot *efg_history_base(const struct efg_history *history, uint64_t now)
{
    uint64_t half = half_time(history, now);
    uint32_t i = 0;

    while (i + 1 < history->count && history->snapshots[i + 1].time <= half)
        i++;
    if (i + 1 < history->count && history->snapshots[i + 1].time - half < half - history->snapshots[i].time)
        i++;
    return &history->snapshots[i];
}

uint64_t efg_history_spent(const struct efg_history *history, const struct efg_snapshot *base, uint32_t node)
{
    uint64_t before = node < base->nodes ? base->spent[node] : 0;
    uint64_t now = spent_by(&history->graph->nodes[node]);

    return now > before ? now - before : 0;
}
