/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A list of phases, in the order in which they began. A loop that comes again is the phase that it was.
 */
#include "phases.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/window/election.h"
#include "runtime/process/job.h"
#include "runtime/process/processor.h"

struct efg_phases efg_phases = {.present = EFG_NONE, .counted = EFG_NONE};

static struct efg_phases *const phases = &efg_phases;
static struct efg_run_processor since; /* when the present stretch began */

static struct efg_phase *present(void)
{
    return phases->present == EFG_NONE ? NULL : &phases->list[phases->present];
}

/* The phase that LOOP is: of those with a loop of its function, the one that has the same key, or whose key
 * the finder SEES. */
static uint32_t find(const struct efg_mainloop *loop, const struct efg_finder *sees)
{
    uint32_t seen = EFG_NONE;

    for (uint32_t i = 0; i < phases->count; i++) {
        const struct efg_mainloop *one = &phases->list[i].loop;
        if (one->function == loop->function && one->key == loop->key)
            return i;
        if (one->function == loop->function &&
            (one->key == EFG_NONE || (sees && efg_finder_sees(sees, one->key))))
            seen = i;
    }
    return seen;
}

const struct efg_phase *efg_phases_find(const struct efg_mainloop *loop)
{
    const struct efg_phase *best = NULL;

    for (uint32_t i = 0; i < phases->count; i++) {
        const struct efg_phase *one = &phases->list[i];
        if (one->loop.function == loop->function && one->loop.key == loop->key)
            return one;
        if (one->loop.function == loop->function && (!best || one->time > best->time))
            best = one;
    }
    return best;
}

uint16_t efg_phases_mark(void)
{
    return present() ? present()->mark : 0;
}

void efg_phases_forget_sites(const struct efg_mainloop *loop, const struct efg_mainloop *now)
{
    for (uint32_t i = 0; i < phases->count; i++) {
        struct efg_mainloop *one = &phases->list[i].loop;
        bool is_known = now->function && one->function == loop->function && one->key == loop->key;
        one->key = is_known ? now->key : EFG_NONE;
    }
}

uint64_t efg_phases_time(const struct efg_phase *phase, uint64_t now)
{
    return phase->time + (phase->resumed && now > phase->resumed ? now - phase->resumed : 0);
}

/* --- the list --- */

/* Neither the present one nor the one whose iterations are counted. */
static void forget_shortest(void)
{
    uint32_t shortest = EFG_NONE;

    for (uint32_t i = 0; i < phases->count; i++)
        if (i != phases->present && i != phases->counted &&
            (shortest == EFG_NONE || phases->list[i].time < phases->list[shortest].time))
            shortest = i;
    free(phases->list[shortest].series);
    memmove(&phases->list[shortest], &phases->list[shortest + 1],
            (phases->count - shortest - 1) * sizeof *phases->list);
    phases->count--;
    phases->present -= phases->present != EFG_NONE && phases->present > shortest;
    phases->counted -= phases->counted != EFG_NONE && phases->counted > shortest;
}

/* Returns false without memory. */
static bool add(const struct efg_mainloop *loop, uint64_t begin)
{
    if (phases->count == EFG_PHASES)
        forget_shortest();
    if (efg_array_grow(&phases->list, phases->count, 1, sizeof *phases->list))
        return false;
    phases->list[phases->count] = (struct efg_phase){.loop = *loop, .mark = loop->mark, .begin = begin};
    phases->present = phases->count++;
    if (phases->count == 1)
        phases->counted = 0; /* its pivot may be marked already */
    return true;
}

static void begin_stretch(uint64_t begin)
{
    since = begin == efg_job.start ? efg_job.processor : efg_processor_now();
    present()->resumed = begin;
}

void efg_phases_open(const struct efg_mainloop *loop, uint64_t begin, const struct efg_finder *sees,
                     bool replaces)
{
    uint32_t known = find(loop, sees);
    struct efg_phase *phase = present();

    if (phase && replaces && known == EFG_NONE && phase->resumed) {
        phase->loop = *loop;
        phase->number = 0;
        return;
    }
    if (phase && phase->resumed && known != phases->present)
        efg_phases_close(begin);
    if (known != EFG_NONE)
        phases->present = known;
    else if (!add(loop, begin))
        return;
    if (!present()->resumed)
        begin_stretch(begin);
}

