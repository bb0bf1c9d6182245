/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trim: cut a stretch of a log, as a recorder wrote it, down to a span of time.
 */
#ifndef EFG_TRIM_H
#define EFG_TRIM_H

#include "log.h"

/* What is kept of a stretch. */
struct efg_trim_part {
    uint64_t from, to;    /* ticks */
    uint64_t first, last; /* iterations [first, last); the marks of others go */
    uint64_t shift;       /* marks are numbered higher by this, modulo 2^64 */
    bool has_flight;      /* what was under way at FROM is known: as EFG_REC_WINDOW_BEGIN has it */
    uint32_t count;
    uint64_t sum;
};

/*
 * Keep of the records of LOG from BEGIN on the definitions, the marks of windows, and the calls
 * that begin and end within PART; what was started in a call that goes is not
 * completed any more, but a receive that completes within the span is kept as a plain one.
 * A window that began before FROM begins there, with what was under way then, if that is known.
 * Works in place, and moves log->next; a reader of the file meanwhile sees what is before
 * BEGIN. Returns how many calls are kept.
 */
uint64_t efg_trim(struct efg_log *log, struct efg_log_place begin, const struct efg_trim_part *part);

/* Remove from all of LOG the windows that begin at a time for which IS_DROPPED says 1; definitions stay. Of
 * those that stay, one that begins when another of the same number ends goes on with it. MARK (may be NULL)
 * says why each of their iterations was kept, in the record of its beginning, which must not take more room
 * then. In place, as above. */
void efg_trim_windows(struct efg_log *log, bool is_dropped(const void *context, uint64_t begin),
                      void mark(const void *context, struct efg_record *iteration), const void *context);

/* The same of the windows from BEGIN to END, where another one begins, each as it is; nothing is under way
 * from what was before. What is behind END moves up, and a reader sees what is before that. Returns where it
 * is now, as BEGIN was. */
struct efg_log_place efg_trim_front(struct efg_log *log, struct efg_log_place begin, const uint32_t *end,
                                    bool is_dropped(const void *context, uint64_t begin),
                                    const void *context);

/* Of the calls in all of LOG keep those that begin at a time for which IS_INSIDE says 1, and those that
 * complete what one of them has started. A window without such a call goes; one whose marks are
 * outside begins and ends with its calls. In place, as above. */
void efg_trim_calls(struct efg_log *log, bool is_inside(const void *context, uint64_t time),
                    const void *context);

#endif
