/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls of other locations a call has to do with: edges, sorted by call.
 */
#include <errno.h>
#include <stdlib.h>

#include "parts.h"

void efg_waits_put_edge(struct efg_waits_work *w, uint32_t call, uint32_t other, enum efg_waits_link link)
{
    struct efg_waits_edge edge = {call, other, link};
    efg_buffer_put(&w->edges, &edge, sizeof edge);
}

static int by_call(const void *a, const void *b)
{
    const struct efg_waits_edge *x = a, *y = b;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return (x->other > y->other) - (x->other < y->other);
}

int efg_waits_link(struct efg_waits_work *w)
{
    const struct efg_waits_meeting *parts = (struct efg_waits_meeting *)w->meetings.data;
    size_t part_count = w->meetings.size / sizeof *parts;
    for (size_t i = 0; i < part_count; i++) {
        struct efg_waits_edge edge = {parts[i].done, (uint32_t)i, EFG_LINK_MEETING};
        if (parts[i].first != EFG_NONE)
            efg_buffer_put(&w->edges, &edge, sizeof edge);
    }
    w->first_edge = calloc((size_t)w->call_count + 1, sizeof *w->first_edge);
    if (w->edges.failed || !w->first_edge)
        return -ENOMEM;
    struct efg_waits_edge *edges = (struct efg_waits_edge *)w->edges.data;
    size_t count = w->edges.size / sizeof *edges, at = 0;
    if (count)
        qsort(edges, count, sizeof *edges, by_call);
    for (uint32_t call = 0; call <= w->call_count; call++) {
        while (at < count && edges[at].call < call)
            at++;
        w->first_edge[call] = (uint32_t)at;
    }
    return 0;
}

static int by_rank(const void *a, const void *b)
{
    const struct efg_waits_meeting *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

const struct efg_waits_meeting *efg_waits_part(const struct efg_waits_work *w, uint32_t part, uint32_t rank)
{
    const struct efg_waits_meeting *parts = (struct efg_waits_meeting *)w->meetings.data,
                                   key = {.rank = rank};
    return bsearch(&key, parts + parts[part].first, parts[part].size, sizeof key, by_rank);
}

bool efg_waits_is_first(const struct efg_waits *waits, uint32_t call)
{
    const struct efg_waits_call *calls = waits->work->calls;
    return call == waits->locations[calls[call].location].first ||
           calls[call - 1].window != calls[call].window;
}
