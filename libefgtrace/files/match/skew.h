/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Skew: by how much clocks have to be moved so that no message is received before it was sent.
 *
 * A clock belongs to a node, and is identified by the first synchronisation in the headers of its
 * logs, which all its ranks have in common. A gap is what the messages from one clock to
 * another tell about the two: the least time, over all of them, from the start of a send to
 * the completion of its receive. If that is negative, one clock is late or the
 * other one early.
 *
 * Shifts are never negative, and as small as possible: a clock that no message contradicts is
 * not moved. All times are in ns.
 */
#ifndef EFG_SKEW_H
#define EFG_SKEW_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/map.h"
#include "files/log/log.h"

struct efg_skew_clock {
    struct efg_sync sync;
    int64_t shift;           /* 0 unless efg_skew_solve found another one */
    uint32_t cause, visited; /* while shifts are searched for */
};

struct efg_skew_gap {
    uint32_t from, to; /* numbers of clocks */
    int64_t least;
    uint64_t early; /* receives before their sends */
};

struct efg_skew { /* all zero is an empty one */
    struct efg_skew_clock *clocks;
    struct efg_skew_gap *gaps;
    uint32_t clock_count, gap_count;
    struct efg_map clock_index; /* hash of the synchronisation -> number + 1 */
    struct efg_map gap_index;   /* from and to -> number + 1 */
    bool failed;                /* no memory; sticky */
};

void efg_skew_fini(struct efg_skew *s);

/* Whether two synchronisations are of the same clock. */
bool efg_skew_is_same(const struct efg_sync *one, const struct efg_sync *other);

/* Messages FROM one clock TO another took at least LEAST, EARLY of them less than nothing. */
void efg_skew_add(struct efg_skew *s, const struct efg_sync *from, const struct efg_sync *to,
                  int64_t least, uint64_t early);

/* Append all gaps to OUT; add those that were put. Get returns 0, -EBADMSG or -ENOMEM. */
void efg_skew_put(const struct efg_skew *s, struct efg_buffer *out);
int efg_skew_get(struct efg_skew *s, struct efg_reader *in);

/* The least gap, INT64_MAX if there is none; how many receives were early. */
int64_t efg_skew_least(const struct efg_skew *s);
uint64_t efg_skew_early(const struct efg_skew *s);

/* ns, of the fastest message between two nodes; the best networks take twice as long. */
#define EFG_SKEW_LATENCY 500

/* Find the shifts, all 0 if nothing is early; otherwise such that each message takes at least
 * LATENCY, or, if that is impossible, at least 0. Returns 0, -ENOMEM, or -EDOM if there are no such
 * shifts: the clocks' rates differed while the messages were under way, or messages were
 * mistaken for others. All shifts are 0 then. */
int efg_skew_solve(struct efg_skew *s, int64_t latency);

/* The shift of the clock of SYNC, 0 if nothing is known of it; how many clocks are shifted. */
int64_t efg_skew_shift(const struct efg_skew *s, const struct efg_sync *sync);
uint32_t efg_skew_shifted(const struct efg_skew *s);

#endif
