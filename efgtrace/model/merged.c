/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges the graphs of the ranks into one. The threads of a rank are united first, with the signatures
 * reduced, so that each node and edge of the merged graph meets a rank once.
 */
#include "merged.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/graph/detail.h"
#include "core/graph/unite.h"
#include "files/summary/summary.h"

static unsigned dimensions_without(const struct efg_run *run, uint32_t dropped)
{
    struct efg_detail asked = {.dimensions = run->dimensions, .depth = 1};
    return efg_detail_without(asked, dropped).dimensions;
}

unsigned efg_merged_dimensions(const struct efg_run *run)
{
    return dimensions_without(run, (uint32_t)run->common.totals.dropped);
}

/* --- nodes and edges --- */

/* So that there are COUNT of them, *NOW so many. */
static int add_empty(struct efg_merged_item **items, uint32_t *now, uint32_t count)
{
    uint32_t more = count - *now;
    if (!more)
        return 0;
    if (efg_array_grow(items, *now, more, sizeof **items))
        return -ENOMEM;
    memset(*items + *now, 0, more * sizeof **items);
    *now = count;
    return 0;
}

void efg_merged_visits(const struct efg_merged_item *item, uint64_t *least, uint64_t *most)
{
    *least = UINT64_MAX;
    *most = 0;
    for (uint32_t i = 0; i < item->visits_count; i++) {
        const struct efg_visits *visits = &item->visits[i];
        *least = visits->least < *least ? visits->least : *least;
        *most = visits->most > *most ? visits->most : *most;
    }
}

/* All numbers of visits are one from now on, COUNT included. */
static int lump(struct efg_merged_item *item, uint64_t count)
{
    struct efg_visits all;
    efg_merged_visits(item, &all.least, &all.most);
    all.least = count < all.least ? count : all.least;
    all.most = count > all.most ? count : all.most;
    all.ranks = (struct efg_ranklist){0};
    for (uint32_t i = 0; i < item->visits_count; i++)
        efg_ranklist_fini(&item->visits[i].ranks);
    item->visits[0] = all;
    item->visits_count = 1;
    return efg_ranklist_append(&item->visits[0].ranks, &item->ranks);
}

static bool is_lumped(const struct efg_merged_item *item)
{
    return item->visits_count == 1 && item->visits[0].least != item->visits[0].most;
}

/* RANK, the largest so far, comes by COUNT times. */
static int add_visits(struct efg_merged_item *item, uint32_t rank, uint64_t count)
{
    uint32_t i = 0;
    if (efg_ranklist_add(&item->ranks, rank))
        return -ENOMEM;
    while (i < item->visits_count && item->visits[i].least != count)
        i++;
    if (is_lumped(item) || i == EFG_VISITS_MOST)
        return lump(item, count);
    if (i == item->visits_count) {
        if (efg_array_grow(&item->visits, i, 1, sizeof *item->visits))
            return -ENOMEM;
        item->visits[item->visits_count++] = (struct efg_visits){.least = count, .most = count};
    }
    return efg_ranklist_add(&item->visits[i].ranks, rank);
}

static int add_item(struct efg_merged_item *item, uint32_t rank, const struct efg_stat *stat)
{
    for (int i = 0; i < EFG_BINS; i++)
        item->bin[i] += stat->bin[i];
    return add_visits(item, rank, stat->count);
}

static void free_items(struct efg_merged_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < items[i].visits_count; k++)
            efg_ranklist_fini(&items[i].visits[k].ranks);
        free(items[i].visits);
        efg_ranklist_fini(&items[i].ranks);
    }
    free(items);
}

/* --- a rank --- */

struct ids { /* what the nodes and edges of a graph have become */
    uint32_t *node, *edge;
};

static int ids_init(struct ids *ids, const struct efg_graph *graph)
{
    ids->node = calloc((size_t)graph->node_count + 1, sizeof *ids->node);
    ids->edge = calloc((size_t)graph->edge_count + 1, sizeof *ids->edge);
    return ids->node && ids->edge ? 0 : -ENOMEM;
}

