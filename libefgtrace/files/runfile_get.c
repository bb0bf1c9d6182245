/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of the run file, read. Nothing in a block is trusted: counts are allocated only
 * when the bytes for so many things are there (so memory is bounded by the size of the
 * file), ids must be in range, and what ties things together (lists of edges) is made here.
 *
 * Invariant: whatever the bytes are, what has been filled in can be freed; a count is
 * set only once its array is there, all zero.
 */
#include "runfile_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct input {
    struct efg_reader reader;
    int no_memory;
};

static int outcome(const struct input *in)
{
    if (in->no_memory)
        return -ENOMEM;
    return in->reader.failed || in->reader.at != in->reader.size ? -EBADMSG : 0;
}

static void expect(struct input *in, int condition)
{
    if (!condition)
        in->reader.failed = 1;
}

static uint64_t number(struct input *in)
{
    return efg_reader_number(&in->reader);
}

/* A number below or at MOST. */
static uint32_t number_to(struct input *in, uint64_t most)
{
    uint64_t value = number(in);
    expect(in, value <= most);
    return value <= most ? (uint32_t)value : 0;
}

static uint32_t number32(struct input *in)
{
    return number_to(in, UINT32_MAX);
}

/* An id below COUNT, or EFG_NONE. */
static uint32_t id_or_none(struct input *in, uint32_t count)
{
    return number_to(in, count) - 1;
}

/* Finite, whatever the file says. */
static double real(struct input *in)
{
    uint64_t whole = number(in);
    double value = whole & 1 ? efg_reader_double(&in->reader) : (double)(whole >> 1);
    return isfinite(value) ? value : 0;
}

static char *string(struct input *in)
{
    char *text = efg_reader_string(&in->reader);
    if (!text)
        in->no_memory = in->reader.failed = 1;
    return text;
}

/* An array of as many things of SIZE as the next number says, each of LEAST bytes in the file
 * or more; *COUNT of them, all zero. */
static void *array(struct input *in, size_t least, size_t size, uint32_t *count)
{
    size_t n = efg_reader_count(&in->reader, least);
    *count = 0;
    expect(in, n < EFG_NONE);
    if (in->reader.failed || !n)
        return NULL;
    void *things = calloc(n, size);
    if (things)
        *count = (uint32_t)n;
    else
        in->no_memory = in->reader.failed = 1;
    return things;
}

/* --- graphs --- */

static struct efg_stat get_stat(struct input *in)
{
    struct efg_stat stat = {.count = number(in)};
    if (!stat.count)
        return stat;
    stat.sum = number(in);
    stat.min = number(in);
    stat.max = number(in);
    uint32_t mask = number32(in);
    for (int i = 0; i < EFG_BINS; i++) {
        if (mask >> i & 1)
            stat.bin[i] = number32(in);
    }
    return stat;
}

static struct efg_rhythm get_rhythm(struct input *in)
{
    struct efg_rhythm rhythm = {0};
    rhythm.visits = number(in);
    rhythm.time = number(in);
    rhythm.gap1 = real(in);
    rhythm.gap2 = real(in);
    rhythm.variation = real(in);
    rhythm.last = number(in);
    rhythm.last_gap = number32(in);
    rhythm.firsts = number32(in);
    rhythm.last_time = number(in);
    rhythm.longest = number(in);
    return rhythm;
}

static struct efg_signature get_signature(struct input *in)
{
    struct efg_signature s = {0};
    s.call = number32(in);
    s.path = number32(in);
    s.region = number32(in);
    s.comm = number32(in);
    uint32_t zigzag = number32(in);
    s.partner = (int32_t)(zigzag >> 1 ^ (zigzag & 1 ? UINT32_MAX : 0));
    s.size = number(in);
    return s;
}

