/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Act: what the control decides (core/window/control.h) is done here: the pivot is marked or
 * forgotten, windows are opened, closed and thrown away. Only the leader calls this; NOW is in
 * ticks.
 */
#ifndef EFG_ACT_H
#define EFG_ACT_H

#include "steering.h"
#include "threads.h"

/* Feed INPUT to the control, and do what it says. */
void efg_act_feed(struct efg_thread *thread, enum efg_trigger_input input, uint64_t now);

/* PIVOT is marked, if it is not yet; what was recorded provisionally of another one goes. */
void efg_act_adopt(struct efg_thread *thread, const struct efg_pivot *pivot, uint64_t now);

/* Do what follows from VERDICT of the last round. */
void efg_act_obey(struct efg_thread *thread, enum efg_verdict verdict, uint64_t now);

/* The pivot is visited. */
void efg_act_visit(struct efg_thread *thread, uint64_t now);

/* The pivot can no longer be visited on this rank alone. */
void efg_act_lose(struct efg_thread *thread, uint64_t now);

/* The others do not answer: record without them. The pivot is marked. */
void efg_act_alone(struct efg_thread *thread, uint64_t now);

#endif