void efg_phases_close(uint64_t end)
{
    struct efg_phase *phase = present();

    if (!phase || !phase->resumed)
        return;
    phase->end = end > phase->resumed ? end : phase->resumed;
    phase->time += phase->end - phase->resumed;
    struct efg_run_processor had = efg_processor_since(&since);
    phase->used += had.used;
    phase->waited += had.waited;
    phase->resumed = 0;
}

void efg_phases_resume(void)
{
    struct efg_phase *phase = present();

    if (phase && !phase->resumed)
        begin_stretch(phase->end);
}

uint64_t efg_phases_since(void)
{
    const struct efg_phase *phase = present();

    return phase && phase->resumed ? phase->resumed : efg_job.start;
}

uint64_t efg_phases_bound(void)
{
    const struct efg_phase *phase = present();

    if (!phase || !phase->resumed)
        return phase ? phase->end : efg_job.start;
    return phase->measured > phase->resumed ? phase->measured : phase->resumed;
}

/* How often its key was entered; 0: not known. */
static uint64_t turns_of(const struct efg_mainloop *loop, const struct efg_callflow *flow)
{
    if (!flow || loop->key >= flow->sites)
        return 0;
    return efg_calltree_find(flow->tree, loop->function) == loop->key ? efg_callflow_visits(flow, loop->key)
                                                                      : efg_callflow_turns(flow, loop->key);
}

void efg_phases_update(const struct efg_mainloop *loop, const struct efg_callflow *flow, uint64_t now)
{
    struct efg_phase *phase = present();

    if (!phase || phase->loop.function != loop->function)
        return;
    if (flow && loop->iterations)
        phase->of_each = (turns_of(loop, flow) + loop->iterations / 2) / loop->iterations;
    if (loop->iterations > phase->loop.iterations || phase->measured < phase->resumed)
        phase->measured = now;
    phase->loop = *loop;
}

void efg_phases_name(const struct efg_agree *agree)
{
    struct efg_phase *phase = present();
    if (!phase || !phase->resumed)
        return;
    struct efg_agree_loop loop = {.loop = phase->loop.function,
                                  .least_mark = phase->mark,
                                  .most_mark = phase->mark,
                                  .place = phase->loop.place};
    for (uint32_t i = 0; i < agree->loop_count; i++)
        if (efg_election_is_loop(&agree->loops[i], &loop) && (!agree->loops[i].least_mark || phase->mark))
            phase->number = agree->loops[i].phase;
}

/* --- which is the main one --- */

/* Neither is inside of the other, nor a level of it, as far as that is known. */
static bool is_apart(const struct efg_callflow *flow, const struct efg_mainloop *a,
                     const struct efg_mainloop *b)
{
    uint32_t x = efg_calltree_find(flow->tree, a->function), y = efg_calltree_find(flow->tree, b->function);

    if (x == EFG_NONE || y == EFG_NONE || x >= flow->sites)
        return false;
    if (x == y)
        return a->key != EFG_NONE && b->key != EFG_NONE && !efg_callflow_is_cycle(flow, x, a->key, b->key);
    return !efg_calltree_is_below(flow->tree, x, y) && !efg_calltree_is_below(flow->tree, y, x);
}

uint32_t efg_phases_number(const struct efg_agree *agree, const struct efg_phase *phase)
{
    uint32_t number = phase->number;

    for (uint32_t i = 0; !number && i < agree->loop_count; i++)
        if (agree->loops[i].loop == phase->loop.function)
            number = agree->loops[i].phase;
    return number;
}

/* Its time without the part in which its threads were ready to run, and had no processor. */
static uint64_t weight_of(const struct efg_phase *phase, uint64_t now)
{
    struct efg_run_processor present =
        phase->resumed ? efg_processor_since(&since) : (struct efg_run_processor){0};
    double time = (double)efg_phases_time(phase, now), waited = (double)(phase->waited + present.waited);
    double ready = (double)(phase->used + present.used) + waited; /* of several threads, more than TIME */

    return (uint64_t)(time > 0 ? time * (1 - waited / (ready > time ? ready : time)) : 0);
}

/* Calls in the iterations of LOOP, of another function, run INNER. */
static bool is_inside(const struct efg_callflow *flow, const struct efg_mainloop *inner,
                      const struct efg_mainloop *loop)
{
    uint32_t x = efg_calltree_find(flow->tree, inner->function);
    uint32_t y = efg_calltree_find(flow->tree, loop->function);

    return x != EFG_NONE && y != EFG_NONE && x != y && loop->key != EFG_NONE &&
           efg_calltree_is_below(flow->tree, x, y) &&
           efg_callflow_is_cycle(flow, y, loop->key, efg_calltree_child(flow->tree, y, x));
}

