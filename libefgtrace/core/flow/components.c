/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tarjan's algorithm: strongly connected components in one depth-first search. LOW of a node is
 * the lowest number of a node on the stack that is known to be reached from it. A node whose low
 * is its own number is the first one found of its component: everything above it on the stack
 * belongs to that component.
 */
#include "components.h"

#include <errno.h>
#include <stdlib.h>

#include "base/none.h"

struct search {
    const struct efg_digraph *graph;
    uint32_t *component;
    uint32_t *number, *low; /* by order of discovery, from 1; 0: not yet found */
    uint32_t *stack, *path; /* nodes without a component; nodes from the root of the search */
    uint32_t *next;         /* edge to be looked at next */
    uint32_t found, stacked, depth, components;
};

static void discover(struct search *s, uint32_t v)
{
    s->number[v] = s->low[v] = ++s->found;
    s->next[v] = s->graph->first[v];
    s->stack[s->stacked++] = v;
    s->path[s->depth++] = v;
}

static void pop_component(struct search *s, uint32_t root)
{
    uint32_t v;

    do {
        v = s->stack[--s->stacked];
        s->component[v] = s->components;
    } while (v != root);
    s->components++;
}

static void lower(struct search *s, uint32_t v, uint32_t to)
{
    if (to < s->low[v])
        s->low[v] = to;
}

static void look(struct search *s, uint32_t v, uint32_t target)
{
    if (!s->number[target])
        discover(s, target);
    else if (s->component[target] == EFG_NONE)
        lower(s, v, s->number[target]);
}

static void leave(struct search *s, uint32_t v)
{
    s->depth--;
    if (s->low[v] == s->number[v])
        pop_component(s, v);
    if (s->depth)
        lower(s, s->path[s->depth - 1], s->low[v]);
}

static void search_from(struct search *s, uint32_t root)
{
    discover(s, root);
    while (s->depth) {
        uint32_t v = s->path[s->depth - 1];
        if (s->next[v] < s->graph->first[v + 1])
            look(s, v, s->graph->targets[s->next[v]++]);
        else
            leave(s, v);
    }
}

int64_t efg_components_find(const struct efg_digraph *graph, uint32_t *component)
{
    size_t n = graph->nodes;
    uint32_t *memory = calloc(5 * n + 1, sizeof *memory);
    struct search s = {.graph = graph, .component = component, .number = memory};

    if (!memory)
        return -ENOMEM;
    s.low = memory + n;
    s.stack = memory + 2 * n;
    s.path = memory + 3 * n;
    s.next = memory + 4 * n;
    for (uint32_t v = 0; v < n; v++)
        component[v] = EFG_NONE;
    for (uint32_t v = 0; v < n; v++)
        if (!s.number[v])
            search_from(&s, v);
    free(memory);
    return s.components;
}
