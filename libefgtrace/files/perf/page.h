/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Page: what the kernel tells a thread of one of its counters in memory, so that it can be read without a
 * system call (perf_event_open(2), struct perf_event_mmap_page). The kernel writes it when the thread comes
 * to a processor, between two increments of `lock`; so what is read counts if that has not changed meanwhile.
 */
#ifndef EFG_PAGE_H
#define EFG_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* What a processor can do for that; NULL: this one cannot. */
struct efg_page_processor {
    uint64_t (*count)(uint32_t index); /* its counter of this number, from 0 (rdpmc) */
    uint64_t (*time)(void);            /* the counter of its time (rdtsc) */
};

extern const struct efg_page_processor efg_page_processor; /* the one at hand */

/* VALUE of a counter of the processor. Returns whether it can be had like that now: the processor lets a
 * program read it, and it counts at present. */
bool efg_page_count(const struct perf_event_mmap_page *page, const struct efg_page_processor *processor,
                    uint64_t *value);

/* For how many ns the counter has counted: of one of task-clock, this is its value. Returns whether that can
 * be had now: the kernel says what the processor's time means. */
bool efg_page_time(const struct perf_event_mmap_page *page, const struct efg_page_processor *processor,
                   uint64_t *ns);

static inline uint32_t efg_page_lock(const struct perf_event_mmap_page *page)
{
    return __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
}

/* Whether the page is as it was when its lock was LOCK, in all that was read since. */
static inline bool efg_page_is_same(const struct perf_event_mmap_page *page, uint32_t lock)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&page->lock, __ATOMIC_RELAXED) == lock;
}

#endif
