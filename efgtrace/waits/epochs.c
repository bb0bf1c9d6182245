/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls of one-sided communication wait for. Of an origin and a target the epochs of both sides are
 * matched; of a target those that hold its lock are put in order.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"
#include "parts.h"

typedef struct efg_waits_access Access;
typedef struct efg_waits_epoch Epoch;

struct need { /* CALL, an access of an epoch, needs that BY begins */
    uint32_t call, by;
};

struct meeting {
    struct efg_waits *waits;
    struct efg_waits_work *w;
    struct efg_buffer posts; /* struct need */
};

static const struct efg_waits_call *call_of(const struct meeting *m, uint32_t call)
{
    return &m->w->calls[call];
}

static void link_calls(struct meeting *m, uint32_t call, uint32_t needed)
{
    efg_waits_put_edge(m->w, call, needed, EFG_LINK_RECEIVE);
    efg_waits_put_edge(m->w, needed, call, EFG_LINK_SEND);
}

/* --- post, start, complete, wait --- */

/* Whether CALL ends before OTHER begins, which it needs. Either may not be in the trace. */
static bool is_too_early(const struct meeting *m, uint32_t call, uint32_t other)
{
    return call != EFG_NONE && other != EFG_NONE && call_of(m, call)->end < call_of(m, other)->begin;
}

/* Of COUNT epochs of the origin and EXPOSURE_COUNT of the target, if the first one of the origin is number
 * SHIFT of the target: how many pairs cannot be. */
static uint32_t misfits(const struct meeting *m, const Epoch *accesses, uint32_t count,
                        const Epoch *exposures, uint32_t exposure_count, int shift)
{
    uint32_t misfits = 0;
    for (int64_t i = 0; i < count; i++) {
        if (i + shift < 0 || i + shift >= exposure_count)
            continue;
        const Epoch *access = &accesses[i], *exposure = &exposures[i + shift];
        misfits += is_too_early(m, access->ended, exposure->begun) ||
                   is_too_early(m, exposure->ended, access->ended);
    }
    return misfits;
}

static void meet_pair(struct meeting *m, const Epoch *access, const Epoch *exposure)
{
    const Access *all = (Access *)m->w->accesses.data;
    for (uint32_t i = access->first; exposure->begun != EFG_NONE && i < access->first + access->count; i++) {
        struct need need = {all[i].call, exposure->begun};
        efg_buffer_put(&m->posts, &need, sizeof need);
    }
    if (access->ended == EFG_NONE)
        return;
    if (exposure->begun != EFG_NONE)
        link_calls(m, access->ended, exposure->begun);
    if (exposure->ended == EFG_NONE)
        return;
    link_calls(m, exposure->ended, access->ended);
    efg_waits_wait(m->w, exposure->ended, EFG_WAIT_COMPLETE, access->ended);
    efg_waits_explain(m->w, exposure->ended, access->ended);
}

/* COUNT epochs of an origin and a target, those of the origin first. */
static void meet_both(struct meeting *m, const Epoch *epochs, uint32_t count)
{
    static const int shifts[] = {0, 1, -1};
    uint32_t own = 0, least = UINT32_MAX, met = 0;
    int best = 0;
    while (own < count && epochs[own].kind == EFG_EPOCH_ACCESS)
        own++;
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        uint32_t number = misfits(m, epochs, own, epochs + own, count - own, shifts[i]);
        if (number < least)
            best = shifts[i];
        least = number < least ? number : least;
    }
    for (int64_t i = 0; i < own; i++) {
        if (i + best < 0 || own + i + best >= count)
            continue;
        meet_pair(m, &epochs[i], &epochs[own + i + best]);
        met += 2;
    }
    m->waits->epochs += count;
    m->waits->epochs_alone += count - met;
}

static int by_call(const void *a, const void *b)
{
    const struct need *x = a, *y = b;
    return (x->call > y->call) - (x->call < y->call);
}

