/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Causes of waiting (waits.h), backwards: the waits that end last come first. So when the turn comes to
 * a wait, all that is passed on to it has been, as that comes from waits which end later.
 */
#include <errno.h>
#include <stdlib.h>

#include "parts.h"

struct searching {
    struct efg_waits *waits;
    struct efg_waits_work *w;
    double *passed;    /* by call: waiting of others that it is to hand on */
    bool *is_over;     /* by call: it has been handed on */
    int64_t *excess;   /* by site and part: how much longer the late one took */
    bool *is_touched;  /* the same: it is in the list */
    uint32_t *touched; /* the list */
    uint32_t touched_count;
};

struct stretch { /* of a location: from the moment SINCE, in the call FROM or before it, to the begin of TO */
    uint32_t from, to;
    uint64_t since, waited;
};

static uint32_t index_of(uint32_t site, enum efg_waits_part part)
{
    return EFG_PARTS * site + part;
}

static void touch(struct searching *s, uint32_t index, int64_t time)
{
    if (!s->is_touched[index])
        s->touched[s->touched_count++] = index;
    s->is_touched[index] = true;
    s->excess[index] += time;
}

/* How much of BEGIN to END is after SINCE. */
static uint64_t after(uint64_t since, uint64_t begin, uint64_t end)
{
    begin = efg_waits_later(begin, since);
    return end > begin ? end - begin : 0;
}

static uint64_t waited_after(uint64_t since, const struct efg_waits_call *call)
{
    return after(since, call->begin, call->begin + efg_waits_of(call));
}

/* Add the times of a stretch, times SIGN; fill in how much of it was waiting. */
static void add_times(struct searching *s, struct stretch *stretch, int sign)
{
    for (uint32_t i = stretch->from; i <= stretch->to; i++) {
        const struct efg_waits_call *call = &s->w->calls[i];
        touch(s, index_of(call->site, EFG_PART_COMPUTATION),
              sign * (int64_t)after(stretch->since, call->since, call->begin));
        if (i == stretch->to)
            break;
        uint64_t working = after(stretch->since, call->begin + efg_waits_of(call), call->end);
        touch(s, index_of(call->site, EFG_PART_MPI), sign * (int64_t)working);
        stretch->waited += waited_after(stretch->since, call);
    }
}

/* --- where two have met --- */

struct meeting {
    uint32_t mine, other; /* calls; OTHER: EFG_NONE where there is none */
    uint64_t moment;      /* both have begun */
};

/* Where the locations of CALL, which waits, and BY, which it waits for, have met in EARLIER, a call of the
 * first one; the last time. */
static struct meeting met_in(const struct searching *s, uint32_t earlier, uint32_t call, uint32_t by)
{
    const struct efg_waits_work *w = s->w;
    const struct efg_waits_edge *edges = (struct efg_waits_edge *)w->edges.data;
    uint32_t location = w->calls[by].location, rank = s->waits->locations[location].rank;
    struct meeting last = {earlier, EFG_NONE, 0};
    for (uint32_t i = w->first_edge[earlier]; i < w->first_edge[earlier + 1]; i++) {
        uint32_t other = edges[i].other;
        if (edges[i].link == EFG_LINK_MEETING) {
            const struct efg_waits_meeting *part = efg_waits_part(w, other, rank);
            other = part ? part->done : EFG_NONE;
        }
        if (other >= by || w->calls[other].location != location ||
            w->calls[other].window != w->calls[by].window)
            continue;
        uint64_t moment = efg_waits_later(w->calls[earlier].begin, w->calls[other].begin);
        if (moment <= w->calls[call].begin && moment >= last.moment)
            last = (struct meeting){earlier, other, moment};
    }
    return last;
}

/* The first call of the window that CALL is in. */
static uint32_t first_of(const struct searching *s, uint32_t call)
{
    while (!efg_waits_is_first(s->waits, call))
        call--;
    return call;
}

/* Since CALL's location and BY's have met: what the waiting one did, and the late one. */
static void find_stretches(const struct searching *s, uint32_t call, uint32_t by, struct stretch *waiting,
                           struct stretch *late)
{
    struct meeting met = {call, EFG_NONE, 0};
    while (met.other == EFG_NONE && !efg_waits_is_first(s->waits, met.mine))
        met = met_in(s, met.mine - 1, call, by);
    if (met.other == EFG_NONE) {
        met = (struct meeting){first_of(s, call), first_of(s, by), 0};
        met.moment = efg_waits_later(s->w->calls[met.mine].since, s->w->calls[met.other].since);
    }
    *waiting = (struct stretch){met.mine, call, met.moment, 0};
    *late = (struct stretch){met.other, by, met.moment, 0};
}

/* --- shares --- */

