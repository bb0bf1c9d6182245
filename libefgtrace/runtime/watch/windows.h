/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of the process: opened and closed by the leader, at visits of the pivot when this
 * rank owns the window, else provisionally while it follows. Other threads join in at their
 * next call. NOW is in ticks.
 */
#ifndef EFG_WINDOWS_H
#define EFG_WINDOWS_H

#include <stdbool.h>

#include "files/conf/conf.h"
#include "steering.h"
#include "threads.h"

/* Whether a window of LENGTH iterations that begins at iteration FIRST is near at iteration NUMBER: then its
 * margin begins, or goes on, with the present visit. */
bool efg_windows_is_near(uint64_t number, uint64_t first, uint64_t length);
void efg_windows_approach(struct efg_thread *thread, uint64_t now);

/* A window begins with the present visit. */
void efg_windows_open(struct efg_thread *thread, uint64_t now);

/* Another iteration begins with the present visit. */
void efg_windows_next(struct efg_thread *thread, uint64_t now);

/* The window ends: with the present visit, or, if it is not WHOLE, with the last one. Its margin follows,
 * which ends when it is large enough. */
void efg_windows_close(struct efg_thread *thread, uint64_t now, bool whole);
void efg_windows_look_behind(struct efg_thread *thread, uint64_t now);

/* Keep the iterations [FIRST, END) of the present window, which may have more; its margin ends. */
void efg_windows_keep(struct efg_thread *thread, uint64_t now, uint64_t first, uint64_t end);

/* The present window was recorded before numbers were agreed on; now they are. */
void efg_windows_renumber(struct efg_thread *thread);

/* Throw the present window away, and what was recorded for the next one. */
void efg_windows_discard(struct efg_thread *thread);

/* Record without a pivot, in place of the present window if there is one, and end that: it is from FROM to
 * TO ns on the common time line, and has the iterations [FIRST, END) of others. */
void efg_windows_follow(struct efg_thread *thread, uint64_t now);
void efg_windows_trim(struct efg_thread *thread, uint64_t now, struct efg_span span, uint64_t first,
                      uint64_t end);

/* The same of what is in SPAN, in ticks, and was recorded as slices: WINDOW becomes the present one. */
void efg_windows_add_past(struct efg_run_window window, struct efg_span span);

/* Whether some window is recorded in SPAN, in ticks; IS_USUAL: of those that are not around slow ones. */
bool efg_windows_meet(struct efg_span span, bool is_usual);

/* Why the windows of a PART (core/window/agree.h) are recorded. */
enum efg_select efg_windows_select(uint32_t part);

/* Of the windows of a PHASE that were recorded because of SELECT, keep those whose KEEP is 1;
 * KEEP has an entry for each, in order. The others are removed from the logs at the end of the run. */
void efg_windows_choose(uint32_t phase, enum efg_select select, const uint8_t *keep);
static inline int efg_windows_is_of(const struct efg_run_window *window, uint32_t phase,
                                    enum efg_select select)
{
    return window->phase == phase && window->select == select;
}

/* All recorders are done: remove from the logs what was not kept, and what threads other than the
 * leader began outside of windows because they learned of an end too late. What was kept says why. */
void efg_windows_clean(void);

/* When the COUNT windows are, without their margins; ascending. The caller frees it. NULL without memory. */
struct efg_span *efg_windows_inside(size_t *count);

/* Whether a window, or a margin of one, is being recorded. */
bool efg_windows_are_recorded(void);

/* The present window, or NULL: there is none, or there was no memory for it. */
struct efg_run_window *efg_windows_present(void);

/* WINDOW, one iteration that was kept because it was slow, or may be; SUMS of it. What of it is recorded is
 * in SPAN, in ticks. */
void efg_windows_add_slow(struct efg_run_window window, const struct efg_run_iterations *sums,
                          struct efg_span span);
/* The one that begins with iteration FIRST, not before START; NULL: there is none. */
const struct efg_run_window *efg_windows_find_slow(uint64_t first, uint64_t start);
/* Of those since START, ns since that of the run, the ones that IS_WANTED says 0 of go; TIMES says how many
 * times the median the slow ones took, as efg_slow_times. */
void efg_windows_sweep(uint64_t start, bool is_wanted(uint64_t number), uint32_t times(uint64_t number));
/* The run is over: those that follow one another become one. */
void efg_windows_join_slow(void);
/* The same of COUNT that are a copy. Returns how many are left. */
uint32_t efg_windows_joined(struct efg_run_window *windows, uint32_t count);

/* At the end: of those around slow iterations of a PHASE, keep the MOST slowest. Those of phases that the
 * ranks do not know any more go. */
void efg_windows_choose_slow(uint32_t phase, uint32_t most);
void efg_windows_drop_forgotten(void);
/* Whether the ranks still know PHASE; 0 they always do. */
bool efg_windows_are_known(uint32_t phase);

/* Visits of the pivot in the present window: the number of the first one, UINT64_MAX if there is
 * none; how many. */
uint64_t efg_windows_first_visit(void);
uint32_t efg_windows_visits(void);

/* All ranks are done with the present window, and keep it. */
void efg_windows_settle(void);

/* A thread that does not lead follows the process. Returns 0, or -ECANCELED when everything is over. */
int efg_windows_join(struct efg_thread *thread, uint64_t now);

#endif
