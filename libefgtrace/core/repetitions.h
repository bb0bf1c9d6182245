/* SPDX-License-Identifier: BSD-3-Clause */
/* Repetitions: how often the body of each loop of a loop tree ran. A part of looptree.c. */
#ifndef EFG_REPETITIONS_H
#define EFG_REPETITIONS_H

#include "looptree.h"

/* Fill in the repetitions of all loops, which hold the bottleneck before; parents, depths,
 * headers, entries and loop_of are known. Returns 0, or -1 without memory. */
int efg_repetitions_count(struct efg_looptree *tree, const struct efg_graph *graph);

#endif
