/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keep: what this process has left on its node (key `local`) goes to the folder of the output.
 */
#ifndef EFG_WATCH_KEEP_H
#define EFG_WATCH_KEEP_H

#include <stdint.h>

/* Move the files of all threads. Returns how many could not be moved; that is noted, with where they are. */
uint32_t efg_keep_files(void);

/* Remove the folder on the node, if there is nothing in it: the last rank of the node does. */
void efg_keep_clear(void);

#endif
