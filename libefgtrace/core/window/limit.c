/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is allowed grows by three quarters of the share of the time: what watching does to caches, and what
 * happens before MPI_Init, is not measured, and takes less than the rest (bench/limit.py). Invariant: as long
 * as no more is recorded, it never falls.
 */
#include "limit.h"

#define FINISH 2   /* MPI_Finalize takes so many times what MPI_Init does, and to write the trace */
#define EARLY 64   /* polls are left out when one part of so many of what is allowed has been spent */
#define WATCHING 4 /* one part of so many is for watching, whatever they take */
#define ASKED_GRACE_TIME UINT64_C(5000000000) /* ns, if the limit is asked for */
#define GRACE_TIME UINT64_C(200000000000)     /* if it is not */
#define SHORT_TIME UINT64_C(2000000000)

uint64_t efg_limit_grace(bool is_asked)
{
    return is_asked ? ASKED_GRACE_TIME : GRACE_TIME;
}

void efg_limit_init(struct efg_limit *l, uint64_t share, uint64_t init, bool is_asked)
{
    *l = (struct efg_limit){.share = share - share / 4,
                            .grace_time = efg_limit_grace(is_asked),
                            .short_time = is_asked ? 0 : SHORT_TIME,
                            .reserve = init + FINISH * init};
}

static uint64_t share_of(const struct efg_limit *l, uint64_t time)
{
    return (uint64_t)((double)time * (double)l->share / (double)EFG_LIMIT_WHOLE);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t efg_limit_allowed(const struct efg_limit *l, const struct efg_limit_state *s)
{
    uint64_t all = share_of(l, s->time), saved = l->reserve + s->later;
    uint64_t rest = larger(all / WATCHING, all > saved ? all - saved : 0);

    return larger(rest, share_of(l, l->grace_time));
}

static bool has_next(const struct efg_limit *l, const struct efg_limit_state *s)
{
    bool may_pause = !s->is_searching || s->cost > EFG_LIMIT_SEARCH;

    return l->thrift < EFG_THRIFT_PAUSE && (may_pause || (s->has_ring && l->thrift < EFG_THRIFT_NO_RING));
}

static enum efg_thrift next(const struct efg_limit *l, const struct efg_limit_state *s)
{
    return s->has_ring ? l->thrift + 1 : EFG_THRIFT_PAUSE;
}

/* What was spent lately is too much. */
static void save(struct efg_limit *l, const struct efg_limit_state *s, uint64_t allowed)
{
    if (!l->thins_polls)
        l->thins_polls = s->cost > allowed / EARLY;
    else if (s->cost > allowed && s->time >= l->short_time && has_next(l, s))
        l->thrift = next(l, s);
}

void efg_limit_look(struct efg_limit *l, const struct efg_limit_state *s)
{
    uint64_t allowed = efg_limit_allowed(l, s);

    if (s->cost - l->cost > share_of(l, s->time - l->time))
        save(l, s, allowed);
    if (l->thrift < EFG_THRIFT_NO_RING && l->thrift > EFG_THRIFT_NONE && s->cost < allowed / 2)
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

/* The earlier of the two times: as efg_limit_allowed. */
uint64_t efg_limit_pause(const struct efg_limit *l, const struct efg_limit_state *s)
{
    double share = (double)l->share / (double)EFG_LIMIT_WHOLE;
    double needed = (double)s->cost + (double)l->burst;

    if (s->time < l->grace_time && s->cost <= efg_limit_allowed(l, s))
        return s->time;
    double part = WATCHING * needed / share, whole = (needed + (double)(l->reserve + s->later)) / share;
    double until = part < whole ? part : whole;
    return until > (double)s->time ? (uint64_t)until : s->time;
}

uint32_t efg_limit_step(enum efg_thrift thrift)
{
    return thrift < EFG_THRIFT_NO_RING ? UINT32_C(1) << thrift : 0;
}
