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
 * Each function appends its object to OUT and returns 0; or appends "null" and returns -1 if
 * there is no trace that can be read, with a sentence in MESSAGE that says why (without a full
 * stop or line break). If memory runs out: out->failed.
 *
 * --- efg_recorded_json_timeline ---
 *
 *   {"start": ns since 1970 of time 0, the first event,
 *    "end": the last event; all other times are since the start,
 *    "windows": [[begin, end], ...]           stretches of recording; nothing is known in between
 *    "functions": ["MPI_Send", ...],
 *    "sites": [{"label": "MPI_Send  solver.c:120 exchange",     as in the report
 *               "function": index,
 *               "hash": "0x...", of its node in `efgtrace graph -f json`, if that tells calls
 *                       apart by call path only (the default); else none has it}, ...],
 *    "iterations": [[number, begin, end], ...]  by window and number; from the first location
 *                                               to begin it to the last to end it, so that
 *                                               they may overlap
 *    "locations": [{"rank": 0, "thread": 0,
 *                   "iterations": [number, begin, duration, ...],  three numbers each
 *                   "calls": [gap, duration, site, ...]            three numbers each
 *                  }, ...],                   by rank and thread
 *    "messages": [from, to, later, flight, bytes, ...],            five numbers each
 *    "left_out": "" or a sentence: what is not there, to keep within the limits}
 *
 * calls: in their order; gap: from the end of the call before it on this location (the first
 * one: from time 0) to its begin. A spin of polls that found nothing is one call.
 *
 *     for (let i = 0, t = 0; i < calls.length; i += 3) {
 *         let begin = t + calls[i], end = begin + calls[i + 1], site = calls[i + 2]; t = end; }
 *
 * messages: those with both ends in it, by rising time of sending; from and to: locations;
 * later: from the sending of the message before it (the first one: from time 0); flight: from
 * sending to when it was received, negative where clocks are wrong.
 *
 * --- efg_recorded_json_messages ---
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

#include <stdint.h>

#include "base/buffer.h"
#include "files/run/runfile.h"

struct efg_recorded_limits {
    uint64_t calls;    /* in all */
    uint64_t messages; /* in all */
};

/* 64 ranks with 10,000 calls each, and as many messages. */
#define EFG_RECORDED_LIMITS ((struct efg_recorded_limits){640000, 640000})

int efg_recorded_json_timeline(struct efg_buffer *out, const struct efg_run *run,
                               struct efg_recorded_limits limits, char *message, size_t size);

int efg_recorded_json_messages(struct efg_buffer *out, const struct efg_run *run, char *message,
                               size_t size);

#endif
