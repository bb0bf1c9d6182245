/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long the windows take if MPI and messages need no time. All calls are gone through once more, on all
 * locations together, in the order of their true begins and ends: then what a call needs has been gone
 * through before its end. What begins later than that, it did not need. A heap has the location whose next
 * moment comes first.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "parts.h"

struct walker {     /* of a location */
    uint64_t time;  /* true, of its next moment */
    uint64_t now;   /* ideal, since the window began on the first location */
    uint32_t next;  /* call */
    bool is_inside; /* its end comes next */
};

struct window {
    uint64_t begin, end; /* first, last */
    uint64_t ideal;      /* length */
};

struct replaying {
    struct efg_waits *waits;
    struct efg_waits_work *w;
    uint64_t *begin, *end; /* ideal, by call */
    uint64_t *last;        /* by index of the first part: ideal begin of the last member + 1; 0: not known */
    struct walker *heap;   /* those with calls left; the first one is next */
    uint32_t count;
    struct efg_map index; /* number of a window -> index */
    struct window *windows;
    uint32_t window_count;
};

/* --- windows --- */

static struct window *window_of(struct replaying *r, uint32_t number)
{
    uint64_t index = efg_map_number(&r->index, number);
    if (index == r->window_count) {
        if (efg_array_grow(&r->windows, index, 1, sizeof *r->windows))
            return NULL;
        r->windows[r->window_count++] = (struct window){.begin = UINT64_MAX};
    }
    return index < r->window_count ? &r->windows[index] : NULL;
}

static void lengthen(struct window *window, uint64_t ideal)
{
    window->ideal = ideal > window->ideal ? ideal : window->ideal;
}

static int find_windows(struct replaying *r)
{
    const struct efg_waits_span *spans = (struct efg_waits_span *)r->w->spans.data;
    size_t count = r->w->spans.size / sizeof *spans;
    for (size_t i = 0; i < count; i++) {
        struct window *window = spans[i].iteration == EFG_NONE ? window_of(r, spans[i].window) : NULL;
        if (spans[i].iteration != EFG_NONE)
            continue;
        if (!window)
            return -ENOMEM;
        window->begin = spans[i].begin < window->begin ? spans[i].begin : window->begin;
        window->end = spans[i].end > window->end ? spans[i].end : window->end;
    }
    return 0;
}

/* What is computed behind the last call of a window counts; all of it where there is none. */
static void end_windows(struct replaying *r)
{
    const struct efg_waits_span *spans = (struct efg_waits_span *)r->w->spans.data;
    for (size_t i = 0; i < r->w->spans.size / sizeof *spans; i++) {
        const struct efg_waits_span *s = &spans[i];
        if (s->iteration != EFG_NONE)
            continue;
        struct window *window = window_of(r, s->window);
        uint32_t last = s->first + s->count - 1;
        if (s->count)
            lengthen(window, r->end[last] + s->end - r->w->calls[last].end);
        else
            lengthen(window, s->end - window->begin);
    }
}

/* --- iterations --- */

/* Calls FROM to END, but not END, are those of an iteration of a location, which has no calls before and
 * behind them: from its begin to its end. */
static uint64_t ideal_length(const struct replaying *r, const struct efg_waits_span *s, uint32_t from,
                             uint32_t end)
{
    const struct efg_waits_call *calls = r->w->calls;
    if (from == end)
        return s->end - s->begin;
    return (calls[from].begin - s->begin) + (r->end[end - 1] - r->begin[from]) +
           (s->end - calls[end - 1].end);
}

/* Calls and iterations of a location are in the same order. */
static void find_iterations(struct replaying *r)
{
    const struct efg_waits_span *spans = (struct efg_waits_span *)r->w->spans.data;
    uint32_t location = EFG_NONE, call = 0, end = 0;
    for (size_t i = 0; i < r->w->spans.size / sizeof *spans; i++) {
        const struct efg_waits_span *s = &spans[i];
        if (s->iteration == EFG_NONE)
            continue;
        if (s->location != location) {
            location = s->location;
            call = r->waits->locations[location].first;
            end = call + r->waits->locations[location].count;
        }
        while (call < end && r->w->calls[call].iteration != s->iteration &&
               r->w->calls[call].begin < s->begin)
            call++;
        uint32_t from = call;
        while (call < end && r->w->calls[call].iteration == s->iteration)
            call++;
        struct efg_waits_iteration *iteration = &r->waits->iterations[s->iteration];
        iteration->ideal = efg_waits_later(iteration->ideal, ideal_length(r, s, from, call));
    }
}

