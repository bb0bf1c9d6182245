/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots of the counters of struct efg_rhythm; see history.h.
 *
 * The largest time between two visits is no sum: it cannot be had by differences.
 * So the event path keeps a maximum since the last snapshot (efg_rhythm.recent), each
 * snapshot stores it and sets it to 0, and the maximum over the window is that
 * over its snapshots.
 *
 * Invariant: times rise, and at most one snapshot is not younger than half the time. What
 * is older than that one is nearest to half the time never again, as that only
 * moves on.
 */
#include "history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPACING 1.1 /* a snapshot is kept if the time has grown so much since the last one */

struct efg_counters {
    uint64_t visits, time;
    double gap1, gap2, variation;
    uint64_t longest; /* since the snapshot before */
    uint32_t seen;    /* visits since zero: 0, 1, 2 for more */
    uint32_t firsts;
};

/* ---- snapshots ---- */

static int reserve_snapshot(struct efg_snapshot *snapshot, const struct efg_graph *graph)
{
    if (graph->node_count + graph->edge_count <= snapshot->room)
        return 0;
    uint32_t more = graph->node_room + graph->edge_room;
    struct efg_counters *bigger = malloc(more * sizeof *bigger);
    if (!bigger)
        return -1;
    free(snapshot->counters);
    snapshot->counters = bigger;
    snapshot->room = more;
    return 0;
}

static struct efg_counters copy_rhythm(struct efg_rhythm *rhythm)
{
    struct efg_counters counters = {.visits = rhythm->visits,
                                    .time = rhythm->time,
                                    .gap1 = rhythm->gap1,
                                    .gap2 = rhythm->gap2,
                                    .variation = rhythm->variation,
                                    .longest = rhythm->recent,
                                    .firsts = rhythm->firsts,
                                    .seen = !rhythm->last       ? 0
                                            : !rhythm->last_gap ? 1
                                                                : 2};
    rhythm->recent = 0;
    return counters;
}

static uint64_t half_time(const struct efg_history *history, uint64_t now)
{
    return history->zero + (now - history->zero) / 2;
}

static void drop_oldest(struct efg_history *history)
{
    struct efg_snapshot oldest = history->snapshots[0];

    history->count--;
    memmove(history->snapshots, history->snapshots + 1,
            history->count * sizeof *history->snapshots);
    history->snapshots[history->count] = oldest; /* its memory is used again */
}

static int take_snapshot(struct efg_history *history, uint64_t now)
{
    struct efg_graph *graph = history->graph;

    while (history->count > 1 && history->snapshots[1].time <= half_time(history, now))
        drop_oldest(history);
    if (history->count == EFG_SNAPSHOTS)
        drop_oldest(history);
    struct efg_snapshot *snapshot = &history->snapshots[history->count];
    if (reserve_snapshot(snapshot, graph))
        return -1;
    snapshot->time = now;
    snapshot->nodes = graph->node_count;
    snapshot->edges = graph->edge_count;
    for (uint32_t i = 0; i < graph->node_count; i++)
        snapshot->counters[i] = copy_rhythm(&graph->nodes[i].rhythm);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        snapshot->counters[snapshot->nodes + i] = copy_rhythm(&graph->edges[i].rhythm);
    history->count++;
    return 0;
}

static int is_snapshot_due(const struct efg_history *history, uint64_t now)
{
    uint64_t last = history->snapshots[history->count - 1].time - history->zero;

    return (double)(now - history->zero) >= SPACING * (double)last;
}

/* The snapshot nearest to half the time. */
static uint32_t find_base(const struct efg_history *history, uint64_t now)
{
    uint64_t half = half_time(history, now);
    uint32_t i = 0;

    while (i + 1 < history->count && history->snapshots[i + 1].time <= half)
        i++;
    if (i + 1 < history->count &&
        history->snapshots[i + 1].time - half < half - history->snapshots[i].time)
        i++;
    return i;
}

/* ---- beginning and end ---- */

int efg_history_init(struct efg_history *history, struct efg_graph *graph, uint64_t now)
{
    *history = (struct efg_history){.graph = graph, .zero = now, .last = now};
    return take_snapshot(history, now);
}

uint64_t efg_history_memory(const struct efg_history *history)
{
    uint64_t counters = 0, items = (uint64_t)history->node_room + history->edge_room;

    for (uint32_t i = 0; i < EFG_SNAPSHOTS; i++)
        counters += history->snapshots[i].room;
    return counters * sizeof(struct efg_counters) +
           items * (sizeof *history->nodes + sizeof *history->node_seen);
}

void efg_history_fini(struct efg_history *history)
{
    for (uint32_t i = 0; i < EFG_SNAPSHOTS; i++)
        free(history->snapshots[i].counters);
    free(history->node_seen);
    free(history->edge_seen);
    free(history->nodes);
    free(history->edges);
    *history = (struct efg_history){.graph = history->graph};
}

/* The next visit is the first one: the pause before it is none of the new phase's gaps. */
static void forget_gaps(struct efg_rhythm *rhythm)
{
    rhythm->last = rhythm->last_gap = rhythm->recent = 0;
}

