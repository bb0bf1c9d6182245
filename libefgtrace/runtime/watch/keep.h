/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keep: what this process has left on its node (key `local`) goes to the folder of the output.
 */
#ifndef EFG_WATCH_KEEP_H
#define EFG_WATCH_KEEP_H

#include <stdint.h>

/* This process uses the folder on the node from now on. Returns 0 or -errno. */
int efg_keep_begin(void);

/* Move the files of all threads. Returns how many could not be moved; that is noted, with where they are. */
uint32_t efg_keep_files(void);

/* This process uses it no longer: the last one that does removes the folder, if there is nothing in it. */
void efg_keep_end(void);

#endif
