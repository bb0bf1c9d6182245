/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists the recorded iterations: those of the windows of the rank that represents the run, ascending; windows
 * that touch are one range.
 */
#include "numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"

static int by_first(const void *a, const void *b)
{
    const struct efg_run_window *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* FIRST to LAST, exclusive. */
static void put_range(struct efg_buffer *out, uint64_t first, uint64_t last)
{
    efg_buffer_print(out, "%s%" PRIu64, out->size ? ", " : "", first);
    if (last - first > 1)
        efg_buffer_print(out, "-%" PRIu64, last - 1);
}

static void put_windows(struct efg_buffer *out, struct efg_run_window *windows, uint32_t count)
{
    qsort(windows, count, sizeof *windows, by_first);
    for (uint32_t i = 0, next; i < count; i = next) {
        uint64_t last = windows[i].last;
        for (next = i + 1; next < count && windows[next].first <= last; next++)
            last = windows[next].last > last ? windows[next].last : last;
        if (last > windows[i].first)
            put_range(out, windows[i].first, last);
    }
}

/* Append their numbers to OUT: "131-133, 595-597, 1200"; nothing if there are none. */
static void put_numbers(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    if (!thread || !thread->window_count)
        return;
    struct efg_run_window *windows = malloc(thread->window_count * sizeof *windows);
    out->failed |= !windows;
    if (windows) {
        memcpy(windows, thread->windows, thread->window_count * sizeof *windows);
        put_windows(out, windows, thread->window_count);
    }
    free(windows);
}

int efg_recorded_complain(const char *command, const struct efg_run *run, uint64_t number)
{
    struct efg_buffer numbers = {0};
    put_numbers(&numbers, run);
    efg_buffer_put(&numbers, "", 1);
    const char *which = numbers.failed ? "" : (char *)numbers.data;
    fprintf(stderr, "efgtrace %s: iteration %" PRIu64 " was not recorded%s%s\n", command, number,
            *which ? "; these were: " : ", and no other one", which);
    efg_buffer_fini(&numbers);
    return EFG_TOLD;
}
