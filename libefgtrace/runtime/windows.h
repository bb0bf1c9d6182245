/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of the process: opened and closed by the leader, at visits of the pivot when this
 * rank owns the window, else provisionally while it follows. Other threads join in at their
 * next call.
 */
#ifndef EFG_WINDOWS_H
#define EFG_WINDOWS_H

#include "runtime/tracer.h"

/* The window begins or ends with the present visit. COMPLETE: all its iterations are there. */
void efg_windows_open(struct efg_thread *thread, uint64_t now);
void efg_windows_close(struct efg_thread *thread, uint64_t now, int complete);

/* Throw the last window away. */
void efg_windows_discard(struct efg_thread *thread);

/* Another iteration is in the log. */
void efg_windows_count(struct efg_thread *thread);

/* Record without a pivot, and end that: what lies outside of [FROM, TO] ns on the common time
 * line is thrown away. */
void efg_windows_follow(struct efg_thread *thread, uint64_t now);
void efg_windows_trim(struct efg_thread *thread, uint64_t now, uint64_t from, uint64_t to);

/* The last window, or NULL. */
struct efg_run_window *efg_windows_last(void);

/* A thread that does not lead does as the process does. */
void efg_windows_join(struct efg_thread *thread, uint64_t now);

#endif
