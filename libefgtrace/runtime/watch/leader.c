/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes one thread the leader, which decides for the process. A claim is an atomic pointer to the thread
 * that has it. The leader takes it for its work, any other thread for as long as it takes to compare two
 * numbers and to become the leader.
 *
 * Invariant: only the thread itself makes itself the leader, and only with a claim. So a leader
 * that has a claim is the leader until it releases it, and a thread that is not the leader need
 * not wait to know it. The claim of a thread that somebody jumped out of (longjmp from a signal
 * handler) is still its own when it comes here again.
 */
#include "leader.h"

#include <time.h>

#include "runtime/process/job.h"
#include "steering.h"
#include "threads.h"

#define PAUSE 1000     /* ns: sleeping lets a thread of lower priority come to its end */
#define FEW_EVENTS 100 /* a thread with fewer events than this part of another's does not lead */

static struct efg_steering *const s = &efg_steering;

static struct efg_thread *claimer; /* is at work on the state of steering; atomic */

enum { NOT_LEADER, CLAIMED, CLAIMED_BEFORE };

/* The claimer, as it was before: NULL if THREAD is it now. */
static struct efg_thread *try_claim(struct efg_thread *t)
{
    struct efg_thread *before = NULL;

    __atomic_compare_exchange_n(&claimer, &before, t, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    return before;
}

/* Whoever else has the claim of a leader is just comparing: without waiting for that, a visit
 * of the pivot would be lost. */
int efg_leader_claim(struct efg_thread *t)
{
    static const struct timespec pause = {0, PAUSE};

    while (efg_leader_is(t)) {
        struct efg_thread *before = try_claim(t);
        if (before == t)
            return CLAIMED_BEFORE;
        if (before)
            nanosleep(&pause, NULL);
        else if (efg_leader_is(t))
            return CLAIMED;
        else
            efg_leader_release(CLAIMED);
    }
    return NOT_LEADER;
}

void efg_leader_release(int claim)
{
    if (claim == CLAIMED)
        __atomic_store_n(&claimer, NULL, __ATOMIC_RELEASE);
}

static uint64_t events(const struct efg_thread *t)
{
    return __atomic_load_n(&t->settled, __ATOMIC_RELAXED) +
           __atomic_load_n(&t->backlog.count, __ATOMIC_RELAXED);
}

/* With the round that is under way, which says nothing yet that another thread would not stand by, and before
 * there is a pivot that the ranks agree on. What is recorded now THREAD records, too. */
static bool is_free(const struct efg_thread *t)
{
    return s->control.trigger.state <= EFG_PROVISIONAL && s->control.agree.round == EFG_ROUND_PROPOSE &&
           t->epoch == __atomic_load_n(&efg_epoch, __ATOMIC_RELAXED);
}

bool efg_leader_elect(struct efg_thread *t)
{
    if (efg_leader_is(t) || try_claim(t) != NULL)
        return false;
    bool is_elected = is_free(t) && events(efg_threads.leader) * FEW_EVENTS < events(t);
    if (is_elected)
        __atomic_store_n(&efg_threads.leader, t, __ATOMIC_RELAXED);
    efg_leader_release(CLAIMED);
    return is_elected;
}

void efg_leader_claim_last(struct efg_thread *t)
{
    __atomic_store_n(&claimer, t, __ATOMIC_RELAXED);
}

void efg_leader_retire(const struct efg_thread *t)
{
    if (__atomic_load_n(&claimer, __ATOMIC_RELAXED) == t)
        efg_leader_release(CLAIMED);
}
