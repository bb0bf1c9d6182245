/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Efficiencies as in the POP model and TALP. The useful time of a rank is its time outside
 * MPI; the time of all is that of the rank that takes longest.
 *
 *     parallel efficiency      = mean useful time / time  = load balance x communication
 *     load balance             = mean useful time / most useful time
 *     communication efficiency = most useful time / time
 *
 * Source: the metrics of the POP centre of excellence; TALP of the DLB library.
 */
#ifndef EFG_EFFICIENCY_H
#define EFG_EFFICIENCY_H

#include "by_rank.h"
#include "ranks.h"

struct efg_efficiency {
    uint32_t ranks;                          /* that took part */
    uint64_t time;                           /* ns: of the one that took longest */
    double parallel, balance, communication; /* 0 to 1; 0 without ranks */
};

/* The efficiency of the run with COUNT ranks, or of a loop of the merged graph; a rank without time
 * took no part. */
struct efg_efficiency efg_efficiency_run(const struct efg_ranks *ranks, uint32_t count);
struct efg_efficiency efg_efficiency_loop(const struct efg_by_rank *by, uint32_t loop);

#endif
