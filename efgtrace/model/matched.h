/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two runs side by side: which call sites are the same in both, and which loops.
 *
 * Call sites are the same if functions of the same names call each other down to the same MPI
 * function, so that a rebuilt program, another MPI library or other numbers of
 * ranks can be compared; a function without a name is known by module and offset. If several call
 * sites have the same names, the first of one run is the first of the other.
 *
 * Where functions have names in one run only, as the other program is stripped, call sites are the same if
 * all frames are at the same places of modules with the same names. At least half of those without a
 * partner must be so, or the modules are of another build, and none is the same.
 *
 * Loops are the same if they share call sites, at least half of those that they have together;
 * the loops with most in common are matched first.
 */
#ifndef EFG_MATCHED_H
#define EFG_MATCHED_H

#include "model.h"

struct efg_pair { /* EFG_NONE if it is in only one of them */
    uint32_t a, b;
};

struct efg_matched {
    struct efg_pair *nodes, *loops; /* in the order of A, then those of B only */
    uint32_t node_count, loop_count;
    uint32_t placed; /* nodes that are the same by their places */
    bool is_apart;   /* half of the nodes of one, or more, are not in the other, nor by their places */
};

/* What the call site CONTEXT is known by in all runs: a hash of the names from the program down to
 * the call. */
uint64_t efg_matched_key(const struct efg_contexts *contexts, uint32_t context);

/* Match two runs, which have contexts. Returns 0 or -ENOMEM. FINI in any case. */
int efg_matched_make(struct efg_matched *matched, const struct efg_model *a,
                     const struct efg_model *b);
void efg_matched_fini(struct efg_matched *matched);

#endif
