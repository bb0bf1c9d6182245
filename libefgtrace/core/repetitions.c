/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop consists of items: its own nodes, and its inner loops, each taken as one item. An
 * item is visited when it is entered; a node that follows itself is not entered again. The
 * loop's body ran at least
 *
 *     max(bottleneck, visits of the item visited least)   times
 *
 * and where each entry from outside begins a new body, bottleneck + entries. The second
 * is right for loops nested in the plain way and where an item is skipped now and then; it is
 * too much where control leaves the body in the middle and comes back (output every 50th
 * step, a list rebuilt every 20th). So the items vote: for the number that they were visited
 * once, or a small whole number of times.
 *
 * Where steps alternate (P C / Q C, see alternate.c) each kind is a part of the whole only.
 * Then C counts instead: an item visited about twice as often, such that every way round
 * the loop leads through it, no way round only through items visited >= 0.8 as often, and
 * the rest falls into parts that cost about the same.
 *
 * "Every way round" is asked of the edges taken at least bottleneck times, and answered
 * by loops.c: without X there is no loop.
 *
 * Source: our own; the cases are in tests/unit/test_looptree.c.
 */
#include "repetitions.h"

#include "loops.h"

#include <stdlib.h>
#include <string.h>

struct item {
    uint32_t id;   /* a node, or the number of nodes + a loop */
    uint32_t part; /* another item of its part, or itself: see has_similar_halves */
    uint64_t visits;
    uint64_t time; /* ns, then that of its part */
};

struct counter {
    struct efg_looptree *tree;
    const struct efg_graph *graph;
    uint32_t *home;       /* edges by the innermost loop that holds both ends, ... */
    uint32_t *home_first; /* ... compressed rows */
    uint32_t *number;     /* per node, then per loop: its place in items, or EFG_NONE */
    struct item *items;   /* of the loop at hand */
    uint32_t count;
    uint32_t *first, *targets, *header; /* the items as a graph */
    uint8_t *flags;
};

static void counter_fini(struct counter *c)
{
    free(c->home);
    free(c->home_first);
    free(c->number);
    free(c->items);
    free(c->first);
    free(c->targets);
    free(c->header);
    free(c->flags);
}

/* Rows of edges by loop; edges in no loop are left out. */
static void fill_homes(struct counter *c)
{
    const struct efg_graph *graph = c->graph;
    uint32_t *first = c->home_first, loops = c->tree->count;

    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t e = 0; e < graph->edge_count; e++) {
            uint32_t l = efg_looptree_common(c->tree, graph->edges[e].from, graph->edges[e].to);
            if (l == EFG_NONE)
                continue;
            if (pass)
                c->home[first[l + 1]++] = e;
            else
                first[l + 2]++;
        }
        for (uint32_t l = 0; l < loops && !pass; l++)
            first[l + 2] += first[l + 1];
    }
}

static int counter_init(struct counter *c, struct efg_looptree *tree,
                        const struct efg_graph *graph)
{
    size_t ids = (size_t)graph->node_count + tree->count + 1;
    size_t edges = (size_t)graph->edge_count + 1;

    *c = (struct counter){.tree = tree, .graph = graph};
    c->home = calloc(edges, sizeof *c->home);
    c->home_first = calloc((size_t)tree->count + 2, sizeof *c->home_first);
    c->number = malloc(ids * sizeof *c->number);
    c->items = calloc(ids, sizeof *c->items);
    c->first = calloc(ids + 2, sizeof *c->first);
    c->targets = calloc(edges, sizeof *c->targets);
    c->header = calloc(ids, sizeof *c->header);
    c->flags = calloc(ids, sizeof *c->flags);
    if (!c->home || !c->home_first || !c->number || !c->items || !c->first || !c->targets ||
        !c->header || !c->flags)
        return -1;
    memset(c->number, 0xff, ids * sizeof *c->number);
    fill_homes(c);
    return 0;
}

/* The item of LOOP that NODE is or lies in. */
static uint32_t item_id(const struct counter *c, uint32_t loop, uint32_t node)
{
    uint32_t l = c->tree->loop_of[node];

    if (l == loop)
        return node;
    while (c->tree->loops[l].parent != loop)
        l = c->tree->loops[l].parent;
    return c->graph->node_count + l;
}

