/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What counters have counted in the call sites of all ranks, and between them: sums over ranks and threads.
 */
#ifndef EFG_COUNTED_H
#define EFG_COUNTED_H

#include "base/map.h"
#include "files/run/counters.h"
#include "files/run/runfile.h"
#include "merged.h"

struct efg_counted_site { /* as efg_summary_node names it */
    struct efg_signature signature;
    uint64_t hash;
    uint32_t flags;
};

struct efg_counted_item {
    bool is_between;                  /* the calls FROM and TO; else in TO */
    struct efg_counted_site from, to; /* FROM: of what is between */
    uint64_t visits;
    uint64_t time; /* ns: what the graph says of it */
    uint64_t value[EFG_COUNTERS];
};

struct efg_counted_loop {       /* of the merged graph, with the loops inside of it */
    double iterations;          /* of all ranks and threads */
    double value[EFG_COUNTERS]; /* in these: in its calls, and between them */
};

struct efg_counted {
    unsigned width; /* counters; what ranks count besides these is left out */
    char name[EFG_COUNTERS][EFG_COUNTER_NAME];
    struct efg_counted_item *items; /* at the end by the first counter, the largest ones first */
    uint32_t count;
    struct efg_map index;
    struct efg_counted_loop *loops; /* by loop of the merged graph; NULL if nothing was counted */
};

/* Add the threads of RANK. Returns 0 or -ENOMEM. What is all zero is empty. */
int efg_counted_add(struct efg_counted *counted, const struct efg_run_rank *rank);
/* All are added, also to MERGED, which is complete. The same. */
int efg_counted_end(struct efg_counted *counted, const struct efg_merged *merged);
void efg_counted_fini(struct efg_counted *counted);

/* Instructions in a cycle, of VALUES by counter; 0: not both were counted. */
double efg_counted_ipc(const struct efg_counted *counted, const double *values);

/* The number of the counter NAME, or -1. */
int efg_counted_find(const struct efg_counted *counted, const char *name);

#endif
