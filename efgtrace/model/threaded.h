/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel regions of OpenMP, and barriers in them, of all ranks, by call path.
 */
#ifndef EFG_THREADED_H
#define EFG_THREADED_H

#include "base/map.h"
#include "files/run/openmp.h"
#include "files/run/runfile.h"

struct efg_threaded { /* all zero is empty */
    struct efg_openmp_place *items; /* at the end those with most time first; by path, sums over ranks */
    uint32_t count;
    struct efg_map index;
};

/* Add those of RANK. Returns 0 or -ENOMEM. */
int efg_threaded_add(struct efg_threaded *threaded, const struct efg_run_rank *rank);
void efg_threaded_end(struct efg_threaded *threaded);
void efg_threaded_fini(struct efg_threaded *threaded);

#endif