static void ids_fini(struct ids *ids)
{
    free(ids->node);
    free(ids->edge);
}

static void follow(struct efg_merged_places *places, const uint32_t *node)
{
    if (places->pivot.kind != EFG_PIVOT_NONE)
        places->pivot.node = node[places->pivot.node];
    if (places->main.function)
        places->main.node = node[places->main.node];
    efg_own_follow(&places->own, node);
}

/* Of the thread that speaks for its rank, whose nodes have become others. */
static int find_places(struct efg_merged_places *places, const struct efg_run *run,
                       const struct efg_run_thread *leader, const uint32_t *node)
{
    places->pivot = leader->pivot;
    places->main = leader->loops.main;
    int error = efg_own_make(&places->own, run, leader);
    if (!error)
        follow(places, node);
    return error;
}

int efg_merged_threads(struct efg_graph *one, struct efg_merged_places *places, const struct efg_run *run,
                       const struct efg_run_rank *rank, unsigned dimensions)
{
    const struct efg_run_thread *leader = efg_run_rank_thread(rank);
    int error = 0;
    for (uint32_t i = 0; i < rank->thread_count && !error; i++) {
        const struct efg_run_thread *thread = &rank->threads[i];
        unsigned from = dimensions_without(run, thread->graph.dropped);
        struct ids ids;
        error = ids_init(&ids, &thread->graph) ||
                efg_graph_unite(one, &thread->graph, from, dimensions, ids.node, ids.edge);
        if (thread == leader && places && !error)
            error = find_places(places, run, leader, ids.node);
        ids_fini(&ids);
    }
    return error ? -ENOMEM : 0;
}

static int add_items(struct efg_merged *m, uint32_t rank, const struct efg_graph *one, const struct ids *ids)
{
    int error = add_empty(&m->nodes, &m->node_items, m->graph.node_count) ||
                add_empty(&m->edges, &m->edge_items, m->graph.edge_count);
    for (uint32_t i = 0; i < one->node_count && !error; i++)
        error = add_item(&m->nodes[ids->node[i]], rank, &one->nodes[i].time);
    for (uint32_t i = 0; i < one->edge_count && !error; i++)
        error = add_item(&m->edges[ids->edge[i]], rank, &one->edges[i].time);
    return error ? -ENOMEM : 0;
}

/* The nodes from COUNT on are new: each goes behind the one that was before it on its rank. */
static void put_in_order(struct efg_merged *m, uint32_t count, const uint32_t *ids, uint32_t id_count)
{
    uint32_t *next = &m->first;
    for (uint32_t i = 0; i < id_count; i++) {
        if (ids[i] >= count) {
            m->nodes[ids[i]].next = *next;
            *next = ids[i];
        }
        next = &m->nodes[ids[i]].next;
    }
}

static int keep_parts(struct efg_merged *m, uint32_t index, const struct efg_graph *one,
                      const struct ids *ids)
{
    for (uint32_t i = 0; i < one->node_count; i++) {
        const struct efg_node *node = &one->nodes[i];
        struct efg_merged_part part = {index, ids->node[i], efg_node_time(node), 0, node->time.count};
        efg_buffer_put(&m->node_parts, &part, sizeof part);
    }
    for (uint32_t i = 0; i < one->edge_count; i++) {
        const struct efg_edge *edge = &one->edges[i];
        struct efg_merged_part part = {index, ids->edge[i], edge->time.sum, edge->spent, 0};
        efg_buffer_put(&m->edge_parts, &part, sizeof part);
    }
    return m->node_parts.failed || m->edge_parts.failed ? -ENOMEM : 0;
}

