/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control: all of what decides when this rank records. It turns what the ranks agree on (agree.h),
 * and visits of the pivot, into inputs of the trigger, and these into actions, one after the other.
 * The runtime carries them out; so do the simulated ranks of the tests.
 *
 *                        OWNER                      FOLLOWER          (ALONE: nothing)
 *     PIVOT              MARK, pivot                lost
 *     PLACED             past; or placed, and late  follow
 *                        if it has begun
 *     MOVED              late, then as PLACED       follow
 *     DONE               next                       next
 *     NEXT               next, then as PLACED       next, then follow
 *     DRIFT, HELD,
 *     FAILED             late                       late
 *     NONE               over, if in CHECK another
 *                        owner has ended the window
 *     LOST               lost (in MPI_Finalize: late, it is too late for another pivot)
 */
#ifndef EFG_CONTROL_H
#define EFG_CONTROL_H

#include "agree.h"
#include "trigger.h"

struct efg_control {
    struct efg_agree agree;
    struct efg_trigger trigger;
    uint64_t offset; /* added to visits of the pivot: their agreed numbers */
};

/* Who carries out actions: ACT is called for each one, after the state has changed. */
struct efg_control_hands {
    void (*act)(void *context, enum efg_action action);
    void *context;
};

void efg_control_init(struct efg_control *control, uint64_t windows, uint64_t length,
                      uint64_t skip);

/* The number of the present iteration: agreed, if a window was placed; else that of the visits. */
static inline uint64_t efg_control_number(const struct efg_control *control,
                                          const struct efg_tally *tally)
{
    return tally->visits + control->offset;
}

void efg_control_feed(struct efg_control *control, enum efg_trigger_input input,
                      const struct efg_control_hands *hands);

/* The pivot was visited, which TALLY has counted. Returns the action that was carried out. */
enum efg_action efg_control_visit(struct efg_control *control, const struct efg_tally *tally,
                                  const struct efg_control_hands *hands);

/* What follows from VERDICT of the last result. */
void efg_control_obey(struct efg_control *control, enum efg_verdict verdict,
                      const struct efg_tally *tally, const struct efg_control_hands *hands);

/* The pivot can no longer be visited on this rank alone. What is recorded ends with the last whole
 * iteration; a window that is still to come is another rank's to own, and this one follows. */
void efg_control_lose(struct efg_control *control, const struct efg_control_hands *hands);

/* Without the others, which do not answer or with which no window held: a window of this rank's
 * own, of the pivot that is marked. It begins at a power of two, which is likely to be the same on
 * ranks that count the same iterations. */
void efg_control_go_alone(struct efg_control *control, const struct efg_tally *tally,
                          const struct efg_control_hands *hands);

#endif
