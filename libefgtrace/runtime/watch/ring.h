/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring: between windows, all iterations are recorded into the end of the leader's log, and those that all
 * ranks keep after the fact (core/window/slow.h) become windows. Only the leader calls this, which stays
 * the leader while a pivot is marked; other threads do not record. A rank that follows, and so has no pivot,
 * keeps slices instead (slices.h). NOW is in ticks.
 */
#ifndef EFG_RING_H
#define EFG_RING_H

#include <stdbool.h>

#include "base/counters.h"
#include "files/log/trim.h"
#include "threads.h"

/* For conditions on counters: READ puts what was counted so far in the calling thread into VALUES, in the
 * order of LIST; returns whether that is known. LIST has to stay. */
void efg_ring_count(const struct efg_counter_list *list, bool read(uint64_t *values));

/* 1 if THREAD can keep iterations after the fact. */
bool efg_ring_is_possible(const struct efg_thread *thread);

/* The pivot is visited, and what that means for windows is done. */
void efg_ring_visit(struct efg_thread *thread, uint64_t now);

/* Between visits: an iteration that takes more room than the ring has ends it. So slices begin and go on. */
void efg_ring_look(struct efg_thread *thread, uint64_t now);

/* A window is to be followed: returns whether that is left to slices, which begin if they can. All are done
 * with it, as efg_windows_trim has it: returns whether it was. */
bool efg_ring_follows(struct efg_thread *thread, uint64_t now);
bool efg_ring_trim(const struct efg_thread *thread, struct efg_span span, uint64_t first, uint64_t end);

/* A result of a round was obeyed: what is no longer wanted goes. */
void efg_ring_settle(struct efg_thread *thread, uint64_t now);

/* What is kept of it goes to where it survives the process, with the next visit. */
void efg_ring_save(void);

/* It ends, and what is wanted of it stays; VISIT: with a visit of the pivot. */
void efg_ring_end(struct efg_thread *thread, uint64_t now, bool visit);

/* From when to when what is asked for was, or, if this rank follows, what its slices have: ns on the common
 * time line; as efg_slow_state has them. */
struct efg_span efg_ring_span(uint64_t now);

/* ns from one round to the next, so that it spans some. */
uint64_t efg_ring_pause(void);

/* ns from one look to the next: where there are slices, these are short. */
uint64_t efg_ring_look_pause(void);

/* The program ends: no further iteration comes; there are no further rounds. */
void efg_ring_stop(void);
void efg_ring_finish(struct efg_thread *thread, uint64_t now);

#endif
