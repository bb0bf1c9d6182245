/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brief: a run file that has a limit, for the record of a job (files/conf/conf.h). With all ranks where they
 * have room; else with the one that represents the run, and of its nodes those that take most of the time.
 * The totals are of all ranks, and what is left out of a graph is in its overflow node: sums stay exact.
 */
#ifndef EFG_BRIEF_H
#define EFG_BRIEF_H

#include "runfile.h"

/* Append the run file of RUN, of at most MOST bytes, to OUT, which is empty: with the SECTIONS of all ranks,
 * unless they are empty, or with SPEAKER alone, the rank that represents it. OUT fails without memory, and if
 * not even that has room. */
void efg_runfile_put_brief(struct efg_buffer *out, const struct efg_run *run,
                           const struct efg_buffer *sections, const struct efg_run_rank *speaker,
                           size_t most);

#endif
