/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs of arbitrary content, for tests of the run file.
 */
#ifndef EFG_RANDOM_RUN_H
#define EFG_RANDOM_RUN_H

#include "whole_run.h"

uint64_t random_any(void);                /* of any magnitude */
uint32_t random_below(uint32_t most);     /* 0 ... most - 1; 0 for 0 */
void random_run(struct whole_run *whole); /* free it with whole_run_fini */

/* RANK with the number NUMBER and paths up to PATHS; with the shape of LIKE if that is not
 * NULL. */
void random_rank(struct efg_run_rank *rank, uint32_t number, uint32_t paths,
                 const struct efg_run_rank *like);
void random_names(struct efg_run_names *names);

#endif
