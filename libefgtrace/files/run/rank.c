/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank has measured, as bytes and back. Nearly all of it is LEB128. Which nodes and
 * edges there are is in the shape of the rank's group; here are only their numbers, in that
 * order. What follows from others is left out: bins outside of [min, max], the last bin, min
 * and max of a single value; samples of the graph that show no growth, but for some that are
 * spread evenly.
 */
#include "counters.h"
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVEN_SAMPLES 16
#define SELECT_BITS 8 /* of a window: whether it is complete, and why it was recorded */

/* --- the measured values of nodes and edges, and nowhere else --- */

static int bin_of(uint64_t ns)
{
    int bin = 63 - __builtin_clzll(ns | 1);
    return bin < EFG_BINS ? bin : EFG_BINS - 1;
}

static void put_stat(struct efg_buffer *out, const struct efg_stat *stat)
{
    efg_buffer_number(out, stat->count);
    if (stat->count)
        efg_buffer_number(out, stat->sum);
    if (stat->count < 2)
        return;
    efg_buffer_number(out, stat->min);
    efg_buffer_number(out, stat->max);
    for (int i = bin_of(stat->min); i < bin_of(stat->max); i++)
        efg_buffer_number(out, stat->bin[i]);
}

static void get_stat(struct efg_input *in, struct efg_stat *stat)
{
    stat->count = efg_input_number(in);
    if (stat->count)
        stat->sum = stat->min = stat->max = efg_input_number(in);
    if (stat->count > 1) {
        stat->min = efg_input_number(in);
        stat->max = efg_input_number(in);
    }
    uint32_t rest = (uint32_t)stat->count;
    for (int i = bin_of(stat->min); i < bin_of(stat->max); i++) {
        stat->bin[i] = efg_input_32(in);
        rest -= stat->bin[i];
    }
    stat->bin[bin_of(stat->max)] = rest;
    efg_input_expect(in, stat->min <= stat->max);
}

static void put_node(struct efg_buffer *out, const struct efg_node *node)
{
    put_stat(out, &node->time);
    efg_run_put_signed(out, node->rhythm.visits - node->time.count);
    efg_buffer_number(out, node->rhythm.time);
    efg_buffer_number(out, node->bytes);
    efg_buffer_number(out, node->polls);
    if (node->polls)
        efg_buffer_number(out, node->poll_time);
}

static void get_node(struct efg_input *in, struct efg_node *node)
{
    get_stat(in, &node->time);
    node->rhythm.visits = node->time.count + efg_input_signed(in);
    node->rhythm.time = efg_input_number(in);
    node->bytes = efg_input_number(in);
    node->polls = efg_input_number(in);
    if (node->polls)
        node->poll_time = efg_input_number(in);
}

static void put_edge(struct efg_buffer *out, const struct efg_edge *edge)
{
    put_stat(out, &edge->time);
    efg_run_put_signed(out, edge->visits - edge->time.count);
    efg_buffer_number(out, edge->spent);
}

static void get_edge(struct efg_input *in, struct efg_edge *edge)
{
    get_stat(in, &edge->time);
    edge->visits = edge->time.count + efg_input_signed(in);
    edge->spent = efg_input_number(in);
}

/* --- graphs --- */

static void put_graph(struct efg_buffer *out, const struct efg_graph *graph)
{
    efg_buffer_number(out, graph->node_count);
    efg_buffer_number(out, graph->edge_count);
    efg_buffer_number(out, graph->events);
    efg_buffer_number(out, graph->last_leave - graph->start);
    efg_buffer_number(out, graph->node_time);
    efg_buffer_number(out, graph->lost_edges);
    efg_buffer_number(out, graph->dropped);
    for (uint32_t i = 0; i < graph->node_count; i++)
        put_node(out, &graph->nodes[i]);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        put_edge(out, &graph->edges[i]);
}

