/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program asks to have recorded (efgtrace_record), and when it may be (MPI_Pcontrol, the key
 * `when`). Any thread may ask; the leader hears it when it looks at the rounds, at once if it has asked
 * itself.
 */
#ifndef EFG_ASKED_H
#define EFG_ASKED_H

#include <stdbool.h>
#include <stdint.h>

/* Record the next ITERATIONS; 0 means nothing. */
void efg_asked_record(uint64_t iterations);

/* All of this so far: efg_agree_ask. */
uint64_t efg_asked_now(void);

/* MPI_Pcontrol(LEVEL), where that says when to record: 0 not from here on, 1 again, 2 save what there is. */
void efg_asked_level(int level);

/* Whether nothing may be recorded at NOW ticks: because of that, or of the time in the key `when`. */
bool efg_asked_is_shut(uint64_t now);

/* At the end: say what was asked for in vain, of which ANSWERED was not. */
void efg_asked_finish(uint64_t answered);

#endif
