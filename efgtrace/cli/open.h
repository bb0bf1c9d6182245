/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening the folder of a run, with messages that say what is wrong with it.
 */
#ifndef EFG_OPEN_H
#define EFG_OPEN_H

#include "files/run/runfile.h"

/* Open the run in DIR, the folder (or the run file itself), for COMMAND. run->output is then
 * DIR, or the folder of the file, wherever it has been moved to. Names are clean (clean.h).
 * Returns 0; else says on standard error what is wrong, where, and what to do, and returns EFG_TOLD.
 */
int efg_open_run(struct efg_run *run, const char *command, const char *dir);

/* Read the rank with the index INDEX, for COMMAND. Names are clean. Returns 0; else says on
 * standard error what is wrong, and returns EFG_TOLD. */
int efg_open_rank(const struct efg_run *run, const char *command, uint32_t index,
                  struct efg_run_rank *rank);

/* The index of the rank with the number RANK, or EFG_NONE: says on standard error which there
 * are. */
uint32_t efg_open_find(const struct efg_run *run, const char *command, const char *rank);

/* Mark those ranks in IS_WANTED, by index, that the list TEXT has: "0,4-7" or "0-62:2". Returns
 * 0; else says on standard error that it is not a list, or that there is no such rank, and returns
 * EFG_TOLD. */
int efg_open_choose(const struct efg_run *run, const char *command, const char *text,
                    char *is_wanted);

#endif
