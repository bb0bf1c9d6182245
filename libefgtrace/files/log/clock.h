/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clock: from the ticks of a log to ns since 1970.
 */
#ifndef EFG_LOG_CLOCK_H
#define EFG_LOG_CLOCK_H

#include "base/buffer.h"
#include "log.h"

struct efg_log_clock { /* ns since 1970 = realtime + (t - ticks) * numerator / denominator */
    uint64_t ticks, realtime, numerator, denominator;
};

struct efg_log_clock efg_log_clock(const struct efg_log_header *header);
/* TICKS in ns since 1970, at most INT64_MAX. */
uint64_t efg_log_ns(const struct efg_log_clock *clock, uint64_t ticks);
void efg_log_put_clock(struct efg_buffer *out, const struct efg_log_clock *clock);
struct efg_log_clock efg_log_get_clock(struct efg_reader *reader);

#endif