static int add_graph(struct efg_merged *m, uint32_t index, const struct efg_run_rank *rank,
                     const struct efg_graph *one)
{
    struct ids ids;
    uint32_t before = m->graph.node_count;
    int error = ids_init(&ids, one) ||
                efg_graph_unite(&m->graph, one, m->dimensions, m->dimensions, ids.node, ids.edge) ||
                add_items(m, rank->rank, one, &ids) || efg_ranklist_add(&m->ranks, rank->rank) ||
                (m->keeps_parts && keep_parts(m, index, one, &ids));
    if (!error)
        put_in_order(m, before, ids.node, one->node_count);
    if (!error && rank->rank == m->speaker)
        follow(&m->at, ids.node);
    ids_fini(&ids);
    return error ? -ENOMEM : 0;
}

int efg_merged_add(struct efg_merged *m, const struct efg_run *run, const struct efg_run_rank *rank,
                   uint32_t index)
{
    struct efg_graph one;
    struct efg_merged_places *places = rank->rank == m->speaker ? &m->at : NULL;
    if (!rank->thread_count)
        return 0;
    if (efg_graph_init(&one, NULL, 0))
        return -ENOMEM;
    int error = efg_merged_threads(&one, places, run, rank, m->dimensions);
    if (!error)
        error = add_graph(m, index, rank, &one);
    efg_graph_fini(&one);
    m->duration += efg_run_rank_watched(rank);
    m->rank_count++;
    return error;
}

/* --- all of them --- */

static bool wants(const char *is_wanted, uint32_t index)
{
    return !is_wanted || is_wanted[index];
}

/* The one that stands for the run, if it is among them, else the first. */
static uint32_t find_speaker(const struct efg_run *run, const char *is_wanted)
{
    uint32_t first = EFG_NONE;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        if (wants(is_wanted, i) && run->ranks[i].rank == run->common.totals.speaker)
            return run->ranks[i].rank;
        if (wants(is_wanted, i) && first == EFG_NONE)
            first = run->ranks[i].rank;
    }
    return first;
}

/* Number the nodes in their order. */
static int sort_nodes(struct efg_merged *m)
{
    struct efg_graph *graph = &m->graph;
    size_t nodes = (size_t)graph->node_count + 1;
    uint32_t *id = calloc(nodes, sizeof *id), count = 0;
    struct efg_node *node = calloc(nodes, sizeof *node);
    struct efg_merged_item *item = calloc(nodes, sizeof *item);
    int error = id && node && item ? 0 : -ENOMEM;
    for (uint32_t v = m->first; v != EFG_NONE && !error; v = m->nodes[v].next) {
        node[count] = graph->nodes[v];
        item[count] = m->nodes[v];
        id[v] = count++;
    }
    if (count) {
        memcpy(graph->nodes, node, count * sizeof *node);
        memcpy(m->nodes, item, count * sizeof *item);
    }
    for (uint32_t e = 0; e < graph->edge_count && !error; e++) {
        graph->edges[e].from = id[graph->edges[e].from];
        graph->edges[e].to = id[graph->edges[e].to];
    }
    struct efg_merged_part *part = (struct efg_merged_part *)m->node_parts.data;
    for (size_t i = 0; i < m->node_parts.size / sizeof *part && !error; i++)
        part[i].id = id[part[i].id];
    if (!error)
        follow(&m->at, id);
    free(id);
    free(node);
    free(item);
    return error;
}

/* The same name as ranks that recorded no more would have given them. */
static void name_nodes(struct efg_merged *m, const struct efg_run *run)
{
    for (uint32_t i = 0; i < m->graph.node_count; i++) {
        struct efg_node *node = &m->graph.nodes[i];
        const struct efg_run_path *path = efg_run_path(run, node->signature.path);
        if (!(node->flags & EFG_NODE_OVERFLOW))
            node->hash = efg_signature_name(&node->signature, path ? path->hash : 0);
    }
}

/* Loops are found by how often edges are taken (looptree.h). Sums over ranks would take a part
 * of an iteration that is another call on some ranks, such as those at the border, for
 * something that happens less often. So each comes by as often as on the rank where it is most.
 */
