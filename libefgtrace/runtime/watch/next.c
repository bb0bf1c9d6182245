/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks for the loop that follows. The finder of the whole run takes the loop with half of the time in the
 * last half of the run; after an hour, a phase of ten minutes has none. So when the pivot falls silent,
 * another finder begins, for which the run begins at that moment; what it accepts is the loop of this rank,
 * until that is over, too, or the finder of the whole run accepts something else. If the pivot comes again
 * before, nothing has happened. The same where the ranks have elected a loop that is not that of this rank,
 * nor around it, nor inside: others have gone on, and this rank counts its iterations, too.
 *
 *     main    |== loop A ==|       |== A ==|          |=== B ===| over
 *     next                 |search          |search.. B
 */
#include "next.h"

#include "phases.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "visits.h"
#include "wish.h"

#define PATIENT_SAMPLES 6
#define LEAST_PART 200 /* a phase takes one in so many parts of the run, or more */

static const struct efg_job *const job = &efg_job;
static struct efg_steering *const s = &efg_steering;

static struct {
    struct efg_finder *present; /* that found the loop of this rank; NULL: that of the whole run */
    struct efg_finder *search;
    uint64_t since, search_since;
    uint32_t samples;        /* of the search */
    bool is_silent;          /* the pivot is, and that is known */
    struct efg_pivot silent; /* that was when the search began: only this one can come again ... */
    struct efg_pivot others; /* ... or for which it began, as it is that of a loop that others have found */
} next;

bool efg_next_is_searching(void)
{
    return next.search != NULL;
}

bool efg_next_has_given_up(void)
{
    return next.samples >= PATIENT_SAMPLES;
}

bool efg_next_is_later(void)
{
    return next.present != NULL;
}

uint64_t efg_next_since(void)
{
    return next.search ? next.search_since : next.present ? next.since : job->start;
}

struct efg_judge *efg_next_judge(const struct efg_thread *t)
{
    return efg_finder_judge(next.search ? next.search : next.present ? next.present : t->finder);
}

static void end_search(void)
{
    efg_finder_free(next.search);
    next.search = NULL;
}

void efg_next_forget(void)
{
    end_search();
    efg_finder_free(next.present);
    next.present = NULL;
}

/* The pivot is that of a loop that has nothing to do with that of this rank. */
static bool have_others_gone_on(const struct efg_thread *t)
{
    const struct efg_agree *agree = &s->control.agree;
    const struct efg_calltree *tree = t->graph.tree;

    if (agree->role != EFG_OWNER || !s->loop.function || agree->loop == s->loop.function)
        return false;
    uint32_t own = efg_calltree_find(tree, s->loop.function), other = efg_calltree_find(tree, agree->loop);
    return own != EFG_NONE && other != EFG_NONE && !efg_calltree_is_below(tree, own, other) &&
           !efg_calltree_is_below(tree, other, own);
}

/* When the loop of this rank was over: by its pivot, or, where it has none, by the last sample that saw it go
 * round. */
static uint64_t end_of_last(const struct efg_thread *t)
{
    bool is_own = s->pivot.kind != EFG_PIVOT_NONE && !have_others_gone_on(t);

    return is_own && t->last_visit ? t->last_visit : efg_phases_bound();
}

static void begin_search(const struct efg_thread *t, uint64_t now)
{
    end_search();
    next.search = efg_finder_since(&t->graph, efg_wish_present(), now);
    next.search_since = now;
    next.samples = 0;
    efg_visits_begin_phase(t);
    efg_phases_close(end_of_last(t));
    efg_tell(now, "the main loop is over: looking for the next one");
}

