/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the nearest dominator of each node. Goes through the nodes in reverse postorder: the
 * parent of each is the nearest dominator that its predecessors have in common, as far as is
 * known; repeated until nothing changes. If all loops have one entry, the second time is the
 * last.
 *
 * Edges are visited at the node where they begin: so no list of predecessors is needed.
 */
#include "dominators.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/none.h"

struct search {
    const struct efg_digraph *graph;
    uint32_t *order;  /* nodes in postorder */
    uint32_t *path;   /* nodes on the way to the present one */
    uint32_t *cursor; /* per node: its next edge */
    uint32_t count;   /* of nodes in ORDER */
};

/* Numbers are used as marks: EFG_NONE for nodes that were not reached. */
static void sort(struct search *s, uint32_t *number)
{
    uint32_t depth = 0;

    s->path[depth++] = 0;
    s->cursor[0] = s->graph->first[0];
    number[0] = 0;
    while (depth) {
        uint32_t v = s->path[depth - 1];
        if (s->cursor[v] == s->graph->first[v + 1]) {
            s->order[s->count++] = v;
            depth--;
            continue;
        }
        uint32_t to = s->graph->targets[s->cursor[v]++];
        if (number[to] != EFG_NONE)
            continue;
        number[to] = 0;
        s->cursor[to] = s->graph->first[to];
        s->path[depth++] = to;
    }
    for (uint32_t i = 0; i < s->count; i++)
        number[s->order[i]] = s->count - 1 - i;
}

uint32_t efg_dominators_common(const struct efg_dominators *d, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (d->number[a] > d->number[b])
            a = d->parent[a];
        else
            b = d->parent[b];
    }
    return a;
}

/* Whether something changed. */
static bool pass(const struct search *s, const struct efg_dominators *d)
{
    bool is_changed = false;

    for (uint32_t i = s->count; i-- > 0;) {
        uint32_t v = s->order[i];
        for (uint32_t e = s->graph->first[v]; e < s->graph->first[v + 1]; e++) {
            uint32_t to = s->graph->targets[e], old = d->parent[to];
            uint32_t now = old == EFG_NONE ? v : efg_dominators_common(d, old, v);
            d->parent[to] = now;
            is_changed |= now != old;
        }
    }
    return is_changed;
}

int efg_dominators_find(struct efg_dominators *d, const struct efg_digraph *graph)
{
    size_t nodes = graph->nodes;
    uint32_t *room = malloc(3 * nodes * sizeof *room);
    struct search s = {graph, room, room + nodes, room + 2 * nodes, 0};

    d->parent = malloc(nodes * sizeof *d->parent);
    d->number = malloc(nodes * sizeof *d->number);
    if (!room || !d->parent || !d->number) {
        free(room);
        efg_dominators_fini(d);
        return -ENOMEM;
    }
    for (uint32_t v = 0; v < nodes; v++)
        d->parent[v] = d->number[v] = EFG_NONE;
    sort(&s, d->number);
    d->parent[0] = 0;
    while (pass(&s, d))
        ;
    free(room);
    return 0;
}

void efg_dominators_fini(struct efg_dominators *d)
{
    free(d->parent);
    free(d->number);
    *d = (struct efg_dominators){0};
}
