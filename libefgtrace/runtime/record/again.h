/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Again: what a call means that has the same arguments as the one before from its call path. Neither MPI nor
 * a table is asked then: how many bytes, on which communicator, and which messages it adds to those under
 * way are what they were. One for each thread, with a place for each of the first call paths, which others
 * take in turn.
 *
 * Only of calls whose meaning follows from their arguments alone: not where a status says from whom, where
 * arrays say how much, or where a datatype is the program's own, whose handle may come to mean another
 * one. It holds while no communicator is removed.
 */
#ifndef EFG_AGAIN_H
#define EFG_AGAIN_H

#include "base/hot.h"
#include "recorder.h"

#define EFG_AGAIN 128 /* call paths */

typedef uint64_t efg_again_words __attribute__((vector_size(16), aligned(16), may_alias));

struct efg_again_place {
    /* The first line of the call; the number of the function is 0 while nothing is known. */
    union {
        _Alignas(EFG_CALL_ARGUMENTS) uint16_t id;
        efg_again_words words[EFG_CALL_ARGUMENTS / sizeof(efg_again_words)];
    };
    uint64_t event;              /* the last word of its event (core/graph/graph.h) */
    struct efg_flight added;     /* to messages under way */
    uint64_t removed;            /* communicators, before the call had returned */
    struct efg_traffic_run run;  /* what it sends at once is counted here */
    uint32_t path;        /* that the log has, with the function and the communicator, since ... */
    uint32_t definitions; /* the recorder has that number of them */
};
_Static_assert(sizeof(struct efg_again_place) == 2 * EFG_CALL_ARGUMENTS, "two cache lines");

struct efg_again {
    struct efg_again_place place[EFG_AGAIN];
    struct efg_facts facts[EFG_AGAIN]; /* of each, for those that are not usual */
};

/* What is sent again counts as sent in TRAFFIC. */
static inline void efg_again_init(struct efg_again *again, struct efg_traffic *traffic)
{
    efg_traffic_lend(traffic, &again->place[0].run, sizeof again->place[0], EFG_AGAIN);
}

EFG_INLINE bool efg_again_is_alike(const struct efg_again_place *a, const struct efg_call *call)
{
    const efg_again_words *x = a->words, *y = (const efg_again_words *)call;
    efg_again_words other = (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]);
    return !(other[0] | other[1]);
}

EFG_INLINE struct efg_again_place *efg_again_place(struct efg_again *again, const struct efg_call *call)
{
    return &again->place[call->path % EFG_AGAIN];
}

/* CALL begins: its path is found. */
EFG_INLINE void efg_again_enter(struct efg_again *again, struct efg_call *call)
{
    const struct efg_again_place *a = efg_again_place(again, call);

    if (a->id == call->id && efg_again_is_alike(a, call))
        call->is_known = true;
}

EFG_INLINE bool efg_again_holds(const struct efg_again_place *a)
{
    return a->removed == __atomic_load_n(&efg_comms_removed, __ATOMIC_RELAXED);
}

/* Whether A, the place of CALL, which has returned with RESULT, says what it means. */
EFG_INLINE bool efg_again_knows(const struct efg_again_place *a, const struct efg_call *call, int result)
{
    return call->is_known && efg_again_holds(a) && result == MPI_SUCCESS;
}

/* See that the log has what records of CALL name, whose place A is: function, path and COMM. */
bool efg_again_define(struct efg_again_place *a, struct efg_recorder *r, const struct efg_call *call,
                      const struct efg_comm *comm);

/* The facts of CALL, which begins, if they are known; then whether the log has all that it names is, too. */
EFG_INLINE const struct efg_facts *efg_again_facts(struct efg_again *again, struct efg_recorder *r,
                                                   struct efg_call *call)
{
    struct efg_again_place *a = &again->place[call->path % EFG_AGAIN];
    const struct efg_facts *facts = &again->facts[call->path % EFG_AGAIN];

    if (!call->is_known || !efg_again_holds(a))
        return NULL;
    call->is_defined = (a->path == call->path && a->definitions == r->definitions) ||
                       efg_again_define(a, r, call, facts->comm);
    return facts;
}

/* Calls whose partners and sizes are arguments, and that tell nothing else. */
#define EFG_SHAPES_AGAIN                                                                       \
    (EFG_SHAPE_SET(SEND) | EFG_SHAPE_SET(ISEND) | EFG_SHAPE_SET(RECV) | EFG_SHAPE_SET(IRECV) | \
     EFG_SHAPE_SET(SENDRECV) | EFG_SHAPE_SET(ISENDRECV) | EFG_SHAPE_SET(COLLECTIVE) |          \
     EFG_SHAPE_SET(ICOLLECTIVE))

/* It is not known. Before its facts are decoded: returns whether it is one of those that may be. */
EFG_INLINE bool efg_again_begin(struct efg_again *again, const struct efg_call *call)
{
    struct efg_again_place *a = &again->place[call->path % EFG_AGAIN];

    if (!efg_shape_is_in(call, EFG_SHAPES_AGAIN))
        return false;
    a->id = EFG_CALL_NONE;
    a->removed = __atomic_load_n(&efg_comms_removed, __ATOMIC_RELAXED);
    return true;
}

/* It was decoded, and was successful: ADDED is what it has added to messages under way. */
void efg_again_learn(struct efg_again *again, struct efg_recorder *r, const struct efg_call *call,
                     const struct efg_facts *facts, struct efg_flight added);

/* efg_recorder_follow for what is known. */
EFG_INLINE void efg_again_follow(struct efg_recorder *r, struct efg_again_place *a)
{
    a->run.count++;
    r->flight.sum += a->added.sum;
    r->flight.count += a->added.count;
}

#endif
