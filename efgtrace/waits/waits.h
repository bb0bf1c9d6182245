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
 *     late post         MPI_Win_start, a put, get or atomic operation, or MPI_Win_complete that was still
 *                       going on then: the begin of the last MPI_Win_post that it is for
 *     late complete     MPI_Win_wait: the begin of the last MPI_Win_complete
 *     wait for a lock   MPI_Win_lock, an operation, a flush or MPI_Win_unlock that was still going on
 *                       then: the begin of the MPI_Win_unlock of whoever had the lock before
 *     polls             polls that found nothing: all of their time; for what is received right after
 *                       the last of them
 *
 * What is nonblocking waits in the call that completes it, for the call that began the other side.
 * A call that completes several waits for the last one; MPI_Waitsome for the first one; of two that
 * come at the same moment, as a partner's in MPI_Sendrecv, for the kind that is above. A probe
 * waits for what is received right after it. Neighbourhood collectives do not say who their
 * neighbours are: they do not wait.
 *
 * The epochs of MPI_Win_start and MPI_Win_post of two ranks are matched in order, and where a window of the
 * trace has cut one of them off, as their times fit best. A lock goes from one to the next in the order in
 * which their MPI_Win_unlock end; shared ones do not wait for each other. What Scalasca calls early wait is
 * late complete here.
 *
 * The time of a location is that of its recorded iterations; if it has none, that of its windows:
 *
 *     time = computation (outside MPI) + waiting by kind + transfer (the rest of the time in MPI)
 *
 * A call belongs to the communicator, RMA window or file of the first message, collective, access or
 * operation that it begins, or, if nonblocking, completes; so do its time, its waiting, and the bytes that it
 * moves: those sent (a message counts where it is sent, a collective what each rank gives), put and got, read
 * and written. Probes, polls that found nothing and the posting of receives belong to none.
 *
 * The cause. A wait ends where two locations meet: one waits, the other one is late. What the late one
 * did since the two met before is compared with what the waiting one did until it waited. They met when
 * both had begun the ends of a message between them, a collective of both, or two calls of which one needs
 * the other in one-sided communication, before this wait began; else it is the begin of the window. What
 * they did is computation before the calls of a site, and time in them but for waiting. Where the late one
 * spent more, that is the cause, in proportion. Where it spent more on waiting, too, that is passed on to the
 * causes of these waits: indirect. What cannot be said of any is unknown. Source: Boehme, Geimer, Wolf,
 * Arnold, "Identifying the root causes of wait states in large-scale parallel applications" (2010).
 *
 * The critical path goes backwards from the end of the location that ends last: along its calls, and,
 * from a call that waits, on along those of the location that was late.
 *
 * Efficiency, as in the POP model, with the time of the windows from the first begin to the last end:
 *
 *     parallel efficiency = mean useful time / time = load balance x serialisation x transfer
 *     load balance        = mean useful time / most useful time
 *     serialisation       = most useful time / ideal time
 *     transfer            = ideal time / time
 *
 * The ideal time is that of a network and an MPI which need no time: all calls once more, each of which
 * ends as soon as what it needs has begun (what truly began after its end it did not need). That is an
 * estimate: a program may take another way then, and sends wait for receives, calls for posts
 * and locks only where they did.
 *
 * Terms are those of Scalasca. All times are ns. The time needed is linear in the calls and in
 * those between a wait and where the two met before, but for sorting; the memory is 72 bytes a call, and
 * more for what it is part of.
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
    EFG_WAIT_POST,
    EFG_WAIT_COMPLETE,
    EFG_WAIT_LOCK,
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

struct efg_waits_location {
    uint32_t rank, thread;
    bool has_iterations;
    uint32_t first, count; /* calls */
    struct efg_waits_sum sum;
};

/* What is told of the computation before calls, and of the calls themselves. */
enum efg_waits_part { EFG_PART_COMPUTATION, EFG_PART_MPI, EFG_PARTS };

struct efg_waits_cost { /* by part */
    double direct[EFG_PARTS], indirect[EFG_PARTS]; /* waiting of others that it has caused */
    uint64_t path[EFG_PARTS];                      /* time on the critical path */
};

/* Direct and indirect. */
static inline double efg_waits_caused(const struct efg_waits_cost *cost, enum efg_waits_part part)
{
    return cost->direct[part] + cost->indirect[part];
}

