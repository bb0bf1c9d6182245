/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Next: what comes when the main loop is over. Only the leader calls this; NOW is in ticks.
 */
#ifndef EFG_NEXT_H
#define EFG_NEXT_H

#include "steering.h"
#include "threads.h"

/* Between samples: is the loop of the pivot over? Returns whether a sample should be taken at once. */
bool efg_next_look(struct efg_thread *thread, uint64_t now);

/* The finder of the whole run has been asked, and has accepted efg_steering.main, which IS_NEW. Fills in
 * efg_steering.loop; returns whether that is new. */
bool efg_next_sample(struct efg_thread *thread, uint64_t now, bool is_new);

/* The loop of this rank is over, and no other is known, not even after some samples; it is that of a later
 * phase. */
bool efg_next_is_searching(void);
bool efg_next_has_given_up(void);
bool efg_next_is_later(void);

/* When the present phase began, or the search for it: samples are as frequent as if the run began then. */
uint64_t efg_next_since(void);

/* What the last sample saw, of the time that counts for the loop of this rank. */
struct efg_judge *efg_next_judge(const struct efg_thread *thread);

/* The program ends. The last phase of a rank without a pivot may have ended before, as samples tell. */
void efg_next_finish(void);

/* Sites have changed: only the finder of the whole run is asked. */
void efg_next_forget(void);

#endif
