/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each rank did, in a few numbers; calls and call sites of all; hosts and notes. Ranks are
 * added one after the other and need not stay.
 */
#ifndef EFG_REPORT_RANKS_H
#define EFG_REPORT_RANKS_H

#include "base/buffer.h"
#include "files/run/runfile.h"
#include "join.h"

enum efg_quantity {
    EFG_RUN_TIME,
    EFG_MPI_TIME,
    EFG_COMPUTE_TIME,
    EFG_LOOP_TIME,
    EFG_EVENTS,
    EFG_BYTES,
    EFG_COST,
    EFG_PROCESSOR_USED,
    EFG_PROCESSOR_WAITED,
    EFG_PROCESSOR_SWITCHES,
    EFG_PAGE_FAULTS,
    EFG_PEAK_MEMORY,
    EFG_QUANTITIES
};

struct efg_hosts { /* lines for hosts, in the order of the ranks */
    struct efg_buffer lines;
    uint32_t shown;
    char *host; /* of the last ranks, from FIRST to LAST */
    uint32_t first, last;
    struct efg_buffer places; /* of these: struct efg_run_place */
};

struct efg_ranks {
    struct efg_join calls, sites;
    uint64_t *values[EFG_QUANTITIES]; /* by index of the rank */
    struct efg_hosts hosts;
    struct efg_buffer notes; /* a line each */
    struct efg_group_graph {
        uint32_t nodes, edges; /* of all threads of a rank */
    } * groups;                /* by index of the group */
};

/* Begin, of the ranks of RUN; add one, which has the INDEX and loses its host and cores; sort.
 * The former two return 0 or -ENOMEM. FINI in any case, also of what is all zero. */
int efg_ranks_begin(struct efg_ranks *ranks, const struct efg_run *run);
int efg_ranks_add(struct efg_ranks *ranks, const struct efg_run *run,
                         uint32_t index, struct efg_run_rank *rank);
void efg_ranks_end(struct efg_ranks *ranks);
void efg_ranks_fini(struct efg_ranks *ranks);

#endif