static struct efg_node get_node(struct input *in, uint32_t path_count)
{
    struct efg_node node = {.signature = get_signature(in)};
    node.hash = efg_reader_u64(&in->reader);
    uint64_t flags = number_to(in, UINT32_MAX);
    node.flags = (uint32_t)(flags >> 1);
    node.mark = flags & 1;
    node.first_edge = node.predicted = EFG_NONE;
    node.bytes = number(in);
    node.polls = number(in);
    node.poll_time = number(in);
    node.time = get_stat(in);
    node.rhythm = get_rhythm(in);
    expect(in, node.signature.path <= path_count);
    return node;
}

static struct efg_edge get_edge(struct input *in, uint32_t node_count)
{
    struct efg_edge edge = {.from = number32(in), .next = EFG_NONE};
    uint64_t to = number_to(in, 2 * (uint64_t)node_count);
    edge.to = (uint32_t)(to >> 1);
    edge.mark = to & 1;
    edge.time = get_stat(in);
    edge.rhythm = get_rhythm(in);
    expect(in, edge.from < node_count && edge.to < node_count);
    return edge;
}

/* Lists of edges in the order in which the graph makes them: the newest first. */
static void link_edges(struct efg_graph *graph)
{
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        struct efg_edge *edge = &graph->edges[i];
        edge->next = graph->nodes[edge->from].first_edge;
        graph->nodes[edge->from].first_edge = i;
    }
}

static uint32_t pivot_range(const struct efg_graph *graph, uint32_t kind)
{
    return kind == EFG_PIVOT_NODE   ? graph->node_count
           : kind == EFG_PIVOT_EDGE ? graph->edge_count
                                    : 0;
}

static void get_graph_state(struct input *in, struct efg_graph *graph)
{
    graph->dropped = number32(in);
    graph->current = id_or_none(in, graph->node_count);
    graph->edge = id_or_none(in, graph->edge_count);
    graph->events = number(in);
    graph->start = number(in);
    graph->last_leave = number(in);
    graph->poll_time = number(in);
    graph->node_time = number(in);
    graph->pivot_kind = number_to(in, EFG_PIVOT_EDGE);
    graph->pivot_id = id_or_none(in, pivot_range(graph, graph->pivot_kind));
    graph->overflow = id_or_none(in, graph->node_count);
    graph->polled = id_or_none(in, graph->node_count);
    graph->lost_edges = number(in);
    graph->is_full = (int)number_to(in, 1);
}

static void get_graph(struct input *in, struct efg_graph *graph, uint32_t path_count)
{
    graph->nodes = array(in, EFG_LEAST_NODE, sizeof *graph->nodes, &graph->node_count);
    graph->node_room = graph->node_count;
    for (uint32_t i = 0; i < graph->node_count; i++)
        graph->nodes[i] = get_node(in, path_count);
    graph->edges = array(in, EFG_LEAST_EDGE, sizeof *graph->edges, &graph->edge_count);
    graph->edge_room = graph->edge_count;
    for (uint32_t i = 0; i < graph->edge_count; i++)
        graph->edges[i] = get_edge(in, graph->node_count);
    get_graph_state(in, graph);
    if (!in->reader.failed)
        link_edges(graph);
}

/* --- threads --- */

static struct efg_curve_point get_point(struct input *in, const struct efg_curve_point *before)
{
    struct efg_curve_point point = *before;
    point.time += number(in);
    point.events += number(in);
    point.nodes += number32(in);
    point.edges += number32(in);
    return point;
}

static void get_stability(struct input *in, struct efg_stability *stability)
{
    struct efg_curve_point before = {0};
    size_t count = efg_reader_count(&in->reader, EFG_LEAST_POINT);
    expect(in, count <= EFG_CURVE_ROOM);
    for (size_t i = 0; i < count && !in->reader.failed; i++)
        before = stability->curve[stability->count++] = get_point(in, &before);
    stability->last = get_point(in, &before);
    stability->stride = number32(in);
    stability->skipped = number32(in);
    stability->required = number32(in);
    stability->equal = number32(in);
    stability->stable_since = number(in);
}

