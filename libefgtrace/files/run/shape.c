/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of a rank's graphs: the nodes and edges of its threads, in the order of their first
 * appearance, without what was measured. Ranks of one program mostly have the same one. So that
 * equal shapes are equal bytes whatever the ids of the call paths are in a process, paths are
 * numbered here from 1 as they appear; what these numbers stand for is kept beside the
 * shape.
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"

/* Behind the flags of a node that has them follow the size of an element, and the number of the buffer. */
#define HAS_ELEMENT (1 << 6)
#define HAS_BUFFER (1 << 7)

/* --- writing --- */

struct output {
    struct efg_buffer bytes;
    struct efg_map numbers; /* of paths */
    uint32_t *paths, path_count;
    bool failed;
};

static uint32_t number_of_path(struct output *out, uint32_t path)
{
    uint64_t *number = path ? efg_map_put(&out->numbers, path) : NULL;
    if (!number) {
        out->failed |= path != 0;
        return 0;
    }
    if (*number)
        return (uint32_t)*number;
    if (efg_array_grow(&out->paths, out->path_count, 1, sizeof *out->paths)) {
        out->failed = true;
        return 0;
    }
    out->paths[out->path_count++] = path;
    *number = out->path_count;
    return out->path_count;
}

static void put_node(struct output *out, const struct efg_node *node)
{
    const struct efg_signature *s = &node->signature;
    uint32_t partner = (uint32_t)s->partner;
    uint32_t element = node->flags & EFG_NODE_OVERFLOW ? 0 : s->element;
    efg_buffer_number(&out->bytes, s->call < UINT16_MAX ? s->call : UINT32_MAX);
    efg_buffer_number(&out->bytes, number_of_path(out, s->path));
    efg_buffer_number(&out->bytes, s->region);
    efg_buffer_number(&out->bytes, s->comm);
    efg_buffer_number(&out->bytes, partner << 1 ^ (s->partner < 0 ? UINT32_MAX : 0)); /* zigzag */
    efg_buffer_number(&out->bytes, s->size);
    efg_buffer_u64(&out->bytes, node->hash);
    efg_buffer_number(&out->bytes, node->flags | (element ? HAS_ELEMENT : 0) | (s->buffer ? HAS_BUFFER : 0));
    if (element)
        efg_buffer_number(&out->bytes, element);
    if (s->buffer)
        efg_buffer_number(&out->bytes, s->buffer);
}

static void put_thread(struct output *out, const struct efg_run_thread *thread)
{
    const struct efg_graph *graph = &thread->graph;
    efg_buffer_number(&out->bytes, thread->number);
    efg_buffer_number(&out->bytes, graph->node_count);
    for (uint32_t i = 0; i < graph->node_count; i++)
        put_node(out, &graph->nodes[i]);
    efg_buffer_number(&out->bytes, graph->edge_count);
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        efg_buffer_number(&out->bytes, graph->edges[i].from);
        efg_buffer_number(&out->bytes, graph->edges[i].to);
    }
}

int efg_run_shape_put(struct efg_run_group *group, const struct efg_run_rank *rank)
{
    struct output out = {0};
    efg_buffer_number(&out.bytes, rank->thread_count);
    for (uint32_t i = 0; i < rank->thread_count; i++)
        put_thread(&out, &rank->threads[i]);
    efg_map_fini(&out.numbers);
    group->shape = out.bytes.data;
    group->size = out.bytes.size;
    group->paths = out.paths;
    group->path_count = out.path_count;
    if (out.failed || out.bytes.failed)
        return -ENOMEM;
    group->hash = efg_hash_bytes(0, group->shape, group->size);
    return 0;
}

/* --- reading --- */

static uint16_t get_16(struct efg_input *in)
{
    uint32_t number = efg_input_32(in);
    return number < UINT16_MAX ? (uint16_t)number : UINT16_MAX;
}

