/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorded iterations as JSON, for pages that draw them: what the trace
 * RUN->output/traces.otf2 holds (recorded.h), as compact text without line breaks. '<' in texts
 * is written \u003c, so that the text can stand inside of a <script>.
 *
 * All times are ns, integers. A rank is a number of MPI_COMM_WORLD; a location is a thread of a
 * rank, by its index in "locations"; a site is a call with its call path, by its index in
 * "sites".
 *
 * Both are made in one reading of the trace (efg_recorded_all): begin, take all items, write. If
 * memory runs out: out->failed.
 *
 * --- efg_timeline_json ---
 *
 *   {"start": ns since 1970 of time 0, the first event,
 *    "end": the last event; all other times are since the start,
 *    "windows": [[begin, end], ...]           stretches of recording; nothing is known in between
 *    "functions": ["MPI_Send", ...],
 *    "sites": [{"label": "MPI_Send  solver.c:120 exchange",     as in the report
 *               "function": index,
 *               "hash": "0x...", of its node in `efgtrace graph -f json`, if that tells calls
 *                       apart by call path only (the default); else none has it}, ...],
 *    "iterations": [[number, begin, end], ...]  by phase and number; from the first location
 *                                               to begin it to the last to end it, so that
 *                                               they may overlap
 *    "kept": [["slow", 3.1], ...]               why each of these was recorded: "first", "spread",
 *                                               "slow", "beside a slow one", "around a slow one" (one
 *                                               or the other), "" in mode full; and how many times
 *                                               the median a slow one took, 0 where not known
 *    "locations": [{"rank": 0, "thread": 0,
 *                   "iterations": [number, begin, duration, ...],  three numbers each
 *                   "calls": [gap, duration, site, ...],           three numbers each
 *                   "waits": [later, time, kind, rank, ...]        four numbers each
 *                  }, ...],                   by rank and thread
 *    "kinds": ["late sender", ...],
 *    "messages": [from, to, later, flight, bytes, ...],            five numbers each
 *    "left_out": "" or a sentence: what is not there, to keep within the limits}
 *
 * calls: in their order; gap: from the end of the call before it on this location (the first one:
 * from time 0) to its begin. A spin of polls that found nothing is one call.
 *
 *     for (let i = 0, t = 0; i < calls.length; i += 3) {
 *         let begin = t + calls[i], end = begin + calls[i + 1], site = calls[i + 2]; t = end; }
 *
 * waits, and kinds, are there only in the report: calls that wait; later: how many calls after the one
 * before it in this list (the first one: after the first call); time: that it waits, from its begin on;
 * rank: that it waits for, or -1 where not known.
 *
 * messages: those with both ends in it, by rising time of sending; from and to: locations; later:
 * from the sending of the message before it (the first one: from time 0); flight: from sending to
 * when it was received, negative where clocks are wrong.
 *
 * --- efg_recorded_matrix_json ---
 *
 *   {"sizes": [32 numbers],                   sends of 2^b to 2^(b+1) bytes, exclusive; 0 bytes
 *                                             are in the first, 2^31 and more in the last
 *    "matrix": [[from, to, count, bytes], ...]  by world ranks, ascending; pairs that sent none
 *                                             are left out
 *    "ranks": number of ranks}
 *
 * Point-to-point messages that were sent in the recorded iterations, received in them or not.
 */
#ifndef EFG_RECORDED_JSON_H
#define EFG_RECORDED_JSON_H

#include "base/map.h"
#include "core/graph/graph.h"
#include "pairs.h"
#include "sites.h"

struct efg_recorded_limits {
    uint64_t calls;    /* in all */
    uint64_t messages; /* in all */
};

/* 64 ranks with 10,000 calls each, and as many messages. */
#define EFG_RECORDED_LIMITS ((struct efg_recorded_limits){640000, 640000})

struct efg_recorded_wait { /* of a call */
    uint64_t time;    /* ns, from its begin on; 0: it does not wait */
    uint32_t rank;    /* that it waits for; EFG_NONE: not known */
    const char *kind; /* stays where it is: the same text, the same place */
};

/* How long call number CALL, from 0, of LOCATION waits. */
typedef struct efg_recorded_wait efg_recorded_wait_of(const void *context, uint32_t location, uint64_t call);

struct efg_timeline {
    const struct efg_recorded *recorded;
    struct efg_recorded_names names;
    struct efg_recorded_pairs pairs;
    struct efg_recorded_limits limits;
    struct efg_timeline_spans { /* over all locations */
        struct efg_map index;   /* by key */
        struct efg_buffer span; /* struct efg_recorded_span */
    } iterations, windows;
    uint64_t call_count, reserve;           /* in the trace; so many are kept at most */
    struct efg_buffer locations;            /* struct efg_recorded_item */
    struct efg_buffer calls, marks, flights; /* timeline.c; marks are iterations of locations */
    struct efg_map flight_of;               /* pair -> index */
    efg_recorded_wait_of *wait_of; /* NULL: it is not known why calls wait */
    const void *context;           /* of it */
    uint64_t number;               /* of the next call of the last location */
    uint64_t until; /* of calls between iterations those are kept that begin before */
    uint64_t next;  /* of iterations those with smaller keys */
    uint32_t last;        /* location, whose calls have room */
};

/* Begin with RUN, of which the trace RECORDED is read, at most so many calls and messages of it;
 * take an item. Return 0 or -ENOMEM. FINI in any case, also of what is all zero. */
int efg_timeline_begin(struct efg_timeline *timeline, const struct efg_run *run,
                       const struct efg_recorded *recorded, struct efg_recorded_limits limits);
int efg_timeline_take(struct efg_timeline *timeline, const struct efg_recorded_item *item);
void efg_timeline_json(struct efg_buffer *out, struct efg_timeline *timeline,
                       struct efg_recorded_limits limits); /* the same ones or smaller */
void efg_timeline_fini(struct efg_timeline *timeline);

struct efg_recorded_matrix {
    struct efg_map index;    /* from << 32 | to -> index */
    struct efg_buffer cells; /* struct efg_recorded_cell */
    uint64_t sizes[EFG_BINS];
};

struct efg_recorded_cell {
    uint32_t from, to;
    uint64_t count, bytes;
};

/* Take an item: 0 or -ENOMEM. */
int efg_recorded_matrix_take(struct efg_recorded_matrix *matrix,
                             const struct efg_recorded_item *item);
void efg_recorded_matrix_json(struct efg_buffer *out, struct efg_recorded_matrix *matrix,
                              uint32_t ranks);
void efg_recorded_matrix_fini(struct efg_recorded_matrix *matrix);

#endif