void efg_phases_last(const struct efg_agree *agree, const struct efg_callflow *flow,
                     const struct efg_mainloop *loop, uint64_t now, uint64_t *lasted, uint64_t *busy)
{
    const struct efg_phase *main = efg_phases_find(loop);

    for (uint32_t i = 0; i < phases->count; i++) {
        const struct efg_phase *one = &phases->list[i];
        bool is_part = flow && main && main->number && is_inside(flow, &one->loop, &main->loop);
        uint32_t number = efg_phases_number(agree, one);
        if (!number || number > EFG_AGREE_TURNS || is_part)
            continue;
        lasted[number - 1] += efg_phases_time(one, now);
        busy[number - 1] += weight_of(one, now);
    }
}

void efg_phases_weigh(const struct efg_agree *agree, const struct efg_callflow *flow,
                      const struct efg_mainloop *loop, uint64_t *lasted, uint64_t *time, uint64_t now)
{
    const struct efg_phase *main = efg_phases_find(loop);

    for (uint32_t i = 0; main && i < phases->count; i++) {
        const struct efg_phase *one = &phases->list[i];
        bool is_other = is_apart(flow, &one->loop, loop);
        uint32_t number = efg_phases_number(agree, is_other ? one : main);
        uint32_t at = number ? number - 1 : EFG_AGREE_TURNS;
        if (!number && is_other)
            continue;
        lasted[at] += efg_phases_time(one, now);
        time[at] += weight_of(one, now);
    }
}

const struct efg_phase *efg_phases_numbered(const struct efg_agree *agree, uint32_t number, uint64_t now)
{
    const struct efg_phase *best = NULL;

    for (uint32_t i = 0; i < phases->count; i++) {
        const struct efg_phase *one = &phases->list[i];
        bool is_elected = one->number == number, was = best && best->number == number;
        if (efg_phases_number(agree, one) == number &&
            (!best || is_elected > was ||
             (is_elected == was && efg_phases_time(one, now) > efg_phases_time(best, now))))
            best = one;
    }
    return best;
}

static bool is_asked(struct efg_wish wish, const struct efg_phase *phase)
{
    return wish.level == EFG_LEVEL_AUTO && efg_wish_is_for(wish, phase->loop.function);
}

const struct efg_phase *efg_phases_asked(struct efg_wish wish, const struct efg_phase *main, uint64_t now)
{
    const struct efg_phase *best = NULL;

    if (main && is_asked(wish, main))
        return main;
    for (uint32_t i = 0; i < phases->count; i++) {
        const struct efg_phase *one = &phases->list[i];
        if (is_asked(wish, one) && (!best || efg_phases_time(one, now) > efg_phases_time(best, now)))
            best = one;
    }
    return best;
}

struct efg_mainloop efg_phases_loop(const struct efg_callflow *flow, const struct efg_phase *phase)
{
    struct efg_mainloop loop = phase->loop;
    uint64_t iterations = phase->of_each ? turns_of(&loop, flow) / phase->of_each : 0;

    if (iterations > loop.iterations)
        loop.iterations = iterations;
    return loop;
}

/* --- iterations --- */

void efg_phases_keep(struct efg_thread *t, const struct efg_pivot *pivot)
{
    struct efg_phase *phase = phases->counted == EFG_NONE ? NULL : &phases->list[phases->counted];
    struct efg_series *series = t->series;

    if (!phase || !t->iterations.all.count || t->iterations.all.sum <= phase->longest.all.sum)
        return;
    t->series = phase->series;
    phase->series = series;
    phase->longest = t->iterations;
    phase->counted = t->counts ? t->counts->all : (struct efg_counts_iterations){0};
    phase->pivot = *pivot;
    phase->pivots = t->pivots;
    phase->visits = t->tally.visits;
}

void efg_phases_adopt(void)
{
    phases->is_lent = false;
    phases->counted = present() && present()->resumed ? phases->present : EFG_NONE;
}

void efg_phases_claim(void)
{
    if (phases->counted == EFG_NONE && !phases->is_lent)
        efg_phases_adopt();
}

void efg_phases_disown(void)
{
    phases->counted = EFG_NONE;
}

void efg_phases_lend(void)
{
    phases->is_lent = true;
    phases->counted = EFG_NONE;
}
