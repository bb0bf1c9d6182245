/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Visits of the pivot of this rank: where its iterations begin. Only the leader calls this; NOW is in
 * ticks.
 */
#ifndef EFG_VISITS_H
#define EFG_VISITS_H

#include <stdbool.h>

#include "core/loop/pivot.h"
#include "threads.h"

/* PIVOT, which may be the present one already, is marked; none is. */
void efg_visits_adopt(struct efg_thread *thread, const struct efg_pivot *pivot);
void efg_visits_forget(struct efg_thread *thread);
/* The one that was marked last, whose visits are the iterations of the leader; its kind is none before the
 * first one. */
const struct efg_pivot *efg_visits_counted(void);
/* Whether PIVOT is the present one. */
bool efg_visits_have(const struct efg_pivot *pivot);

/* The pivot was visited, while the thread awaited that or not. */
void efg_visits_count(struct efg_thread *thread, uint64_t now);

/* Whether the loop of the pivot was that of this rank and is NO LONGER: another one has been accepted. */
void efg_visits_replaced(bool no_longer);

/* Whether the pivot is silent, or its iteration has become unlike all others: far more calls; or more
 * than in any other, and another loop has been accepted meanwhile. */
bool efg_visits_are_over(const struct efg_thread *thread);

/* The same, or whether its loop was over when it was marked: it has not been visited since. */
bool efg_visits_are_silent(const struct efg_thread *thread);

/* The same, or whether it has been silent for far longer than it ever was, and for more calls than usual. It
 * may come again: nothing is ended by that. */
bool efg_visits_seem_over(const struct efg_thread *thread, uint64_t now);

/* The loop of the pivot is over, and another one may begin. */
void efg_visits_begin_phase(const struct efg_thread *thread);

#endif
