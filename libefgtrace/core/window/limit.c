/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is allowed grows by the share of the time, beginning with GRACE. Who pauses anyway saves what MPI_Init
 * and MPI_Finalize take, too, up to half of what is allowed; for these alone nothing is left out. Invariant:
 * what is allowed never falls.
 */
#include "limit.h"

#define FINISH 2 /* MPI_Finalize takes so many times what MPI_Init does */

void efg_limit_init(struct efg_limit *l, uint64_t share, uint64_t init)
{
    *l = (struct efg_limit){.share = share, .reserve = init + FINISH * init};
}

static uint64_t share_of(const struct efg_limit *l, uint64_t time)
{
    return (uint64_t)((double)time * (double)l->share / (double)EFG_LIMIT_WHOLE);
}

uint64_t efg_limit_allowed(const struct efg_limit *l, uint64_t time)
{
    return share_of(l, time > EFG_LIMIT_GRACE_TIME ? time : EFG_LIMIT_GRACE_TIME);
}

static bool has_next(const struct efg_limit *l, const struct efg_limit_state *s)
{
    return l->thrift < EFG_THRIFT_POLLS ||
           (l->thrift == EFG_THRIFT_POLLS && (!s->is_searching || s->cost > EFG_LIMIT_SEARCH));
}

static enum efg_thrift next(const struct efg_limit *l, const struct efg_limit_state *s)
{
    return !s->has_ring && l->thrift < EFG_THRIFT_POLLS ? EFG_THRIFT_POLLS : l->thrift + 1;
}

void efg_limit_look(struct efg_limit *l, const struct efg_limit_state *s)
{
    uint64_t allowed = efg_limit_allowed(l, s->time);
    bool is_lately = s->cost - l->cost > share_of(l, s->time - l->time);

    if (!l->share)
        return;
    if (s->cost > allowed && is_lately && has_next(l, s))
        l->thrift = next(l, s);
    else if (l->thrift < EFG_THRIFT_NO_RING && l->thrift > EFG_THRIFT_NONE && s->cost < allowed / 2)
        l->thrift--;
    if (s->time > l->time)
        l->burst = (s->cost - l->cost) * EFG_LIMIT_BURST / (s->time - l->time);
    efg_limit_resume(l, s);
}

void efg_limit_resume(struct efg_limit *l, const struct efg_limit_state *s)
{
    l->time = s->time;
    l->cost = s->cost;
}

/* The reserve may be half of what is allowed, or less: the later of the two times is right. */
uint64_t efg_limit_pause(const struct efg_limit *l, const struct efg_limit_state *s)
{
    double share = (double)l->share / (double)EFG_LIMIT_WHOLE;
    double needed = (double)s->cost + (double)l->burst;

    if (s->time < EFG_LIMIT_GRACE_TIME && s->cost <= efg_limit_allowed(l, s->time))
        return s->time;
    double half = 2 * needed / share, whole = (needed + (double)l->reserve) / share;
    double until = half < whole ? half : whole;
    return until > (double)s->time ? (uint64_t)until : s->time;
}

uint32_t efg_limit_step(enum efg_thrift thrift)
{
    return thrift < EFG_THRIFT_NO_RING ? UINT32_C(1) << thrift : 0;
}