/* A call that is for several targets waits for the last one's post, or it does not wait for any. */
static void wait_for_posts(struct meeting *m)
{
    struct need *needs = (struct need *)m->posts.data;
    size_t count = m->posts.size / sizeof *needs, same;
    if (count)
        qsort(needs, count, sizeof *needs, by_call);
    for (size_t i = 0; i < count; i += same) {
        uint32_t last = needs[i].by;
        for (same = 1; i + same < count && needs[i + same].call == needs[i].call; same++)
            if (call_of(m, needs[i + same].by)->begin > call_of(m, last)->begin)
                last = needs[i + same].by;
        if (call_of(m, needs[i].call)->end > call_of(m, last)->begin)
            efg_waits_wait(m->w, needs[i].call, EFG_WAIT_POST, last);
    }
}

/* --- locks --- */

/* EPOCH has the lock after BEFORE. */
static void take_over(struct meeting *m, const Epoch *epoch, const Epoch *before)
{
    const Access *all = (Access *)m->w->accesses.data;
    for (uint32_t i = epoch->first; i < epoch->first + epoch->count; i++) {
        const struct efg_waits_call *call = call_of(m, all[i].call);
        if (call->begin >= call_of(m, before->ended)->begin || call->end <= call_of(m, before->ended)->begin)
            continue;
        efg_waits_wait(m->w, all[i].call, EFG_WAIT_LOCK, before->ended);
        efg_waits_put_edge(m->w, all[i].call, before->ended, EFG_LINK_SEND);
        efg_waits_put_edge(m->w, before->ended, all[i].call, EFG_LINK_SEND);
    }
}

/* COUNT epochs with the lock of a target, as they follow each other. */
static void contend(struct meeting *m, const Epoch *epochs, uint32_t count)
{
    const Epoch *last = NULL, *exclusive = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const Epoch *before = epochs[i].kind == EFG_EPOCH_LOCK_EXCLUSIVE ? last : exclusive;
        if (before)
            take_over(m, &epochs[i], before);
        if (epochs[i].ended == EFG_NONE)
            return; /* it and all behind it have not ended */
        last = &epochs[i];
        if (last->kind == EFG_EPOCH_LOCK_EXCLUSIVE)
            exclusive = last;
    }
}

/* --- all --- */

static bool is_lock(const Epoch *epoch)
{
    return epoch->kind == EFG_EPOCH_LOCK || epoch->kind == EFG_EPOCH_LOCK_EXCLUSIVE;
}

/* Those that have to do with each other: 0. */
static int by_target(const Epoch *x, const Epoch *y)
{
    int order = efg_compare(is_lock(x), is_lock(y));
    order = order ? order : efg_compare(x->win, y->win);
    order = order ? order : efg_compare(x->window, y->window);
    order = order ? order : efg_compare(x->target, y->target);
    return order || is_lock(x) ? order : efg_compare(x->origin, y->origin);
}

static int by_place(const void *a, const void *b)
{
    const Epoch *x = a, *y = b;
    int order = by_target(x, y);
    order = order ? order : efg_compare(x->end, y->end);
    return order ? order : efg_compare(x->first, y->first);
}

static void sort(const struct meeting *m, Epoch *epochs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_lock(&epochs[i]))
            epochs[i].end = epochs[i].ended == EFG_NONE ? UINT64_MAX : call_of(m, epochs[i].ended)->end;
    qsort(epochs, count, sizeof *epochs, by_place);
}

static int meet_all(struct meeting *m, Epoch *epochs, size_t count)
{
    size_t same;
    sort(m, epochs, count);
    for (size_t i = 0; i < count; i += same) {
        for (same = 1; i + same < count && !by_target(&epochs[i], &epochs[i + same]); same++)
            ;
        if (is_lock(&epochs[i]))
            contend(m, &epochs[i], (uint32_t)same);
        else
            meet_both(m, &epochs[i], (uint32_t)same);
    }
    wait_for_posts(m);
    return m->posts.failed || m->w->edges.failed ? -ENOMEM : 0;
}

int efg_waits_meet_epochs(struct efg_waits *waits)
{
    struct meeting m = {.waits = waits, .w = waits->work};
    struct efg_buffer epochs = {0};
    int error = waits->work->accesses.size ? efg_waits_find_epochs(waits->work, &epochs) : 0;
    if (!error && epochs.size)
        error = meet_all(&m, (Epoch *)epochs.data, epochs.size / sizeof(Epoch));
    efg_buffer_fini(&epochs);
    efg_buffer_fini(&m.posts);
    return error;
}