static int blame(struct searching *s, uint32_t location, uint32_t index, double own, double passed)
{
    struct efg_waits_place *place = efg_waits_place(s->waits, location, index / EFG_PARTS);
    if (!place)
        return -ENOMEM;
    place->cost.direct[index % EFG_PARTS] += own;
    place->cost.indirect[index % EFG_PARTS] += passed;
    return 0;
}

static void pass_on(struct searching *s, uint32_t call, double time)
{
    if (s->is_over[call])
        s->waits->unknown += time;
    else
        s->passed[call] += time;
}

/* What LOCATION spent more on gets its part of the waiting: OWN and PASSED, for each ns. */
static int share_excess(struct searching *s, uint32_t location, double own, double passed)
{
    int error = 0;
    for (uint32_t i = 0; i < s->touched_count && !error; i++) {
        double more = (double)s->excess[s->touched[i]];
        if (more > 0)
            error = blame(s, location, s->touched[i], more * own, more * passed);
    }
    return error;
}

/* The waits of LATE in proportion. */
static void share_waits(struct searching *s, const struct stretch *late, double time)
{
    for (uint32_t i = late->from; i < late->to; i++) {
        uint64_t waited = waited_after(late->since, &s->w->calls[i]);
        if (waited)
            pass_on(s, i, time * (double)waited / (double)late->waited);
    }
}

static double sum_of_excess(const struct searching *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->touched_count; i++)
        sum += s->excess[s->touched[i]] > 0 ? (double)s->excess[s->touched[i]] : 0;
    return sum;
}

static void forget_excess(struct searching *s)
{
    for (uint32_t i = 0; i < s->touched_count; i++) {
        s->excess[s->touched[i]] = 0;
        s->is_touched[s->touched[i]] = false;
    }
    s->touched_count = 0;
}

/* Hand on the waiting of CALL: OWN, and what was PASSED on to it. */
static int hand_on(struct searching *s, uint32_t call, double own, double passed)
{
    struct stretch waiting, late;
    uint32_t by = s->w->calls[call].by;
    find_stretches(s, call, by, &waiting, &late);
    add_times(s, &late, 1);
    add_times(s, &waiting, -1);
    double more = late.waited > waiting.waited ? (double)(late.waited - waiting.waited) : 0;
    double all = sum_of_excess(s) + more;
    int error = 0;
    if (all > 0)
        error = share_excess(s, s->w->calls[by].location, own / all, passed / all);
    else
        s->waits->unknown += own + passed;
    if (more > 0)
        share_waits(s, &late, (own + passed) * more / all);
    forget_excess(s);
    return error;
}

/* --- all --- */

struct wait {
    uint64_t until;
    uint32_t call;
};

static int by_end(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    if (x->until != y->until)
        return x->until < y->until ? 1 : -1;
    return (x->call < y->call) - (x->call > y->call);
}

/* Those that wait, the last one first. */
static struct wait *sorted(const struct efg_waits_work *w, uint32_t *count)
{
    struct wait *waits = calloc((size_t)w->call_count + 1, sizeof *waits);
    *count = 0;
    for (uint32_t i = 0; waits && i < w->call_count; i++)
        if (efg_waits_of(&w->calls[i]))
            waits[(*count)++] = (struct wait){w->calls[i].until, i};
    if (waits)
        qsort(waits, *count, sizeof *waits, by_end);
    return waits;
}

static int search(struct searching *s, const struct wait *waits, uint32_t count)
{
    int error = 0;
    for (uint32_t i = 0; i < count && !error; i++) {
        const struct efg_waits_call *call = &s->w->calls[waits[i].call];
        double own = call->is_counted ? (double)efg_waits_of(call) : 0, passed = s->passed[waits[i].call];
        s->is_over[waits[i].call] = true;
        if (call->by == EFG_NONE)
            s->waits->unknown += own + passed;
        else if (own + passed > 0)
            error = hand_on(s, waits[i].call, own, passed);
    }
    return error;
}

int efg_waits_find_causes(struct efg_waits *waits)
{
    struct efg_waits_work *w = waits->work;
    size_t indices = EFG_PARTS * (size_t)waits->site_count + 1;
    uint32_t count;
    struct wait *sorted_waits = sorted(w, &count);
    struct searching s = {.waits = waits,
                          .w = w,
                          .passed = calloc((size_t)w->call_count + 1, sizeof *s.passed),
                          .is_over = calloc((size_t)w->call_count + 1, sizeof *s.is_over),
                          .excess = calloc(indices, sizeof *s.excess),
                          .is_touched = calloc(indices, sizeof *s.is_touched),
                          .touched = calloc(indices, sizeof *s.touched)};
    bool has_memory = sorted_waits && s.passed && s.is_over && s.excess && s.is_touched && s.touched;
    int error = has_memory ? search(&s, sorted_waits, count) : -ENOMEM;
    free(sorted_waits);
    free(s.passed);
    free(s.is_over);
    free(s.excess);
    free(s.is_touched);
    free(s.touched);
    return error;
}
