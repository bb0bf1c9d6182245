/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the report says about all ranks: they are read once, one after the other, and what is
 * needed from each is kept.
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
    EFG_QUANTITIES
};

/* As the report calls it: "outside MPI". */
const char *efg_quantity_name(enum efg_quantity quantity);

struct efg_hosts { /* lines for hosts, in the order of the ranks */
    struct efg_buffer lines;
    uint32_t shown;
    char *host; /* of the last ranks, from FIRST to LAST */
    uint32_t first, last, count, room;
    struct efg_run_place *places; /* of these */
};

struct efg_report_ranks {
    struct efg_join calls, sites;
    uint64_t *values[EFG_QUANTITIES]; /* by index of the rank */
    struct efg_hosts hosts;
    struct efg_buffer notes; /* a line each */
};

/* Read all ranks of RUN, for COMMAND. Returns 0; else says on standard error what is wrong, and
 * returns -1. FINI in any case, also of what is all zero. */
int efg_report_ranks_read(struct efg_report_ranks *ranks, const struct efg_run *run,
                          const char *command);
void efg_report_ranks_fini(struct efg_report_ranks *ranks);

/* Append the three most useful sentences, a line each, of any length. */
void efg_report_findings(struct efg_buffer *out, const struct efg_run *run,
                         const struct efg_report_ranks *ranks);

/* Append the table of what ranks did, least, median, most. */
void efg_report_ranks(struct efg_buffer *out, const struct efg_run *run,
                      const struct efg_report_ranks *ranks);

/* Append the groups of ranks with the same graph, and how others differ from the largest. Reads
 * one rank of each group. Returns as efg_report_ranks_read. */
int efg_report_groups(struct efg_buffer *out, const struct efg_run *run, uint32_t most);

#endif
