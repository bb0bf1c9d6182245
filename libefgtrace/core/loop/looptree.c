/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the loop tree. The loops are found first (nesting.c). Then come the sums over nodes and
 * edges, each added from its innermost loop to the root, and the order.
 */
#include "looptree.h"

#include "core/graph/detail.h"
#include "nesting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums ---- */

static void enter_loop(struct efg_loop *loop, uint32_t node, uint64_t times)
{
    if (times && loop->entries && node != loop->entered)
        loop->irreducible = true;
    if (times && !loop->entries)
        loop->entered = node;
    loop->entries += times;
}

/* A visit through an edge from outside brings the call's time, one from inside
 * the time between the calls as well. */
static void add_edge(struct efg_looptree *tree, const struct efg_edge *edge)
{
    uint32_t common = efg_looptree_common(tree, edge->from, edge->to);
    uint64_t inside = edge->spent, visits = edge->visits;
    uint64_t call = inside > edge->time.sum ? inside - edge->time.sum : 0;
    uint32_t l = tree->loop_of[edge->to];

    for (; l != common; l = tree->loops[l].parent) {
        enter_loop(&tree->loops[l], edge->to, visits);
        tree->loops[l].time += call;
    }
    for (; l != EFG_NONE; l = tree->loops[l].parent)
        tree->loops[l].time += inside;
}

/* UNEXPLAINED visits came through no edge: the first event, and lost edges. */
static void add_node(struct efg_looptree *tree, const struct efg_graph *graph, uint32_t v,
                     uint64_t unexplained)
{
    const struct efg_node *node = &graph->nodes[v];

    for (uint32_t l = tree->loop_of[v]; l != EFG_NONE; l = tree->loops[l].parent) {
        struct efg_loop *loop = &tree->loops[l];
        loop->node_count++;
        loop->events += node->rhythm.visits;
        loop->mpi_time += efg_node_time(node);
        enter_loop(loop, v, unexplained);
    }
}

static int add_all(struct efg_looptree *tree, const struct efg_graph *graph)
{
    uint64_t *unexplained = malloc((graph->node_count + 1) * sizeof *unexplained);

    if (!unexplained)
        return -ENOMEM;
    for (uint32_t v = 0; v < graph->node_count; v++)
        unexplained[v] = graph->nodes[v].rhythm.visits;
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        uint64_t *left = &unexplained[graph->edges[e].to], visits = graph->edges[e].visits;
        *left -= visits < *left ? visits : *left;
        add_edge(tree, &graph->edges[e]);
    }
    for (uint32_t v = 0; v < graph->node_count; v++)
        add_node(tree, graph, v, unexplained[v]);
    for (uint32_t l = 0; l < tree->count; l++) {
        struct efg_loop *loop = &tree->loops[l];
        if (loop->time < loop->mpi_time)
            loop->time = loop->mpi_time; /* the first event, polls at the edge */
    }
    free(unexplained);
    return 0;
}

/* ---- polls that have never found anything ---- */

/* No edge leads to them, so nothing says which loop they are in but their call paths, and which loops have
 * more time in polls than that of the calls in them. */

/* For each loop, ns: of polls before its calls, but for those of its calls. */
static int64_t *find_strays(const struct efg_looptree *tree, const struct efg_graph *graph)
{
    int64_t *strays = calloc((size_t)tree->count + 1, sizeof *strays);
    uint64_t *polled = malloc(((size_t)graph->node_count + 1) * sizeof *polled);

    if (polled)
        efg_graph_polled(graph, polled);
    for (uint32_t v = 0; strays && polled && v < graph->node_count; v++)
        for (uint32_t l = tree->loop_of[v]; l != EFG_NONE; l = tree->loops[l].parent)
            strays[l] += (int64_t)polled[v] - (int64_t)graph->nodes[v].poll_time;
    if (!polled) {
        free(strays);
        return NULL;
    }
    free(polled);
    return strays;
}

/* The innermost loop around NODE, in whose polls it may have a quarter of its time or more: that is an
 * estimate, where one of many polls is measured, and far too much where ranks take turns on a processor. */
