/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why ranks wait: the wait states of what was recorded, and who waited for whom.
 *
 * A call waits from its begin until the moment that it needs, or until its own end if that is
 * earlier. What it needs, by kind:
 *
 *     late sender       a receive: the begin of the call that sends
 *     late receiver     a send that was still going on then: the begin of the call that posts the
 *                       receive
 *     wait at N x N     an operation of all with all: the last one's begin; so, too, for windows and
 *                       communicators that are made
 *     wait at barrier   MPI_Barrier: the same
 *     wait at fence     MPI_Win_fence: the same
 *     late broadcast    one to all, not on the root: the root's begin
 *     early reduce      all to one, on the root: the last other one's begin
 *     early scan        the last begin of those before it
 *     polls             polls that found nothing: all of their time
 *
 * What is nonblocking waits in the call that completes it, for the call that began the other side.
 * A call that completes several waits for the last one; MPI_Waitsome for the first one; of two that
 * come at the same moment, as a partner's in MPI_Sendrecv, for the kind that is above. A probe
 * waits for what is received right after it. Neighbourhood collectives do not say who their
 * neighbours are: they do not wait.
 *
 * The time of a location is that of its recorded iterations; if it has none, that of its windows:
 *
 *     time = computation (outside MPI) + waiting by kind + transfer (the rest of the time in MPI)
 *
 * Terms are those of Scalasca. All times are ns. The time needed is linear in the calls, but for
 * sorting the collective operations; the memory is 48 bytes a call, and more for what it is part of.
 */
#ifndef EFG_WAITS_H
#define EFG_WAITS_H

#include "recorded/sites.h"

enum efg_wait {
    EFG_WAIT_NONE,
    EFG_WAIT_SENDER,
    EFG_WAIT_RECEIVER,
    EFG_WAIT_ALL,
    EFG_WAIT_BARRIER,
    EFG_WAIT_FENCE,
    EFG_WAIT_ROOT,
    EFG_WAIT_REDUCE,
    EFG_WAIT_SCAN,
    EFG_WAIT_POLLS,
    EFG_WAITS
};

/* "late sender" */
const char *efg_wait_name(enum efg_wait kind);

struct efg_waits_sum {
    uint64_t computation, mpi; /* all of the time */
    uint64_t waited[EFG_WAITS]; /* of that in MPI */
    uint64_t calls;
};

uint64_t efg_waits_waited(const struct efg_waits_sum *sum); /* of all kinds */
uint64_t efg_waits_transfer(const struct efg_waits_sum *sum);
void efg_waits_add(struct efg_waits_sum *to, const struct efg_waits_sum *sum);

struct efg_waits_location {
    uint32_t rank, thread;
    bool has_iterations;
    uint32_t first, count; /* calls */
    struct efg_waits_sum sum;
};

struct efg_waits_place { /* the calls of a site on a location, and the computation before them */
    uint32_t location, site;
    struct efg_waits_sum sum;
};

struct efg_waits_pair { /* a rank waits for another one, or does not know for whom: EFG_NONE */
    uint32_t waiter, other;
    uint64_t time, count;
};

struct efg_waits_iteration { /* of all locations that have it */
    uint64_t key;            /* efg_recorded_key */
    uint64_t begin, end, locations;
    struct efg_waits_sum sum;
};

struct efg_waits {
    struct efg_waits_location *locations;
    uint32_t location_count;
    struct efg_waits_place *places; /* by location, then by waiting, the most first */
    uint32_t place_count;
    struct efg_waits_sum *sites; /* by number of the site */
    uint32_t site_count;
    struct efg_waits_pair *pairs; /* the most first */
    uint32_t pair_count;
    struct efg_waits_iteration *iterations; /* by key */
    uint32_t iteration_count;
    struct efg_waits_sum all;
    uint64_t messages, alone;       /* with both ends in the trace; with one */
    uint64_t collectives, unmatched; /* calls of collectives; those whose partners are not known */
    char missing[512]; /* why nothing is known, a sentence without a full stop; else "" */
    struct efg_waits_work *work; /* parts.h */
};

/* Begin with RECORDED, which is read next and stays open; take an item; all were taken. Return 0 or
 * -ENOMEM. FINI in any case, also of what is all zero. */
int efg_waits_begin(struct efg_waits *waits, const struct efg_recorded *recorded);
int efg_waits_take(struct efg_waits *waits, const struct efg_recorded_item *item);
int efg_waits_end(struct efg_waits *waits);
void efg_waits_fini(struct efg_waits *waits);

#endif