int efg_history_restart(struct efg_history *history, uint64_t now)
{
    struct efg_graph *graph = history->graph;

    for (uint32_t i = 0; i < graph->node_count; i++)
        forget_gaps(&graph->nodes[i].rhythm);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        forget_gaps(&graph->edges[i].rhythm);
    if (history->node_seen)
        memset(history->node_seen, 0, history->node_room * sizeof *history->node_seen);
    if (history->edge_seen)
        memset(history->edge_seen, 0, history->edge_room * sizeof *history->edge_seen);
    history->zero = history->last = now;
    history->count = history->base = 0;
    return take_snapshot(history, now);
}

/* ---- the window ---- */

/* Room for COUNT entries in both arrays, and then as much as the graph has, MORE; new entries
 * are 0. */
static int reserve_paces(uint64_t **seen, struct efg_pace **paces, uint32_t count,
                         uint32_t more, uint32_t *room)
{
    if (count <= *room)
        return 0;
    uint64_t *more_seen = realloc(*seen, more * sizeof *more_seen);
    if (more_seen)
        *seen = more_seen;
    struct efg_pace *more_paces = realloc(*paces, more * sizeof *more_paces);
    if (more_paces)
        *paces = more_paces;
    if (!more_seen || !more_paces)
        return -1;
    memset(*seen + *room, 0, (more - *room) * sizeof **seen);
    memset(*paces + *room, 0, (more - *room) * sizeof **paces);
    *room = more;
    return 0;
}

/* The item's counters in snapshot I, all 0 if it did not exist then. */
static struct efg_counters past(const struct efg_history *history, uint32_t i, uint32_t item,
                                int is_edge)
{
    const struct efg_snapshot *s = &history->snapshots[i];

    if (item >= (is_edge ? s->edges : s->nodes))
        return (struct efg_counters){.visits = 0};
    return s->counters[is_edge ? s->nodes + item : item];
}

static void find_variation(struct efg_pace *pace, const struct efg_rhythm *rhythm,
                           const struct efg_counters *base)
{
    double gaps = (double)pace->visits - (base->seen ? 0 : 1);
    double pairs = (double)pace->visits - (2 - (double)base->seen);

    pace->cv = pace->lv = INFINITY;
    if (gaps < 1 || pairs < 1)
        return;
    double mean = (rhythm->gap1 - base->gap1) / gaps;
    double variance = (rhythm->gap2 - base->gap2) / gaps - mean * mean;
    pace->cv = variance > 0 ? sqrt(variance) / mean : 0;
    pace->lv = (rhythm->variation - base->variation) / pairs;
}

/* BEGIN: where its visits in the window begin, the window's begin if it was seen before. */
static void find_times(struct efg_pace *pace, const struct efg_rhythm *rhythm,
                       const struct efg_counters *base, uint64_t begin, uint64_t window,
                       uint64_t now)
{
    uint64_t span = rhythm->last_time > begin ? rhythm->last_time - begin : 0;
    uint64_t gaps = pace->visits - (base->seen ? 0 : 1);

    pace->span = window ? (double)span / (double)window : 0;
    pace->period = gaps ? (double)span / (double)gaps : (double)span;
    pace->silence = now > rhythm->last_time ? now - rhythm->last_time : 0;
}

static void find_pace(const struct efg_history *history, const struct efg_rhythm *rhythm,
                      uint32_t item, int is_edge, uint64_t now, uint64_t *seen,
                      struct efg_pace *pace)
{
    struct efg_counters base = past(history, history->base, item, is_edge);
    uint64_t begin = history->begin;

    *pace = (struct efg_pace){.visits = rhythm->visits - base.visits,
                              .firsts = rhythm->firsts - base.firsts,
                              .time = rhythm->time - base.time,
                              .longest = rhythm->recent,
                              .cv = INFINITY,
                              .lv = INFINITY};
    if (!*seen && rhythm->last)
        *seen = history->last ? history->last : 1;
    if (!pace->visits)
        return;
    for (uint32_t i = history->base + 1; i < history->count; i++) {
        uint64_t longest = past(history, i, item, is_edge).longest;
        if (longest > pace->longest)
            pace->longest = longest;
    }
    find_variation(pace, rhythm, &base);
    find_times(pace, rhythm, &base, !base.seen && *seen > begin ? *seen : begin, now - begin,
               now);
}

int efg_history_sample(struct efg_history *history, uint64_t now)
{
    const struct efg_graph *graph = history->graph;

    if (!history->count || now <= history->zero ||
        reserve_paces(&history->node_seen, &history->nodes, graph->node_count, graph->node_room,
                      &history->node_room) ||
        reserve_paces(&history->edge_seen, &history->edges, graph->edge_count, graph->edge_room,
                      &history->edge_room))
        return -1;
    history->base = find_base(history, now);
    history->begin = history->snapshots[history->base].time;
    for (uint32_t i = 0; i < graph->node_count; i++)
        find_pace(history, &graph->nodes[i].rhythm, i, 0, now, &history->node_seen[i],
                  &history->nodes[i]);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        find_pace(history, &graph->edges[i].rhythm, i, 1, now, &history->edge_seen[i],
                  &history->edges[i]);
    history->last = now;
    if (is_snapshot_due(history, now))
        take_snapshot(history, now); /* without memory, the next sample tries again */
    return 0;
}
