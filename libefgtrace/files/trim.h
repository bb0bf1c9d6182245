/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trim: cut a stretch of a log, as a recorder wrote it, down to a span of time.
 */
#ifndef EFG_TRIM_H
#define EFG_TRIM_H

#include "log.h"

/*
 * Keep of the records of LOG from BEGIN on the definitions, the marks of windows, and the calls
 * that begin and end within [FROM, TO] ticks; what was started in a call that goes is not
 * completed any more, but a receive that completes within the span is kept as a plain one.
 * Works in place, and moves log->next; a reader of the file meanwhile sees what is before
 * BEGIN.
 */
void efg_trim(struct efg_log *log, struct efg_log_place begin, uint64_t from, uint64_t to);

#endif
