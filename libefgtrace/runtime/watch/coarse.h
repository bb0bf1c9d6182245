/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coarse: what to do when a graph finds no room: drop detail, the same on all threads and ranks.
 */
#ifndef EFG_COARSE_H
#define EFG_COARSE_H

#include "threads.h"

/* Outside of calls, at NOW ticks. The graph of this THREAD is full: drop detail until it is
 * not. */
void efg_coarse_make_room(struct efg_thread *thread, uint64_t now);

/* Drop what other threads, other ranks or the call paths have dropped. */
void efg_coarse_follow(struct efg_thread *thread, uint64_t now);

/* Another rank has DROPPED this: this process does so, too. */
void efg_coarse_hear(uint32_t dropped);

/* What was dropped, by any thread, or any rank that was heard: set of enum efg_drop. */
uint32_t efg_coarse_dropped(void);

#endif
