/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random runs from a linear congruential generator (Knuth's constants), the same in every
 * test run. Graphs are made directly, not by events: ids are in range and edges are
 * linked as a graph links them, all else that the run file keeps is arbitrary. Some ranks have
 * the shape of another one.
 */
#include "random_run.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

uint64_t random_any(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (seed >> 33 ^ seed) >> (seed >> 58); /* of all magnitudes */
}

uint32_t random_below(uint32_t most)
{
    return most ? (uint32_t)(random_any() % most) : 0;
}

static char *any_string(void)
{
    uint32_t length = random_below(20);
    char *text = malloc(length + 1);
    for (uint32_t i = 0; i < length; i++)
        text[i] = (char)(1 + random_below(255));
    text[length] = 0;
    return text;
}

static void *many(uint32_t most, size_t size, uint32_t *count)
{
    *count = random_below(most);
    return *count ? calloc(*count, size) : NULL;
}

static struct efg_stat any_stat(void)
{
    struct efg_stat stat = {0};
    for (uint32_t i = random_below(20); i; i--)
        efg_stat_add(&stat, random_any());
    return stat;
}

/* What is kept of it. */
static struct efg_rhythm any_rhythm(void)
{
    return (struct efg_rhythm){.visits = random_any(), .time = random_any()};
}

static void any_node(struct efg_node *node, uint32_t paths)
{
    *node = (struct efg_node){.signature = {.call = (uint16_t)random_any(),
                                            .buffer = (uint16_t)(random_any() & random_any()),
                                            .path = random_below(paths + 1),
                                            .region = (uint32_t)random_any(),
                                            .comm = (uint32_t)random_any(),
                                            .partner = (int32_t)random_any(),
                                            .size = random_any()},
                              .hash = random_any(),
                              .flags = random_below(4),
                              .first_edge = EFG_NONE,
                              .predicted = EFG_NONE};
}

static void link_edge(struct efg_graph *graph, uint32_t id, uint32_t from, uint32_t to)
{
    graph->edges[id] = (struct efg_edge){.from = from, .to = to};
    graph->edges[id].next = graph->nodes[from].first_edge;
    graph->nodes[from].first_edge = id;
}

static void any_shape(struct efg_graph *graph, uint32_t paths)
{
    graph->nodes = many(20, sizeof *graph->nodes, &graph->node_count);
    for (uint32_t i = 0; i < graph->node_count; i++)
        any_node(&graph->nodes[i], paths);
    if (graph->node_count)
        graph->edges = many(40, sizeof *graph->edges, &graph->edge_count);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        link_edge(graph, i, random_below(graph->node_count), random_below(graph->node_count));
    graph->overflow = EFG_NONE;
    if (graph->node_count && !random_below(4)) {
        graph->overflow = graph->node_count - 1;
        graph->nodes[graph->overflow].flags |= EFG_NODE_OVERFLOW;
    }
}

static void same_shape(struct efg_graph *graph, const struct efg_graph *like)
{
    size_t nodes = like->node_count * sizeof *like->nodes;
    size_t edges = like->edge_count * sizeof *like->edges;
    *graph = *like;
    graph->nodes = nodes ? memcpy(malloc(nodes), like->nodes, nodes) : NULL;
    graph->edges = edges ? memcpy(malloc(edges), like->edges, edges) : NULL;
}

static void any_measures(struct efg_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct efg_node *node = &graph->nodes[i];
        node->bytes = random_any();
        node->polls = random_below(2) ? random_any() : 0;
        node->poll_time = node->polls ? random_any() : 0;
        node->time = any_stat();
        node->rhythm = any_rhythm();
    }
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        graph->edges[i].time = any_stat();
        graph->edges[i].visits = random_any();
        graph->edges[i].spent = random_any();
    }
    graph->current = graph->edge = graph->polled = graph->pivot_id = EFG_NONE;
    graph->node_room = graph->node_count;
    graph->dropped = (uint32_t)random_any();
    graph->edge_room = graph->edge_count;
    graph->events = random_any();
    graph->last_leave = random_any();
    graph->node_time = random_any();
    graph->lost_edges = random_any();
}

static struct efg_run_pivot any_pivot(const struct efg_graph *graph)
{
    uint32_t kind = random_below(3);
    if (kind == EFG_PIVOT_NONE || !graph->node_count)
        return (struct efg_run_pivot){0};
    return (struct efg_run_pivot){.kind = kind,
                                  .class = random_below(EFG_PIVOT_CLASSES),
                                  .node = random_below(graph->node_count),
                                  .depth = random_below(EFG_CALLTREE_DEPTH + 1),
                                  .visits = random_any(),
                                  .function = random_below(2) ? random_any() : 0};
}

