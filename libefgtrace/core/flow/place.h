/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Place: where a call is in the machine code of its function, that is, in which of its loops.
 *
 *     for (step ..) {             loop 2, with loop 3 in it
 *         for (stage ..)
 *             exchange();         place 3 to 3
 *         if (step % 10 == 0)
 *             output();           place 2 to 3
 *     }
 *
 * The loops of a function are numbered, outer ones before inner ones, so that the loops within
 * one are a range. A place is that range: of the innermost loop that a call is in. Number 1 stands
 * for the function itself.
 *
 * It tells what counts cannot: whether a call is sometimes left out or belongs to an outer loop; which
 * calls are in every iteration: above, exchange() is in each stage, output() is not in each step; and whether
 * a function was called anew, as nothing in it leads back.
 */
#ifndef EFG_PLACE_H
#define EFG_PLACE_H

#include <stdbool.h>

#include "loops.h"

#define EFG_PLACE_UNKNOWN 0
#define EFG_PLACE_UNASKED UINT32_MAX
#define EFG_PLACE_NO_LOOP 1 /* number of the function itself */

#define EFG_PLACE_ALWAYS 0x8000u      /* flag: all paths through the loop, or the function, lead there */
#define EFG_PLACE_SEVERAL 0x80000000u /* flag: it may be more than one call: a line of Python */
#define EFG_PLACE_FLAGS (EFG_PLACE_ALWAYS | EFG_PLACE_SEVERAL)

/* Number of the loop; in the upper half the number of the last loop in it; and perhaps flags, which
 * efg_callflow_place leaves out. */
typedef uint32_t efg_place;

/* The order of a call is that of the outermost loop around it: no path leads from a loop to one of the
 * same function that has a lower order, unless by leaving the function. Its lower half is 0 if the call
 * is in none, or it is not known in which one. Its upper half tells functions apart, as one call site
 * may lead to several, and one that ends in a call of another may be left to that; 0: not known. The
 * leg of a call says where in the rounds of that loop it is. 0: it is not in each round, or not known. */
struct efg_position { /* all zero: unknown */
    efg_place place;
    uint32_t order;
    uint32_t leg;
    uint32_t firsts; /* it is where it is but in the first round of so many loops, which are left out */
};

#define EFG_ORDER_BITS 16
#define EFG_ORDER_SCRIPTS 0x8000u /* number of the first function of a script; below, of machine code */

/* The number of the function of machine code with this HASH; ranks give it the same one. That of a script has
 * EFG_ORDER_SCRIPTS besides. */
static inline uint32_t efg_order_number(uint64_t hash)
{
    return 1 + (uint32_t)(hash % (EFG_ORDER_SCRIPTS - 1));
}

static inline uint32_t efg_order_function(uint32_t order)
{
    return order >> EFG_ORDER_BITS;
}

/* Whether it is known that no path leads from order B to order A. */
static inline bool efg_order_is_before(uint32_t a, uint32_t b)
{
    return a << (32 - EFG_ORDER_BITS) && a < b && efg_order_function(a) == efg_order_function(b);
}

/* A leg, from its upper bits down: how often its loop may be left in a round before the call; what
 * rises along the round; how often the loop may be left behind the call. */
#define EFG_LEG_EXIT_BITS 4
#define EFG_LEG_MOST_EXITS ((1u << EFG_LEG_EXIT_BITS) - 1)
#define EFG_LEG_CALL_BITS 8 /* of calls between which nothing leads elsewhere */
#define EFG_LEG_MOST_CALLS ((1u << EFG_LEG_CALL_BITS) - 1)
#define EFG_LEG_NODE_BITS 16

static inline uint32_t efg_leg_exits_before(uint32_t leg)
{
    return leg >> (32 - EFG_LEG_EXIT_BITS);
}

static inline uint32_t efg_leg_exits_behind(uint32_t leg)
{
    return leg & EFG_LEG_MOST_EXITS;
}

/* POSITION, as efg_place_find has it, in function number FUNCTION; what needs more room than there is, is not
 * known. */
struct efg_position efg_position_in(struct efg_position position, uint32_t function);

/* The position of the call in frame number FRAME of the call path PATH; frames count from the outermost
 * one. */
typedef struct efg_position efg_path_position(uint32_t path, uint32_t frame);

static inline uint32_t efg_place_loop(efg_place place)
{
    return place & 0x7fff;
}

/* Whether it is known that a call is in a loop of its function; that it comes at most once each time. */
static inline bool efg_place_is_looping(efg_place place)
{
    return efg_place_loop(place) > EFG_PLACE_NO_LOOP;
}

static inline bool efg_place_is_straight(efg_place place)
{
    return efg_place_loop(place) == EFG_PLACE_NO_LOOP && !(place & EFG_PLACE_SEVERAL);
}

/* Whether A and B are known, and A is in the loop of B. */
static inline bool efg_place_is_in(efg_place a, efg_place b)
{
    return a && b && efg_place_loop(a) >= efg_place_loop(b) && efg_place_loop(a) <= b >> 16;
}

/* Whether A and B are known, and neither is in the loop of the other. */
static inline bool efg_place_is_apart(efg_place a, efg_place b)
{
    return a && b && !efg_place_is_in(a, b) && !efg_place_is_in(b, a);
}

/*
 * The positions of the nodes of a flow graph, which begins at node 0. Unknown are those of nodes that
 * cannot be reached. Two nested loops that
 * share their first node cannot be told from one loop with a branch, and are taken for that; it is
 * rare, as a counter is usually set in between. A path through the function is one that
 * ends, at a node that leads nowhere. To NUMBER, unless it is NULL, goes in which order the nodes come: what
 * leads to a node has a lower one, but for what does so from further on in a loop. GRAPH has at least one
 * node. Returns 0, or -ENOMEM.
 */
int efg_place_find(const struct efg_digraph *graph, struct efg_position *position, uint32_t *number);

#endif
