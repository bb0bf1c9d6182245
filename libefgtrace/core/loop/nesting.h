/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which loops a loop tree has, and how they are nested (looptree.h says what a loop is).
 */
#ifndef EFG_NESTING_H
#define EFG_NESTING_H

#include "callflow.h"
#include "looptree.h"

/* Find the loops of FLOW: into the empty TREE, parents before children, with parent, depth,
 * function, number of nodes and repetitions; and loop_of and, if MAIN is not NULL, main.
 * Returns 0, or -ENOMEM. */
int efg_nesting_find(struct efg_looptree *tree, const struct efg_callflow *flow,
                     const struct efg_loop_known *main);

#endif