static struct efg_run_loop any_loop(const struct efg_graph *graph)
{
    if (!random_below(3) || !graph->node_count)
        return (struct efg_run_loop){0};
    return (struct efg_run_loop){.function = random_any() | 1,
                                 .iterations = random_any(),
                                 .node = random_below(graph->node_count),
                                 .depth = random_below(EFG_CALLTREE_DEPTH + 1),
                                 .share = random_below(EFG_WHOLE_SHARE + 1)};
}

static struct efg_run_loops any_loops(const struct efg_graph *graph)
{
    return (struct efg_run_loops){.main = any_loop(graph),
                                  .automatic = any_loop(graph),
                                  .finer = any_loop(graph),
                                  .coarser = any_loop(graph),
                                  .best = any_loop(graph),
                                  .reason = random_below(EFG_REASON_LATE + 1)};
}

static void any_stability(struct efg_stability *stability)
{
    stability->count = random_below(10) ? random_below(30) : EFG_CURVE_ROOM;
    for (uint32_t i = 0; i < stability->count; i++)
        stability->curve[i] = (struct efg_curve_point){random_any(), random_any(), (uint32_t)random_any(),
                                                       (uint32_t)random_any()};
    stability->last =
        (struct efg_curve_point){random_any(), random_any(), (uint32_t)random_any(), (uint32_t)random_any()};
    stability->stable_since = random_any();
}

/* Iterations, and a series of them or none. */
static void any_iterations(struct efg_run_thread *thread)
{
    struct efg_iteration one = {.number = random_any() >> 1, .start = random_any() >> 1};
    thread->iterations.recorded = any_stat();
    thread->series = random_below(4) ? efg_series_new() : NULL;
    for (uint32_t i = random_below(random_below(10) ? 20 : 3000); i; i--) {
        one.time = random_any() >> 12; /* sums are not to overflow */
        one.mpi = random_below(2) ? one.time : random_below(1000) * (one.time / 1000);
        efg_stat_add(&thread->iterations.all, one.time);
        thread->iterations.all_mpi += one.mpi;
        if (thread->series)
            efg_series_add(thread->series, &one);
        one.number++;
        one.start += one.time;
    }
}

static void any_items(struct efg_run_items *items, uint32_t most)
{
    items->item = many(most < 30 ? most : 30, sizeof *items->item, &items->count);
    for (uint32_t i = 0; i < items->count; i++)
        items->item[i] = (struct efg_traffic_item){
            most / items->count * i + random_below(most / items->count),
            {random_any(), random_any()},
            {random_any(), random_any()},
        };
    if (most == EFG_TRAFFIC_OTHERS && items->count && random_below(2))
        items->item[items->count - 1].key = EFG_TRAFFIC_OTHERS;
}

static void any_thread(struct efg_run_thread *thread, uint32_t paths, const struct efg_run_thread *like)
{
    thread->number = like ? like->number : (uint32_t)random_any();
    if (like)
        same_shape(&thread->graph, &like->graph);
    else
        any_shape(&thread->graph, paths);
    any_measures(&thread->graph);
    any_stability(&thread->stability);
    thread->pivot = any_pivot(&thread->graph);
    thread->loops = any_loops(&thread->graph);
    thread->agreed =
        (struct efg_run_agreed){random_below(2), random_below(2), random_below(2), (uint32_t)random_any()};
    any_iterations(thread);
    any_items(&thread->traffic.partners, EFG_TRAFFIC_OTHERS);
    any_items(&thread->traffic.sends, EFG_TRAFFIC_SIZES);
    any_items(&thread->traffic.collectives, EFG_TRAFFIC_SIZES);
    thread->windows = many(4, sizeof *thread->windows, &thread->window_count);
    for (uint32_t i = 0; i < thread->window_count; i++)
        thread->windows[i] = (struct efg_run_window){.function = random_any(),
                                                     .first = random_any(),
                                                     .last = random_any(),
                                                     .start = random_any(),
                                                     .end = random_any(),
                                                     .events = random_any(),
                                                     .bytes = random_any(),
                                                     .complete = 1,
                                                     .agreed = (uint32_t)random_below(2),
                                                     .is_apart = (uint32_t)random_below(2),
                                                     .select = (uint32_t)random_below(3),
                                                     .times = (uint32_t)random_below(1 << 30)};
}

