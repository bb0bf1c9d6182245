/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trim: remove from a log, as a recorder wrote it, what is not to be in the trace.
 */
#ifndef EFG_TRIM_H
#define EFG_TRIM_H

#include "log.h"

struct efg_span { /* ticks: [from, to) */
    uint64_t from, to;
};

/* Of COUNT SPANS, ascending, that do not overlap: the first that has not ended at TIME; COUNT if all have. */
size_t efg_spans_at(const struct efg_span *spans, size_t count, uint64_t time);

/* Whether TIME is in one of them. */
bool efg_spans_have(const struct efg_span *spans, size_t count, uint64_t time);

/* Remove from LOG what is behind BEGIN; definitions stay. In place, and moves log->next; a reader of the file
 * meanwhile sees what is before BEGIN. */
void efg_trim_rest(struct efg_log *log, struct efg_log_place begin);

/* Which iterations a stretch is said to have. */
struct efg_trim_part {
    struct efg_span span;
    uint64_t first, last; /* iterations [first, last); the marks of others go */
    uint64_t shift;       /* marks are numbered higher by this, modulo 2^64 */
    uint32_t phase;       /* of those that were not agreed on when they were recorded; 0: still not known */
};

/* Change the marks of iterations in the records of LOG from BEGIN on to those of PART. Calls stay, also those
 * outside of them. In place, as above. Returns how many calls begin and end within the span of PART. */
uint64_t efg_trim_marks(struct efg_log *log, struct efg_log_place begin, const struct efg_trim_part *part);

/* Remove from all of LOG the windows that begin at a time for which IS_DROPPED says 1; definitions stay. Of
 * those that stay, one that begins when another of the same number ends goes on with it, if GOES_ON (NULL: it
 * always does) says so. MARK (may be NULL)
 * says why each of their iterations was kept, in the record of its beginning, which must not take more room
 * then. In place, as above. */
void efg_trim_windows(struct efg_log *log, bool is_dropped(const void *context, uint64_t begin),
                      bool goes_on(const void *context, uint64_t begin),
                      void mark(const void *context, struct efg_record *iteration), const void *context);

/* The same of the windows from BEGIN to END, where another one begins, each as it is; nothing is under way
 * from what was before. What is behind END moves up, and a reader sees what is before that. Returns where it
 * is now, as BEGIN was. */
struct efg_log_place efg_trim_front(struct efg_log *log, struct efg_log_place begin, const uint32_t *end,
                                    bool is_dropped(const void *context, uint64_t begin),
                                    const void *context);

/*
 * Margins: what was recorded before the first iteration of a window, and behind its last one. When all
 * ranks know what they have, of margins only those calls stay that hold the other ends of messages
 * inside, and those that start or complete what was completed or started inside.
 */
struct efg_trim_flight {
    uint32_t count;
    uint64_t sum;
};
struct efg_trim_margins {
    const struct efg_span *inside; /* ascending; they do not overlap */
    size_t inside_count;
    const uint64_t *needed; /* ascending: places (efg_log_read) of records in margins that send or receive, or
                               start that, and stay */
    size_t needed_count;
    const uint64_t *strays; /* likewise, of records inside that go, with what completes their requests */
    size_t stray_count;
    const struct efg_trim_flight *gone; /* of each window, in the order of the log: under way because of what
                                           goes before it, as EFG_REC_WINDOW_BEGIN has it */
    size_t gone_count;
    bool is_leader;  /* its windows stay, even without calls: they are told apart by their order */
    bool is_matched; /* other ends stay; else no send in a margin does, even if it is complete inside */
};

/* Keep of the margins in the closed log PATH what is needed. A receive whose request goes is kept as a
 * plain one. Returns 0 or -errno: then the log is as it was, or its end could not be cut off. */
int efg_trim_margins(const char *path, const struct efg_trim_margins *margins);

/* Windows of what VIEW shows that go, as in efg_trim_windows; the log stays as it is. Returns 0 or -errno. */
int efg_trim_view_windows(struct efg_log_view *view, bool is_dropped(const void *context, uint64_t begin),
                          const void *context);

/* The same with margins. */
int efg_trim_view(struct efg_log_view *view, const struct efg_trim_margins *margins);

#endif