static void get_pivot(struct input *in, struct efg_pivot *pivot, const struct efg_graph *graph)
{
    pivot->kind = number_to(in, EFG_PIVOT_EDGE);
    if (pivot->kind == EFG_PIVOT_NONE)
        return;
    pivot->id = number32(in);
    pivot->tier = number32(in);
    pivot->world = (int)number_to(in, 1);
    pivot->hash = efg_reader_u64(&in->reader);
    pivot->visits = number(in);
    pivot->period = real(in);
    pivot->cv = real(in);
    pivot->lv = real(in);
    expect(in, pivot->id < pivot_range(graph, pivot->kind));
}

static struct efg_run_window get_window(struct input *in)
{
    struct efg_run_window window;
    window.first = number(in);
    window.last = number(in);
    window.start = number(in);
    window.end = number(in);
    window.events = number(in);
    window.bytes = number(in);
    window.complete = number32(in);
    window.agreed = number32(in);
    return window;
}

static void get_thread(struct input *in, struct efg_run_thread *thread, uint32_t path_count)
{
    thread->number = number32(in);
    get_graph(in, &thread->graph, path_count);
    get_stability(in, &thread->stability);
    get_pivot(in, &thread->pivot, &thread->graph);
    get_pivot(in, &thread->levels.finer, &thread->graph);
    get_pivot(in, &thread->levels.automatic, &thread->graph);
    get_pivot(in, &thread->levels.coarser, &thread->graph);
    thread->iterations.all = get_stat(in);
    thread->iterations.recorded = get_stat(in);
    thread->iterations.all_mpi = number(in);
    thread->iterations.recorded_mpi = number(in);
    thread->windows =
        array(in, EFG_LEAST_WINDOW, sizeof *thread->windows, &thread->window_count);
    for (uint32_t i = 0; i < thread->window_count; i++)
        thread->windows[i] = get_window(in);
}

/* --- ranks --- */

static void get_path(struct input *in, struct efg_run_path *path, uint32_t module_count)
{
    path->hash = efg_reader_u64(&in->reader);
    path->frames = array(in, EFG_LEAST_FRAME, sizeof *path->frames, &path->depth);
    for (uint32_t i = 0; i < path->depth; i++) {
        path->frames[i].module = number32(in);
        path->frames[i].offset = number(in);
        expect(in, path->frames[i].module < module_count);
    }
}

static void get_tables(struct input *in, struct efg_run_rank *rank)
{
    rank->calls = array(in, EFG_LEAST_CALL, sizeof *rank->calls, &rank->call_count);
    for (uint32_t i = 0; i < rank->call_count; i++) {
        rank->calls[i].id = number32(in);
        rank->calls[i].class = number32(in);
        rank->calls[i].name = string(in);
    }
    rank->modules = array(in, EFG_LEAST_MODULE, sizeof *rank->modules, &rank->module_count);
    for (uint32_t i = 0; i < rank->module_count; i++)
        rank->modules[i] = string(in);
    rank->paths = array(in, EFG_LEAST_PATH, sizeof *rank->paths, &rank->path_count);
    for (uint32_t i = 0; i < rank->path_count; i++)
        get_path(in, &rank->paths[i], rank->module_count);
    rank->regions = array(in, EFG_LEAST_REGION, sizeof *rank->regions, &rank->region_count);
    for (uint32_t i = 0; i < rank->region_count; i++) {
        rank->regions[i].id = number32(in);
        rank->regions[i].name = string(in);
    }
}

static struct efg_run_place get_place(struct input *in)
{
    struct efg_run_place place;
    place.package = id_or_none(in, EFG_NONE);
    place.numa = id_or_none(in, EFG_NONE);
    place.core = id_or_none(in, EFG_NONE);
    place.last_core = id_or_none(in, EFG_NONE);
    place.core_count = number32(in);
    place.node_cores = number32(in);
    place.cores = string(in);
    return place;
}

