/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slices: the ring (ring.h) of a rank that follows. It has no iterations, so its ring has slices of time, and
 * those become windows in which the others say that a slow iteration was, or another window of theirs. Only
 * ring.c calls this. NOW is in ticks.
 */
#ifndef EFG_SLICES_H
#define EFG_SLICES_H

#include <stdbool.h>

#include "files/log/trim.h"
#include "threads.h"

/* Between calls, where there may be slices: they begin, of so many BYTES at most, or go on. */
void efg_slices_look(struct efg_thread *thread, uint64_t now, uint64_t bytes);

/* A result of a round was obeyed: what is asked for is held, if it is here; what is kept has a window. */
void efg_slices_settle(const struct efg_thread *thread);

/* Whether there are some; and that all ranks are done with a window of others, the iterations [FIRST, END),
 * which was in SPAN, in ticks: it becomes the present one (windows.h). */
bool efg_slices_are_open(void);
void efg_slices_add(const struct efg_thread *thread, struct efg_span span, uint64_t first, uint64_t end);

/* What is kept of them goes to where it survives the process. */
void efg_slices_save(struct efg_thread *thread);

/* They end, and what is wanted of them stays. */
void efg_slices_end(struct efg_thread *thread, uint64_t now);

/* What there is of what is asked for, or of all if that is not placed: ns on the common time line. */
struct efg_span efg_slices_span(uint64_t now);

#endif
