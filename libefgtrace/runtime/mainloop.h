/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The main loop as this rank knows it: its pivot is adopted, renamed, lost; what its trigger
 * says is carried out. All is called by the leader only, NOW ticks.
 */
#ifndef EFG_MAINLOOP_H
#define EFG_MAINLOOP_H

#include "runtime/tracer.h"

/* PIVOT, which may be the present one already, is the process's; it has none. */
void efg_mainloop_adopt(struct efg_thread *thread, const struct efg_pivot *pivot, uint64_t now);
void efg_mainloop_forget(struct efg_thread *thread);

/* Whether the ranks agreed on iterations that this one counts as well, with its own pivot or
 * one that it then adopts. */
int efg_mainloop_owns_window(struct efg_thread *thread, uint64_t now);

/* The graph was made coarser, with that OUTCOME. */
void efg_mainloop_rename(struct efg_thread *thread, enum efg_coarsened outcome, uint64_t now);

void efg_mainloop_carry_out(struct efg_thread *thread, enum efg_action action, uint64_t now);

#endif