static uint32_t loop_around(const struct efg_looptree *tree, const struct efg_calltree *calls,
                            const struct efg_node *node, const int64_t *strays)
{
    for (uint32_t s = calls->sites[node->leaf].parent; s != EFG_NONE; s = calls->sites[s].parent) {
        uint32_t best = EFG_NONE;
        for (uint32_t l = 0; l < tree->count; l++)
            if (tree->loops[l].function == calls->sites[s].hash &&
                (best == EFG_NONE || strays[l] > strays[best]))
                best = l;
        if (best != EFG_NONE && strays[best] >= (int64_t)(node->poll_time / 4))
            return best;
    }
    return EFG_NONE;
}

static int place_polls(struct efg_looptree *tree, const struct efg_graph *graph)
{
    int64_t *strays = NULL;

    for (uint32_t v = 0; v < graph->node_count; v++) {
        const struct efg_node *node = &graph->nodes[v];
        if (node->time.count || !node->polls || tree->loop_of[v] != EFG_NONE)
            continue;
        if (!strays && !(strays = find_strays(tree, graph)))
            return -ENOMEM;
        tree->loop_of[v] = loop_around(tree, graph->tree, node, strays);
    }
    free(strays);
    return 0;
}

/* ---- where iterations begin ---- */

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* How far from once in each iteration LOOP comes to V, or enters the inner loop that V is in.
 */
static uint64_t distance_of(const struct efg_loop *loop, uint64_t times)
{
    uint64_t off = distance(times, loop->repetitions);

    return off <= loop->repetitions / 100 + 2 ? off : UINT64_MAX;
}

static int find_headers(struct efg_looptree *tree, const struct efg_graph *graph)
{
    uint64_t *best = malloc((tree->count + 1) * sizeof *best);

    if (!best)
        return -ENOMEM;
    for (uint32_t l = 0; l < tree->count; l++)
        tree->loops[l].header = EFG_NONE;
    for (uint32_t v = 0; v < graph->node_count; v++) {
        uint64_t times = graph->nodes[v].rhythm.visits;
        for (uint32_t l = times ? tree->loop_of[v] : EFG_NONE; l != EFG_NONE; l = tree->loops[l].parent) {
            struct efg_loop *loop = &tree->loops[l];
            uint64_t off = distance_of(loop, times);
            if (loop->header == EFG_NONE || off < best[l]) {
                loop->header = v;
                best[l] = off;
            }
            times = loop->entries;
        }
    }
    free(best);
    return 0;
}

/* ---- order and links ---- */

struct rank {
    uint32_t depth, index;
    uint64_t time;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Applies the order: loops[i] = the loop that was at rank[i].index. */
static void permute(struct efg_looptree *tree, const struct rank *rank, struct efg_loop *sorted,
                    uint32_t *place, uint32_t nodes)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        sorted[i] = tree->loops[rank[i].index];
        place[rank[i].index] = i;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        if (sorted[i].parent != EFG_NONE)
            sorted[i].parent = place[sorted[i].parent];
    }
    if (tree->main != EFG_NONE)
        tree->main = place[tree->main];
    if (tree->count)
        memcpy(tree->loops, sorted, tree->count * sizeof *sorted);
    for (uint32_t v = 0; v < nodes; v++) {
        if (tree->loop_of[v] != EFG_NONE)
            tree->loop_of[v] = place[tree->loop_of[v]];
    }
}

static int sort_loops(struct efg_looptree *tree, uint32_t nodes)
{
    struct rank *rank = malloc((tree->count + 1) * sizeof *rank);
    struct efg_loop *sorted = malloc((tree->count + 1) * sizeof *sorted);
    uint32_t *place = calloc((size_t)tree->count + 1, sizeof *place);
    bool failed = !rank || !sorted || !place;

    for (uint32_t i = 0; i < tree->count && !failed; i++)
        rank[i] = (struct rank){tree->loops[i].depth, i, tree->loops[i].time};
    if (!failed) {
        qsort(rank, tree->count, sizeof *rank, compare_ranks);
        permute(tree, rank, sorted, place, nodes);
    }
    free(rank);
    free(sorted);
    free(place);
    return failed ? -ENOMEM : 0;
}