static void get_graph(struct efg_input *in, struct efg_graph *graph)
{
    efg_input_expect(in, efg_input_number(in) == graph->node_count);
    efg_input_expect(in, efg_input_number(in) == graph->edge_count);
    graph->events = efg_input_number(in);
    graph->last_leave = efg_input_number(in);
    graph->node_time = efg_input_number(in);
    graph->lost_edges = efg_input_number(in);
    graph->dropped = efg_input_32(in);
    for (uint32_t i = 0; i < graph->node_count && !in->reader.failed; i++)
        get_node(in, &graph->nodes[i]);
    for (uint32_t i = 0; i < graph->edge_count && !in->reader.failed; i++)
        get_edge(in, &graph->edges[i]);
}

static void put_point(struct efg_buffer *out, const struct efg_curve_point *point,
                      const struct efg_curve_point *before)
{
    efg_buffer_number(out, point->time - before->time);
    efg_buffer_number(out, point->events - before->events);
    efg_buffer_number(out, (uint32_t)(point->nodes - before->nodes));
    efg_buffer_number(out, (uint32_t)(point->edges - before->edges));
}

static struct efg_curve_point get_point(struct efg_input *in, const struct efg_curve_point *before)
{
    struct efg_curve_point point = *before;
    point.time += efg_input_number(in);
    point.events += efg_input_number(in);
    point.nodes += efg_input_32(in);
    point.edges += efg_input_32(in);
    return point;
}

static bool is_growth(const struct efg_stability *s, uint32_t i)
{
    return i == 0 || s->curve[i].nodes != s->curve[i - 1].nodes || s->curve[i].edges != s->curve[i - 1].edges;
}

/* The samples to keep, by index: each that shows growth, and of the others EVEN_SAMPLES at
 * most; so what was read keeps all. Returns how many. */
static uint32_t choose_samples(const struct efg_stability *s, uint32_t kept[EFG_CURVE_ROOM])
{
    uint32_t flat = 0, at = 0, count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        flat += !is_growth(s, i);
    uint32_t stride = flat ? (flat + EVEN_SAMPLES - 1) / EVEN_SAMPLES : 1;
    for (uint32_t i = 0; i < s->count; i++)
        if (is_growth(s, i) || at++ % stride == 0)
            kept[count++] = i;
    return count;
}

static void put_stability(struct efg_buffer *out, const struct efg_stability *s)
{
    struct efg_curve_point before = {0};
    uint32_t kept[EFG_CURVE_ROOM], count = choose_samples(s, kept);
    efg_buffer_number(out, count);
    for (uint32_t i = 0; i < count; i++) {
        put_point(out, &s->curve[kept[i]], &before);
        before = s->curve[kept[i]];
    }
    put_point(out, &s->last, &before);
    efg_buffer_number(out, s->stable_since);
}

static void get_stability(struct efg_input *in, struct efg_stability *s)
{
    struct efg_curve_point before = {0};
    size_t count = efg_reader_count(&in->reader, EFG_LEAST_POINT);
    efg_input_expect(in, count <= EFG_CURVE_ROOM);
    for (size_t i = 0; i < count && !in->reader.failed; i++)
        before = s->curve[s->count++] = get_point(in, &before);
    s->last = get_point(in, &before);
    s->stable_since = efg_input_number(in);
}

/* --- what was found and recorded --- */

/* A place in the call path of a node: the node, and frames counted from the outermost one. */
static void put_place(struct efg_buffer *out, uint32_t node, uint32_t depth)
{
    efg_buffer_number(out, node);
    efg_buffer_number(out, depth);
}

static void get_place(struct efg_input *in, const struct efg_graph *graph, uint32_t *node, uint32_t *depth)
{
    *node = efg_input_32(in);
    *depth = efg_input_to(in, EFG_MOST_FRAMES);
    efg_input_expect(in, *node < graph->node_count);
}

static void put_loop(struct efg_buffer *out, const struct efg_run_loop *loop)
{
    efg_buffer_number(out, loop->function);
    if (!loop->function)
        return;
    efg_buffer_number(out, loop->iterations);
    put_place(out, loop->node, loop->depth);
    efg_buffer_number(out, loop->share);
}

static void get_loop(struct efg_input *in, struct efg_run_loop *loop, const struct efg_graph *graph)
{
    loop->function = efg_input_number(in);
    if (!loop->function)
        return;
    loop->iterations = efg_input_number(in);
    get_place(in, graph, &loop->node, &loop->depth);
    loop->share = efg_input_to(in, EFG_WHOLE_SHARE);
    if (in->reader.failed)
        *loop = (struct efg_run_loop){0};
}

