/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds in which loop of its function each call is, in which order these come, and whether all paths
 * lead to it. The loops are those of loops.h, without unreachable nodes: otherwise bytes that align a
 * loop would be another entry to it. Each loop is numbered after all loops around it.
 *
 * All paths through a loop pass through the nodes that dominate the ends of all these paths; the ends
 * are the nodes from which it goes back to its header. A way out of the loop begins behind the last one
 * of them that dominates it.
 */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/none.h"
#include "dominators.h"

#define MOST_LOOPS 0x7ffe

struct nest {
    const struct efg_digraph *graph; /* as it was given */
    struct efg_digraph reached;      /* without edges of nodes that are not */
    uint32_t *first, *targets;       /* of it */
    uint32_t *header;                /* of the innermost loop around each node, other than its own */
    uint32_t *inner;                 /* per header: a loop right within, .. */
    uint32_t *next;                  /* .. and the next one beside it */
    uint32_t *stack;
    uint8_t *flags;
    struct efg_dominators dominators;
    uint16_t *number, *last; /* per header */
    uint32_t *end;           /* per header: what dominates the ends of all ways through its loop;
                      EFG_NONE: there is none */
    uint8_t *is_left;        /* per node: the outermost loop around it may be left behind it, before the next
                                one that is in each round */
    struct efg_position *position;
};

static void nest_fini(struct nest *n)
{
    free(n->first);
    free(n->targets);
    free(n->header);
    free(n->inner);
    free(n->next);
    free(n->stack);
    free(n->flags);
    efg_dominators_fini(&n->dominators);
    free(n->number);
    free(n->last);
    free(n->end);
    free(n->is_left);
}

static int nest_init(struct nest *n)
{
    size_t nodes = (size_t)n->graph->nodes + 1;

    n->first = malloc(nodes * sizeof *n->first);
    n->targets = malloc((n->graph->first[n->graph->nodes] + 1ul) * sizeof *n->targets);
    n->header = calloc(nodes, sizeof *n->header);
    n->inner = malloc(nodes * sizeof *n->inner);
    n->next = malloc(nodes * sizeof *n->next);
    n->stack = malloc(nodes * sizeof *n->stack);
    n->flags = calloc(nodes, sizeof *n->flags);
    n->number = calloc(nodes, sizeof *n->number);
    n->last = calloc(nodes, sizeof *n->last);
    n->end = malloc(nodes * sizeof *n->end);
    n->is_left = calloc(nodes, sizeof *n->is_left);
    return n->first && n->targets && n->header && n->inner && n->next && n->stack && n->flags && n->number &&
                   n->last && n->end && n->is_left
               ? 0
               : -ENOMEM;
}

static bool is_header(const struct nest *n, uint32_t v)
{
    return n->flags[v] & (EFG_LOOP_HEADER | EFG_LOOP_SELF);
}

/* The header of the innermost loop that V is in. */
static uint32_t loop_of(const struct nest *n, uint32_t v)
{
    return is_header(n, v) ? v : n->header[v];
}

static bool is_reached(const struct nest *n, uint32_t v)
{
    return n->dominators.parent[v] != EFG_NONE;
}

static void leave_out_unreached(struct nest *n)
{
    uint32_t count = 0;

    for (uint32_t v = 0; v < n->graph->nodes; v++) {
        n->first[v] = count;
        for (uint32_t i = n->graph->first[v]; i < n->graph->first[v + 1]; i++)
            if (is_reached(n, v))
                n->targets[count++] = n->graph->targets[i];
    }
    n->first[n->graph->nodes] = count;
    n->reached = (struct efg_digraph){n->graph->nodes, n->first, n->targets};
}

/* The loops right within each; of the function itself behind the last node. */
static void list_loops(struct nest *n)
{
    uint32_t nodes = n->graph->nodes;

    for (uint32_t v = 0; v <= nodes; v++)
        n->inner[v] = EFG_NONE;
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t around = n->header[v] == EFG_NONE ? nodes : n->header[v];
        if (!is_header(n, v))
            continue;
        n->next[v] = n->inner[around];
        n->inner[around] = v;
    }
}

