/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why: what a log says of why its iterations are recorded: the conditions of the key `when`, and of which
 * phase they are, with the loop of that. The trace has it as attributes of the iterations.
 */
#ifndef EFG_WHY_H
#define EFG_WHY_H

#include "threads.h"

/* What THREAD, the leader, records from here on is of PHASE, 0: not known, whose loop is that agreed on. */
void efg_why_say(struct efg_thread *thread, uint32_t phase);

#endif
