/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks at all guards each second. An attempt that takes longer than its plug-in may is interrupted; where
 * the application has taken the signal for that, it is only said, once.
 */
#include "late.h"

#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "guard.h"
#include "runtime/base/clock.h"
#include "runtime/process/notes.h"

#define PAUSE 10000000 /* ns */

static pthread_t looker;
static bool is_looking;
static sem_t end;

/* It blocks, and cannot be helped. */
static void complain(const struct efg_guard *guard)
{
    static bool is_told;

    if (is_told)
        return;
    is_told = true;
    efg_note("plug-in %s has not returned from %s%s", guard->plugin->name, guard->moment, guard->function);
}

static void look(const struct efg_guard *guard, uint64_t now)
{
    uint64_t number = __atomic_load_n(&guard->number, __ATOMIC_ACQUIRE);

    if (!__atomic_load_n(&guard->attempt, __ATOMIC_ACQUIRE))
        return;
    if (now > guard->since && now - guard->since > guard->plugin->patience &&
        !efg_guard_interrupt(guard, number))
        complain(guard);
}

static void *look_each_second(void *nothing)
{
    struct timespec next;

    do {
        uint64_t now = efg_clock_ticks();
        for (const struct efg_guard *guard = efg_guards(); guard; guard = guard->next)
            look(guard, now);
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_sec++;
    } while (sem_timedwait(&end, &next) != 0);
    return nothing;
}

/* Signals are the application's: its threads have them. */
void efg_late_begin(void)
{
    sigset_t all, before;

    sigfillset(&all);
    sem_init(&end, 0, 0);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_looking = pthread_create(&looker, NULL, look_each_second, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void efg_late_end(void)
{
    if (!is_looking)
        return;
    sem_post(&end);
    pthread_join(looker, NULL);
}

bool efg_late_wait(void)
{
    static const struct timespec pause = {0, PAUSE};
    uint64_t longest = 0, begin = efg_clock_ticks();

    for (unsigned i = 0; i < efg_plugins.count; i++)
        if (efg_plugins.list[i].patience > longest)
            longest = efg_plugins.list[i].patience;
    for (const struct efg_guard *guard = efg_guards(); guard; guard = guard->next)
        while (__atomic_load_n(&guard->attempt, __ATOMIC_ACQUIRE)) {
            if (efg_clock_ticks() - begin > longest + 2 * EFG_CLOCK_TICKS_PER_SECOND)
                return false;
            nanosleep(&pause, NULL);
        }
    return true;
}
