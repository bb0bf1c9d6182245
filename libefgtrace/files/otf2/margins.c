/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The logs of a job that was killed, or still runs, have all of their margins (files/log/trim.h): in
 * MPI_Finalize the ranks would have found out what is needed of them. Here they are left out. A thread that
 * has no iterations has its windows when the others have theirs.
 *
 * Nor was it decided which iterations around slow ones stay: those that all logs with iterations still have.
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/compare.h"
#include "base/hash.h"
#include "files/log/clock.h"
#include "files/match/channels.h"

void efg_otf2_windows_fini(struct efg_otf2_windows *w)
{
    free(w->all);
    efg_map_fini(&w->around);
    *w = (struct efg_otf2_windows){0};
}

/* --- iterations around slow ones --- */

static uint64_t key_of(const struct efg_record *iteration)
{
    return efg_hash_mix(iteration->c, iteration->d);
}

static int count_around(struct efg_otf2_windows *w, const struct efg_log_view *log)
{
    struct efg_log_reader reader = {.view = log};
    bool has_some = false;

    for (const struct efg_record *r; (r = efg_log_read(&reader, NULL));) {
        if (r->kind != EFG_REC_ITERATION_BEGIN)
            continue;
        has_some = true;
        uint64_t *logs = r->a == EFG_KEPT_AROUND ? efg_map_put(&w->around, key_of(r)) : NULL;
        if (logs)
            ++*logs;
        else if (r->a == EFG_KEPT_AROUND)
            return -ENOMEM;
    }
    w->logs += has_some;
    return 0;
}

struct dropped { /* when they begin, in ticks */
    uint64_t *times;
    size_t count;
};

static bool is_dropped(const void *context, uint64_t begin)
{
    const struct dropped *d = context;

    return bsearch(&begin, d->times, d->count, sizeof begin, efg_compare_numbers) != NULL;
}

/* Those of LOG that some other log does not have, or no longer: each is a window of its own. */
static int drop_around(struct efg_log_view *log, const struct efg_otf2_windows *all)
{
    struct efg_log_reader reader = {.view = log};
    struct dropped d = {0};
    int error = 0;

    for (const struct efg_record *r; !error && (r = efg_log_read(&reader, NULL));) {
        if (r->kind != EFG_REC_ITERATION_BEGIN || r->a != EFG_KEPT_AROUND)
            continue;
        const uint64_t *logs = efg_map_find(&all->around, key_of(r));
        if (logs && *logs >= all->logs)
            continue;
        error = efg_array_grow(&d.times, d.count, 1, sizeof *d.times);
        if (!error)
            d.times[d.count++] = r->time;
    }
    if (!error && d.count)
        error = efg_trim_view_windows(log, is_dropped, &d);
    free(d.times);
    return error;
}

/* --- windows --- */

/* Whether SPAN begins before the last of the windows from FIRST on ends: then that has all of it. */
static bool goes_on(struct efg_otf2_windows *w, size_t first, struct efg_span span)
{
    struct efg_span *last = w->count > first ? &w->all[w->count - 1] : NULL;

    if (!last || span.from > last->to)
        return false;
    last->to = span.to > last->to ? span.to : last->to;
    return true;
}

/* Behind the last one; one that begins as that ends goes on with it. */
static int add(struct efg_otf2_windows *w, size_t first, struct efg_span span)
{
    if (goes_on(w, first, span))
        return 0;
    if (efg_array_grow(&w->all, w->count, 1, sizeof *w->all))
        return -ENOMEM;
    w->all[w->count++] = span;
    return 0;
}

/* The iterations of the log, in ticks; the last one may have no end. */
static int add_iterations(struct efg_otf2_windows *w, const struct efg_log_view *log)
{
    struct efg_log_reader reader = {.view = log};
    size_t first = w->count;
    int error = 0;

    for (const struct efg_record *r; !error && (r = efg_log_read(&reader, NULL));) {
        if (r->kind == EFG_REC_ITERATION_BEGIN)
            error = add(w, first, (struct efg_span){r->time, UINT64_MAX});
        if (r->kind == EFG_REC_ITERATION_END && w->count > first)
            w->all[w->count - 1].to = r->time;
    }
    return error;
}

int efg_otf2_find_windows(struct efg_otf2_windows *w, const struct efg_log_view *log)
{
    struct efg_log_clock clock = efg_log_clock(log->header);
    size_t first = w->count;
    int error = log->header->full ? 0 : add_iterations(w, log);

    if (!error && !log->header->full)
        error = count_around(w, log);

    for (size_t i = first; i < w->count; i++) {
        struct efg_span *span = &w->all[i];
        *span = (struct efg_span){efg_log_ns(&clock, span->from),
                                  span->to == UINT64_MAX ? UINT64_MAX : efg_log_ns(&clock, span->to)};
    }
    return error;
}

void efg_otf2_join_windows(struct efg_otf2_windows *w)
{
    size_t count = w->count;

    w->is_whole = true;
    if (count)
        qsort(w->all, count, sizeof *w->all, efg_compare_numbers);
    w->count = 0;
    for (size_t i = 0; i < count; i++) /* an array that is to grow from a smaller count may become smaller */
        if (!goes_on(w, 0, w->all[i]))
            w->all[w->count++] = w->all[i];
}

/* Ticks of CLOCK at NS since 1970. */
static uint64_t ticks_at(const struct efg_log_clock *clock, uint64_t ns)
{
    if (ns == UINT64_MAX)
        return ns;
    __int128 since = (__int128)ns - clock->realtime;
    return (uint64_t)(since * (__int128)clock->denominator / (__int128)clock->numerator) + clock->ticks;
}

static int windows_of_others(struct efg_otf2_windows *w, const struct efg_otf2_windows *others,
                             const struct efg_log_view *log)
{
    struct efg_log_clock clock = efg_log_clock(log->header);
    int error = 0;

    for (size_t i = 0; i < others->count && !error; i++) {
        struct efg_span span = others->all[i];
        error = add(w, 0, (struct efg_span){ticks_at(&clock, span.from), ticks_at(&clock, span.to)});
    }
    return error;
}

/* What was under way then is what was before, and what goes. */
static int trim(struct efg_log_view *log, const struct efg_otf2_windows *own, bool is_leader)
{
    struct efg_channels one = {.inside = own->all, .inside_count = own->count};
    struct efg_trim_margins margins;

    efg_channels_add(&one, log);
    int error = one.failed ? -ENOMEM : 0;
    if (!error && one.has_margins)
        error = efg_channels_margins(&one, log->header->rank, log->header->thread, &margins);
    if (!error && one.has_margins) {
        margins.is_leader = is_leader;
        error = efg_trim_view(log, &margins);
        efg_channels_margins_fini(&margins);
    }
    efg_channels_fini(&one);
    return error;
}

int efg_otf2_drop_margins(struct efg_log_view *log, const struct efg_otf2_windows *all)
{
    struct efg_otf2_windows own = {0};

    if (log->header->full || log->header->trimmed || !all->count)
        return 0;
    int error = all->is_whole ? drop_around(log, all) : 0;
    if (!error)
        error = add_iterations(&own, log);
    bool is_leader = own.count > 0;
    if (!error && !is_leader)
        error = windows_of_others(&own, all, log);
    if (!error)
        error = trim(log, &own, is_leader);
    efg_otf2_windows_fini(&own);
    return error;
}
