/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit: what to leave out so that watching takes no more than its share of the time. Each measure includes
 * those before it:
 *
 *     polls    of those that find nothing, a few are measured and stand for the others
 *     RING     the ring records blocks of iterations, one of every 2, 4, .. 64 (slow.h), then none
 *     PAUSE    nothing is watched until what was spent is again within the share
 *
 * A measure is taken when what was spent since the start exceeds what is allowed AND what was spent lately
 * exceeds the share, too: costs of the past cannot be saved any more. Allowed is the share of the time, less
 * what MPI_Init and MPI_Finalize take, but at least a quarter of it, and GRACE in any case: until that has
 * been spent no event is left out. Nor is one as long as the run is SHORT, whatever that costs, so that short
 * runs are as if there was no limit. Polls that find nothing are not worth it: they are left out when a
 * 64th part has been spent, so that the rest is for later phases.
 * As long as no window was made, pausing would mean to find none: it begins only when SEARCH has been spent.
 *
 * No clock, no MPI; times are ns since the start in which the rank had a processor: on a node with fewer of
 * them than ranks, what one does more takes the time of the others. The struct is the caller's.
 */
#ifndef EFG_LIMIT_H
#define EFG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define EFG_LIMIT_SEARCH UINT64_C(500000000) /* ns */
#define EFG_LIMIT_BURST UINT64_C(20000000)    /* ns that are watched between two pauses */
#define EFG_LIMIT_WHOLE UINT64_C(1000000)     /* parts that shares are given in */

/* How much is left out. */
enum efg_thrift {
    EFG_THRIFT_NONE,
    EFG_THRIFT_RING,               /* every 2nd block; one more: every 4th, and so on */
    EFG_THRIFT_NO_RING = 7,
    EFG_THRIFT_PAUSE
};

struct efg_limit {
    uint64_t share;      /* of EFG_LIMIT_WHOLE, three quarters of the limit */
    uint64_t grace_time; /* ns: GRACE is the share of it */
    uint64_t short_time; /* ns: a run is SHORT until then */
    uint64_t reserve;    /* ns that MPI_Init takes, and MPI_Finalize with nothing to write */
    enum efg_thrift thrift;
    bool thins_polls;
    uint64_t time, cost; /* at the last look */
    uint64_t burst;      /* ns that a burst would have cost then */
};

/* What the rank is at. */
struct efg_limit_state {
    uint64_t time, cost; /* ns since the start; spent until then */
    uint64_t later;      /* ns that MPI_Finalize will take to write what is recorded */
    bool has_ring;       /* it records iterations that may be kept */
    bool is_searching;   /* no window has been made yet */
};

/* SHARE is that of the limit, of EFG_LIMIT_WHOLE; INIT ns were spent in MPI_Init; IS_ASKED: the limit is no
 * default. Then no run is short. */
void efg_limit_init(struct efg_limit *limit, uint64_t share, uint64_t init, bool is_asked);

/* ns that a shorter run counts as. */
uint64_t efg_limit_grace(bool is_asked);

/* ns that may have been spent at STATE->time before anything is left out. */
uint64_t efg_limit_allowed(const struct efg_limit *limit, const struct efg_limit_state *state);

/* Look at what was spent since the last look: polls may be left out from here on; else LIMIT->thrift may go
 * up or, while it concerns the ring only, down by one. */
void efg_limit_look(struct efg_limit *limit, const struct efg_limit_state *state);

/* Watching goes on after a pause: what was before is not lately. */
void efg_limit_resume(struct efg_limit *limit, const struct efg_limit_state *state);

/* With EFG_THRIFT_PAUSE: until when (ns since the start) to pause, so that a burst is within the share again;
 * STATE->time if it is now. */
uint64_t efg_limit_pause(const struct efg_limit *limit, const struct efg_limit_state *state);

/* Of how many blocks of iterations one is recorded: a power of two; 0: none is. */
uint32_t efg_limit_step(enum efg_thrift thrift);

#endif
