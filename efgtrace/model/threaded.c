/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins the parallel regions of all ranks. */
#include "threaded.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

static void add(struct efg_openmp_place *to, const struct efg_openmp_place *more)
{
    to->visits += more->visits;
    to->time += more->time;
    to->room += more->room;
    to->busy += more->busy;
    to->most += more->most;
    to->waited += more->waited;
    to->threads = more->threads > to->threads ? more->threads : to->threads;
}

int efg_threaded_add(struct efg_threaded *t, const struct efg_run_rank *rank)
{
    const char *at = rank->openmp;
    struct efg_openmp_place place;
    while (efg_openmp_next(&at, &place)) {
        uint64_t number = efg_map_number(&t->index, place.path << 1 | place.is_barrier);
        if (number == UINT64_MAX ||
            (number == t->count && efg_array_grow(&t->items, number, 1, sizeof place)))
            return -ENOMEM;
        if (number == t->count)
            t->items[t->count++] = place;
        else
            add(&t->items[number], &place);
    }
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct efg_openmp_place *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? 1 : -1;
    return (x->path > y->path) - (x->path < y->path);
}

void efg_threaded_end(struct efg_threaded *t)
{
    if (t->count)
        qsort(t->items, t->count, sizeof *t->items, by_time);
}

void efg_threaded_fini(struct efg_threaded *t)
{
    free(t->items);
    efg_map_fini(&t->index);
    *t = (struct efg_threaded){0};
}
