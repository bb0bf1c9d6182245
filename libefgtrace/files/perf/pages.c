/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps and reads the pages of a group. That the kernel writes a page when the thread comes to a processor is
 * how it is, but not documented; so it is tried, once: the thread sleeps, and the lock must have changed.
 *
 * The time of a system call is the middle between before and after it. The clocks of the kernel and of
 * task-clock may differ in their rates, by 0.05% at most while the time is corrected: 500 ns in 1 ms.
 */
#define _GNU_SOURCE /* MADV_WIPEONFORK */
#include "pages.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define OLD 1000000 /* ns: the last system call is too long ago */
#define LONG 10000  /* ns: it was interrupted, so its middle says nothing */

enum way { NONE, COUNT, CLOCK, STILL };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const uint32_t *is_here; /* NULL: there are no pages. In a child of fork it reads 0 */

static uint64_t monotonic(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void begin(void)
{
    size_t size = (size_t)getpagesize();
    uint32_t *word = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (word == MAP_FAILED)
        return;
    if (madvise(word, size, MADV_WIPEONFORK) != 0) {
        munmap(word, size);
        return;
    }
    *word = 1;
    is_here = word;
}

static bool is_usable(const struct efg_pages *pages)
{
    return pages->count && __atomic_load_n(is_here, __ATOMIC_RELAXED);
}

/* --- which way --- */

static enum way way_of(const struct efg_counter *counter)
{
    if (efg_counter_is_hardware(counter))
        return COUNT;
    switch (counter->config) {
    case PERF_COUNT_SW_TASK_CLOCK:
        return CLOCK;
    case PERF_COUNT_SW_CONTEXT_SWITCHES:
    case PERF_COUNT_SW_CPU_MIGRATIONS:
        return STILL;
    }
    return NONE;
}

static const struct perf_event_mmap_page *map(int file)
{
    void *page = mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, file, 0);

    return page == MAP_FAILED ? NULL : page;
}

/* The leader has a page in any case: the thread's comings are seen there. */
static bool map_all(struct efg_pages *pages, const int *files)
{
    for (unsigned k = 0; k < pages->count; k++) {
        if ((k == 0 || pages->way[k] != STILL) && !(pages->page[k] = map(files[k])))
            return false;
        if (pages->way[k] == COUNT && !pages->page[k]->cap_user_rdpmc)
            return false;
    }
    return true;
}

/* Whether a counter is known only as long as the thread is on its processor. */
static bool needs_comings(const struct efg_pages *pages)
{
    for (unsigned k = 0; k < pages->count; k++)
        if (pages->way[k] == STILL || (pages->way[k] == CLOCK && !pages->page[k]->cap_user_time))
            return true;
    return false;
}

static bool shows_comings(const struct perf_event_mmap_page *page)
{
    uint32_t lock = efg_page_lock(page);

    for (int i = 0; i < 3 && efg_page_is_same(page, lock); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    return !efg_page_is_same(page, lock);
}

static bool kernel_shows_comings(const struct perf_event_mmap_page *page)
{
    static int answer; /* 0: not yet asked; atomic */
    int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);

    if (!known) {
        known = shows_comings(page) ? 1 : -1;
        __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
    }
    return known > 0;
}

void efg_pages_open(struct efg_pages *pages, const struct efg_counter_list *list, unsigned count,
                    const int *files)
{
    *pages = (struct efg_pages){0};
    for (unsigned k = 0; k < count; k++)
        if (!(pages->way[k] = (uint8_t)way_of(efg_counter(list->id[k]))))
            return;
    pthread_once(&once, begin);
    if (!is_here || !*is_here)
        return;
    pages->count = count;
    if (count && (!map_all(pages, files) || (needs_comings(pages) && !kernel_shows_comings(pages->page[0]))))
        efg_pages_close(pages);
}

/* What is mapped in a child at such an address is not ours. */
void efg_pages_close(struct efg_pages *pages)
{
    for (unsigned k = 0; k < pages->count && is_usable(pages); k++)
        if (pages->page[k])
            munmap((void *)pages->page[k], (size_t)getpagesize());
    *pages = (struct efg_pages){0};
}

/* --- readings --- */

/* IS_SAME: the thread was on its processor since the last system call. */
static bool read_clock(const struct efg_pages *pages, unsigned k, bool is_same, uint64_t *value)
{
    if (efg_page_time(pages->page[k], &efg_page_processor, value))
        return true;
    if (!is_same)
        return false;
    uint64_t passed = monotonic() - pages->last.time;
    *value = pages->last.value[k] + passed;
    return passed < OLD;
}

static bool read_one(const struct efg_pages *pages, unsigned k, bool is_same, uint64_t *value)
{
    switch (pages->way[k]) {
    case COUNT:
        return efg_page_count(pages->page[k], &efg_page_processor, value);
    case CLOCK:
        return read_clock(pages, k, is_same, value);
    }
    *value = pages->last.value[k];
    return is_same;
}

static void hold_clock(struct efg_pages *pages, uint64_t *values)
{
    for (unsigned k = 0; k < pages->count; k++) {
        if (pages->way[k] != CLOCK)
            continue;
        if (values[k] < pages->clock)
            values[k] = pages->clock;
        pages->clock = values[k];
    }
}

bool efg_pages_read(struct efg_pages *pages, uint64_t *values)
{
    if (!is_usable(pages))
        return false;
    uint32_t lock = efg_page_lock(pages->page[0]);
    bool is_same = pages->last.time && lock == pages->last.lock;
    for (unsigned k = 0; k < pages->count; k++)
        if (!read_one(pages, k, is_same, &values[k]))
            return false;
    if (!efg_page_is_same(pages->page[0], lock))
        return false;
    hold_clock(pages, values);
    return true;
}

void efg_pages_before(struct efg_pages *pages)
{
    if (!is_usable(pages))
        return;
    pages->last.lock = efg_page_lock(pages->page[0]);
    pages->last.time = monotonic();
}

void efg_pages_after(struct efg_pages *pages, uint64_t *values)
{
    if (!is_usable(pages))
        return;
    uint64_t took = monotonic() - pages->last.time;
    memcpy(pages->last.value, values, pages->count * sizeof *values);
    pages->last.time += took / 2;
    if (took > LONG || !efg_page_is_same(pages->page[0], pages->last.lock))
        pages->last.time = 0;
    hold_clock(pages, values);
}
