/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes the items of a trace. Of a message only the end that came first is kept until the other one
 * comes: the locations come one after the other.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "parts.h"

/* --- calls --- */

static uint8_t trait_of(const char *function)
{
    static const struct {
        const char *name;
        uint8_t trait;
    } traits[] = {
        {"MPI_Waitsome", EFG_TRAIT_SOME},       {"MPI_Testsome", EFG_TRAIT_SOME},
        {"MPI_Probe", EFG_TRAIT_PROBE},         {"MPI_Mprobe", EFG_TRAIT_PROBE},
        {"MPI_Iprobe", EFG_TRAIT_PROBE},        {"MPI_Improbe", EFG_TRAIT_PROBE},
        {"MPI_Neighbor_", EFG_TRAIT_NEIGHBOUR}, {"MPI_Ineighbor_", EFG_TRAIT_NEIGHBOUR},
        {"MPI_Win_fence", EFG_TRAIT_FENCE},     {"MPI_Win_start", EFG_TRAIT_START},
        {"MPI_Win_post", EFG_TRAIT_POST},       {"MPI_Win_complete", EFG_TRAIT_COMPLETE},
        {"MPI_Win_wait", EFG_TRAIT_WAIT},       {"MPI_Win_test", EFG_TRAIT_WAIT},
    };
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++)
        if (strncmp(function, traits[i].name, strlen(traits[i].name)) == 0)
            return traits[i].trait;
    return EFG_TRAIT_PLAIN;
}

/* Of all sites so far. */
static int find_traits(struct efg_waits_work *w)
{
    for (; w->trait_count < w->recorded->site_count; w->trait_count++) {
        if (efg_array_grow(&w->traits, w->trait_count, 1, sizeof *w->traits))
            return -ENOMEM;
        w->traits[w->trait_count] = trait_of(w->recorded->sites[w->trait_count].function);
    }
    return 0;
}

/* The index of an iteration; EFG_NONE without memory. */
static uint32_t iteration_of(struct efg_waits *waits, uint32_t phase, uint64_t number)
{
    struct efg_waits_work *w = waits->work;
    uint64_t key = efg_recorded_key(phase, number), index = efg_map_number(&w->iteration, key);
    if (index == waits->iteration_count) {
        if (efg_array_grow(&waits->iterations, index, 1, sizeof *waits->iterations))
            return EFG_NONE;
        waits->iterations[waits->iteration_count++] =
            (struct efg_waits_iteration){.key = key, .begin = UINT64_MAX};
    }
    return index < waits->iteration_count ? (uint32_t)index : EFG_NONE;
}

static int take_call(struct efg_waits *waits, const struct efg_recorded_call *call)
{
    struct efg_waits_work *w = waits->work;
    bool is_inside = call->iteration != EFG_RECORDED_NONE;
    struct efg_waits_call c = {.since = call->begin,
                               .begin = call->begin,
                               .end = call->end,
                               .until = call->polls ? call->end : 0,
                               .site = call->site,
                               .location = waits->location_count - 1,
                               .iteration = EFG_NONE,
                               .by = EFG_NONE,
                               .object = call->object,
                               .moved = call->moved,
                               .window = (uint16_t)call->window,
                               .kind = call->polls ? EFG_WAIT_POLLS : EFG_WAIT_NONE,
                               .is_poll = call->polls > 0};
    if (is_inside)
        c.iteration = iteration_of(waits, call->phase, call->iteration);
    if (find_traits(w) || (is_inside && c.iteration == EFG_NONE) ||
        efg_array_grow(&w->calls, w->call_count, 1, sizeof *w->calls))
        return -ENOMEM;
    w->calls[w->call_count++] = c;
    waits->locations[c.location].count++;
    return 0;
}

static int take_iteration(struct efg_waits *waits, const struct efg_recorded_span *span)
{
    struct efg_waits_span s = {.location = waits->location_count - 1,
                               .iteration = iteration_of(waits, span->phase, span->number),
                               .begin = span->begin,
                               .end = span->end};
    if (s.iteration == EFG_NONE)
        return -ENOMEM;
    waits->locations[s.location].has_iterations = true;
    efg_buffer_put(&waits->work->spans, &s, sizeof s);
    return waits->work->spans.failed ? -ENOMEM : 0;
}

/* All of its calls are there. */
static int take_window(struct efg_waits *waits, const struct efg_recorded_span *span)
{
    struct efg_waits_work *w = waits->work;
    const struct efg_waits_location *location = &waits->locations[waits->location_count - 1];
    struct efg_waits_span s = {.location = waits->location_count - 1,
                               .iteration = EFG_NONE,
                               .begin = span->begin,
                               .end = span->end,
                               .window = (uint16_t)span->number,
                               .first = w->call_count};
    while (s.first > location->first && w->calls[s.first - 1].window == (uint16_t)span->number) {
        s.first--;
        s.count++;
    }
    for (uint32_t i = s.first; i < w->call_count; i++)
        w->calls[i].since = i == s.first ? span->begin : w->calls[i - 1].end;
    efg_buffer_put(&w->spans, &s, sizeof s);
    return w->spans.failed ? -ENOMEM : 0;
}