bool efg_next_look(struct efg_thread *t, uint64_t now)
{
    bool was_silent = next.is_silent;

    if (s->pivot.kind == EFG_PIVOT_NONE) /* nobody knows */
        return false;
    next.is_silent = efg_visits_seem_over(t, now);
    if (!next.is_silent && next.search && efg_visits_have(&next.silent)) {
        end_search();
        efg_phases_resume();
    }
    bool is_left = !next.search && !efg_visits_have(&next.others) && have_others_gone_on(t);
    if ((!next.is_silent || was_silent) && !is_left)
        return false;
    begin_search(t, now);
    next.silent = is_left ? (struct efg_pivot){0} : s->pivot;
    next.others = is_left ? s->pivot : (struct efg_pivot){0};
    if (is_left)
        efg_phases_disown();
    return true;
}

/* LOOP is that of the present phase, since when the list of phases has it. */
static void enter(const struct efg_thread *t, const struct efg_mainloop *loop, uint64_t now)
{
    efg_phases_update(loop, efg_next_judge(t)->flow, now);
    efg_phases_name(&s->control.agree);
    if (!have_others_gone_on(t))
        efg_phases_claim();
}

/* The loop of this rank began at its first call, which may have come long after BEGIN, as far as others
 * know. */
static uint64_t begin_of(const struct efg_thread *t, uint64_t begin)
{
    const struct efg_calltree *tree = t->graph.tree;
    uint64_t born = s->loop.key < tree->count ? tree->sites[s->loop.key].born : 0;

    return born > begin ? born : begin;
}

/* What the finder of the whole run takes for the main loop. */
static void take_main(const struct efg_thread *t, uint64_t now)
{
    bool replaces = !next.search && !next.present && !efg_finder_is_apart(t->finder);
    uint64_t begin = efg_phases.present == EFG_NONE ? job->start
                     : next.search                  ? next.search_since
                                                    : end_of_last(t);

    efg_next_forget();
    s->loop = s->main;
    efg_phases_open(&s->loop, begin_of(t, begin), NULL, replaces);
    enter(t, &s->loop, now);
}

static void take_next(const struct efg_thread *t, const struct efg_mainloop *loop, uint64_t now)
{
    efg_finder_free(next.present);
    next.present = next.search;
    next.since = next.search_since;
    next.search = NULL;
    s->loop = *loop;
    efg_phases_open(loop, next.since, next.present, false);
    enter(t, loop, now);
}

/* What the finder that found the loop of this rank takes for it now: another level, or the loop that follows,
 * found before anybody knew that the pivot is silent. */
static void take_other(const struct efg_thread *t)
{
    if (efg_finder_is_apart(next.present))
        efg_phases_open(&s->loop, end_of_last(t), NULL, false);
    else
        efg_phases_open(&s->loop, next.since, next.present, true);
}

/* Where a loop is asked for, no other one follows. */
static bool may_follow(const struct efg_mainloop *loop)
{
    return !job->conf.loop[0] || efg_wish_is_for(efg_wish_present(), loop->function);
}

/* Returns whether there is one. */
static bool search(const struct efg_thread *t, uint64_t now)
{
    struct efg_mainloop loop;

    next.samples++;
    efg_finder_sample(next.search, now, &loop);
    if (!loop.function || !may_follow(&loop) || now - next.search_since < (now - job->start) / LEAST_PART)
        return false;
    take_next(t, &loop, now);
    return true;
}

void efg_next_finish(void)
{
    if (s->pivot.kind == EFG_PIVOT_NONE)
        efg_phases_close(efg_phases_bound());
}

bool efg_next_sample(struct efg_thread *t, uint64_t now, bool is_new)
{
    efg_next_look(t, now);
    if (is_new && (s->main.function != s->loop.function || s->main.key != s->loop.key || !next.present)) {
        take_main(t, now);
        return true;
    }
    if (next.search)
        return search(t, now);
    if (next.present)
        is_new = efg_finder_sample(next.present, now, &s->loop);
    else
        s->loop = s->main;
    if (next.present && is_new)
        take_other(t);
    enter(t, &s->loop, now);
    return next.present && is_new;
}
