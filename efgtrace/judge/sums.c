/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two passes over the trace: which ranks recorded which iterations; then sums, by sample and by
 * what they are of (nodes, then loops).
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>

/* --- passes --- */

/* Returns 0; -ENOMEM; 1 if the trace cannot be read: the sentence says why. */
static int pass(struct efg_representative_work *w,
                int (*take)(struct efg_representative_work *, const struct efg_recorded_item *))
{
    struct efg_recorded_item item;
    int got = efg_recorded_open(&w->recorded, w->run) ? -1 : 1, error = 0;
    while (got > 0 && !error && (got = efg_recorded_next(&w->recorded, &item)) > 0)
        error = take(w, &item);
    if (got < 0)
        efg_representative_say_unknown(w->r, w->recorded.message);
    efg_recorded_close(&w->recorded);
    return got < 0 ? 1 : error;
}

static uint64_t key_of(const struct efg_recorded_span *span)
{
    return efg_recorded_key(span->window, span->number);
}

static int survey(struct efg_representative_work *w, const struct efg_recorded_item *item)
{
    if (item->kind == EFG_RECORDED_LOCATION) {
        w->rank = efg_run_index(w->run, item->location.rank);
        w->mine = 0;
        w->r->threads++;
    }
    if (item->kind != EFG_RECORDED_ITERATION || w->rank == EFG_NONE)
        return 0;
    uint64_t known = w->index.count, *at = efg_map_put(&w->index, key_of(&item->span));
    if (!at)
        return -ENOMEM;
    if (w->index.count > known)
        *at = known;
    w->is_wanted[w->rank] = 1;
    w->r->threads -= !w->mine++;
    return 0;
}

int efg_representative_survey(struct efg_representative_work *w)
{
    return pass(w, survey);
}

/* --- sums --- */

/* Of an iteration that the first pass has seen, unless the trace was replaced in between. */
static uint32_t sample_of(const struct efg_representative_work *w, uint64_t key)
{
    const uint64_t *index = efg_map_find(&w->index, key);
    return index ? (uint32_t)((double)*index * w->samples / (double)w->index.count) : 0;
}

struct efg_representative_sums *
efg_representative_sums_of(const struct efg_representative_work *w, uint32_t item,
                           uint32_t sample)
{
    return &w->sums[(size_t)item * w->samples + sample];
}

static uint32_t node_of(const struct efg_representative_work *w, uint32_t site)
{
    struct efg_node node;
    if (efg_recorded_node(&w->names, &w->recorded.sites[site], &node))
        return EFG_NONE;
    uint64_t call = (uint64_t)node.signature.call << 32;
    const uint64_t *id = efg_map_find(&w->nodes, call | node.signature.path);
    if (!id)
        id = efg_map_find(&w->nodes, call); /* paths were dropped */
    return id ? (uint32_t)*id : w->overflow;
}

static void add_loops(struct efg_representative_work *w, const struct efg_recorded_call *call,
                      uint32_t node, uint32_t sample)
{
    const struct efg_looptree *tree = &w->r->merged->tree;
    uint64_t inside = call->end - call->begin, with_gap = inside;
    uint32_t common = EFG_NONE;
    if (w->last_node != EFG_NONE &&
        w->last_iteration == efg_recorded_key(call->window, call->iteration)) {
        common = efg_looptree_common(tree, w->last_node, node);
        with_gap = call->end - w->last_end;
    }
    for (uint32_t l = tree->loop_of[node]; l != EFG_NONE; l = tree->loops[l].parent) {
        struct efg_representative_sums *s =
            efg_representative_sums_of(w, w->r->merged->graph.node_count + l, sample);
        if (l == common)
            inside = with_gap; /* and all loops around it */
        s->time += (double)inside;
        s->calls += tree->loops[l].header == node;
    }
    w->last_node = node;
    w->last_end = call->end;
    w->last_iteration = efg_recorded_key(call->window, call->iteration);
}

/* The iteration of the leading thread at TIME, NULL if there is none. */
static const struct efg_recorded_span *borrowed(const struct efg_representative_work *w,
                                                uint64_t time)
{
    uint32_t low = 0, high = w->leader_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->leader[middle].end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->leader_count && w->leader[low].begin <= time ? &w->leader[low] : NULL;
}

