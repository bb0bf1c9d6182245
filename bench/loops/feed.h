/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Feed: a recording goes event by event into graph and finder, as in the traced process, and
 * says which main loop was found.
 */
#ifndef LOOPS_FEED_H
#define LOOPS_FEED_H

#include <stdint.h>

#include "noise.h"
#include "recording.h"

/* Of one rank with one seed. Times in ns since the first event. */
struct feed_answer {
    uint64_t function;   /* that has the loop accepted last, as a hash; 0: none was accepted */
    uint64_t iterations; /* of it, at the end */
    double share;        /* of the time, 0 to 1 */
    uint64_t first;      /* when a loop was accepted first; the end if none was */
    uint64_t held;       /* when the one was accepted that held to the end; likewise */
    uint64_t end;        /* of the run */
    uint32_t changes;    /* how often a loop was accepted, or another one, or given up */
};

/* INTERVAL is the smallest time between samples, in ns. */
struct feed_answer feed(const struct recording *recording, struct noise *noise,
                        uint64_t interval);

#endif