static void add_item(struct counter *c, uint32_t id)
{
    uint32_t nodes = c->graph->node_count;

    if (c->number[id] != EFG_NONE)
        return;
    c->number[id] = c->count;
    struct item *item = &c->items[c->count++];
    *item = (struct item){.id = id};
    if (id < nodes) {
        item->visits = c->graph->nodes[id].rhythm.visits;
        item->time = c->graph->nodes[id].rhythm.time;
    } else {
        item->visits = c->tree->loops[id - nodes].entries;
        item->time = c->tree->loops[id - nodes].time;
    }
}

/* Each item of a loop has an edge from another one: the edges tell them all. */
static void find_items(struct counter *c, uint32_t loop)
{
    c->count = 0;
    for (uint32_t k = c->home_first[loop]; k < c->home_first[loop + 1]; k++) {
        const struct efg_edge *edge = &c->graph->edges[c->home[k]];
        uint32_t from = item_id(c, loop, edge->from), to = item_id(c, loop, edge->to);
        add_item(c, from);
        add_item(c, to);
        if (from == to)
            c->items[c->number[to]].visits -= edge->rhythm.visits;
    }
}

static void forget_items(struct counter *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        c->number[c->items[i].id] = EFG_NONE;
}

/* ---- is there a way round? ---- */

/* Which items and edges of the loop take part. */
struct view {
    uint32_t loop;
    uint64_t edge_visits; /* at least */
    uint64_t item_visits; /* at least */
    uint32_t without;     /* this item, or EFG_NONE */
};

static int takes_part(const struct counter *c, const struct view *view, uint32_t item)
{
    return item != view->without && c->items[item].visits >= view->item_visits;
}

/* The items of the edge, if it takes part. An edge inside an item does not. */
static int find_ends(const struct counter *c, const struct view *view, uint32_t e,
                     uint32_t *from, uint32_t *to)
{
    const struct efg_edge *edge = &c->graph->edges[e];

    *from = c->number[item_id(c, view->loop, edge->from)];
    *to = c->number[item_id(c, view->loop, edge->to)];
    return edge->rhythm.visits >= view->edge_visits && *from != *to &&
           takes_part(c, view, *from) && takes_part(c, view, *to);
}

/* 1 if there is a way round, 0 if not, < 0 without memory. */
static int has_loop(struct counter *c, const struct view *view)
{
    uint32_t begin = c->home_first[view->loop], end = c->home_first[view->loop + 1], from, to;

    memset(c->first, 0, (c->count + 2) * sizeof *c->first);
    for (uint32_t k = begin; k < end; k++) {
        if (find_ends(c, view, c->home[k], &from, &to))
            c->first[from + 2]++;
    }
    for (uint32_t i = 0; i < c->count; i++)
        c->first[i + 2] += c->first[i + 1];
    for (uint32_t k = begin; k < end; k++) {
        if (find_ends(c, view, c->home[k], &from, &to))
            c->targets[c->first[from + 1]++] = to;
    }
    if (efg_loops_find(&(struct efg_digraph){c->count, c->first, c->targets}, c->header,
                       c->flags))
        return -1;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->flags[i] & EFG_LOOP_HEADER)
            return 1;
    }
    return 0;
}

/* ---- streams ---- */

static uint32_t part_of(struct counter *c, uint32_t i)
{
    while (c->items[i].part != i) {
        c->items[i].part = c->items[c->items[i].part].part;
        i = c->items[i].part;
    }
    return i;
}

static int is_half(const struct counter *c, uint32_t i, uint64_t whole)
{
    double n = (double)c->items[i].visits;

    return n >= 0.4 * (double)whole && n <= 0.65 * (double)whole;
}

static void join_halves(struct counter *c, const struct view *view, uint64_t whole)
{
    uint32_t from, to;

    for (uint32_t i = 0; i < c->count; i++)
        c->items[i].part = i;
    for (uint32_t k = c->home_first[view->loop]; k < c->home_first[view->loop + 1]; k++) {
        if (find_ends(c, view, c->home[k], &from, &to) && is_half(c, from, whole) &&
            is_half(c, to, whole))
            c->items[part_of(c, from)].part = part_of(c, to);
    }
}