static struct efg_node get_node(struct efg_input *in, const struct efg_run_group *group)
{
    struct efg_node node = {.first_edge = EFG_NONE, .predicted = EFG_NONE};
    struct efg_signature *s = &node.signature;
    s->call = get_16(in);
    uint32_t path = efg_input_to(in, group->path_count);
    s->path = path ? group->paths[path - 1] : 0;
    s->region = efg_input_32(in);
    s->comm = efg_input_32(in);
    uint32_t zigzag = efg_input_32(in);
    s->partner = (int32_t)(zigzag >> 1 ^ (zigzag & 1 ? UINT32_MAX : 0));
    s->size = efg_input_number(in);
    node.hash = efg_reader_u64(&in->reader);
    node.flags = efg_input_32(in);
    if (node.flags & HAS_ELEMENT)
        s->element = efg_input_32(in);
    if (node.flags & HAS_BUFFER)
        s->buffer = get_16(in);
    node.flags &= ~(uint32_t)(HAS_ELEMENT | HAS_BUFFER);
    return node;
}

/* Lists of edges in the order in which the graph makes them: the newest first. */
static struct efg_edge get_edge(struct efg_input *in, struct efg_graph *graph, uint32_t id)
{
    struct efg_edge edge = {.from = efg_input_32(in), .to = efg_input_32(in)};
    efg_input_expect(in, edge.from < graph->node_count && edge.to < graph->node_count);
    if (in->reader.failed)
        return (struct efg_edge){0};
    edge.next = graph->nodes[edge.from].first_edge;
    graph->nodes[edge.from].first_edge = id;
    return edge;
}

static void get_thread(struct efg_input *in, const struct efg_run_group *group, struct efg_run_thread *thread)
{
    struct efg_graph *graph = &thread->graph;
    thread->number = efg_input_32(in);
    graph->current = graph->edge = graph->overflow = graph->polled = graph->pivot_id = EFG_NONE;
    graph->nodes = efg_input_array(in, EFG_LEAST_NODE, sizeof *graph->nodes, &graph->node_count);
    graph->node_room = graph->node_count;
    graph->first = graph->node_count ? 0 : EFG_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        graph->nodes[i] = get_node(in, group);
        if (graph->nodes[i].flags & EFG_NODE_OVERFLOW)
            graph->overflow = i;
    }
    graph->edges = efg_input_array(in, EFG_LEAST_EDGE, sizeof *graph->edges, &graph->edge_count);
    graph->edge_room = graph->edge_count;
    for (uint32_t i = 0; i < graph->edge_count && !in->reader.failed; i++)
        graph->edges[i] = get_edge(in, graph, i);
}

int efg_run_shape_get(const struct efg_run_group *group, struct efg_run_rank *rank, uint32_t threads)
{
    struct efg_input in = efg_input(group->shape, group->size);
    efg_input_expect(&in, efg_input_number(&in) == threads);
    if (in.reader.failed)
        return -EBADMSG;
    rank->threads = threads ? calloc(threads, sizeof *rank->threads) : NULL;
    if (threads && !rank->threads)
        return -ENOMEM;
    rank->thread_count = threads;
    for (uint32_t i = 0; i < threads && !in.reader.failed; i++)
        get_thread(&in, group, &rank->threads[i]);
    return efg_input_outcome(&in);
}

/* --- paths --- */

static void note_calls(const struct efg_run_rank *rank, uint32_t *calls, uint32_t count)
{
    for (uint32_t k = 0; k < rank->thread_count; k++)
        for (uint32_t v = 0; v < rank->threads[k].graph.node_count; v++) {
            const struct efg_signature *s = &rank->threads[k].graph.nodes[v].signature;
            if (s->path && s->path <= count)
                calls[s->path - 1] = s->call;
        }
}

uint32_t *efg_run_path_calls(const struct efg_run *run)
{
    const struct efg_run_common *common = &run->common;
    uint32_t count = common->names.path_count, *calls = malloc(((size_t)count + 1) * sizeof *calls);
    for (uint32_t i = 0; calls && i < count; i++)
        calls[i] = EFG_NONE;
    for (uint32_t i = 0; calls && i < common->group_count; i++) {
        struct efg_input in = efg_input(common->groups[i].shape, common->groups[i].size);
        struct efg_run_rank rank = {0};
        if (efg_run_shape_get(&common->groups[i], &rank, efg_input_32(&in)) == 0)
            note_calls(&rank, calls, count);
        efg_run_rank_fini(&rank);
    }
    return calls;
}
