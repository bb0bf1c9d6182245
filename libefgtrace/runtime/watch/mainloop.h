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

/* Fill in efg_steering.pivots and choices, for the loop that is elected. */
void efg_mainloop_list_pivots(struct efg_thread *thread);

/* PIVOT, which may be the present one already, is marked; none is. */
void efg_mainloop_adopt(struct efg_thread *thread, const struct efg_pivot *pivot, uint64_t now);
void efg_mainloop_forget(struct efg_thread *thread);

/* The best pivot of the loop of this rank is marked; returns 0 if there is none. */
int efg_mainloop_adopt_own(struct efg_thread *thread, uint64_t now);

/* If a round takes long, record provisionally from the next one on. */
void efg_mainloop_consider_long(struct efg_thread *thread, uint64_t now);

/* 1 if the pivot is silent, or its iteration has become unlike all others: far more calls; or more
 * than in any other, and another loop has been accepted meanwhile. */
int efg_mainloop_is_over(const struct efg_thread *thread);

/* The pivot was visited, while the thread awaited that or not. */
void efg_mainloop_count(struct efg_thread *thread, uint64_t now);

/* The graph was made coarser, with this OUTCOME. */
void efg_mainloop_rename(struct efg_thread *thread, enum efg_coarsened outcome, uint64_t now);

#endif
