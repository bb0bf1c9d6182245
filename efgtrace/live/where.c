/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Says what each thread is doing. What is the same in both looks has not moved; of processes on this host the
 * kernel knows more: a thread that was ready to run and got no processor may yet move.
 */
#include "where.h"

#include <errno.h>
#include <stdlib.h>

#define LEAST_CPU 5000000u   /* ns of processor that a thread needs to go on */
#define IDLE_CPU 20          /* ready to run in less than 1/20 of the time, a thread computes nothing */
#define LONG_AGE 3000000000u /* ns outside of MPI, and so many times as long as ever before */
#define LONG_TIMES 30

const struct efg_live_call *efg_where_call(const struct efg_live_thread *live, uint64_t number)
{
    bool is_kept = number && number <= live->begun && live->begun - number < EFG_LIVE_CALLS;

    return is_kept ? &live->call[number % EFG_LIVE_CALLS] : NULL;
}

bool efg_where_is_long(const struct efg_where *w)
{
    return w->age >= LONG_AGE && w->age / LONG_TIMES >= w->live->longest && w->live->begun;
}

static bool has_moved(const struct efg_live_thread *first, const struct efg_live_thread *last)
{
    return first->begun != last->begun || efg_where_is_in_call(first) != efg_where_is_in_call(last) ||
           first->id != last->id || last->is_blind;
}

/* It was ready to run, and had to let others. */
static bool is_starved(const struct efg_process *first, const struct efg_process *last)
{
    return last->is_there && last->state == 'R' && last->cpu - first->cpu < LEAST_CPU;
}

static bool is_idle(const struct efg_look_rank *rank, uint32_t thread)
{
    const struct efg_process *first = &rank->first.process[thread], *last = &rank->last.process[thread];
    uint64_t time = rank->last.time - rank->first.time;

    return last->is_there && last->all_cpu - first->all_cpu < time / IDLE_CPU &&
           last->cpu - first->cpu + last->waited - first->waited < time / IDLE_CPU &&
           first->bytes == last->bytes;
}

static enum efg_doing doing_of(const struct efg_where *w)
{
    const struct efg_live_rank *part = &w->rank->last.part;
    const struct efg_live_thread *before = &w->rank->first.part.thread[w->thread];
    const struct efg_process *process = &w->rank->last.process[w->thread];

    if (part->state == EFG_LIVE_ENDED || (process->is_known && !process->is_there))
        return EFG_GONE;
    if (process->state == 'T' || process->state == 't')
        return EFG_STOPPED;
    if (part->state == EFG_LIVE_FINISHING)
        return EFG_FINALIZES;
    if (has_moved(before, w->live) || is_starved(&w->rank->first.process[w->thread], process))
        return EFG_MOVES;
    if (efg_where_is_in_call(w->live))
        return EFG_IN_CALL;
    if (before->left != w->live->left)
        return EFG_POLLS;
    return w->is_idle ? EFG_SLEEPS : EFG_COMPUTES;
}

/* Ticks since when. */
static uint64_t begin_of(const struct efg_where *w)
{
    switch (w->doing) {
    case EFG_FINALIZES:
        return w->rank->last.part.since;
    case EFG_GONE:
        return w->rank->last.part.state == EFG_LIVE_ENDED ? w->rank->last.part.since : w->live->left;
    case EFG_IN_CALL:
    case EFG_POLLS:
        return w->call ? w->call->enter : w->live->left;
    default:
        return efg_where_is_in_call(w->live) && w->call ? w->call->enter : w->live->left;
    }
}

static void find_thread(struct efg_wheres *out, const struct efg_look_rank *rank, uint32_t thread)
{
    const struct efg_live_thread *live = &rank->last.part.thread[thread];
    struct efg_where *w = &out->list[out->count];
    uint64_t now = rank->last.time;

    if (!live->id) /* it has ended */
        return;
    *w = (struct efg_where){.rank = rank, .thread = thread, .live = live};
    w->call = efg_where_call(live, live->begun);
    w->is_idle = is_idle(rank, thread);
    w->doing = doing_of(w);
    w->age = now > begin_of(w) ? now - begin_of(w) : 0;
    out->count++;
}

int efg_where_find(struct efg_wheres *out, const struct efg_look *look)
{
    *out =
        (struct efg_wheres){.list = calloc((size_t)look->rank_count * EFG_LIVE_THREADS, sizeof *out->list)};
    for (uint32_t i = 0; out->list && i < look->rank_count; i++)
        for (uint32_t thread = 0; thread < look->ranks[i].last.part.threads; thread++)
            find_thread(out, &look->ranks[i], thread);
    return out->list ? 0 : -ENOMEM;
}
