/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Await: which thread waits for which, and who of them can go on. A thread goes on if one of those that it
 * waits for does: so ranks are stuck only if none of all that they wait for, directly or by way of others,
 * can go on. Which of several messages, or members of a collective, are still to come is not known from
 * outside, and this rule needs not know it. It finds a hang as soon as nobody is left who could end it.
 */
#ifndef EFG_AWAIT_H
#define EFG_AWAIT_H

#include "where.h"

struct efg_await {
    const struct efg_look *look;
    const struct efg_wheres *wheres;
    uint32_t *first; /* of each rank of LOOK, by its index: its threads; one more than there are ranks */
    bool *goes_on;   /* of each thread, by its index in WHERES */
    uint32_t *same;  /* of each thread in a collective: the first one that is in the same */
};

/* Returns 0 or -ENOMEM. WHERES and LOOK outlive it. */
int efg_await_find(struct efg_await *await, const struct efg_look *look, const struct efg_wheres *wheres);
void efg_await_fini(struct efg_await *await);

/* Call VISIT with each thread that thread I waits for, until it returns true. Returns whether it did. */
typedef bool efg_await_visit(void *context, uint32_t other);
bool efg_await_each(const struct efg_await *await, uint32_t i, efg_await_visit *visit, void *context);

/* One end of a message that thread I waits to send or receive. */
struct efg_await_end {
    bool sends;
    uint32_t peer;     /* world rank; EFG_NONE: any, or not known */
    int tag;           /* as given */
    uint64_t identity; /* of the communicator; 0: not known */
};
#define EFG_AWAIT_ENDS (EFG_LIVE_REQUESTS + 2)

/* The ends of CALL of thread W, which has REQUESTS of LIVE if they are of this call. Returns how many. */
uint32_t efg_await_ends(const struct efg_where *w, const struct efg_live_call *call,
                        struct efg_await_end ends[EFG_AWAIT_ENDS]);

/* Whether a message from ONE end, of rank A, may be that of OTHER, of rank B. */
bool efg_await_fits(const struct efg_where *w, const struct efg_await_end *one, uint32_t a,
                    const struct efg_await_end *other, uint32_t b);

/* Whether thread W reads or writes a file, and has not got on. */
bool efg_await_is_held_by_file(const struct efg_where *w);

#endif
