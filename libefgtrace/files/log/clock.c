/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns the ticks in a log into time. From ticks to nanoseconds: a straight line through the
 * synchronisation at the start, and through the one at the end if there is one, else with the nominal
 * frequency. Products take 128 bits, so that no tick is lost in a run of days.
 */
#include "clock.h"

#define NS_PER_SECOND 1000000000u
#define MOST_DRIFT 2 /* a factor; more is no drift but damage */

static bool is_plausible(const struct efg_log_clock *c, uint64_t ticks_per_second)
{
    double nominal = (double)NS_PER_SECOND / (double)ticks_per_second;
    double drift = (double)c->numerator / (double)c->denominator / nominal;
    return drift < MOST_DRIFT && drift > 1.0 / MOST_DRIFT;
}

struct efg_log_clock efg_log_clock(const struct efg_log_header *header)
{
    const struct efg_sync *start = &header->sync[0], *end = &header->sync[1];
    struct efg_log_clock nominal = {.ticks = start->ticks,
                                    .realtime = start->realtime,
                                    .numerator = NS_PER_SECOND,
                                    .denominator = header->ticks_per_second};
    struct efg_log_clock measured = nominal;
    if (end->ticks <= start->ticks || end->realtime <= start->realtime)
        return nominal;
    measured.numerator = end->realtime - start->realtime;
    measured.denominator = end->ticks - start->ticks;
    return is_plausible(&measured, header->ticks_per_second) ? measured : nominal;
}

static uint64_t saturated(__int128 ns)
{
    if (ns < 0)
        return 0;
    return ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

/* numerator and denominator have 64 bits and the difference of ticks 65: too much for a signed
 * product of 128, so the sign is kept apart. */
uint64_t efg_log_ns(const struct efg_log_clock *clock, uint64_t ticks)
{
    bool is_before = ticks < clock->ticks;
    uint64_t distance = is_before ? clock->ticks - ticks : ticks - clock->ticks;
    unsigned __int128 ns = (unsigned __int128)distance * clock->numerator / clock->denominator;
    if (ns > INT64_MAX)
        return is_before ? 0 : INT64_MAX;
    return saturated(is_before ? (__int128)clock->realtime - (__int128)ns
                               : (__int128)clock->realtime + (__int128)ns);
}

void efg_log_put_clock(struct efg_buffer *out, const struct efg_log_clock *clock)
{
    efg_buffer_u64(out, clock->ticks);
    efg_buffer_u64(out, clock->realtime);
    efg_buffer_u64(out, clock->numerator);
    efg_buffer_u64(out, clock->denominator);
}

struct efg_log_clock efg_log_get_clock(struct efg_reader *reader)
{
    struct efg_log_clock clock;
    clock.ticks = efg_reader_u64(reader);
    clock.realtime = efg_reader_u64(reader);
    clock.numerator = efg_reader_u64(reader);
    clock.denominator = efg_reader_u64(reader);
    if (clock.denominator == 0)
        clock.denominator = 1, reader->failed = true;
    return clock;
}
