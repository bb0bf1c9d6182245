/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of times: by location and site, and from these by location and by site; by iteration; by pair
 * of ranks. The time of a location is gone through once, from one call to the next: what lies between
 * two is the computation before the second one.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "parts.h"

uint64_t efg_waits_waited(const struct efg_waits_sum *sum)
{
    uint64_t all = 0;
    for (int kind = EFG_WAIT_NONE + 1; kind < EFG_WAITS; kind++)
        all += sum->waited[kind];
    return all;
}

uint64_t efg_waits_transfer(const struct efg_waits_sum *sum)
{
    return sum->mpi - efg_waits_waited(sum);
}

static void add_sum(struct efg_waits_sum *to, const struct efg_waits_sum *sum)
{
    to->computation += sum->computation;
    to->mpi += sum->mpi;
    to->calls += sum->calls;
    for (int kind = 0; kind < EFG_WAITS; kind++)
        to->waited[kind] += sum->waited[kind];
}

uint64_t efg_waits_of(const struct efg_waits_call *call)
{
    return call->until > call->begin ? call->until - call->begin : 0;
}

/* --- by site --- */

struct summing {
    struct efg_waits *waits;
    struct efg_map pair; /* of ranks -> index */
    uint32_t location;   /* the present one */
    bool failed;
};

struct efg_waits_place *efg_waits_place(struct efg_waits *waits, uint32_t location, uint32_t site)
{
    uint64_t index = efg_map_number(&waits->work->place, (uint64_t)location << 32 | site);
    if (index == waits->place_count) {
        if (efg_array_grow(&waits->places, index, 1, sizeof *waits->places))
            return NULL;
        waits->places[waits->place_count++] = (struct efg_waits_place){.location = location, .site = site};
    }
    return index < waits->place_count ? &waits->places[index] : NULL;
}

static void add_pair(struct summing *s, const struct efg_waits_call *call)
{
    struct efg_waits *waits = s->waits;
    uint32_t waiter = waits->locations[call->location].rank, other = EFG_NONE;
    if (call->by != EFG_NONE)
        other = waits->locations[waits->work->calls[call->by].location].rank;
    uint64_t index = efg_map_number(&s->pair, (uint64_t)waiter << 32 | other);
    bool is_new = index == waits->pair_count;
    s->failed |= index == UINT64_MAX ||
                 (is_new && efg_array_grow(&waits->pairs, waits->pair_count, 1, sizeof *waits->pairs));
    if (s->failed)
        return;
    if (is_new)
        waits->pairs[waits->pair_count++] = (struct efg_waits_pair){waiter, other, 0, 0};
    waits->pairs[index].time += efg_waits_of(call);
    waits->pairs[index].count++;
}

/* --- by location and iteration --- */

static void add(struct summing *s, const struct efg_waits_span *span, uint32_t site,
                const struct efg_waits_sum *sum)
{
    struct efg_waits_place *place = efg_waits_place(s->waits, s->location, site);
    s->failed |= !place;
    if (place)
        add_sum(&place->sum, sum);
    if (span->iteration != EFG_NONE)
        add_sum(&s->waits->iterations[span->iteration].sum, sum);
}

static bool is_in(const struct efg_waits_span *span, const struct efg_waits_call *call)
{
    if (span->iteration != EFG_NONE)
        return call->iteration == span->iteration;
    return call->begin >= span->begin && call->end <= span->end;
}

static void add_to_object(struct efg_waits_object *object, const struct efg_waits_call *call)
{
    object->mpi += call->end - call->begin;
    object->waited += efg_waits_of(call);
    object->bytes += call->moved;
    object->calls++;
    object->locations += object->last != call->location + 1;
    object->last = call->location + 1;
}

static void add_call(struct summing *s, const struct efg_waits_span *span, struct efg_waits_call *call,
                     uint64_t since)
{
    struct efg_waits_sum sum = {
        .computation = call->begin - since, .mpi = call->end - call->begin, .calls = 1};
    sum.waited[call->kind] = efg_waits_of(call);
    call->is_counted = true;
    add(s, span, call->site, &sum);
    if (efg_waits_of(call))
        add_pair(s, call);
    if (call->object != EFG_NONE)
        add_to_object(&s->waits->objects[call->object], call);
}

/* The calls from AT up to END that are in SPAN, which is part of the location's time. Returns the first
 * one that is not. */
static uint32_t add_span(struct summing *s, const struct efg_waits_span *span, uint32_t at, uint32_t end)
{
    struct efg_waits_call *calls = s->waits->work->calls;
    uint64_t since = span->begin;
    while (at < end && !is_in(span, &calls[at]) && calls[at].begin < span->begin)
        at++;
    for (; at < end && is_in(span, &calls[at]); at++) {
        add_call(s, span, &calls[at], since);
        since = calls[at].end;
    }
    struct efg_waits_sum rest = {.computation = span->end - since};
    add(s, span, at < end ? calls[at].site : EFG_NONE, &rest);
    return at;
}

/* Of which a location computed for USEFUL. */
static void add_iteration(struct efg_waits *waits, const struct efg_waits_span *span, uint64_t useful)
{
    struct efg_waits_iteration *iteration = &waits->iterations[span->iteration];
    iteration->longest = efg_waits_later(iteration->longest, span->end - span->begin);
    iteration->useful = efg_waits_later(iteration->useful, useful);
    iteration->begin = span->begin < iteration->begin ? span->begin : iteration->begin;
    iteration->end = span->end > iteration->end ? span->end : iteration->end;
    iteration->locations++;
}