/* From the last to the first, each put in front of its siblings. */
static void link_loops(struct efg_looptree *tree)
{
    for (uint32_t l = 0; l < tree->count; l++)
        tree->loops[l].first_child = EFG_NONE;
    for (uint32_t l = tree->count; l-- > 0;) {
        uint32_t parent = tree->loops[l].parent;
        uint32_t *first = parent == EFG_NONE ? &tree->first : &tree->loops[parent].first_child;
        tree->loops[l].next_sibling = *first;
        *first = l;
    }
}

/* ---- all of it ---- */

static int build(struct efg_looptree *tree, const struct efg_graph *graph, const struct efg_loop_known *main)
{
    struct efg_history whole = {.graph = graph};
    struct efg_callflow flow = {0};
    bool failed = efg_callflow_fill(&flow, &whole, graph->last_leave) || efg_nesting_find(tree, &flow, main);

    efg_callflow_fini(&flow);
    failed = failed || place_polls(tree, graph) || add_all(tree, graph) || find_headers(tree, graph) ||
             sort_loops(tree, graph->node_count);
    tree->labels = calloc((size_t)tree->count + 1, sizeof *tree->labels);
    if (failed || !tree->labels)
        efg_looptree_fini(tree);
    else
        link_loops(tree);
    return failed || !tree->labels ? -ENOMEM : 0;
}

int efg_looptree_build(struct efg_looptree *tree, const struct efg_graph *graph, efg_path_keys *keys,
                       efg_path_position *position, const struct efg_loop_known *main)
{
    struct efg_graph own = *graph; /* with a call tree for now */

    *tree = (struct efg_looptree){.first = EFG_NONE, .main = EFG_NONE};
    if (!graph->node_count)
        return 0;
    own.budget = NULL;
    own.first = 0;
    if (efg_graph_follow_calls(&own, keys, position))
        return -ENOMEM;
    efg_graph_place_all(&own);
    if (graph->dropped & EFG_DROP_ALL_FRAMES)
        own.tree->cut = efg_calltree_longest(own.tree);
    tree->root = own.tree->sites[EFG_CALLTREE_ROOT].hash;
    int failed = build(tree, &own, main);
    efg_calltree_fini(own.tree);
    free(own.tree);
    return failed;
}

void efg_looptree_fini(struct efg_looptree *tree)
{
    for (uint32_t l = 0; tree->labels && l < tree->count; l++)
        free(tree->labels[l]);
    free(tree->labels);
    free(tree->loops);
    free(tree->loop_of);
    *tree = (struct efg_looptree){.first = EFG_NONE, .main = EFG_NONE};
}

/* ---- questions ---- */

bool efg_looptree_is_inside(const struct efg_looptree *tree, uint32_t loop, uint32_t outer)
{
    while (loop != EFG_NONE && loop != outer)
        loop = tree->loops[loop].parent;
    return loop == outer;
}

uint32_t efg_looptree_next(const struct efg_looptree *tree, uint32_t loop)
{
    if (loop == EFG_NONE)
        return tree->count ? tree->first : EFG_NONE;
    uint32_t next = tree->loops[loop].first_child;
    while (next == EFG_NONE && loop != EFG_NONE) {
        next = tree->loops[loop].next_sibling;
        loop = tree->loops[loop].parent;
    }
    return next;
}

uint32_t efg_looptree_common(const struct efg_looptree *tree, uint32_t a, uint32_t b)
{
    uint32_t x = tree->loop_of[a], y = tree->loop_of[b];

    while (x != y) {
        if (x == EFG_NONE || y == EFG_NONE)
            return EFG_NONE;
        if (tree->loops[x].depth >= tree->loops[y].depth)
            x = tree->loops[x].parent;
        else
            y = tree->loops[y].parent;
    }
    return x;
}
