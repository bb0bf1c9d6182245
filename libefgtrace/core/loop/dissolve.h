/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dissolving: a loop whose calls were mostly made only once repeats nothing. It was closed by
 * something that happened again, such as one command among the many lines of an input file. A
 * part of nesting.c.
 */
#ifndef EFG_DISSOLVE_H
#define EFG_DISSOLVE_H

#include "looptree.h"

/* Remove such loops, but not the main one, from TREE: parents, depths, loop_of and main are
 * known. Returns 0, or -ENOMEM. */
int efg_loops_dissolve(struct efg_looptree *tree, const struct efg_graph *graph);

#endif
