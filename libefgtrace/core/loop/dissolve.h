/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dissolving: a loop whose calls were mostly made only once repeats nothing. It was closed by
 * something that happened again, such as one command among the many lines of an input file. And one that goes
 * round once in each round of the loop around it is that loop, seen from a function that it calls. A
 * part of nesting.c.
 */
#ifndef EFG_DISSOLVE_H
#define EFG_DISSOLVE_H

#include "looptree.h"

/* Remove such loops from TREE: parents, depths, loop_of and main are known. The main one stays: in the
 * place of the one around it that it is. Returns 0, or -ENOMEM. */
int efg_loops_dissolve(struct efg_looptree *tree, const struct efg_graph *graph);

#endif