struct efg_waits_place { /* the calls of a site on a location; of none: what follows the last call */
    uint32_t location, site;
    struct efg_waits_sum sum;
    struct efg_waits_cost cost;
    uint64_t ideal; /* ns: as sum.mpi, if messages needed no time */
};

struct efg_waits_efficiency { /* 0 to 1, 0 if not known; of a location that is, mostly, a rank */
    double parallel, balance, serialisation, transfer;
    uint64_t time, ideal, most, mean; /* ns; most, mean: useful */
};

struct efg_waits_object { /* a communicator, window or file: its calls */
    uint64_t mpi, waited, calls, bytes;
    uint32_t locations, last; /* that use it; the last one of them, + 1 */
};

struct efg_waits_pair { /* a rank waits for another one, or does not know for whom: EFG_NONE */
    uint32_t waiter, other;
    uint64_t time, count;
};

struct efg_waits_iteration { /* of all locations that have it; or, without a key, calls of a loop */
    uint64_t key;            /* efg_recorded_key */
    uint64_t begin, end, locations;
    uint64_t longest, useful; /* ns: of the location that took longest; that computed longest */
    uint64_t ideal;           /* ns: the longest if messages needed no time */
    struct efg_waits_sum sum;
};

/* Its parallel efficiency is mean useful time / longest = balance x serialisation x transfer. The ideal time
 * is that between its begin and end on a location when all windows are gone through once more; where that is
 * longer than it truly was, because others were ahead then, nothing is lost to transfer. 0 to 1. */
struct efg_waits_shares {
    double parallel, balance, serialisation, transfer;
};
struct efg_waits_shares efg_waits_shares(const struct efg_waits_iteration *iteration);

struct efg_waits {
    struct efg_waits_location *locations;
    uint32_t location_count;
    struct efg_waits_place *places; /* by location, then by waiting, the most first */
    uint32_t place_count;
    struct efg_waits_sum *sites; /* by number of the site */
    struct efg_waits_cost *costs; /* the same */
    uint32_t site_count;
    struct efg_waits_object *objects; /* as the trace numbers them (recorded.h) */
    uint32_t object_count;
    struct efg_waits_pair *pairs; /* the most first */
    uint32_t pair_count;
    struct efg_waits_iteration *iterations; /* by key */
    uint32_t iteration_count;
    struct efg_waits_sum all;
    double caused, unknown; /* waiting whose cause is known, and is not */
    uint64_t path;          /* length of the critical path */
    struct efg_waits_efficiency efficiency;
    uint64_t messages, alone;       /* with both ends in the trace; with one */
    uint64_t collectives, unmatched; /* calls of collectives; those whose partners are not known */
    uint64_t epochs, epochs_alone;   /* of MPI_Win_start or post, for each partner; without the other side */
    char missing[512]; /* why nothing is known, a sentence without a full stop; else "" */
    struct efg_waits_work *work; /* parts.h */
};

/* Begin with RECORDED, which is read next and stays open; take an item; all were taken. Without memory
 * nothing is known. FINI in any case, also of what is all zero. */
void efg_waits_begin(struct efg_waits *waits, const struct efg_recorded *recorded);
void efg_waits_take(struct efg_waits *waits, const struct efg_recorded_item *item);
void efg_waits_end(struct efg_waits *waits);
void efg_waits_fini(struct efg_waits *waits);

struct efg_waits_state { /* of a call */
    enum efg_wait kind;
    uint32_t rank; /* that it waits for; EFG_NONE: not known */
    uint64_t time; /* 0: it does not wait */
};

/* At the end: the objects that have calls, those with the most time first, by index. Free them; NULL without
 * memory. */
uint32_t *efg_waits_objects(const struct efg_waits *waits, uint32_t *count);

/* At the end: of the CALL'th call of a location, both from 0. */
struct efg_waits_state efg_waits_state(const struct efg_waits *waits, uint32_t location, uint64_t call);

/* At the end: how long other calls wait for the begin of each call, together, in ns; all calls, those of a
 * location from its FIRST on. Free it; NULL without memory. */
uint64_t *efg_waits_awaited(const struct efg_waits *waits);

/* All of the above for the trace of RUN: RECORDED is read, and stays open. Returns 0 or -EBADMSG with its
 * message. FINI and efg_recorded_close in any case. */
int efg_waits_read(struct efg_waits *waits, struct efg_recorded *recorded, const struct efg_run *run);

#endif
