/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Late: a thread that looks now and then whether a function of a plug-in has not returned.
 */
#ifndef EFG_PLUGIN_LATE_H
#define EFG_PLUGIN_LATE_H

#include <stdbool.h>

/* Begin to look, and end. */
void efg_late_begin(void);
void efg_late_end(void);

/* Wait until no thread is in a function of a plug-in, for as long as that may take. Returns whether that is
 * so. */
bool efg_late_wait(void);

#endif
