/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steering: the state that decides when to record. It belongs to one thread, the leader, while the
 * leader has claimed it (leader.h); only these change it:
 *
 *     act.c        the control: what is decided, and done
 *     mainloop.c   the loop and the pivot of this rank
 *     ahead.c      the same, where iterations are few and long
 *     next.c       its loop, when another phase begins
 *     rounds.c     what the others have said
 *     windows.c    what is recorded
 *     ring.c       what may yet be kept; slices.c, where there are no iterations
 */
#ifndef EFG_STEERING_H
#define EFG_STEERING_H

#include <stdbool.h>

#include "core/loop/finder.h"
#include "core/loop/pivot.h"
#include "core/window/control.h"
#include "files/log/trim.h"
#include "threads.h"

#define EFG_CHOICES 64 /* pivots that a rank votes with, at most */

struct efg_steering {
    struct efg_control control;

    /* The loop of this rank, and the pivots of the elected one that it could take. */
    struct efg_mainloop loop; /* function 0: none */
    struct efg_mainloop main; /* that of the whole run */
    bool is_earlier;          /* MAIN is that of an earlier phase, not the finder's */
    uint64_t elected;         /* the fewest iterations of it that a rank had */
    efg_place place;          /* its level in its function, if all know */
    struct efg_pivot pivots[EFG_CHOICES];
    struct efg_choice choices[EFG_CHOICES]; /* the same, as votes have them */
    uint32_t pivot_count;

    /* The pivot that is marked. */
    struct efg_pivot pivot; /* kind EFG_PIVOT_NONE: none */

    /* Windows. */
    bool has_window;  /* the last of the windows is the present one: not all are done with it yet */
    bool is_owner;    /* of the last window that all were done with */
    struct efg_run_window *windows;
    struct efg_run_iterations *recorded; /* of each window: .recorded only */
    uint32_t window_count;
};

extern struct efg_steering efg_steering;

/* The agreed number of the present iteration of THREAD, the leader. */
static inline uint64_t efg_steering_number(const struct efg_thread *thread)
{
    return efg_control_number(&efg_steering.control, &thread->tally);
}

#endif
