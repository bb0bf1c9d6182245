/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Level: how often a loop in one function goes round, from how often its sites were entered.
 *
 *     40 x output | 100 x rebuild | 1900 x exchange | 2000 x forces
 *
 * The sites of a loop have several counts: some are entered in each iteration, some in every k-th,
 * some in others instead. The rule tries the counts R from the highest one down; a site is RARE if it
 * was entered less than 0.8 R times. R is taken if
 *
 *   - rare sites have at most 2.5% of the events and 35% of the time;
 *   - or at most 35% of the events, and come steadily in each K-th iteration, K of 5 or more (output, a
 *     regrid), and the frequent ones are more than a few calls;
 *   - or at most 35% of events and time, and a frequent site is left out where a rare one
 *     comes instead (neighbour lists are rebuilt instead of an exchange).
 *
 * Two rare sites whose counts add up to R, neither of which leads to the other, are the two branches of
 * an if: they are not rare. A rare site entered once in exactly 2, 3 or 4 iterations says that R counts
 * stages of a step, or correctors: the next lower count is tried. So does one, where the code is known, in a
 * loop around the one of R, which goes round up to 8 times in it.
 *
 * Where the code is known (place.h), there is less to find out: the count of a loop is that of its most
 * frequently entered call; what is inside the loop is never rare, and what is outside always is. Which of
 * several nested loops is taken follows from the same shares; if none passes, the outermost one.
 *
 * Shares of events decide, since those of time vary with the load of the machine.
 */
#ifndef EFG_LEVEL_H
#define EFG_LEVEL_H

#include "callflow.h"

struct efg_body_site {
    uint32_t site;
    efg_place place;
    uint64_t entries;
};

/* The sites of a loop in one function, by descending entries. */
struct efg_body {
    const struct efg_callflow *flow;
    uint32_t function;
    uint32_t count;
    struct efg_body_site *sites;
    uint64_t events; /* of all */
    double time;
    efg_place widest; /* the place that contains all others; unknown if there is none, or one of them is
                         unknown */
};

/* The sites have only their numbers: fill in the rest, and sort them. A call whose number is a matter of
 * timing counts as often as another one that is entered about as often. */
void efg_body_fill(struct efg_body *body);

/* Whether all its calls are in one function, as far as is known: one call site may lead to several, as a
 * function may end in a call of another. */
bool efg_body_is_one_function(const struct efg_body *body);

/* How often the loop goes round. */
uint64_t efg_level_choose(const struct efg_body *body);

/* The place of the level that begins with site number I; unknown if the widest is. */
efg_place efg_level_place(const struct efg_body *body, uint32_t i);

/* How often the loop of that level has gone round. */
uint64_t efg_level_rounds(const struct efg_body *body, uint32_t i);

/* The first site after site number I that has a lower count, and is in another loop if these are
 * known; body->count if there is none. */
uint32_t efg_level_next(const struct efg_body *body, uint32_t i);

#endif