/* Outer ones first, each with all that is in it before the next one beside it. Returns how
 * many, or 0 if they are too many. */
static uint32_t number_loops(struct nest *n)
{
    uint32_t count = 0, depth = 0, nodes = n->graph->nodes;

    n->stack[depth++] = nodes;
    while (depth) {
        uint32_t loop = n->stack[--depth];
        if (count == MOST_LOOPS)
            return 0;
        n->number[loop] = n->last[loop] = (uint16_t)++count;
        for (uint32_t v = n->inner[loop]; v != EFG_NONE; v = n->next[v])
            n->stack[depth++] = v;
    }
    n->last[nodes] = (uint16_t)count;
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t x = n->header[v]; is_header(n, v) && x != EFG_NONE; x = n->header[x])
            n->last[x] = n->number[v] > n->last[x] ? n->number[v] : n->last[x];
    return count;
}

/* Dominators are numbered in reverse postorder: what leads to a loop from outside has a lower number. */
static uint32_t order_of(const struct nest *n, uint32_t loop)
{
    while (n->header[loop] != EFG_NONE)
        loop = n->header[loop];
    return n->dominators.number[loop] + 1;
}

static void fill_positions(struct nest *n)
{
    for (uint32_t v = 0; v < n->graph->nodes; v++) {
        uint32_t loop = loop_of(n, v);
        uint32_t x = loop == EFG_NONE ? n->graph->nodes : loop;
        if (is_reached(n, v))
            n->position[v] = (struct efg_position){.place = (uint32_t)n->last[x] << 16 | n->number[x],
                                                   .order = loop == EFG_NONE ? 0 : order_of(n, loop)};
    }
}

/* ---- all ways ---- */

/* Whether V is in the loop of HEADER, at whatever depth. */
static bool is_within(const struct nest *n, uint32_t v, uint32_t header)
{
    for (v = loop_of(n, v); v != EFG_NONE && v != header;)
        v = n->header[v];
    return v == header;
}

static void add_end(struct nest *n, uint32_t loop, uint32_t v)
{
    n->end[loop] = n->end[loop] == EFG_NONE ? v : efg_dominators_common(&n->dominators, n->end[loop], v);
}

static void find_ends(struct nest *n)
{
    uint32_t nodes = n->graph->nodes;

    for (uint32_t v = 0; v <= nodes; v++)
        n->end[v] = EFG_NONE;
    for (uint32_t v = 0; v < nodes; v++) {
        if (!is_reached(n, v))
            continue;
        if (n->first[v] == n->first[v + 1])
            add_end(n, nodes, v);
        for (uint32_t i = n->first[v]; i < n->first[v + 1]; i++)
            if (is_header(n, n->targets[i]) && is_within(n, v, n->targets[i]))
                add_end(n, n->targets[i], v);
    }
}

/* Those right in LOOP, from its end up to where it is entered. Of one with several entries they are not
 * known. */
static void mark_always(struct nest *n, uint32_t loop)
{
    bool is_function = loop == n->graph->nodes;
    uint32_t entry = is_function ? 0 : loop;

    if (!is_function && n->flags[loop] & EFG_LOOP_IRREDUCIBLE)
        return;
    for (uint32_t v = n->end[loop]; v != EFG_NONE; v = n->dominators.parent[v]) {
        if (loop_of(n, v) == (is_function ? EFG_NONE : loop) && n->position[v].place)
            n->position[v].place |= EFG_PLACE_ALWAYS;
        if (v == entry || v == 0)
            break;
    }
}

static void find_always(struct nest *n)
{
    find_ends(n);
    for (uint32_t v = 0; v <= n->graph->nodes; v++)
        mark_always(n, v);
}

