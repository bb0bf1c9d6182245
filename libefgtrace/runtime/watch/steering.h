/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steering: the state that decides when to record. It belongs to one thread, the leader, while
 * the leader has claimed it (efg_leader_claim); only steer.c, mainloop.c, windows.c and iterations.c change it.
 *
 *     steer.c      samples and rounds: what the ranks say, and what follows from it
 *     mainloop.c   the loop and the pivot of this rank
 *     windows.c    what is recorded
 */
#ifndef EFG_STEERING_H
#define EFG_STEERING_H

#include "core/loop/finder.h"
#include "core/loop/pivot.h"
#include "core/window/agree.h"
#include "core/window/trigger.h"
#include "tracer.h"

#define EFG_CHOICES 64 /* pivots that a rank votes with, at most */

/* A visit of the pivot while it is recorded. */
struct efg_mark {
    uint64_t time; /* ticks */
    uint64_t mpi;  /* ns in MPI until then */
};

struct efg_span { /* ticks */
    uint64_t from, to;
};

struct efg_steering {
    struct efg_thread *claimer; /* is at work on what follows; atomic */

    /* Rounds. */
    struct efg_agree agree;
    struct efg_vote vote, result;
    MPI_Datatype vote_type;
    MPI_Op vote_op;
    MPI_Request round;
    uint64_t rounds;        /* posted so far */
    uint64_t posted_at;     /* ticks: when the pending one was */
    uint64_t waiting_since; /* ticks: others have a loop and this rank has none; 0: not so */
    uint32_t waited;        /* rounds since then */
    int is_alone;           /* the others did not answer in time: own windows, none of theirs */

    /* The loop of this rank, and the pivots of the elected one that it could take. */
    struct efg_mainloop loop; /* function 0: none */
    uint64_t elected;         /* the fewest iterations of it that a rank had */
    struct efg_pivot pivots[EFG_CHOICES];
    uint32_t pivot_count;

    /* The pivot that is marked. */
    struct efg_pivot pivot;  /* kind EFG_PIVOT_NONE: none */
    uint64_t offset;         /* to be added to its visits for the agreed numbers */
    uint64_t last_event;     /* number of the event of its last visit; 0: none since it is marked */
    uint64_t longest;        /* most events from one visit to the next */
    uint64_t intervals;      /* from one visit to the next */
    int is_replaced;         /* its loop was that of this rank, and no longer is */

    /* Windows. */
    struct efg_trigger trigger;
    int is_long;      /* iterations are few and long: record from the next visit on */
    int has_window;   /* the last of the windows is the present one: not all are done with it yet */
    int is_following; /* records for a window that other ranks own */
    int is_owner;     /* of the last window that all were done with */
    uint64_t first_mark; /* number of the visit of marks[0] */
    struct efg_mark *marks; /* since the window was opened, the last one of its end */
    uint32_t mark_count, mark_room;
    uint64_t logged_offset; /* of the numbers that the log has for this window */
    struct efg_run_window *windows;
    struct efg_run_iterations *recorded; /* of each window: .recorded only */
    uint32_t window_count;
    struct efg_span *dropped; /* windows that are in the logs but must not be kept */
    uint32_t dropped_count;
};

extern struct efg_steering efg_steering;

/* The agreed number of the present iteration of THREAD, the leader. */
static inline uint64_t efg_steering_number(const struct efg_thread *thread)
{
    return thread->tally.visits + efg_steering.offset;
}

#endif
