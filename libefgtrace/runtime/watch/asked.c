/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts what the program asks for. Invariant: the count, and for how many iterations it asked the last time,
 * are one word, so that any thread can add to it.
 */
#include "asked.h"

#include "core/window/agree.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "steering.h"
#include "threads.h"

#define MOST 1000000 /* iterations at once */

static uint64_t asked; /* atomic */
static bool is_off;    /* by MPI_Pcontrol; atomic */
static bool was_off;   /* at some time */

static void look_soon(void)
{
    if (efg_self)
        efg_self->next_sample = 0;
}

void efg_asked_record(uint64_t iterations)
{
    uint64_t before = __atomic_load_n(&asked, __ATOMIC_RELAXED), after;

    if (!iterations)
        return;
    iterations = iterations < MOST ? iterations : MOST;
    do
        after = efg_agree_ask((before >> EFG_AGREE_LENGTH_BITS) + 1, iterations);
    while (!__atomic_compare_exchange_n(&asked, &before, after, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    look_soon();
}

uint64_t efg_asked_now(void)
{
    return __atomic_load_n(&asked, __ATOMIC_RELAXED);
}

/* Where a window has been made, another one is; else the first one is still to come. */
static void switch_on(void)
{
    bool was_shut = __atomic_exchange_n(&is_off, false, __ATOMIC_RELAXED);

    if (was_shut && __atomic_load_n(&efg_steering.control.agree.made, __ATOMIC_RELAXED))
        efg_asked_record(efg_job.conf.iterations);
}

void efg_asked_level(int level)
{
    if (level == 0) {
        __atomic_store_n(&is_off, true, __ATOMIC_RELAXED);
        __atomic_store_n(&was_off, true, __ATOMIC_RELAXED);
    } else if (level == 1)
        switch_on();
    else if (level == 2 && efg_self && efg_self->next_save != UINT64_MAX)
        efg_self->next_save = 0;
    look_soon();
}

bool efg_asked_is_shut(uint64_t now)
{
    const struct efg_when *when = &efg_job.conf.when;
    uint64_t elapsed = now - efg_job.start;

    return __atomic_load_n(&is_off, __ATOMIC_RELAXED) || elapsed < when->from || elapsed >= when->to;
}

void efg_asked_finish(uint64_t answered)
{
    unsigned long long times = efg_asked_now() >> EFG_AGREE_LENGTH_BITS;

    if (efg_job.conf.mode != EFG_MODE_ADAPTIVE)
        return;
    if (!times && efg_job.conf.select == 1u << EFG_SELECT_ASKED)
        efg_note_silently("select = asked, and the program has not asked for iterations (efgtrace_record)");
    else if (times > answered)
        efg_note_silently(
            "the program asked for iterations %llu times, %llu in vain: no main loop, or its end", times,
            times - answered);
    else if (__atomic_load_n(&was_off, __ATOMIC_RELAXED) && !efg_steering.window_count)
        efg_note_silently(
            "MPI_Pcontrol(1) was in force for too short a time: the ranks need some milliseconds to "
            "agree on the iterations that they record");
}