/* ---- legs ---- */

static bool is_in_each_round(const struct nest *n, uint32_t v, uint32_t loop)
{
    return loop_of(n, v) == loop && n->position[v].place & EFG_PLACE_ALWAYS;
}

static bool leads_out(const struct nest *n, uint32_t v, uint32_t loop)
{
    for (uint32_t i = n->first[v]; i < n->first[v + 1]; i++)
        if (!is_within(n, n->targets[i], loop))
            return true;
    return false;
}

/* The outermost loop around V, or EFG_NONE. Of one with several entries no node is in each round. */
static uint32_t outermost_of(const struct nest *n, uint32_t v)
{
    uint32_t loop = loop_of(n, v);

    while (loop != EFG_NONE && n->header[loop] != EFG_NONE)
        loop = n->header[loop];
    return loop != EFG_NONE && is_in_each_round(n, loop, loop) ? loop : EFG_NONE;
}

static void mark_way_out(struct nest *n, uint32_t v)
{
    uint32_t loop = outermost_of(n, v);

    if (loop == EFG_NONE || !leads_out(n, v, loop))
        return;
    while (!is_in_each_round(n, v, loop))
        v = n->dominators.parent[v];
    n->is_left[v] = 1;
}

/* Of V, with so many exits before it and behind it. */
static uint32_t leg_of(const struct nest *n, uint32_t v, uint32_t before, uint32_t behind)
{
    uint32_t number = n->dominators.number[v] + 1;

    if (before + behind > EFG_LEG_MOST_EXITS || number >> EFG_LEG_NODE_BITS)
        return 0;
    return before << (32 - EFG_LEG_EXIT_BITS) | number << (EFG_LEG_CALL_BITS + EFG_LEG_EXIT_BITS) | behind;
}

/* From the end of LOOP, which is in no other, up to its header. */
static void find_legs_in(struct nest *n, uint32_t loop)
{
    const uint32_t *parent = n->dominators.parent;
    uint32_t before = 0, behind = 0;

    for (uint32_t v = n->end[loop]; v != loop; v = parent[v])
        before += n->is_left[parent[v]];
    for (uint32_t v = n->end[loop];; v = parent[v]) {
        behind += n->is_left[v];
        if (is_in_each_round(n, v, loop))
            n->position[v].leg = leg_of(n, v, before, behind);
        if (v == loop)
            return;
        before -= n->is_left[parent[v]];
    }
}

static void find_legs(struct nest *n)
{
    for (uint32_t v = 0; v < n->graph->nodes; v++)
        if (is_reached(n, v))
            mark_way_out(n, v);
    for (uint32_t v = 0; v < n->graph->nodes; v++)
        if (is_reached(n, v) && outermost_of(n, v) == v)
            find_legs_in(n, v);
}

int efg_place_find(const struct efg_digraph *graph, struct efg_position *position, uint32_t *number)
{
    struct nest n = {.graph = graph, .position = position};
    int error = nest_init(&n) || efg_dominators_find(&n.dominators, graph) ? -ENOMEM : 0;

    memset(position, 0, graph->nodes * sizeof *position);
    if (!error && number)
        memcpy(number, n.dominators.number, graph->nodes * sizeof *number);
    if (!error) {
        leave_out_unreached(&n);
        error = efg_loops_find(&n.reached, n.header, n.flags);
    }
    if (!error) {
        list_loops(&n);
        if (number_loops(&n)) {
            fill_positions(&n);
            find_always(&n);
            find_legs(&n);
        }
    }
    nest_fini(&n);
    return error;
}

struct efg_position efg_position_in(struct efg_position position, uint32_t function)
{
    bool is_small = position.order >> EFG_ORDER_BITS == 0 && function >> (32 - EFG_ORDER_BITS) == 0;

    if (!is_small)
        position.order = position.leg = 0;
    else if (position.place)
        position.order |= function << EFG_ORDER_BITS;
    return position;
}
