/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window ends with its loop. An iteration that has far more calls than all before it is none:
 * the program has gone on to something else. Calls are counted, not time, since a slow
 * iteration is still one. A window also ends when the rule has moved on to another loop and the
 * pivot has been silent for more calls than any iteration had.
 */
#include "mainloop.h"

#include <string.h>

#include "act.h"
#include "iterations.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "threads.h"

#define UNLIKE 4       /* times the calls of the largest iteration so far ... */
#define UNLIKE_MORE 64 /* ... and so many more */
#define LONG_SHARE 10  /* a long round takes more than this part of the time so far, ... */
#define LONG 50000000u /* ... and more ns than that */

static const struct efg_job *const job = &efg_job;
static struct efg_steering *const s = &efg_steering;
static const struct efg_agree *const agree = &efg_steering.control.agree;
static const struct efg_trigger *const trigger = &efg_steering.control.trigger;

/* From one visit of the pivot to the next. */
static struct {
    uint64_t last_event; /* number of the event of the last visit; 0: none since it is marked */
    uint64_t longest;    /* most events from one to the next */
    uint64_t intervals;
} visits;
static int is_replaced; /* the loop of the pivot was that of this rank, and no longer is */

/* --- the end of the loop --- */

/* Calls from one visit to the next, at most, as far as is known: until there are some, those
 * before the last visit are taken for such. */
static uint64_t most_calls(const struct efg_thread *t)
{
    uint64_t mean = t->tally.visits ? visits.last_event / t->tally.visits : visits.last_event;

    return visits.intervals > 1 || mean < visits.longest ? visits.longest : mean;
}

int efg_mainloop_is_over(const struct efg_thread *t)
{
    uint64_t most = is_replaced ? most_calls(t) : UNLIKE * most_calls(t) + UNLIKE_MORE;

    return s->pivot.kind != EFG_PIVOT_NONE && visits.last_event && t->graph.events - visits.last_event > most;
}

void efg_mainloop_count(struct efg_thread *t, uint64_t now)
{
    uint64_t calls = t->graph.events - visits.last_event;

    if (visits.last_event && calls > visits.longest && !efg_mainloop_is_over(t))
        visits.longest = calls;
    visits.intervals += visits.last_event != 0;
    visits.last_event = t->graph.events;
    efg_iterations_count(t, efg_steering_number(t), now);
}

/* --- the pivot --- */

void efg_mainloop_forget(struct efg_thread *t)
{
    s->pivot.kind = EFG_PIVOT_NONE;
    efg_graph_mark_pivot(&t->graph, EFG_PIVOT_NONE, 0);
}

void efg_mainloop_adopt(struct efg_thread *t, const struct efg_pivot *pivot, uint64_t now)
{
    is_replaced = 0;
    if (pivot->kind == s->pivot.kind && pivot->id == s->pivot.id)
        return;
    if (trigger->state == EFG_PROVISIONAL) /* its iterations are others */
        efg_act_feed(t, EFG_IN_OVER, now);
    s->pivot = *pivot;
    s->control.offset = 0;
    memset(&visits, 0, sizeof visits);
    efg_graph_mark_pivot(&t->graph, pivot->kind, pivot->id);
    efg_tally_mark(&t->tally, efg_graph_visits(&t->graph, pivot->kind, pivot->id));
    efg_iterations_restart(t);
}

static struct efg_choice choice_of(const struct efg_pivot *pivot)
{
    return (struct efg_choice){pivot->hash, pivot->class};
}

/* Of several of one class, the one that all ranks prefer. */
static int is_preferred(const struct efg_pivot *a, const struct efg_pivot *b)
{
    struct efg_choice x = choice_of(a), y = choice_of(b);

    return efg_ballot_bit(&x) < efg_ballot_bit(&y);
}

static int adopt_best(struct efg_thread *t, const struct efg_loop_found *found, uint64_t now)
{
    struct efg_pivot pivots[EFG_CHOICES];
    uint32_t count = found ? efg_pivot_list(efg_finder_judge(t->finder), found, pivots, EFG_CHOICES) : 0;
    uint32_t best = 0;

    for (uint32_t i = 1; i < count; i++)
        if (is_preferred(&pivots[i], &pivots[best]))
            best = i;
    if (count)
        efg_mainloop_adopt(t, &pivots[best], now);
    return count > 0;
}