/* Items visited half as often as X fall into parts, of which none costs more than 2/3. */
static int has_similar_halves(struct counter *c, const struct view *view, uint32_t x)
{
    uint64_t whole = c->items[x].visits, all = 0, largest = 0;

    join_halves(c, view, whole);
    for (uint32_t i = 0; i < c->count; i++)
        all += is_half(c, i, whole) ? c->items[i].time : 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t part = part_of(c, i);
        if (part != i)
            c->items[part].time += c->items[i].time;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        if (is_half(c, i, whole) && part_of(c, i) == i && c->items[i].time > largest)
            largest = c->items[i].time;
    }
    return all && (double)largest <= 2.0 / 3.0 * (double)all;
}

/* ---- the count ---- */

/* The item visited most, up to MOST times; EFG_NONE if all are visited more often. */
static uint32_t find_most_visited(const struct counter *c, double most)
{
    uint32_t best = EFG_NONE;

    for (uint32_t i = 0; i < c->count; i++) {
        if ((double)c->items[i].visits <= most &&
            (best == EFG_NONE || c->items[i].visits > c->items[best].visits))
            best = i;
    }
    return best;
}

/* 1 if X tells the repetitions better than PLAIN does, < 0 without memory. */
static int counts_instead(struct counter *c, uint32_t loop, uint64_t bottleneck, uint64_t plain,
                          uint32_t x)
{
    double visits = (double)c->items[x].visits;
    struct view view = {loop, bottleneck, 0, x};

    if (visits < 1.8 * (double)plain || visits > 2.2 * (double)plain)
        return 0;
    int around = has_loop(c, &view);
    view.without = EFG_NONE;
    if (around || !has_similar_halves(c, &view, x))
        return around < 0 ? around : 0;
    view.item_visits = (uint64_t)(0.8 * visits);
    around = has_loop(c, &view);
    return around < 0 ? around : !around;
}

/* Items that were visited once, twice, ... four times per repetition. */
static uint32_t count_votes(const struct counter *c, uint64_t repetitions)
{
    uint32_t votes = 0;

    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t visits = c->items[i].visits;
        uint64_t times = (visits + repetitions / 2) / (repetitions ? repetitions : 1);
        uint64_t whole = times * repetitions;
        uint64_t off = whole > visits ? whole - visits : visits - whole;
        votes += times >= 1 && times <= 4 && off <= times + visits / 100;
    }
    return votes;
}

static uint64_t fewest_visits(const struct counter *c)
{
    uint64_t fewest = c->items[0].visits;

    for (uint32_t i = 1; i < c->count; i++) {
        if (c->items[i].visits < fewest)
            fewest = c->items[i].visits;
    }
    return fewest;
}

/* Repetitions of a loop through which control flows in one stream. */
static uint64_t count_plainly(const struct counter *c, uint64_t bottleneck, uint64_t entries)
{
    uint64_t fewest = fewest_visits(c);
    uint64_t least = bottleneck > fewest ? bottleneck : fewest;
    uint64_t most = bottleneck + entries;

    if (most <= least)
        return least;
    return count_votes(c, least) > count_votes(c, most) ? least : most;
}

static int count_repetitions(struct counter *c, uint32_t l)
{
    struct efg_loop *loop = &c->tree->loops[l];
    uint64_t bottleneck = loop->repetitions;
    uint64_t plain = count_plainly(c, bottleneck, loop->entries);
    uint32_t x = find_most_visited(c, 2.2 * (double)plain);

    loop->repetitions = plain;
    if (x == EFG_NONE)
        return 0;
    int instead = counts_instead(c, l, bottleneck, plain, x);
    if (instead > 0)
        loop->repetitions = c->items[x].visits;
    return instead < 0 ? -1 : 0;
}

int efg_repetitions_count(struct efg_looptree *tree, const struct efg_graph *graph)
{
    struct counter c;
    int failed = counter_init(&c, tree, graph);

    for (uint32_t l = 0; l < tree->count && !failed; l++) {
        find_items(&c, l); /* at least one: a loop has an edge */
        failed = count_repetitions(&c, l);
        forget_items(&c);
    }
    counter_fini(&c);
    return failed ? -1 : 0;
}
