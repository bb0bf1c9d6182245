/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses among the pivots of a loop: of that of this rank, or of the elected one.
 */
#include "mainloop.h"

#include "act.h"
#include "next.h"
#include "phases.h"
#include "runtime/process/notes.h"
#include "threads.h"
#include "visits.h"

static struct efg_steering *const s = &efg_steering;
static const struct efg_agree *const agree = &efg_steering.control.agree;
static const struct efg_trigger *const trigger = &efg_steering.control.trigger;

static struct efg_choice choice_of(const struct efg_pivot *pivot)
{
    return (struct efg_choice){pivot->hash, pivot->class};
}

/* The pivot of another loop counts other iterations than those that the ranks have numbered. */
static void go_on(struct efg_thread *t, const struct efg_pivot *pivot, uint64_t now)
{
    if (agree->role == EFG_OWNER && agree->is_numbered && !efg_visits_have(pivot))
        efg_act_lose(t, now);
}

/* Of several of one class, the one that all ranks prefer. */
static bool is_preferred(const struct efg_pivot *a, const struct efg_pivot *b)
{
    struct efg_choice x = choice_of(a), y = choice_of(b);

    return efg_ballot_bit(&x) < efg_ballot_bit(&y);
}

bool efg_mainloop_adopt(struct efg_thread *t, const struct efg_judge *judge,
                        const struct efg_loop_found *found, uint64_t now)
{
    struct efg_pivot pivots[EFG_CHOICES];
    uint32_t count = found ? efg_pivot_list(judge, found, pivots, EFG_CHOICES) : 0;
    uint32_t best = 0;

    for (uint32_t i = 1; i < count; i++)
        if (is_preferred(&pivots[i], &pivots[best]))
            best = i;
    if (!count)
        return false;
    go_on(t, &pivots[best], now);
    efg_act_adopt(t, &pivots[best], now);
    return true;
}

bool efg_mainloop_adopt_own(struct efg_thread *t, uint64_t now)
{
    struct efg_judge *judge = efg_next_judge(t);

    return efg_mainloop_adopt(t, judge, efg_judge_find(judge, s->loop.function, s->loop.iterations), now);
}

/* No window is under way, nor an election of a pivot. */
static bool is_free(void)
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
        efg_visits_replaced(before && before == agree->loop && before != s->loop.function);
}

/* It would not be noticed that its loop is over. */
void efg_mainloop_look(struct efg_thread *t, uint64_t now)
{
    if (s->pivot.kind == EFG_PIVOT_NONE && s->loop.function && !efg_next_is_searching() && is_free())
        efg_mainloop_adopt_own(t, now);
}

/* --- the elected loop --- */

/* Ranks may have other counts of one loop: then the lowest one holds, unless the difference may be
 * one of time. A rank that is held up for long may have four times as many, and still the same loop
 * of the code. Another loop of the same function is not the one. */
static const struct efg_loop_found *find_elected(struct efg_judge *judge)
{
    bool is_same_place = s->place && s->loop.place == s->place;
    bool is_own = s->loop.function == agree->loop && (is_same_place || s->loop.iterations < 4 * s->elected);
    const struct efg_loop_found *found =
        efg_judge_find(judge, agree->loop, is_own ? s->loop.iterations : s->elected);

    return found && efg_place_is_apart(found->loop.place, s->place) ? NULL : found;
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
    struct efg_judge *judge = efg_next_judge(t);
    const struct efg_loop_found *found = agree->role == EFG_ALONE ? NULL : find_elected(judge);

    s->pivot_count = found ? efg_pivot_list(judge, found, s->pivots, EFG_CHOICES) : 0;
    put_first(&s->pivot);
    for (uint32_t i = 0; i < s->pivot_count; i++)
        s->choices[i] = choice_of(&s->pivots[i]);
}

/* --- less detail --- */

void efg_mainloop_rename(struct efg_thread *t, enum efg_coarsened outcome, uint64_t now)
{
    bool has_pivot = s->pivot.kind != EFG_PIVOT_NONE;
    struct efg_mainloop main = {0};

    if (outcome == EFG_COARSENED_NOTHING)
        return;
    if (t->finder)
        main = efg_finder_renew(t->finder, now);
    efg_next_forget();
    efg_phases_forget_sites(&s->main, &main);
    s->loop = s->main = main;
    if (has_pivot && outcome == EFG_COARSENED_PIVOT) { /* it would count other visits now */
        efg_act_lose(t, now);
        efg_visits_forget(t);
    } else if (has_pivot) {
        s->pivot.id = t->graph.pivot_id;
        s->pivot.hash = efg_graph_name(&t->graph, s->pivot.kind, s->pivot.id);
    }
}