/* Of some frames. */
static void any_positions(struct efg_run_names *names)
{
    for (uint32_t i = 0; i < names->path_count; i++)
        for (uint32_t k = random_below(2); k < names->paths[i].depth; k += 1 + random_below(3)) {
            const struct efg_frame *frame = &names->paths[i].frames[k];
            struct efg_position position = {.place = 1 + random_below(UINT32_MAX - 1),
                                            .order = (uint32_t)random_any(),
                                            .leg = (uint32_t)random_any(),
                                            .firsts = efg_frame_firsts(frame->offset)};
            if (efg_run_position_add(names, frame, position))
                abort();
        }
}

void random_names(struct efg_run_names *names)
{
    names->calls = many(9, sizeof *names->calls, &names->call_count);
    for (uint32_t i = 0; i < names->call_count; i++)
        names->calls[i] = (struct efg_run_call){i + 1, random_below(9), any_string()};
    names->modules = many(5, sizeof *names->modules, &names->module_count);
    for (uint32_t i = 0; i < names->module_count; i++)
        names->modules[i] = any_string();
    names->paths = many(9, sizeof *names->paths, &names->path_count);
    for (uint32_t i = 0; i < names->path_count; i++) {
        names->paths[i].hash = random_any();
        if (names->module_count)
            names->paths[i].frames = many(6, sizeof *names->paths[i].frames, &names->paths[i].depth);
        const struct efg_run_path *before = i ? &names->paths[i - 1] : NULL;
        uint32_t depth = names->paths[i].depth, shared = random_below(4);
        for (uint32_t k = 0; k < depth; k++) { /* from the outermost one on */
            struct efg_frame *frame = &names->paths[i].frames[depth - 1 - k];
            frame->module = random_below(names->module_count);
            frame->offset = random_any();
            if (before && k < shared && k < before->depth)
                *frame = before->frames[before->depth - 1 - k];
        }
    }
    any_positions(names);
    names->regions = many(4, sizeof *names->regions, &names->region_count);
    for (uint32_t i = 0; i < names->region_count; i++)
        names->regions[i] = (struct efg_run_region){i + 1, any_string()};
}

static void any_place(struct efg_run_place *place)
{
    place->package = random_below(3) - 1; /* or EFG_NONE */
    place->numa = random_below(3) - 1;
    place->core = (uint32_t)random_any();
    place->last_core = random_below(3) - 1;
    place->core_count = random_below(3);
    place->node_cores = (uint32_t)random_any();
    place->cores = any_string();
}

static char *any_note(void)
{
    static const char *const notes[] = {"", "", "the log is full", "no invariant TSC"};
    return strdup(notes[random_below(4)]);
}

void random_rank(struct efg_run_rank *rank, uint32_t number, uint32_t paths, const struct efg_run_rank *like)
{
    memset(rank, 0, sizeof *rank);
    rank->rank = number;
    rank->host = any_string();
    any_place(&rank->place);
    rank->clock_error = random_any();
    rank->note = any_note();
    rank->start = random_any();
    rank->end = random_any();
    rank->cost = random_any();
    rank->memory = random_any();
    rank->init = random_any();
    if (like) {
        rank->thread_count = like->thread_count;
        rank->threads = calloc(like->thread_count + 1, sizeof *rank->threads);
    } else {
        rank->threads = many(3, sizeof *rank->threads, &rank->thread_count);
    }
    for (uint32_t i = 0; i < rank->thread_count; i++)
        any_thread(&rank->threads[i], paths, like ? &like->threads[i] : NULL);
}

static void any_checks(struct efg_run *run)
{
    run->is_checked = random_below(2);
    run->messages = (struct efg_run_messages){
        random_any(), random_any(),    random_any(), random_any(), random_any(), random_any(), random_any(),
        random_any(), random_below(2), random_any(), random_any(), random_any(), random_any(), random_any()};
    run->skew = (struct efg_run_skew){random_below(EFG_REPAIR_UNPROVEN + 1), (uint32_t)random_any(),
                                      random_any(), random_any(), random_any()};
    run->cuts = many(3, sizeof *run->cuts, &run->cut_count);
    for (uint32_t i = 0; i < run->cut_count; i++) {
        run->cuts[i].first_least = random_any();
        run->cuts[i].first_most = random_any();
        run->cuts[i].last_least = random_any();
        run->cuts[i].last_most = random_any();
        run->cuts[i].ranks = random_below(4);
        run->cuts[i].begin_least = random_any();
        run->cuts[i].begin_most = random_any();
        run->cuts[i].end_least = random_any();
        run->cuts[i].end_most = random_any();
    }
    run->objects = many(3, sizeof *run->objects, &run->object_count);
    for (uint32_t i = 0; i < run->object_count; i++)
        run->objects[i] =
            (struct efg_run_object){any_string(), random_below(9), random_below(9), random_any(),
                                    random_any(), random_any(),    random_any()};
    run->objects_left = random_any();
    run->rounds = random_any();
    run->finish = random_any();
    run->own = random_any();
}

