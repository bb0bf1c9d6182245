/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds chains of call sites that are drawn as one row. Nodes are linked to the only one that follows
 * them, if both are alike; chains of links that are long enough are rows, the others are taken apart
 * again.
 */
#include "rows.h"

#include <errno.h>
#include <stdlib.h>

static bool is_plain(const struct efg_merged *m, uint32_t v)
{
    bool is_pivot = m->at.pivot.kind != EFG_PIVOT_NONE && m->at.pivot.node == v;
    return m->tree.loop_of[v] == EFG_NONE && m->nodes[v].visits_count == 1 && !is_pivot &&
           !(m->graph.nodes[v].flags & EFG_NODE_OVERFLOW);
}

static bool are_alike(const struct efg_merged *m, uint32_t v, uint32_t w)
{
    const struct efg_visits *a = m->nodes[v].visits, *b = m->nodes[w].visits;
    return m->graph.nodes[v].signature.call == m->graph.nodes[w].signature.call && a->least == b->least &&
           a->most == b->most && efg_ranklist_is_equal(&a->ranks, &b->ranks);
}

/* The only node after V, EFG_NONE if there are several or none. */
static uint32_t only_next(const struct efg_merged *m, uint32_t v)
{
    uint32_t e = m->graph.nodes[v].first_edge;
    if (e == EFG_NONE || m->graph.edges[e].next != EFG_NONE)
        return EFG_NONE;
    return m->graph.edges[e].to;
}

/* NEXT of the nodes that are followed by one like them, which follows nothing else. */
static void link_nodes(const struct efg_merged *m, const uint32_t *ways_in, uint32_t *next, uint32_t *first)
{
    for (uint32_t v = 0; v < m->graph.node_count; v++) {
        uint32_t w = is_plain(m, v) ? only_next(m, v) : EFG_NONE;
        if (w == EFG_NONE || w <= v || ways_in[w] != 1 || !is_plain(m, w) ||
            !are_alike(m, v, w)) /* ids rise: so no row bites its tail */
            continue;
        next[v] = w;
        first[w] = v; /* the one before, for now */
    }
}

/* The row that begins at V: is it long enough? */
static void close_row(struct efg_rows *rows, uint32_t v, uint32_t least)
{
    uint32_t length = 0;
    for (uint32_t w = v; w != EFG_NONE; w = rows->next[w])
        length++;
    for (uint32_t w = v, after; w != EFG_NONE; w = after) {
        after = rows->next[w];
        rows->first[w] = length < least ? w : v;
        if (length < least)
            rows->next[w] = EFG_NONE;
    }
}

int efg_rows_find(struct efg_rows *rows, const struct efg_merged *merged, uint32_t least)
{
    uint32_t nodes = merged->graph.node_count;
    uint32_t *ways_in = calloc((size_t)nodes + 1, sizeof *ways_in);
    rows->first = calloc((size_t)nodes + 1, sizeof *rows->first);
    rows->next = calloc((size_t)nodes + 1, sizeof *rows->next);
    if (!ways_in || !rows->first || !rows->next) {
        free(ways_in);
        return -ENOMEM;
    }
    for (uint32_t v = 0; v < nodes; v++)
        rows->first[v] = rows->next[v] = EFG_NONE;
    for (uint32_t e = 0; e < merged->graph.edge_count; e++)
        ways_in[merged->graph.edges[e].to]++;
    link_nodes(merged, ways_in, rows->next, rows->first);
    for (uint32_t v = 0; v < nodes; v++)
        if (rows->first[v] == EFG_NONE)
            close_row(rows, v, least);
    free(ways_in);
    return 0;
}

void efg_rows_fini(struct efg_rows *rows)
{
    free(rows->first);
    free(rows->next);
    *rows = (struct efg_rows){0};
}
