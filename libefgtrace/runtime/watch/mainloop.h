/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The main loop as this rank knows it: which loop and which pivot are its own, which pivots of the
 * elected loop it could take, and what follows when they change. Only the leader calls this; NOW is
 * in ticks.
 */
#ifndef EFG_MAINLOOP_H
#define EFG_MAINLOOP_H

#include "steering.h"
#include "threads.h"

/* The finder has accepted efg_steering.loop, in place of that of function BEFORE; without an
 * agreement, its own best pivot is marked, so that iterations are counted. */
void efg_mainloop_found(struct efg_thread *thread, uint64_t before, uint64_t now);

/* The same where it was found before, and its pivot has been given up. */
void efg_mainloop_look(struct efg_thread *thread, uint64_t now);

/* Fill in efg_steering.pivots and choices, for the loop that is elected. */
void efg_mainloop_list_pivots(struct efg_thread *thread);

/* The best pivot of FOUND, or of the loop of this rank, is marked; returns false if there is none. */
bool efg_mainloop_adopt(struct efg_thread *thread, const struct efg_judge *judge,
                        const struct efg_loop_found *found, uint64_t now);
bool efg_mainloop_adopt_own(struct efg_thread *thread, uint64_t now);

/* The graph was made coarser, with this OUTCOME. */
void efg_mainloop_rename(struct efg_thread *thread, enum efg_coarsened outcome, uint64_t now);

#endif
