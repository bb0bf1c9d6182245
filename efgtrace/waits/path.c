/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The critical path of each window: backwards from the location that ends last. It never comes twice to a
 * call: from a wait it goes on before the call that was late, which began earlier than the wait ended.
 */
#include <errno.h>
#include <stdlib.h>

#include "parts.h"

static int add(struct efg_waits *waits, uint32_t location, uint32_t site, enum efg_waits_part part,
               uint64_t time)
{
    struct efg_waits_place *place = time ? efg_waits_place(waits, location, site) : NULL;
    if (place)
        place->cost.path[part] += time;
    return !time || place ? 0 : -ENOMEM;
}

/* Past CALL, from its end. *AT: the call at whose begin it goes on, the same one or that which it waits for.
 * Returns 0 or -ENOMEM. */
static int pass_call(struct efg_waits *waits, uint32_t call, uint32_t *at)
{
    const struct efg_waits_call *calls = waits->work->calls, *c = &calls[call];
    bool jumps = efg_waits_of(c) && c->by != EFG_NONE && calls[c->by].begin <= c->until &&
                 calls[c->by].window == c->window;
    *at = jumps ? c->by : call;
    return add(waits, c->location, c->site, EFG_PART_MPI, c->end - (jumps ? c->until : c->begin));
}

/* Backwards from the end of the window LAST. */
static int follow(struct efg_waits *waits, const struct efg_waits_span *last)
{
    const struct efg_waits_call *calls = waits->work->calls;
    uint32_t call = last->first + last->count - 1, at, steps = 0;
    if (!last->count)
        return add(waits, last->location, EFG_NONE, EFG_PART_COMPUTATION, last->end - last->begin);
    int error = add(waits, last->location, EFG_NONE, EFG_PART_COMPUTATION, last->end - calls[call].end);
    while (!error && steps++ <= waits->work->call_count) {
        error = pass_call(waits, call, &at);
        if (!error)
            error = add(waits, calls[at].location, calls[at].site, EFG_PART_COMPUTATION,
                        calls[at].begin - calls[at].since);
        if (efg_waits_is_first(waits, at))
            break;
        call = at - 1;
    }
    return error;
}

int efg_waits_find_path(struct efg_waits *waits)
{
    const struct efg_waits_span *spans = (struct efg_waits_span *)waits->work->spans.data;
    size_t count = waits->work->spans.size / sizeof *spans;
    struct efg_map last = {0}; /* window -> index of the span that ends last, + 1 */
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        uint64_t *index = spans[i].iteration == EFG_NONE ? efg_map_put(&last, spans[i].window) : NULL;
        if (spans[i].iteration != EFG_NONE)
            continue;
        error = index ? 0 : -ENOMEM;
        if (index && (!*index || spans[i].end > spans[*index - 1].end))
            *index = i + 1;
    }
    for (size_t i = 0; i < count && !error; i++) {
        const uint64_t *index = efg_map_find(&last, spans[i].window);
        if (spans[i].iteration == EFG_NONE && index && *index == i + 1)
            error = follow(waits, &spans[i]);
    }
    efg_map_fini(&last);
    return error;
}
