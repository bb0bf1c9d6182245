/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops are found from the outside in. All nodes, with their edges taken at
 * least once, are split into loops (loops.c); each loop found is looked at in turn:
 *
 *     its bottleneck, by binary search over the counts of its edges
 *     its nodes, with their edges taken more than 1.5 x bottleneck times, are split
 *
 * The list of loops found is the list of work, so that nothing recurses. By the meaning of
 * bottleneck a loop's nodes are not one loop again at the next level; so inner loops are
 * strictly smaller, and as the counts grow by half per level there are few levels,
 * each near-linear in its edges.
 *
 * A loop of whose own nodes (those in no inner loop) at least half were visited once
 * repeats nothing: it was closed by something that happened once in the middle of the run,
 * such as the one run command among the many lines of an input file. It is dissolved.
 *
 * Invariant: the nodes of a loop are contiguous in ORDER, and an inner loop is a part of its
 * outer loop's stretch. Ids rise within a stretch until it is split; ids are given by first
 * appearance, so the first node of a new stretch is where the loop was entered first.
 */
#include "nesting.h"

#include "loops.h"

#include <stdlib.h>
#include <string.h>

struct arc {
    uint32_t to;
    uint64_t visits;
};

/* A loop under construction: nodes order[begin] ... order[end - 1]. */
struct draft {
    uint32_t begin, end;
    uint32_t parent, depth;
    uint32_t header;     /* its first node to appear */
    uint64_t least;      /* its edges are those taken so often */
    uint64_t bottleneck; /* see looptree.h */
    int dissolved;
    uint32_t index; /* in the tree */
};

struct builder {
    const struct efg_graph *graph;
    uint32_t *first_arc; /* per node and one more: compressed rows of the whole graph */
    struct arc *arcs;
    uint32_t *order;           /* nodes by loops */
    uint32_t *local;           /* per node: its place in the stretch at hand, or EFG_NONE */
    uint32_t *moved;           /* per place: scratch for reordering */
    uint32_t *first, *targets; /* the stretch at hand for loops.c, by places ... */
    uint32_t *header;          /* ... and the answer */
    uint8_t *flags;
    uint64_t *counts;  /* per edge: for sorting */
    uint32_t *loop_of; /* per node: innermost draft, or EFG_NONE */
    struct draft *drafts;
    uint32_t count, room;
};

/* ---- memory ---- */

static void builder_fini(struct builder *b)
{
    free(b->first_arc);
    free(b->arcs);
    free(b->order);
    free(b->local);
    free(b->moved);
    free(b->first);
    free(b->targets);
    free(b->header);
    free(b->flags);
    free(b->counts);
    free(b->loop_of);
    free(b->drafts);
}

static void fill_arcs(struct builder *b)
{
    const struct efg_graph *graph = b->graph;
    uint32_t arcs = 0;

    for (uint32_t v = 0; v < graph->node_count; v++) {
        b->first_arc[v] = arcs;
        for (uint32_t e = graph->nodes[v].first_edge; e != EFG_NONE; e = graph->edges[e].next)
            b->arcs[arcs++] = (struct arc){graph->edges[e].to, graph->edges[e].rhythm.visits};
    }
    b->first_arc[graph->node_count] = arcs;
}

static int builder_init(struct builder *b, const struct efg_graph *graph)
{
    /* One more of each, so that no array is empty. */
    size_t nodes = (size_t)graph->node_count + 2, edges = (size_t)graph->edge_count + 1;

    *b = (struct builder){.graph = graph};
    b->first_arc = calloc(nodes, sizeof *b->first_arc);
    b->arcs = calloc(edges, sizeof *b->arcs);
    b->order = calloc(nodes, sizeof *b->order);
    b->local = malloc(nodes * sizeof *b->local);
    b->moved = calloc(nodes, sizeof *b->moved);
    b->first = calloc(nodes, sizeof *b->first);
    b->targets = calloc(edges, sizeof *b->targets);
    b->header = calloc(nodes, sizeof *b->header);
    b->flags = calloc(nodes, sizeof *b->flags);
    b->counts = calloc(edges, sizeof *b->counts);
    b->loop_of = malloc(nodes * sizeof *b->loop_of);
    if (!b->first_arc || !b->arcs || !b->order || !b->local || !b->moved || !b->first ||
        !b->targets || !b->header || !b->flags || !b->counts || !b->loop_of)
        return -1;
    memset(b->local, 0xff, nodes * sizeof *b->local);
    memset(b->loop_of, 0xff, nodes * sizeof *b->loop_of);
    for (uint32_t v = 0; v < graph->node_count; v++)
        b->order[v] = v;
    fill_arcs(b);
    return 0;
}

/* ---- one stretch of nodes ---- */

