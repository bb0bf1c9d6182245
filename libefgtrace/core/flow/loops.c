/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the loops of a directed graph. Wei, Mao, Zou, Chen (2007): one depth-first search. position[v] > 0
 * says that v is on the current path, and how deep; header[v] heads v's chain of loops, innermost first.
 * When a successor b of v is ...
 *
 *   A  new:                      search b, then v is in the loops that b is in
 *   B  on the path:              b is a header, v is in its loop
 *   C  done, in no loop:         nothing
 *   D  done, its loop's header h is on the path:  v is in that loop
 *   E  done, h is not on the path: the edge enters h's loop beside its header. That
 *      loop is irreducible, and so are the ones around it, up to the first
 *      header that is on the path; v is in that one
 *
 * Invariant: in a chain of headers that are on the path, positions fall.
 *
 * Collapsing. An irreducible loop comes out as a tower: the search picks one entry
 * as its header, the rest without this header is a loop again, and so on. So in case E all
 * loops that hold b and do not hold v are the same loop to us: each but the outermost is
 * marked as MERGED and dissolves into the one around it when the search is over. A loop
 * inside that holds no entry is a loop in its own right and stays.
 *
 * Climbing the same tower for each of its edges would be quadratic, hence JUMP: a chain
 * that was climbed once is skipped (path compression as in union-find).
 *
 * Source: see loops.h.
 */
#include "loops.h"

#include "base/none.h"

#include <errno.h>
#include <stdlib.h>

#define VISITED (1 << 6)
#define MERGED (1 << 7)

struct search {
    const struct efg_digraph *graph;
    uint32_t *header;   /* the caller's */
    uint8_t *flags;     /* the caller's, with VISITED and MERGED while we search */
    uint32_t *position; /* depth on the path from 1, 0: not on it */
    uint32_t *path;     /* the nodes on the path */
    uint32_t *cursor;   /* index in targets of the next successor */
    uint32_t *jump;     /* a loop around this one, up to which all are climbed; or itself */
    uint32_t depth;
};

static int search_init(struct search *search, const struct efg_digraph *graph, uint32_t *header,
                       uint8_t *flags)
{
    size_t nodes = graph->nodes;
    uint32_t *room = calloc(4 * nodes + 1, sizeof *room);

    if (!room)
        return -ENOMEM;
    *search = (struct search){.graph = graph,
                              .header = header,
                              .flags = flags,
                              .position = room,
                              .path = room + nodes,
                              .cursor = room + 2 * nodes,
                              .jump = room + 3 * nodes};
    for (uint32_t v = 0; v < nodes; v++) {
        flags[v] = 0;
        header[v] = EFG_NONE;
        search->jump[v] = v;
    }
    return 0;
}

/* Put H into the chain of headers of V. */
static void tag(struct search *search, uint32_t v, uint32_t h)
{
    uint32_t *header = search->header, *position = search->position;

    if (h == EFG_NONE || h == v)
        return;
    while (header[v] != EFG_NONE) {
        uint32_t inner = header[v];
        if (inner == h)
            return;
        if (position[inner] < position[h]) {
            header[v] = h;
            v = h;
            h = inner;
        } else {
            v = inner;
        }
    }
    header[v] = h;
}

static uint32_t last_climbed(struct search *search, uint32_t h)
{
    uint32_t *jump = search->jump;

    while (jump[h] != h) {
        jump[h] = jump[jump[h]];
        h = jump[h];
    }
    return h;
}

/* Case E. Returns the innermost loop around B whose header is on the path. */
static uint32_t climb(struct search *search, uint32_t b)
{
    uint32_t h = search->header[b];

    search->flags[b] |= MERGED; /* B's own loop, if it is a header */
    for (;;) {
        search->flags[h] |= EFG_LOOP_IRREDUCIBLE;
        h = last_climbed(search, h);
        search->flags[h] |= EFG_LOOP_IRREDUCIBLE;
        uint32_t outer = search->header[h];
        if (outer == EFG_NONE || search->position[outer])
            return outer;
        search->flags[h] |= MERGED;
        search->jump[h] = outer;
        h = outer;
    }
}

static void enter(struct search *search, uint32_t v)
{
    search->flags[v] |= VISITED;
    search->cursor[v] = search->graph->first[v];
    search->path[search->depth++] = v;
    search->position[v] = search->depth;
}

static void leave(struct search *search)
{
    uint32_t v = search->path[--search->depth];

    search->position[v] = 0;
    if (search->depth)
        tag(search, search->path[search->depth - 1], search->header[v]);
}

/* Follow the edge from V, the end of the path, to B. */
static void follow(struct search *search, uint32_t v, uint32_t b)
{
    if (!(search->flags[b] & VISITED)) {
        enter(search, b);
    } else if (v == b) {
        search->flags[b] |= EFG_LOOP_SELF;
    } else if (search->position[b]) {
        search->flags[b] |= EFG_LOOP_HEADER;
        tag(search, v, b);
    } else if (search->header[b] != EFG_NONE) {
        uint32_t h = search->header[b];
        tag(search, v, search->position[h] ? h : climb(search, b));
    }
}

static void search_from(struct search *search, uint32_t root)
{
    const struct efg_digraph *graph = search->graph;

    enter(search, root);
    while (search->depth) {
        uint32_t v = search->path[search->depth - 1];
        if (search->cursor[v] < graph->first[v + 1])
            follow(search, v, graph->targets[search->cursor[v]++]);
        else
            leave(search);
    }
}

/* Dissolve the merged loops. The chain of merged loops that leads to a surviving
 * one is walked once for all: what is found is written to all of it. */
static void collapse(struct search *search)
{
    uint32_t *header = search->header;
    uint8_t *flags = search->flags;

    for (uint32_t v = 0; v < search->graph->nodes; v++) {
        uint32_t h = header[v];
        while (h != EFG_NONE && flags[h] & MERGED)
            h = header[h];
        for (uint32_t u = v; u != h && header[u] != h;) {
            uint32_t outer = header[u];
            header[u] = h;
            u = outer;
        }
    }
    for (uint32_t v = 0; v < search->graph->nodes; v++) {
        if (flags[v] & MERGED)
            flags[v] &= (uint8_t) ~(EFG_LOOP_HEADER | EFG_LOOP_IRREDUCIBLE);
        flags[v] &= EFG_LOOP_HEADER | EFG_LOOP_IRREDUCIBLE | EFG_LOOP_SELF;
    }
}

int efg_loops_find(const struct efg_digraph *graph, uint32_t *header, uint8_t *flags)
{
    struct search search;

    if (search_init(&search, graph, header, flags))
        return -ENOMEM;
    for (uint32_t v = 0; v < graph->nodes; v++) {
        if (!(flags[v] & VISITED))
            search_from(&search, v);
    }
    collapse(&search);
    free(search.position);
    return 0;
}
