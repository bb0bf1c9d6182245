/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spawn: what this process tells those it spawns, in their environment: that they are traced, too,
 * and the folder of the world that made them.
 */
#ifndef EFG_SPAWN_H
#define EFG_SPAWN_H

#include "runtime/calls/call.h"

#define EFG_SPAWN_MAKER "EFGTRACE_MAKER" /* the variable: eight digits, the key of both worlds; the folder */

/* FOLDER is that of this world, "" for none; it is read when something is spawned. RUN: any number, the
 * same on all ranks, and hardly that of another run. */
void efg_spawn_begin(const char *folder, uint32_t run);

/* Around CALL, one of those that spawn; leave when it was successful. Enter may replace its
 * infos. */
void efg_spawn_enter(struct efg_call *call);
void efg_spawn_leave(const struct efg_call *call);

/* Processes so far, made by calls whose root is this rank. */
unsigned efg_spawn_count(void);

#endif
