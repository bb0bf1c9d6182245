/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages: a thread's group of counters, read without a system call, if that can be done for all of them:
 *
 *     of the processor    from their pages, where the kernel lets a program do that
 *     task-clock          from its page, where the kernel says what the processor's time means; else what
 *                         it was, and the time since then, if the thread was on its processor all the time
 *     context-switches,   what they were, if it was
 *     cpu-migrations
 *
 * Whether it was, the first page says: the kernel writes it whenever the thread comes to a processor. If it
 * was not, or if the last system call is 1 ms ago, there has to be another one.
 *
 * A child of fork has no pages: the memory itself says so, and system calls are made there.
 */
#ifndef EFG_PAGES_H
#define EFG_PAGES_H

#include "base/counters.h"
#include "page.h"

struct efg_pages {
    const struct perf_event_mmap_page *page[EFG_COUNTERS]; /* the first one is the leader's; NULL: none */
    uint8_t way[EFG_COUNTERS];                             /* as in pages.c */
    unsigned count;                                        /* of counters; 0: they are read by system calls */
    uint64_t clock; /* what task-clock was said to be: it never goes back */
    struct {        /* by the last system call */
        uint64_t value[EFG_COUNTERS];
        uint64_t time; /* ns of CLOCK_MONOTONIC; 0: none */
        uint32_t lock; /* of the first page */
    } last;
};

/* For the first COUNT counters of LIST, which are those of FILES, opened by this thread, and count already.
 * Where there is no way for all of them, there are no pages. */
void efg_pages_open(struct efg_pages *pages, const struct efg_counter_list *list, unsigned count,
                    const int *files);
void efg_pages_close(struct efg_pages *pages);

/* By the thread that is counted. Returns whether the VALUES are known without a system call. */
bool efg_pages_read(struct efg_pages *pages, uint64_t *values);

/* Before and after a system call that reads VALUES; before it, all else that is known of the last is
 * forgotten. A task-clock that would go back does not. */
void efg_pages_before(struct efg_pages *pages);
void efg_pages_after(struct efg_pages *pages, uint64_t *values);

#endif