static void set_visits(struct efg_merged *m)
{
    uint64_t least;
    for (uint32_t i = 0; i < m->graph.node_count; i++)
        efg_merged_visits(&m->nodes[i], &least, &m->graph.nodes[i].rhythm.visits);
    for (uint32_t i = 0; i < m->graph.edge_count; i++)
        efg_merged_visits(&m->edges[i], &least, &m->graph.edges[i].visits);
}

/* Ranks that enter a loop on different ways are counted once for each way: its body ran no more
 * often than the call or inner loop in it that is visited most. */
static void limit_repetitions(struct efg_merged *m, uint32_t loop)
{
    struct efg_loop *loops = m->tree.loops;
    uint64_t most = 0;
    for (uint32_t v = 0; v < m->graph.node_count; v++) {
        uint64_t visits = m->graph.nodes[v].rhythm.visits;
        if (m->tree.loop_of[v] == loop && visits > most)
            most = visits;
    }
    for (uint32_t l = loops[loop].first_child; l != EFG_NONE; l = loops[l].next_sibling)
        most = loops[l].entries > most ? loops[l].entries : most;
    if (loops[loop].repetitions > most)
        loops[loop].repetitions = most;
}

static int find_loops(struct efg_merged *m, const struct efg_run *run)
{
    int error = 0;
    if (m->rank_count > 1)
        set_visits(m);
    if (efg_summary_tree(&m->tree, run, &m->graph, &m->at.main))
        return -ENOMEM;
    m->loops = calloc((size_t)m->tree.count + 1, sizeof *m->loops);
    m->repetitions = calloc((size_t)m->tree.count + 1, sizeof *m->repetitions);
    if (!m->loops || !m->repetitions ||
        efg_own_repetitions(&m->at.own, &m->tree, m->graph.node_count, m->repetitions))
        return -ENOMEM;
    for (uint32_t l = 0; l < m->tree.count && m->rank_count > 1; l++)
        if (l != m->tree.main)
            limit_repetitions(m, l);
    for (uint32_t v = 0; v < m->graph.node_count && !error; v++) {
        for (uint32_t l = m->tree.loop_of[v]; l != EFG_NONE && !error; l = m->tree.loops[l].parent)
            error = efg_ranklist_unite(&m->loops[l], &m->nodes[v].ranks);
    }
    return error;
}

uint64_t efg_merged_repetitions(const struct efg_merged *m, uint32_t loop)
{
    return m->repetitions[loop] ? m->repetitions[loop] : m->tree.loops[loop].repetitions;
}

int efg_merged_begin(struct efg_merged *m, const struct efg_run *run, const char *is_wanted,
                     unsigned dimensions)
{
    *m = (struct efg_merged){.dimensions = dimensions, .first = EFG_NONE};
    m->speaker = find_speaker(run, is_wanted);
    return efg_graph_init(&m->graph, NULL, 0) ? -ENOMEM : 0;
}

int efg_merged_end(struct efg_merged *m, const struct efg_run *run)
{
    if (m->dimensions != run->dimensions)
        name_nodes(m, run);
    return sort_nodes(m) || find_loops(m, run) ? -ENOMEM : 0;
}

void efg_merged_fini(struct efg_merged *merged)
{
    for (uint32_t l = 0; merged->loops && l < merged->tree.count; l++)
        efg_ranklist_fini(&merged->loops[l]);
    free(merged->loops);
    free(merged->repetitions);
    efg_own_fini(&merged->at.own);
    efg_looptree_fini(&merged->tree);
    free_items(merged->nodes, merged->node_items);
    free_items(merged->edges, merged->edge_items);
    efg_buffer_fini(&merged->node_parts);
    efg_buffer_fini(&merged->edge_parts);
    efg_ranklist_fini(&merged->ranks);
    efg_graph_fini(&merged->graph);
    *merged = (struct efg_merged){0};
}