static int take_location(struct efg_waits *waits, uint32_t rank, uint32_t thread)
{
    if (efg_array_grow(&waits->locations, waits->location_count, 1, sizeof *waits->locations))
        return -ENOMEM;
    waits->locations[waits->location_count++] =
        (struct efg_waits_location){.rank = rank, .thread = thread, .first = waits->work->call_count};
    return 0;
}

/* --- messages --- */

struct end { /* of a message: calls */
    uint32_t begun, done;
};

static uint32_t number_of(const struct efg_waits *waits, uint64_t call)
{
    return call == EFG_RECORDED_NONE ? EFG_NONE
                                     : waits->locations[waits->location_count - 1].first + (uint32_t)call;
}

static void link_ends(struct efg_waits_work *w, struct end send, struct end receive)
{
    if (send.begun != EFG_NONE && receive.done != EFG_NONE) {
        efg_waits_put_edge(w, receive.done, send.begun, EFG_LINK_RECEIVE);
        efg_waits_put_edge(w, send.begun, receive.done, EFG_LINK_SEND);
        efg_waits_wait(w, receive.done, EFG_WAIT_SENDER, send.begun);
        efg_waits_explain(w, receive.done, send.begun);
        if (receive.begun != EFG_NONE && receive.begun != receive.done)
            efg_waits_explain(w, receive.begun, send.begun);
    }
    if (send.done == EFG_NONE || receive.begun == EFG_NONE)
        return;
    if (w->calls[send.done].end > w->calls[receive.begun].begin)
        efg_waits_wait(w, send.done, EFG_WAIT_RECEIVER, receive.begun);
}

static int take_message(struct efg_waits *waits, const struct efg_recorded_message *m)
{
    struct efg_waits_work *w = waits->work;
    struct end mine = {number_of(waits, m->begun), number_of(waits, m->done)}, other;
    uint64_t pair = efg_recorded_pairs_add(&w->pairs, m), known = w->open.count;
    uint64_t *value = pair == EFG_RECORDED_NONE ? NULL : efg_map_put(&w->open, pair);
    if (!value)
        return -ENOMEM;
    if (w->open.count > known) {
        *value = (uint64_t)mine.begun << 32 | mine.done;
        return 0;
    }
    other = (struct end){(uint32_t)(*value >> 32), (uint32_t)*value};
    efg_map_remove(&w->open, pair);
    waits->messages++;
    if (m->is_send)
        link_ends(w, mine, other);
    else
        link_ends(w, other, mine);
    return w->edges.failed ? -ENOMEM : 0;
}

/* --- collectives --- */

static int take_collective(struct efg_waits *waits, const struct efg_recorded_collective *c)
{
    struct efg_waits_work *w = waits->work;
    struct efg_waits_meeting m = {.context = (uint64_t)c->context << 1 | (c->is_window != 0),
                                  .rank = waits->locations[waits->location_count - 1].rank,
                                  .begun = number_of(waits, c->begun),
                                  .done = number_of(waits, c->done),
                                  .meeting = c->meeting,
                                  .root = c->root,
                                  .size = c->size,
                                  .first = EFG_NONE};
    waits->collectives++;
    if (m.begun == EFG_NONE || m.done == EFG_NONE) { /* begun before the window */
        waits->unmatched++;
        return 0;
    }
    m.place = c->meeting == EFG_MEETING_SCAN ? c->root : m.rank;
    m.window = w->calls[m.begun].window;
    efg_buffer_put(&w->meetings, &m, sizeof m);
    return w->meetings.failed ? -ENOMEM : 0;
}

/* --- all --- */

static int take(struct efg_waits *waits, const struct efg_recorded_item *item)
{
    switch (item->kind) {
    case EFG_RECORDED_LOCATION:
        return take_location(waits, item->location.rank, item->location.thread);
    case EFG_RECORDED_CALL:
        return take_call(waits, &item->call);
    case EFG_RECORDED_ITERATION:
        return take_iteration(waits, &item->span);
    case EFG_RECORDED_WINDOW:
        return take_window(waits, &item->span);
    case EFG_RECORDED_MESSAGE:
        return take_message(waits, &item->message);
    case EFG_RECORDED_COLLECTIVE:
        return take_collective(waits, &item->collective);
    case EFG_RECORDED_ACCESS:
        return efg_waits_access(waits, &item->access);
    }
    return 0;
}

void efg_waits_take(struct efg_waits *waits, const struct efg_recorded_item *item)
{
    char text[64];
    if (*waits->missing)
        return;
    if (take(waits, item))
        efg_waits_give_up(waits, "there is no memory for so many calls");
    else if (waits->work->call_count > EFG_WAITS_MOST) {
        snprintf(text, sizeof text, "more than %d million calls were recorded", EFG_WAITS_MOST / 1000000);
        efg_waits_give_up(waits, text);
    }
}