int efg_mainloop_adopt_own(struct efg_thread *t, uint64_t now)
{
    return adopt_best(t, efg_judge_find(efg_finder_judge(t->finder), s->loop.function, s->loop.iterations),
                      now);
}

/* No window is under way, nor an election of a pivot. */
static int is_free(void)
{
    return trigger->state == EFG_WATCHING || trigger->state == EFG_FOLLOWING ||
           (trigger->state <= EFG_READY && agree->round == EFG_ROUND_PROPOSE);
}

void efg_mainloop_found(struct efg_thread *t, uint64_t before, uint64_t now)
{
    efg_tell(now, "main loop found: %llu iterations so far", (unsigned long long)s->loop.iterations);
    if (is_free())
        efg_mainloop_adopt_own(t, now);
    else
        is_replaced = before == agree->loop && before != s->loop.function;
}

/* --- the elected loop --- */

/* Ranks may have other counts of one loop: then the lowest one holds, unless the difference may be
 * one of time. A rank that is held up for long may have four times as many, and still the same loop
 * of the code. */
static const struct efg_loop_found *find_elected(struct efg_judge *judge)
{
    int is_same_place = s->place && efg_place_loop(s->loop.place) == s->place;
    int is_own = s->loop.function == agree->loop && (is_same_place || s->loop.iterations < 4 * s->elected);

    return efg_judge_find(judge, agree->loop, is_own ? s->loop.iterations : s->elected);
}

/* The pivot that is marked comes first: if it is taken, iterations need not be counted anew. */
static void put_first(const struct efg_pivot *pivot)
{
    for (uint32_t i = 1; i < s->pivot_count; i++)
        if (s->pivots[i].kind == pivot->kind && s->pivots[i].id == pivot->id) {
            struct efg_pivot first = s->pivots[0];
            s->pivots[0] = s->pivots[i];
            s->pivots[i] = first;
        }
}

void efg_mainloop_list_pivots(struct efg_thread *t)
{
    struct efg_judge *judge = efg_finder_judge(t->finder);
    const struct efg_loop_found *found = agree->role == EFG_ALONE ? NULL : find_elected(judge);

    s->pivot_count = found ? efg_pivot_list(judge, found, s->pivots, EFG_CHOICES) : 0;
    put_first(&s->pivot);
    for (uint32_t i = 0; i < s->pivot_count; i++)
        s->choices[i] = choice_of(&s->pivots[i]);
}

/* --- few, long iterations --- */

/* A loop that has gone round twice may be the main loop already. */
static const struct efg_loop_found *likely(const struct efg_judge *judge)
{
    if (judge->chosen != EFG_NONE)
        return &judge->chain[judge->chosen];
    for (uint32_t i = 0; i < judge->count; i++)
        if (judge->chain[i].is_level && judge->chain[i].loop.iterations >= 2 &&
            judge->chain[i].loop.share >= 0.5)
            return &judge->chain[i];
    return NULL;
}

void efg_mainloop_consider_long(struct efg_thread *t, uint64_t now)
{
    const struct efg_loop_found *found = likely(efg_finder_judge(t->finder));
    enum efg_state state = trigger->state;
    uint64_t elapsed = now - job->start;

    if (!found || agree->role == EFG_ALONE || (state != EFG_WATCHING && state != EFG_PROPOSED) ||
        (s->loop.function && s->loop.function != found->loop.function) || /* another's pivot */
        !efg_agree_wants(agree, found->loop.function))
        return;
    uint64_t round = elapsed / found->loop.iterations;
    if (round * LONG_SHARE < elapsed || round < LONG)
        return;
    if (s->pivot.kind != EFG_PIVOT_NONE || adopt_best(t, found, now))
        efg_act_feed(t, EFG_IN_LONG, now);
}

/* --- less detail --- */

void efg_mainloop_rename(struct efg_thread *t, enum efg_coarsened outcome, uint64_t now)
{
    int has_pivot = s->pivot.kind != EFG_PIVOT_NONE;

    if (outcome == EFG_COARSENED_NOTHING)
        return;
    if (t->finder)
        efg_finder_renew(t->finder, now);
    s->loop.function = 0;
    if (has_pivot && outcome == EFG_COARSENED_PIVOT) { /* it would count other visits now */
        efg_act_lose(t, now);
        efg_mainloop_forget(t);
    } else if (has_pivot) {
        s->pivot.id = t->graph.pivot_id;
        s->pivot.hash = efg_graph_name(&t->graph, s->pivot.kind, s->pivot.id);
    }
}