static void put_loops(struct efg_buffer *out, const struct efg_run_loops *loops)
{
    put_loop(out, &loops->main);
    put_loop(out, &loops->automatic);
    put_loop(out, &loops->finer);
    put_loop(out, &loops->coarser);
    put_loop(out, &loops->best);
    efg_buffer_number(out, loops->reason);
}

static void get_loops(struct efg_input *in, struct efg_run_loops *loops, const struct efg_graph *graph)
{
    get_loop(in, &loops->main, graph);
    get_loop(in, &loops->automatic, graph);
    get_loop(in, &loops->finer, graph);
    get_loop(in, &loops->coarser, graph);
    get_loop(in, &loops->best, graph);
    loops->reason = efg_input_to(in, EFG_REASON_LATE);
}

static void put_pivot(struct efg_buffer *out, const struct efg_run_pivot *pivot)
{
    efg_buffer_number(out, pivot->kind);
    if (pivot->kind == EFG_PIVOT_NONE)
        return;
    efg_buffer_number(out, pivot->class);
    put_place(out, pivot->node, pivot->depth);
    efg_buffer_number(out, pivot->visits);
    efg_buffer_number(out, pivot->function);
}

static void get_pivot(struct efg_input *in, struct efg_run_pivot *pivot, const struct efg_graph *graph)
{
    pivot->kind = efg_input_to(in, EFG_PIVOT_SITE);
    if (pivot->kind == EFG_PIVOT_NONE)
        return;
    pivot->class = efg_input_to(in, EFG_PIVOT_CLASSES - 1);
    get_place(in, graph, &pivot->node, &pivot->depth);
    pivot->visits = efg_input_number(in);
    pivot->function = efg_input_number(in);
    if (in->reader.failed)
        *pivot = (struct efg_run_pivot){0};
}

static void put_agreed(struct efg_buffer *out, const struct efg_run_agreed *agreed)
{
    efg_buffer_number(out, agreed->is_owner);
    efg_buffer_number(out, agreed->drifted);
    efg_buffer_number(out, agreed->is_alone);
    efg_buffer_number(out, agreed->wanted);
}

static void get_agreed(struct efg_input *in, struct efg_run_agreed *agreed)
{
    agreed->is_owner = efg_input_to(in, 1);
    agreed->drifted = efg_input_to(in, 1);
    agreed->is_alone = efg_input_to(in, 1);
    agreed->wanted = efg_input_32(in);
}

static void put_window(struct efg_buffer *out, const struct efg_run_window *window)
{
    efg_buffer_number(out, window->function);
    efg_buffer_number(out, window->first);
    efg_buffer_number(out, window->last);
    efg_buffer_number(out, window->start);
    efg_buffer_number(out, window->end);
    efg_buffer_number(out, window->events);
    efg_buffer_number(out, window->bytes);
    efg_buffer_number(out, window->complete | window->select << 1 | window->is_apart << SELECT_BITS);
    efg_buffer_number(out, window->agreed | window->times << 1);
}

static void get_window(struct efg_input *in, struct efg_run_window *window)
{
    window->function = efg_input_number(in);
    window->first = efg_input_number(in);
    window->last = efg_input_number(in);
    window->start = efg_input_number(in);
    window->end = efg_input_number(in);
    window->events = efg_input_number(in);
    window->bytes = efg_input_number(in);
    window->select = efg_input_32(in);
    window->complete = window->select & 1;
    window->is_apart = window->select >> SELECT_BITS & 1;
    window->select = window->select % (1 << SELECT_BITS) >> 1;
    window->agreed = efg_input_32(in);
    window->times = window->agreed >> 1;
    window->agreed &= 1;
}

/* --- threads and ranks --- */

