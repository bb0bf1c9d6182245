/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a page as linux/perf_event.h says. A counter of the processor has `pmc_width` bits, and what it says
 * is added to `offset`, with its sign: the kernel lets it begin below 0.
 */
#include "page.h"

#include <stddef.h>

#define TRIES 8 /* the lock of a thread's own page changes when it loses its processor, so once in a while */

#if defined(__x86_64__)
static uint64_t read_count(uint32_t index)
{
    return (uint64_t)__builtin_ia32_rdpmc((int)index);
}

static uint64_t read_time(void)
{
    return __builtin_ia32_rdtsc();
}

const struct efg_page_processor efg_page_processor = {read_count, read_time};
#else
const struct efg_page_processor efg_page_processor = {NULL, NULL};
#endif

static int64_t extend(uint64_t count, unsigned width)
{
    unsigned unused = width && width < 64 ? 64 - width : 0;

    return (int64_t)(count << unused) >> unused;
}

/* What is in the page is read once, whatever the compiler would like. */
#define ONCE(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

bool efg_page_count(const struct perf_event_mmap_page *page, const struct efg_page_processor *processor,
                    uint64_t *value)
{
    for (int i = 0; i < TRIES && processor->count; i++) {
        uint32_t lock = efg_page_lock(page), index = ONCE(page->index);
        if (!page->cap_user_rdpmc || !index) {
            if (efg_page_is_same(page, lock))
                return false;
            continue;
        }
        uint64_t offset = (uint64_t)ONCE(page->offset);
        *value = offset + (uint64_t)extend(processor->count(index - 1), ONCE(page->pmc_width));
        if (efg_page_is_same(page, lock))
            return true;
    }
    return false;
}

/* ns since the page was written, or rather: modulo 2^64, what is to be added to its times. */
static uint64_t since_written(const struct perf_event_mmap_page *page, uint64_t cycles)
{
    unsigned shift = ONCE(page->time_shift) & 63;
    uint64_t mult = ONCE(page->time_mult), first = ONCE(page->time_cycles);

    if (page->cap_user_time_short)
        cycles = first + ((cycles - first) & ONCE(page->time_mask));
    uint64_t whole = cycles >> shift, rest = cycles & ((UINT64_C(1) << shift) - 1);
    return ONCE(page->time_offset) + whole * mult + (rest * mult >> shift);
}

bool efg_page_time(const struct perf_event_mmap_page *page, const struct efg_page_processor *processor,
                   uint64_t *ns)
{
    for (int i = 0; i < TRIES && processor->time; i++) {
        uint32_t lock = efg_page_lock(page);
        bool is_told = page->cap_user_time;
        if (is_told)
            *ns = ONCE(page->time_running) + since_written(page, processor->time());
        if (efg_page_is_same(page, lock))
            return is_told;
    }
    return false;
}
