/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication as epochs: what lies between the call that begins one and the call that ends it.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"
#include "parts.h"

typedef struct efg_waits_access Access;
typedef struct efg_waits_epoch Epoch;

int efg_waits_access(struct efg_waits *waits, const struct efg_recorded_access *access)
{
    struct efg_waits_work *w = waits->work;
    const struct efg_waits_location *location = &waits->locations[waits->location_count - 1];
    uint32_t call = location->first + (uint32_t)access->call;
    uint8_t trait = efg_waits_trait(w, call);
    bool is_exposure = trait == EFG_TRAIT_POST || trait == EFG_TRAIT_WAIT;
    Access a = {.win = access->window,
                .window = w->calls[call].window,
                .origin = is_exposure ? access->rank : location->rank,
                .target = is_exposure ? location->rank : access->rank,
                .call = call,
                .begin = w->calls[call].begin,
                .act = (uint8_t)access->act,
                .is_exposure = is_exposure};
    efg_buffer_put(&w->accesses, &a, sizeof a);
    return w->accesses.failed ? -ENOMEM : 0;
}

/* --- order --- */

/* Of one side of an origin and a target: 0. */
static int by_side(const Access *x, const Access *y)
{
    int order = efg_compare(x->win, y->win);
    order = order ? order : efg_compare(x->window, y->window);
    order = order ? order : efg_compare(x->target, y->target);
    order = order ? order : efg_compare(x->origin, y->origin);
    return order ? order : efg_compare(x->is_exposure, y->is_exposure);
}

static int by_beginning(const void *a, const void *b)
{
    const Access *x = a, *y = b;
    int order = by_side(x, y);
    order = order ? order : efg_compare(x->begin, y->begin);
    return order ? order : efg_compare(x->call, y->call);
}

/* --- epochs --- */

enum step { BEGINS, GOES_ON, ENDS };

static enum step step_of(const struct efg_waits_work *w, const Access *access)
{
    uint8_t trait = efg_waits_trait(w, access->call);
    if (access->act == EFG_ACT_LOCK || access->act == EFG_ACT_LOCK_EXCLUSIVE)
        return BEGINS;
    if (access->act == EFG_ACT_EPOCH && (trait == EFG_TRAIT_START || trait == EFG_TRAIT_POST))
        return BEGINS;
    return access->act == EFG_ACT_EPOCH || access->act == EFG_ACT_UNLOCK ? ENDS : GOES_ON;
}

static Epoch new_epoch(const Access *all, uint32_t first)
{
    const Access *a = &all[first];
    Epoch epoch = {.win = a->win,
                   .window = a->window,
                   .origin = a->origin,
                   .target = a->target,
                   .begun = EFG_NONE,
                   .ended = EFG_NONE,
                   .first = first};
    if (a->act == EFG_ACT_EPOCH)
        epoch.kind = a->is_exposure ? EFG_EPOCH_EXPOSURE : EFG_EPOCH_ACCESS;
    else
        epoch.kind = a->act == EFG_ACT_LOCK_EXCLUSIVE ? EFG_EPOCH_LOCK_EXCLUSIVE : EFG_EPOCH_LOCK;
    return epoch;
}

/* The epochs of the accesses [FIRST, END), which are of one side. Operations outside of any are those between
 * fences, or their epoch has begun before the window: then it is known by its end. */
static void fold(const struct efg_waits_work *w, uint32_t first, uint32_t end, struct efg_buffer *epochs)
{
    const Access *all = (Access *)w->accesses.data;
    Epoch epoch;
    bool is_open = false;
    for (uint32_t i = first; i < end; i++) {
        enum step step = step_of(w, &all[i]);
        if (step == GOES_ON && !is_open)
            continue;
        if (is_open && step == BEGINS)
            efg_buffer_put(epochs, &epoch, sizeof epoch);
        if (!is_open || step == BEGINS)
            epoch = new_epoch(all, i);
        if (step == BEGINS)
            epoch.begun = all[i].call;
        if (step == ENDS)
            epoch.ended = all[i].call;
        epoch.count = i + 1 - epoch.first;
        is_open = step != ENDS;
        if (!is_open)
            efg_buffer_put(epochs, &epoch, sizeof epoch);
    }
    if (is_open)
        efg_buffer_put(epochs, &epoch, sizeof epoch);
}

int efg_waits_find_epochs(struct efg_waits_work *w, struct efg_buffer *epochs)
{
    Access *all = (Access *)w->accesses.data;
    uint32_t count = (uint32_t)(w->accesses.size / sizeof *all), end;
    qsort(all, count, sizeof *all, by_beginning);
    for (uint32_t first = 0; first < count; first = end) {
        for (end = first + 1; end < count && !by_side(&all[first], &all[end]); end++)
            ;
        fold(w, first, end, epochs);
    }
    return epochs->failed ? -ENOMEM : 0;
}