static void put_thread(struct efg_buffer *out, const struct efg_run_thread *thread, uint32_t rank)
{
    put_graph(out, &thread->graph);
    put_stability(out, &thread->stability);
    put_pivot(out, &thread->pivot);
    put_loops(out, &thread->loops);
    put_agreed(out, &thread->agreed);
    put_stat(out, &thread->iterations.all);
    put_stat(out, &thread->iterations.recorded);
    efg_buffer_number(out, thread->iterations.all_mpi);
    efg_buffer_number(out, thread->iterations.recorded_mpi);
    efg_buffer_number(out, thread->window_count);
    for (uint32_t i = 0; i < thread->window_count; i++)
        put_window(out, &thread->windows[i]);
    efg_thread_put_series(out, thread);
    efg_thread_put_traffic(out, &thread->traffic, rank);
}

static void get_thread(struct efg_input *in, struct efg_run_thread *thread, uint32_t rank)
{
    get_graph(in, &thread->graph);
    get_stability(in, &thread->stability);
    get_pivot(in, &thread->pivot, &thread->graph);
    get_loops(in, &thread->loops, &thread->graph);
    get_agreed(in, &thread->agreed);
    get_stat(in, &thread->iterations.all);
    get_stat(in, &thread->iterations.recorded);
    thread->iterations.all_mpi = efg_input_number(in);
    thread->iterations.recorded_mpi = efg_input_number(in);
    thread->windows = efg_input_array(in, EFG_LEAST_WINDOW, sizeof *thread->windows, &thread->window_count);
    for (uint32_t i = 0; i < thread->window_count; i++)
        get_window(in, &thread->windows[i]);
    efg_thread_get_series(in, thread);
    efg_thread_get_traffic(in, &thread->traffic, rank);
}

void efg_runfile_put_rank(struct efg_buffer *out, const struct efg_run_rank *rank)
{
    size_t begin = efg_section_begin(out, EFG_SECTION_RANK, rank->rank);
    struct efg_run_rank facts = *rank;
    facts.counters = efg_run_counters_text(rank);
    efg_rank_put_facts(out, &facts);
    free(facts.counters);
    efg_buffer_number(out, rank->thread_count);
    for (uint32_t i = 0; i < rank->thread_count; i++)
        put_thread(out, &rank->threads[i], rank->rank);
    efg_section_end(out, begin);
}

/* The payload of a section of a rank, or an input that has failed. */
static struct efg_input open_section(const void *bytes, size_t size, struct efg_run_rank *rank)
{
    struct efg_section section = {0};
    struct efg_input failed = {.reader = {.failed = true}};
    memset(rank, 0, sizeof *rank);
    if (size < EFG_SECTION_HEADER)
        return failed;
    section = efg_section_get(bytes);
    size -= EFG_SECTION_HEADER;
    const unsigned char *payload = (const unsigned char *)bytes + EFG_SECTION_HEADER;
    if (section.kind != EFG_SECTION_RANK || section.size > size ||
        !efg_section_is_whole(bytes, payload, section.size))
        return failed;
    rank->rank = section.number;
    return efg_input(payload, section.size);
}

int efg_runfile_get_facts(struct efg_run_rank *rank, const void *section, size_t size)
{
    struct efg_input in = open_section(section, size, rank);
    int error = in.reader.failed ? -EBADMSG : efg_rank_get_facts(&in.reader, rank);
    if (!error && in.reader.failed)
        error = -EBADMSG;
    if (error)
        efg_run_rank_fini(rank);
    return error;
}

int efg_runfile_get_rank(struct efg_run_rank *rank, const void *section, size_t size,
                         const struct efg_run_group *group)
{
    struct efg_input in = open_section(section, size, rank);
    int error = in.reader.failed ? -EBADMSG : efg_rank_get_facts(&in.reader, rank);
    size_t threads = efg_reader_count(&in.reader, EFG_LEAST_THREAD);
    if (!error)
        error = in.reader.failed || threads >= EFG_NONE ? -EBADMSG
                                                        : efg_run_shape_get(group, rank, (uint32_t)threads);
    if (!error) {
        for (uint32_t i = 0; i < rank->thread_count && !in.reader.failed; i++)
            get_thread(&in, &rank->threads[i], rank->rank);
        error = efg_input_outcome(&in);
        error = error ? error : efg_run_phases_read(rank);
        error = error ? error : efg_run_counters_read(rank);
    }
    if (error)
        efg_run_rank_fini(rank);
    return error;
}