/* --- places --- */

static int find_places(struct replaying *r)
{
    for (uint32_t i = 0; i < r->w->call_count; i++) {
        const struct efg_waits_call *call = &r->w->calls[i];
        if (!call->is_counted)
            continue;
        struct efg_waits_place *place = efg_waits_place(r->waits, call->location, call->site);
        if (!place)
            return -ENOMEM;
        place->ideal += r->end[i] - r->begin[i];
    }
    return 0;
}

/* --- the heap --- */

static bool is_before(const struct walker *a, const struct walker *b)
{
    return a->time < b->time || (a->time == b->time && !a->is_inside && b->is_inside);
}

/* The first one may come later than others now. */
static void sift(struct replaying *r)
{
    for (uint32_t i = 0, child; (child = 2 * i + 1) < r->count; i = child) {
        if (child + 1 < r->count && is_before(&r->heap[child + 1], &r->heap[child]))
            child++;
        if (!is_before(&r->heap[child], &r->heap[i]))
            return;
        struct walker walker = r->heap[i];
        r->heap[i] = r->heap[child];
        r->heap[child] = walker;
    }
}

static int by_moment(const void *a, const void *b)
{
    const struct walker *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static void fill(struct replaying *r)
{
    for (uint32_t i = 0; i < r->waits->location_count; i++) {
        const struct efg_waits_location *location = &r->waits->locations[i];
        if (location->count)
            r->heap[r->count++] =
                (struct walker){r->w->calls[location->first].begin, 0, location->first, false};
    }
    if (r->count)
        qsort(r->heap, r->count, sizeof *r->heap, by_moment); /* a heap, too */
}

/* --- calls --- */

/* When OTHER has begun, if it truly has before CALL ends. */
static uint64_t begin_of(const struct replaying *r, uint32_t call, uint32_t other)
{
    return r->w->calls[other].begin <= r->w->calls[call].end ? r->begin[other] : 0;
}

/* When the last member of the collective of PART has begun, of which CALL is the end. If all have, it is the
 * same for all. */
static uint64_t last_begin(struct replaying *r, uint32_t call, const struct efg_waits_meeting *part)
{
    const struct efg_waits_meeting *parts = (struct efg_waits_meeting *)r->w->meetings.data;
    uint64_t last = 0;
    bool are_all = true;
    if (r->last[part->first])
        return r->last[part->first] - 1;
    for (uint32_t i = part->first; i < part->first + part->size; i++) {
        are_all &= r->w->calls[parts[i].begun].begin <= r->w->calls[call].end;
        last = efg_waits_later(last, begin_of(r, call, parts[i].begun));
    }
    r->last[part->first] = are_all ? last + 1 : 0;
    return last;
}

/* When what a part of a collective needs has begun. */
static uint64_t part_needs(struct replaying *r, uint32_t call, uint32_t number)
{
    const struct efg_waits_meeting *part = (struct efg_waits_meeting *)r->w->meetings.data + number;
    const struct efg_waits_meeting *root = efg_waits_part(r->w, number, part->root);
    switch (part->meeting) {
    case EFG_MEETING_ONE_TO_ALL:
        return root ? begin_of(r, call, root->begun) : 0;
    case EFG_MEETING_ALL_TO_ONE:
        return root == part ? last_begin(r, call, part) : 0;
    case EFG_MEETING_SCAN: /* as far as it has waited */
        return 0;
    default:
        return last_begin(r, call, part);
    }
}

static uint64_t needs(struct replaying *r, uint32_t number)
{
    const struct efg_waits_call *call = &r->w->calls[number];
    const struct efg_waits_edge *edges = (struct efg_waits_edge *)r->w->edges.data;
    uint64_t moment = 0;
    for (uint32_t i = r->w->first_edge[number]; i < r->w->first_edge[number + 1]; i++) {
        if (edges[i].link == EFG_LINK_RECEIVE)
            moment = efg_waits_later(moment, begin_of(r, number, edges[i].other));
        if (edges[i].link == EFG_LINK_MEETING)
            moment = efg_waits_later(moment, part_needs(r, number, edges[i].other));
    }
    if (call->kind == EFG_WAIT_RECEIVER || call->kind == EFG_WAIT_SCAN || call->kind == EFG_WAIT_POST ||
        call->kind == EFG_WAIT_LOCK)
        moment = efg_waits_later(moment, begin_of(r, number, call->by));
    return moment;
}

static void begin_call(struct replaying *r, struct walker *walker)
{
    const struct efg_waits_call *call = &r->w->calls[walker->next];
    const uint64_t *window = efg_map_find(&r->index, call->window);
    if (window && efg_waits_is_first(r->waits, walker->next))
        walker->now = call->since - r->windows[*window].begin;
    walker->now += call->begin - call->since;
    r->begin[walker->next] = walker->now;
    walker->time = call->end;
    walker->is_inside = true;
}

/* Returns whether there is another one. */
static bool end_call(struct replaying *r, struct walker *walker)
{
    const struct efg_waits_location *location = &r->waits->locations[r->w->calls[walker->next].location];
    walker->now = efg_waits_later(walker->now, needs(r, walker->next));
    r->end[walker->next++] = walker->now;
    walker->is_inside = false;
    if (walker->next == location->first + location->count)
        return false;
    walker->time = r->w->calls[walker->next].begin;
    return true;
}

/* The next moment of the first one in the heap. */
static void step(struct replaying *r)
{
    if (!r->heap->is_inside)
        begin_call(r, r->heap);
    else if (!end_call(r, r->heap))
        *r->heap = r->heap[--r->count];
    sift(r);
}

/* --- efficiency --- */

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static uint64_t useful(const struct replaying *r, uint32_t location, size_t *at)
{
    const struct efg_waits_span *spans = (struct efg_waits_span *)r->w->spans.data;
    uint64_t time = 0;
    for (; *at < r->w->spans.size / sizeof *spans && spans[*at].location == location; ++*at) {
        time += spans[*at].iteration == EFG_NONE ? spans[*at].end - spans[*at].begin : 0;
    }
    for (uint32_t i = 0; i < r->waits->locations[location].count; i++) {
        const struct efg_waits_call *call = &r->w->calls[r->waits->locations[location].first + i];
        time -= call->end - call->begin;
    }
    return time;
}

static void judge(const struct replaying *r)
{
    struct efg_waits_efficiency *e = &r->waits->efficiency;
    size_t at = 0;
    for (uint32_t i = 0; i < r->window_count; i++) {
        e->time += r->windows[i].end - r->windows[i].begin;
        e->ideal += r->windows[i].ideal;
    }
    for (uint32_t i = 0; i < r->waits->location_count; i++) {
        uint64_t time = useful(r, i, &at);
        e->mean += time;
        e->most = efg_waits_later(e->most, time);
    }
    e->mean /= r->waits->location_count ? r->waits->location_count : 1;
    e->balance = ratio(e->mean, e->most);
    e->serialisation = ratio(e->most, e->ideal);
    e->transfer = ratio(e->ideal, e->time);
    e->parallel = ratio(e->mean, e->time);
}

int efg_waits_find_ideal(struct efg_waits *waits)
{
    struct efg_waits_work *w = waits->work;
    struct replaying r = {.waits = waits, .w = w};
    size_t calls = (size_t)w->call_count + 1;
    r.begin = calloc(calls, sizeof *r.begin);
    r.end = calloc(calls, sizeof *r.end);
    r.last = calloc(w->meetings.size / sizeof(struct efg_waits_meeting) + 1, sizeof *r.last);
    r.heap = calloc((size_t)waits->location_count + 1, sizeof *r.heap);
    int error = r.begin && r.end && r.last && r.heap && !find_windows(&r) ? 0 : -ENOMEM;
    if (!error) {
        fill(&r);
        while (r.count)
            step(&r);
        end_windows(&r);
        find_iterations(&r);
        error = find_places(&r);
        judge(&r);
    }
    efg_map_fini(&r.index);
    free(r.begin);
    free(r.end);
    free(r.last);
    free(r.heap);
    free(r.windows);
    return error;
}