/* All of the spans from *AT on that are of one location. */
static void add_location(struct summing *s, const struct efg_waits_span *spans, size_t count, size_t *at)
{
    struct efg_waits_location *location = &s->waits->locations[s->location];
    uint32_t call = location->first, end = location->first + location->count;
    uint32_t first = s->waits->place_count;
    for (; *at < count && spans[*at].location == s->location && !s->failed; ++*at) {
        bool is_iteration = spans[*at].iteration != EFG_NONE;
        if (is_iteration != location->has_iterations)
            continue;
        const uint64_t *useful =
            is_iteration ? &s->waits->iterations[spans[*at].iteration].sum.computation : NULL;
        uint64_t before = useful ? *useful : 0;
        call = add_span(s, &spans[*at], call, end);
        if (useful)
            add_iteration(s->waits, &spans[*at], *useful - before);
    }
    for (; first < s->waits->place_count; first++)
        add_sum(&location->sum, &s->waits->places[first].sum);
    add_sum(&s->waits->all, &location->sum);
}

struct efg_waits_shares efg_waits_shares(const struct efg_waits_iteration *iteration)
{
    double longest = (double)iteration->longest, useful = (double)iteration->useful;
    double mean =
        iteration->locations ? (double)iteration->sum.computation / (double)iteration->locations : 0;
    double ideal = iteration->ideal < iteration->longest ? (double)iteration->ideal : longest;
    struct efg_waits_shares shares = {0};
    if (longest > 0)
        shares = (struct efg_waits_shares){mean / longest, useful > 0 ? mean / useful : 1,
                                           ideal > 0 ? useful / ideal : 1, ideal / longest};
    return shares;
}

/* --- order --- */

static int falling(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int by_location(const void *a, const void *b)
{
    const struct efg_waits_place *x = a, *y = b;
    int order = falling(y->location, x->location);
    order = order ? order : falling(efg_waits_waited(&x->sum), efg_waits_waited(&y->sum));
    return order ? order : falling(y->site, x->site);
}

static int by_time(const void *a, const void *b)
{
    const struct efg_waits_pair *x = a, *y = b;
    int order = falling(x->time, y->time);
    order = order ? order : falling(y->waiter, x->waiter);
    return order ? order : falling(y->other, x->other);
}

static int by_key(const void *a, const void *b)
{
    const struct efg_waits_iteration *x = a, *y = b;
    return falling(y->key, x->key);
}

void efg_waits_sort(struct efg_waits *waits)
{
    if (waits->place_count)
        qsort(waits->places, waits->place_count, sizeof *waits->places, by_location);
    if (waits->pair_count)
        qsort(waits->pairs, waits->pair_count, sizeof *waits->pairs, by_time);
    if (waits->iteration_count)
        qsort(waits->iterations, waits->iteration_count, sizeof *waits->iterations, by_key);
}

/* --- all --- */

int efg_waits_sum_up(struct efg_waits *waits)
{
    const struct efg_waits_span *spans = (struct efg_waits_span *)waits->work->spans.data;
    size_t count = waits->work->spans.size / sizeof *spans, at = 0;
    struct summing s = {.waits = waits};
    waits->site_count = waits->work->recorded->site_count;
    waits->sites = calloc((size_t)waits->site_count + 1, sizeof *waits->sites);
    waits->costs = calloc((size_t)waits->site_count + 1, sizeof *waits->costs);
    waits->object_count = waits->work->recorded->object_count;
    waits->objects = calloc((size_t)waits->object_count + 1, sizeof *waits->objects);
    s.failed = !waits->sites || !waits->costs || !waits->objects;
    for (; s.location < waits->location_count && !s.failed; s.location++)
        add_location(&s, spans, count, &at);
    for (uint32_t i = 0; i < waits->place_count && !s.failed; i++)
        if (waits->places[i].site != EFG_NONE)
            add_sum(&waits->sites[waits->places[i].site], &waits->places[i].sum);
    efg_map_fini(&s.pair);
    return s.failed ? -ENOMEM : 0;
}

/* --- objects, by time --- */

struct timed {
    uint64_t time;
    uint32_t object;
};

static int by_mpi(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    int order = falling(x->time, y->time);
    return order ? order : falling(y->object, x->object);
}

uint32_t *efg_waits_objects(const struct efg_waits *waits, uint32_t *count)
{
    struct timed *sorted = calloc((size_t)waits->object_count + 1, sizeof *sorted);
    uint32_t *objects = calloc((size_t)waits->object_count + 1, sizeof *objects);
    *count = 0;
    for (uint32_t i = 0; sorted && i < waits->object_count; i++)
        if (waits->objects[i].calls)
            sorted[(*count)++] = (struct timed){waits->objects[i].mpi, i};
    if (sorted)
        qsort(sorted, *count, sizeof *sorted, by_mpi);
    for (uint32_t i = 0; sorted && objects && i < *count; i++)
        objects[i] = sorted[i].object;
    if (!sorted) {
        free(objects);
        objects = NULL;
    }
    free(sorted);
    return objects;
}
