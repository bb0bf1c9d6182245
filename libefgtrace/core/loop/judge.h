/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Judge: the rule for the main loop, applied to one moment. It remembers nothing; the finder decides
 * when a choice is accepted.
 *
 * If the same complete call path comes again, a loop in one of its frames has gone round. So the rule
 * walks down the call tree, from the root, always into the site with the most time, and asks in each
 * function: do its call sites form a loop (a strongly connected component of the steps between
 * them)? How often did it go round (level.h)? What it finds is a chain of loops, one inside the
 * other:
 *
 *     main: 3 x run      run: 1000 x (halo, solve)      solve: 9000 x (halo, MPI_Allreduce)
 *
 * The main loop is the outermost one that has half of the time in the last half of the run, went round 5
 * times or more, and has no single iteration that is nearly the whole run (3 effective rounds). If there
 * is none, 3 iterations are enough (2.5 effective rounds).
 *
 * Where the code is known (place.h), a step that is on no path through a function is a new call of it: a
 * sweep goes forth in one loop and back in another, and then begins again. A call that is in no loop
 * further in comes at most once in each round, and what is in no loop of a function at most once in each
 * call of it: the loop goes round as often as these come, also where nothing else comes between two of them.
 * A loop of which nothing came in a tenth of the events of one inside of it is not taken: the first
 * batches, in which nothing is summed up yet, are batches, too.
 *
 * One loop further inside is taken if the function has a single site with 94% of the events, the other
 * sites come steadily, and the function called there is nothing but a loop that goes round 5
 * times as often: a step function that is called in each iteration, and output in each 50th. Where
 * the code is known, that site must be in a loop within the one that was found. Not so if all calls of that
 * function are collectives of some of the ranks, while all of them meet in each iteration around: they
 * would go round it unequally often (k-points in pools).
 *
 * Where inner frames are cut off for want of memory, calls below the last one that is left say nothing.
 *
 * All this is moot where the program itself says that an iteration begins (EFG_NODE_MARK): the
 * main loop is then the one that has the mark; of several, the one whose function has most of the time.
 *
 * If iterations differ only deep inside, in 2 to 4 calls that take turns, these are parts of one
 * iteration.
 *
 * Time only says where to look; what a loop is follows from counts, and shares of events. Where several
 * loops are nested in one function, counts alone cannot tell; then the coarser one is taken.
 */
#ifndef EFG_JUDGE_H
#define EFG_JUDGE_H

#include "level.h"

#define EFG_LEAST_ROUNDS 5
#define EFG_GOES_ROUND 1.5 /* effective rounds: one of which is not nearly all of the time */
#define EFG_CHAIN 64 /* loops of a chain, at most */

/* A loop of one function, or a single call that is repeated. */
struct efg_mainloop {
    uint64_t function;   /* hash of the call path of the function; agrees between ranks; 0: none */
    uint64_t iterations; /* so far */
    double share;        /* of the time in the last half of the run, 0 to 1 */
    efg_place place;     /* in the code of the function, if the level's is known */
    uint32_t key;        /* a site that is entered once in each iteration; of the finder only, as is ... */
    uint16_t mark;       /* what tells it from other loops of the function, and agrees between ranks mostly */
};

/* A loop of the chain. Sites are ids of the call tree. */
struct efg_loop_found {
    struct efg_mainloop loop;
    uint32_t site;       /* the function; or the leaf that is repeated */
    bool is_call;        /* a single call, repeated */
    bool is_level;       /* the level that was chosen for its function */
    bool is_marked;      /* the program says where its iterations begin */
    uint32_t parts;      /* visits of SITE's loop in one iteration: 1 to 4 */
    uint32_t part;       /* if PARTS > 1: the site that is entered once in an iteration */
    double rounds;       /* effective ones */
    uint32_t first_site, site_count; /* its sites in efg_judge.sites */
};

struct efg_judge {
    const struct efg_callflow *flow;
    struct efg_loop_found chain[EFG_CHAIN]; /* outermost first; including levels of one function */
    uint32_t count;
    uint32_t chosen;    /* index in the chain; EFG_NONE for none */
    bool is_beginning;  /* a loop around the chosen one has gone round 2 to 4 times */
    uint32_t *sites;    /* of all loops of the chain */
    uint32_t site_count, site_room;
};

/* All zero is an empty one. */
void efg_judge_fini(struct efg_judge *judge);

/* Look at FLOW, which is kept; fills the chain. Returns 0, or -ENOMEM. */
int efg_judge_look(struct efg_judge *judge, const struct efg_callflow *flow);

/* The loop of FUNCTION, in the chain or not, at the level closest to ITERATIONS; NULL if
 * there is none. It is added to the chain. */
const struct efg_loop_found *efg_judge_find(struct efg_judge *judge, uint64_t function,
                                            uint64_t iterations);

#endif
