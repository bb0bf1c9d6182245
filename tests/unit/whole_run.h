/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A whole run in memory: what the processes of a job hold together, for tests.
 */
#ifndef EFG_WHOLE_RUN_H
#define EFG_WHOLE_RUN_H

#include "files/run/runfile.h"

struct whole_run {
    struct efg_run run;         /* the facts; the rest is made by whole_run_join */
    struct efg_run_names names; /* of all ranks */
    uint32_t rank_count;
    struct efg_run_rank *ranks;   /* ascending */
    struct efg_buffer *sequences; /* of each rank: its section, or empty; NULL: of none */
    struct efg_run_order *orders; /* what is said of them */
};

void whole_run_fini(struct whole_run *whole);

/* Fill the common part and the speaker of the run, as a job does it at its end. */
void whole_run_join(struct whole_run *whole);

/* The same, and write it to PATH, as nodes with NODE_RANKS ranks do it. Returns 0 or -errno. */
int whole_run_write(struct whole_run *whole, const char *path, uint32_t node_ranks);

/* Write a run of COUNT ranks to PATH, on nodes with NODE_RANKS of them: those of WHOLE again
 * and again, each of which sends what its first one does to the ranks around it. */
int whole_run_write_many(struct whole_run *whole, const char *path, uint32_t count,
                         uint32_t node_ranks);

#endif
