/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs of arbitrary content, for tests of the run file.
 */
#ifndef EFG_RANDOM_RUN_H
#define EFG_RANDOM_RUN_H

#include "files/runfile.h"

uint64_t random_any(void);            /* of any magnitude */
uint32_t random_below(uint32_t most); /* 0 ... most - 1; 0 for 0 */
void random_run(struct efg_run *run); /* free it with efg_run_fini */

#endif