/* --- sequences --- */

static int append_segment(void *to, const struct efg_sequence_segment *segment)
{
    return efg_sequence_put(to, segment, random_below(2) ? EFG_SEQUENCE_MIX_PAIRS : 0) < 0;
}

/* Loops over the nodes of THREAD's graph, now and then with another one between; or no events.
 * In the middle, the graph may have merged nodes. */
static void any_sequence(struct efg_run_sequence_thread *sequence, struct efg_buffer *segments,
                         const struct efg_run_thread *thread)
{
    struct efg_sequence order;
    uint32_t nodes = thread->graph.node_count, events = nodes ? random_below(500) : 0;
    uint32_t loop = 1 + random_below(nodes), merge = random_below(2) ? random_below(500) : 500;
    if (efg_sequence_init(&order, 100000, append_segment, segments))
        abort();
    for (uint32_t i = 0; i < events; i++) {
        if (i == merge) {
            sequence->tables = calloc(1, sizeof *sequence->tables);
            sequence->tables[0] = (struct efg_sequence_table){calloc(nodes, sizeof(uint32_t)), nodes};
            sequence->table_count = 1;
            for (uint32_t k = 0; k < nodes; k++)
                sequence->tables[0].node[k] = random_below(nodes);
            efg_sequence_break(&order, 1);
        }
        efg_sequence_add(&order, random_below(20) ? i % loop % nodes : random_below(nodes));
    }
    efg_sequence_close(&order);
    sequence->events = order.kept;
    sequence->segments = segments->data;
    sequence->size = segments->size;
    efg_sequence_fini(&order);
}

/* Of rank I; some have none, some have that of the rank before if their graphs are the same. */
static void add_sequence(struct whole_run *whole, uint32_t i)
{
    const struct efg_run_rank *rank = &whole->ranks[i];
    struct efg_run_sequence sequence = {.thread_count = rank->thread_count};
    struct efg_buffer *segments = calloc(rank->thread_count + 1, sizeof *segments);
    uint64_t before = seed;
    seed = random_below(2) ? 1 : seed; /* what comes is the same as of other such ranks */
    sequence.threads = calloc(rank->thread_count + 1, sizeof *sequence.threads);
    for (uint32_t k = 0; k < rank->thread_count; k++)
        any_sequence(&sequence.threads[k], &segments[k], &rank->threads[k]);
    efg_runfile_put_sequence(&whole->sequences[i], rank->rank, &sequence, &whole->orders[i]);
    seed = before + 1;
    efg_run_sequence_fini(&sequence);
    for (uint32_t k = 0; k < rank->thread_count; k++)
        efg_buffer_fini(&segments[k]);
    free(segments);
}

void random_run(struct whole_run *whole)
{
    struct efg_run *run = &whole->run;
    memset(whole, 0, sizeof *whole);
    run->application = any_string();
    run->command = any_string();
    run->version = any_string();
    run->mpi = any_string();
    run->output = any_string();
    run->trace_note = any_string();
    run->mode = random_below(4);
    run->level = random_below(3);
    run->iterations = random_any();
    run->trace_bytes = random_any();
    any_checks(run);
    random_names(&whole->names);
    whole->ranks = many(5, sizeof *whole->ranks, &whole->rank_count);
    for (uint32_t i = 0; i < whole->rank_count; i++) {
        const struct efg_run_rank *like = i ? &whole->ranks[random_below(i)] : NULL;
        random_rank(&whole->ranks[i], 3 * i, whole->names.path_count, random_below(2) ? like : NULL);
    }
    whole->sequences = calloc(whole->rank_count + 1, sizeof *whole->sequences);
    whole->orders = calloc(whole->rank_count + 1, sizeof *whole->orders);
    for (uint32_t i = 0; i < whole->rank_count; i++)
        if (random_below(4))
            add_sequence(whole, i);
    run->sites = many(9, sizeof *run->sites, &run->site_count);
    for (uint32_t i = 0; i < run->site_count; i++) {
        struct efg_run_site *site = &run->sites[i];
        site->module = any_string();
        site->offset = random_any();
        site->symbols = many(4, sizeof *site->symbols, &site->symbol_count);
        for (uint32_t k = 0; k < site->symbol_count; k++)
            site->symbols[k] = (struct efg_run_symbol){any_string(), any_string(), random_below(99)};
    }
}
