/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel regions that the main thread begins, and what their threads do: they are busy, or wait for each
 * other.
 *
 *     fork     ---------------------------------------------------------------------------------->  join
 *     thread   enter  ........busy........  stop  (barrier)  go  .....busy.....  stop, and never go again
 *
 * Only the outermost region counts: what is inside of it is part of what its threads do. This library refers
 * to libc only, for it is in each process of the job.
 */
#ifndef EFG_REGION_H
#define EFG_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct efg_region;

/* This thread begins a region; FRAME as in struct efg_openmp_sums. NULL if nobody wants to know. */
struct efg_region *efg_region_fork(const uintptr_t *frame);
void efg_region_join(struct efg_region *region, const uintptr_t *frame);

/* This thread takes part in REGION from now on, as number INDEX of the team. It waits, and waits no longer;
 * IS_SHOWN: at a barrier that the program has asked for, in the function with this FRAME. Without a region
 * nothing happens. */
void efg_region_enter(struct efg_region *region, unsigned index);
void efg_region_stop(bool is_shown, const uintptr_t *frame);
void efg_region_go(bool is_shown, const uintptr_t *frame);
/* It takes part no longer. */
void efg_region_leave(void);

/* Whether this thread is in a region. */
bool efg_region_is_inside(void);

/* The next definition of a function of the runtime, or NULL. */
void *efg_region_next(const char *symbol);

#endif
