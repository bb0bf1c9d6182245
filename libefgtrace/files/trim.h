/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trim: cut a stretch of records, as a recorder wrote them, down to a span of time.
 */
#ifndef EFG_TRIM_H
#define EFG_TRIM_H

#include <stddef.h>

#include "core/record.h"

/*
 * Keep of the COUNT records at RECORDS the definitions, the marks of windows, and the calls
 * that begin and end within [FROM, TO] ticks; what was started in a call that goes is not
 * completed any more, but a receive that completes within the span is kept as a plain one.
 * Works in place. Returns the number of records left.
 */
size_t efg_trim(struct efg_record *records, size_t count, uint64_t from, uint64_t to);

#endif