int efg_runfile_get_rank(struct efg_run_rank *rank, const void *block, size_t size)
{
    struct input in = {.reader = efg_reader(block, size)};
    memset(rank, 0, sizeof *rank);
    rank->rank = number32(&in);
    rank->host = string(&in);
    rank->place = get_place(&in);
    rank->clock_error = number(&in);
    rank->start = number(&in);
    rank->end = rank->start + number(&in);
    rank->cost = number(&in);
    rank->memory = number(&in);
    rank->init = number(&in);
    rank->note = string(&in);
    get_tables(&in, rank);
    rank->threads = array(&in, EFG_LEAST_THREAD, sizeof *rank->threads, &rank->thread_count);
    for (uint32_t i = 0; i < rank->thread_count && !in.reader.failed; i++)
        get_thread(&in, &rank->threads[i], rank->path_count);
    if (outcome(&in))
        efg_run_rank_fini(rank);
    return outcome(&in);
}

/* --- the run --- */

static struct efg_run_messages get_messages(struct input *in)
{
    struct efg_run_messages messages;
    messages.sends = number(in);
    messages.receives = number(in);
    messages.matched = number(in);
    messages.early = number(in);
    messages.open_sends = number(in);
    messages.open_receives = number(in);
    messages.open_collectives = number(in);
    messages.taken_along = number(in);
    messages.unknown = number(in);
    return messages;
}

static struct efg_run_skew get_skew(struct input *in)
{
    struct efg_run_skew skew;
    memset(&skew, 0, sizeof skew);
    skew.repair = number_to(in, EFG_REPAIR_UNPROVEN);
    skew.moved = number32(in);
    skew.early = number(in);
    skew.most = number(in);
    skew.left = number(in);
    return skew;
}

static struct efg_run_cut get_cut(struct input *in)
{
    struct efg_run_cut cut;
    memset(&cut, 0, sizeof cut);
    cut.first_least = number(in);
    cut.first_most = number(in);
    cut.last_least = number(in);
    cut.last_most = number(in);
    cut.ranks = number32(in);
    return cut;
}

static void get_checks(struct input *in, struct efg_run *run)
{
    run->is_checked = number_to(in, 1);
    run->messages = get_messages(in);
    run->skew = get_skew(in);
    run->cuts = array(in, EFG_LEAST_CUT, sizeof *run->cuts, &run->cut_count);
    for (uint32_t i = 0; i < run->cut_count; i++)
        run->cuts[i] = get_cut(in);
    run->rounds = number(in);
    run->finish = number(in);
    run->own = number(in);
}

int efg_runfile_get_facts(struct efg_run *run, const void *block, size_t size)
{
    struct input in = {.reader = efg_reader(block, size)};
    run->application = string(&in);
    run->command = string(&in);
    run->version = string(&in);
    run->mpi = string(&in);
    run->output = string(&in);
    run->mode = number32(&in);
    run->level = number32(&in);
    run->dimensions = number32(&in);
    run->iterations = number(&in);
    run->interval = number(&in);
    run->trace_events = number(&in);
    run->trace_bytes = number(&in);
    run->trace_note = string(&in);
    get_checks(&in, run);
    return outcome(&in);
}

static void get_site(struct input *in, struct efg_run_site *site)
{
    site->module = string(in);
    site->offset = number(in);
    site->symbols = array(in, EFG_LEAST_SYMBOL, sizeof *site->symbols, &site->symbol_count);
    for (uint32_t i = 0; i < site->symbol_count; i++) {
        site->symbols[i].function = string(in);
        site->symbols[i].file = string(in);
        site->symbols[i].line = number32(in);
    }
}

int efg_runfile_get_sites(struct efg_run *run, const void *block, size_t size)
{
    struct input in = {.reader = efg_reader(block, size)};
    run->sites = array(&in, EFG_LEAST_SITE, sizeof *run->sites, &run->site_count);
    for (uint32_t i = 0; i < run->site_count; i++)
        get_site(&in, &run->sites[i]);
    return outcome(&in);
}
