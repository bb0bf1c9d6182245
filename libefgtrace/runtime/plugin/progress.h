/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps: how far the program has got. Of that plug-ins are told, too.
 */
#ifndef EFG_PROGRESS_H
#define EFG_PROGRESS_H

#include "guard.h"

struct efg_progress { /* what has changed */
    uint64_t loop, visited, iteration, time;
    bool is_other_loop, is_next, has_turned, is_open;
};

/* What THREAD sees after a call; nothing, if it does not lead. It is at work on its state. */
struct efg_progress efg_progress_look(struct efg_thread *thread);

/* The number of the present iteration, or EFGTRACE_NO_ITERATION. */
uint64_t efg_progress_iteration(void);

void efg_progress_tell(struct efg_guard *guard, const struct efg_progress *steps);

/* The program ends: a window that is open ends. */
struct efg_progress efg_progress_end(void);

#endif