static void add_call(struct efg_representative_work *w, struct efg_recorded_call call)
{
    const struct efg_recorded_span *span = NULL;
    if (call.iteration == EFG_RECORDED_NONE && !w->is_leader)
        span = borrowed(w, call.begin);
    if (span) {
        call.iteration = span->number;
        call.window = span->window;
        w->thread_calls++;
    }
    if (!w->is_in || call.polls || call.iteration == EFG_RECORDED_NONE)
        return;
    uint32_t node = node_of(w, call.site),
             sample = sample_of(w, efg_recorded_key(call.window, call.iteration));
    if (node == EFG_NONE) {
        w->r->strangers++;
        return;
    }
    struct efg_representative_sums *s = efg_representative_sums_of(w, node, sample);
    s->time += (double)(call.end - call.begin);
    s->calls++;
    s->bytes += (double)call.bytes;
    w->hides[node] |= call.bytes_kind != EFG_BYTES_KNOWN;
    add_loops(w, &call, node, sample);
}

static int keep_leader(struct efg_representative_work *w, const struct efg_recorded_span *span)
{
    if (w->leader_count == w->leader_room) {
        uint32_t room = w->leader_room ? 2 * w->leader_room : 64;
        void *leader = realloc(w->leader, room * sizeof *w->leader);
        if (!leader)
            return -ENOMEM;
        w->leader = leader;
        w->leader_room = room;
    }
    w->leader[w->leader_count++] = *span;
    return 0;
}

static int add_iteration(struct efg_representative_work *w,
                         const struct efg_recorded_span *span)
{
    if (!w->is_in)
        return 0;
    w->duration[sample_of(w, key_of(span))] += (double)(span->end - span->begin);
    w->is_leader |= !w->leader_count;
    return w->is_leader ? keep_leader(w, span) : 0;
}

/* A thread that was cut by the iterations of another one took their time, too. */
static void end_thread(struct efg_representative_work *w)
{
    for (uint32_t i = 0; i < w->leader_count && w->thread_calls; i++) {
        const struct efg_recorded_span *span = &w->leader[i];
        w->duration[sample_of(w, key_of(span))] += (double)(span->end - span->begin);
    }
    w->thread_calls = 0;
}

static void begin_thread(struct efg_representative_work *w, uint32_t rank)
{
    uint32_t index = efg_run_index(w->run, rank);
    end_thread(w);
    if (index != w->rank)
        w->leader_count = 0;
    w->rank = index;
    w->is_in = index != EFG_NONE && w->is_wanted[index];
    w->is_leader = 0;
    w->last_node = EFG_NONE;
}

static int add(struct efg_representative_work *w, const struct efg_recorded_item *item)
{
    switch (item->kind) {
    case EFG_RECORDED_LOCATION:
        begin_thread(w, item->location.rank);
        return 0;
    case EFG_RECORDED_CALL:
        add_call(w, item->call);
        return 0;
    case EFG_RECORDED_ITERATION:
        return add_iteration(w, &item->span);
    }
    return 0;
}

static int name_nodes(struct efg_representative_work *w)
{
    const struct efg_graph *graph = &w->r->merged->graph;
    w->overflow = EFG_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct efg_node *node = &graph->nodes[i];
        uint64_t *id =
            efg_map_put(&w->nodes, (uint64_t)node->signature.call << 32 | node->signature.path);
        if (!id)
            return -ENOMEM;
        *id = i;
        if (node->flags & EFG_NODE_OVERFLOW)
            w->overflow = i;
    }
    return 0;
}

int efg_representative_add(struct efg_representative_work *w)
{
    const struct efg_merged *m = w->r->merged;
    w->items = m->graph.node_count + m->tree.count;
    w->samples =
        w->index.count < EFG_SAMPLES_MOST ? (uint32_t)w->index.count : EFG_SAMPLES_MOST;
    w->sums = calloc((size_t)w->items * w->samples + 1, sizeof *w->sums);
    w->duration = calloc((size_t)w->samples + 1, sizeof *w->duration);
    w->count = calloc((size_t)w->samples + 1, sizeof *w->count);
    w->hides = calloc((size_t)w->items + 1, 1);
    if (!w->sums || !w->duration || !w->count || !w->hides || name_nodes(w))
        return -ENOMEM;
    for (uint64_t i = 0; i < w->index.count; i++)
        w->count[(uint32_t)((double)i * w->samples / (double)w->index.count)]++;
    w->rank = EFG_NONE;
    w->is_leader = 1; /* of nothing, until the first location */
    int error = pass(w, add);
    end_thread(w);
    return error;
}

void efg_representative_work_fini(struct efg_representative_work *w)
{
    efg_recorded_names_fini(&w->names);
    efg_map_fini(&w->index);
    efg_map_fini(&w->nodes);
    free(w->is_wanted);
    free(w->leader);
    free(w->sums);
    free(w->duration);
    free(w->count);
    free(w->hides);
}