static void number_places(struct builder *b, uint32_t begin, uint32_t end, int on)
{
    for (uint32_t i = begin; i < end; i++)
        b->local[b->order[i]] = on ? i - begin : EFG_NONE;
}

/* Loops of the numbered stretch with its edges taken at least LEAST times. */
static int find_loops(struct builder *b, uint32_t begin, uint32_t end, uint64_t least)
{
    uint32_t arcs = 0, nodes = end - begin;

    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t v = b->order[begin + i];
        b->first[i] = arcs;
        for (uint32_t k = b->first_arc[v]; k < b->first_arc[v + 1]; k++) {
            uint32_t to = b->local[b->arcs[k].to];
            if (b->arcs[k].visits >= least && to != EFG_NONE)
                b->targets[arcs++] = to;
        }
    }
    b->first[nodes] = arcs;
    return efg_loops_find(&(struct efg_digraph){nodes, b->first, b->targets}, b->header,
                          b->flags);
}

static int add_draft(struct builder *b, uint32_t parent, uint64_t least)
{
    if (b->count == b->room) {
        uint32_t more = b->room ? 2 * b->room : 16;
        struct draft *bigger = realloc(b->drafts, more * sizeof *bigger);
        if (!bigger)
            return -1;
        b->drafts = bigger;
        b->room = more;
    }
    b->drafts[b->count++] = (struct draft){.parent = parent, .least = least};
    return 0;
}

/* Replaces each place's header by that of its outermost loop, EFG_NONE for no loop.
 * Chains are shortened as they are walked. */
static void find_outermost(struct builder *b, uint32_t nodes)
{
    uint32_t *header = b->header;

    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t top = i;
        while (header[top] != EFG_NONE)
            top = header[top];
        for (uint32_t k = i, next; k != top; k = next) {
            next = header[k];
            header[k] = top;
        }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        if (b->flags[i] & (EFG_LOOP_HEADER | EFG_LOOP_SELF) && header[i] == EFG_NONE)
            header[i] = i;
    }
}

/* A draft per outermost loop, in order of first appearance, with its number of nodes
 * as end. moved[h] tells the draft of the loop with header h. */
static int add_drafts(struct builder *b, uint32_t nodes, uint32_t parent, uint64_t least)
{
    memset(b->moved, 0xff, nodes * sizeof *b->moved);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t h = b->header[i];
        if (h == EFG_NONE)
            continue;
        if (b->moved[h] == EFG_NONE) {
            b->moved[h] = b->count;
            if (add_draft(b, parent, least))
                return -1;
        }
        b->drafts[b->moved[h]].end++;
        b->header[i] = b->moved[h];
    }
    return 0;
}

/* Moves the nodes of each draft from FROM on together, within the stretch. */
static void gather(struct builder *b, uint32_t begin, uint32_t end, uint32_t from)
{
    uint32_t next = begin;

    for (uint32_t d = from; d < b->count; d++) {
        uint32_t size = b->drafts[d].end;
        b->drafts[d].begin = b->drafts[d].end = next;
        next += size;
    }
    for (uint32_t i = begin; i < end; i++) {
        uint32_t d = b->header[i - begin], v = b->order[i];
        b->moved[(d == EFG_NONE ? next++ : b->drafts[d].end++) - begin] = v;
        if (d != EFG_NONE)
            b->loop_of[v] = d;
    }
    memcpy(b->order + begin, b->moved, (end - begin) * sizeof *b->order);
    for (uint32_t d = from; d < b->count; d++)
        b->drafts[d].header = b->order[b->drafts[d].begin];
}

/* Splits a stretch into its outermost loops. */
static int split(struct builder *b, uint32_t begin, uint32_t end, uint64_t least,
                 uint32_t parent)
{
    uint32_t from = b->count;

    number_places(b, begin, end, 1);
    int failed = find_loops(b, begin, end, least);
    number_places(b, begin, end, 0);
    if (failed)
        return -1;
    find_outermost(b, end - begin);
    if (add_drafts(b, end - begin, parent, least))
        return -1;
    gather(b, begin, end, from);
    return 0;
}

/* ---- bottleneck ---- */

static int compare_counts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The distinct counts of the numbered draft's edges, ascending. */
static uint32_t distinct_counts(struct builder *b, const struct draft *draft)
{
    uint32_t n = 0, distinct = 0;

    for (uint32_t i = draft->begin; i < draft->end; i++) {
        uint32_t v = b->order[i];
        for (uint32_t k = b->first_arc[v]; k < b->first_arc[v + 1]; k++) {
            if (b->arcs[k].visits >= draft->least && b->local[b->arcs[k].to] != EFG_NONE)
                b->counts[n++] = b->arcs[k].visits;
        }
    }
    qsort(b->counts, n, sizeof *b->counts, compare_counts);
    for (uint32_t i = 0; i < n; i++) {
        if (!distinct || b->counts[distinct - 1] != b->counts[i])
            b->counts[distinct++] = b->counts[i];
    }
    return distinct;
}

