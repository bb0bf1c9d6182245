/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replay: sequences of events, simulated or recorded, through graph, samples and pivot
 * as the tracer runs them, without MPI and without a clock.
 *
 * A sequence as text has one line per event,
 *
 *     PATH ENTER LEAVE FLAGS         times in us; FLAGS is - or letters:
 *
 *     w  collective of the world     u  order made by timing
 *     p  poll that found nothing     i  an iteration begins here, as a reader of the
 *                                       program would say
 *
 * and comments from # to the end of the line. What record.py made of a trace says in comments
 * of their own:
 *
 *     # relative        instead of ENTER and LEAVE: time since the last call, and in the call;
 *                       FLAGS may be missing
 *     # iterations N    that the main loop truly had
 *     # scale N         times are multiplied by so much: samples are taken in real time, and
 *                       a recording that is short enough to keep has too few of them
 */
#ifndef EFG_TESTS_REPLAY_H
#define EFG_TESTS_REPLAY_H

#include "core/graph.h"
#include "core/pivot.h"

#include <stdio.h>

enum {
    REPLAY_WORLD = EFG_NODE_WORLD,
    REPLAY_UNORDERED = EFG_NODE_UNORDERED,
    REPLAY_POLL = 1 << 8
};

#define US 1000u
#define MS 1000000u
#define SECOND 1000000000u

struct replay {
    struct efg_graph graph;
    struct efg_pivot_finder *finder;
    struct efg_pivot pivot; /* accepted, or none */
    uint64_t now, next_sample;
    uint64_t random;
    uint64_t iterations;    /* true ones, so far */
    uint64_t accepted_at;   /* iterations when the present pivot was accepted */
    uint64_t accepted_time; /* ns */
    uint64_t visits;        /* of the pivot since then */
    uint32_t accepted;      /* so many pivots were accepted */
    uint32_t restarts;      /* the pivot was silent */
    FILE *record;           /* also written here, unless NULL */
    int begins;             /* the next event begins an iteration */
    int relative;           /* of a file: see above */
    uint64_t expected;      /* of a file: iterations, 0 if it does not say */
    double scale;           /* of a file */
};

void replay_init(struct replay *replay, enum efg_level level);
void replay_fini(struct replay *replay);

/* The next event is the first of an iteration. */
void replay_iteration(struct replay *replay);

/* COMPUTE ns, then a call of CALL ns from PATH. */
void replay_event(struct replay *replay, uint32_t path, uint64_t compute, uint64_t call,
                  uint32_t flags);

/* A number from N - N/10 to N + N/10, and one below N. */
uint64_t replay_about(struct replay *replay, uint64_t n);
uint32_t replay_below(struct replay *replay, uint32_t n);

/* Visits of the accepted pivot per true iteration since it was accepted; 0 for none. */
double replay_rate(const struct replay *replay);

/* Visits of the accepted pivot from the first event on; 0 for none. */
uint64_t replay_visits(const struct replay *replay);

/* Replays the sequence in tests/unit/sequences/NAME. Returns 0, or -1 if it cannot be read. */
int replay_file(struct replay *replay, const char *name);

#endif