/* 1 if the numbered draft still is one loop without rarer edges, 0 if not, < 0 without memory.
 */
static int is_one_loop(struct builder *b, const struct draft *draft, uint64_t least)
{
    uint32_t nodes = draft->end - draft->begin, outside = 0;

    if (find_loops(b, draft->begin, draft->end, least))
        return -1;
    for (uint32_t i = 0; i < nodes; i++)
        outside += b->header[i] == EFG_NONE;
    return outside == 1 && b->flags[0] & (nodes > 1 ? EFG_LOOP_HEADER : EFG_LOOP_SELF);
}

static int find_bottleneck(struct builder *b, struct draft *draft)
{
    number_places(b, draft->begin, draft->end, 1);
    uint32_t yes = 0, no = distinct_counts(b, draft);
    while (no - yes > 1) {
        uint32_t middle = yes + (no - yes) / 2;
        int one = is_one_loop(b, draft, b->counts[middle]);
        if (one < 0)
            return -1;
        *(one ? &yes : &no) = middle;
    }
    draft->bottleneck = b->counts[yes];
    number_places(b, draft->begin, draft->end, 0);
    return 0;
}

static int find_drafts(struct builder *b)
{
    if (split(b, 0, b->graph->node_count, 1, EFG_NONE))
        return -1;
    for (uint32_t d = 0; d < b->count; d++) {
        if (find_bottleneck(b, &b->drafts[d]))
            return -1;
        struct draft draft = b->drafts[d]; /* a copy: the array may move */
        uint64_t least = draft.bottleneck + draft.bottleneck / 2 + 1;
        if (least < draft.bottleneck) /* a count that no run has: nothing is more frequent */
            continue;
        if (split(b, draft.begin, draft.end, least, d))
            return -1;
    }
    return 0;
}

/* ---- dissolving ---- */

static int repeats_nothing(const struct builder *b, uint32_t d)
{
    uint32_t own = 0, once = 0;

    for (uint32_t i = b->drafts[d].begin; i < b->drafts[d].end; i++) {
        uint32_t v = b->order[i];
        own += b->loop_of[v] == d;
        once += b->loop_of[v] == d && b->graph->nodes[v].rhythm.visits == 1;
    }
    return own && 2 * once >= own;
}

static uint32_t skip_dissolved(const struct builder *b, uint32_t d)
{
    /* Parents come first, so theirs is final: one step is enough. */
    return d != EFG_NONE && b->drafts[d].dissolved ? b->drafts[d].parent : d;
}

static void dissolve(struct builder *b)
{
    for (uint32_t d = 0; d < b->count; d++) {
        struct draft *draft = &b->drafts[d];
        draft->parent = skip_dissolved(b, draft->parent);
        draft->depth = draft->parent == EFG_NONE ? 0 : b->drafts[draft->parent].depth + 1;
        draft->dissolved = repeats_nothing(b, d);
    }
    for (uint32_t v = 0; v < b->graph->node_count; v++)
        b->loop_of[v] = skip_dissolved(b, b->loop_of[v]);
}

/* ---- the loops ---- */

/* In the order of the drafts: parents come first. */
static int copy_drafts(struct efg_looptree *tree, struct builder *b)
{
    tree->loops = calloc((size_t)b->count + 1, sizeof *tree->loops);
    if (!tree->loops)
        return -1;
    for (uint32_t d = 0; d < b->count; d++) {
        struct draft *draft = &b->drafts[d];
        if (draft->dissolved)
            continue;
        draft->index = tree->count;
        tree->loops[tree->count++] = (struct efg_loop){
            .parent = draft->parent == EFG_NONE ? EFG_NONE : b->drafts[draft->parent].index,
            .depth = draft->depth,
            .header = draft->header,
            .node_count = draft->end - draft->begin,
            .repetitions = draft->bottleneck,
        };
    }
    for (uint32_t v = 0; v < b->graph->node_count; v++) {
        if (b->loop_of[v] != EFG_NONE)
            b->loop_of[v] = b->drafts[b->loop_of[v]].index;
    }
    tree->loop_of = b->loop_of;
    b->loop_of = NULL;
    return 0;
}

int efg_nesting_find(struct efg_looptree *tree, const struct efg_graph *graph)
{
    struct builder b;
    int failed = builder_init(&b, graph) || find_drafts(&b);

    if (!failed) {
        dissolve(&b);
        failed = copy_drafts(tree, &b);
    }
    builder_fini(&b);
    return failed ? -1 : 0;
}
