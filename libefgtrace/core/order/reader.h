/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of a sequence: its events from the first to the last, or from any event on.
 * It takes 500 bytes; to skip, about 32 bytes more for each run and block of the segment that
 * it is in.
 *
 * The segments must have passed efg_sequence_segment_check, follow one another, and stay where
 * they are. Whatever else they hold, no more events are read than their lengths say.
 */
#ifndef EFG_SEQUENCE_READER_H
#define EFG_SEQUENCE_READER_H

#include "sequence.h"

struct efg_sequence_frame { /* pairs of a block that are still to be read */
    uint32_t pair, end;
    uint32_t used; /* of PAIR's count */
};

/* What is known of a regime, see reader.c. Per symbol: the runs, then the blocks. */
struct efg_sequence_lengths {
    uint64_t *length, *known; /* events, if KNOWN is the present regime + 1 */
    uint64_t *bounds;         /* where regimes end, ascending */
    uint64_t bound_count, regime;
};

struct efg_sequence_reader {
    const struct efg_sequence_segment *segments;
    size_t count, index; /* INDEX: the segment that the next event is in */
    uint64_t at;         /* number of the next event */
    uint32_t run;        /* it is in this run, or EFG_NONE: in the next one of the frames */
    uint64_t begin;      /* where that run began */
    uint32_t depth;
    struct efg_sequence_frame frames[EFG_SEQUENCE_LEVELS];
    uint64_t circle_at, circle; /* predictions go round from there on, CIRCLE events a round */
    struct efg_sequence_lengths lengths; /* of the segment; all zero until asked for */
};

/* A reader at the first event of COUNT segments. */
void efg_sequence_reader_init(struct efg_sequence_reader *reader,
                              const struct efg_sequence_segment *segments, size_t count);
void efg_sequence_reader_fini(struct efg_sequence_reader *reader);

/* The next COUNT events are of NODE, in the table reader->segments[reader->index].table: as
 * many as there are in a run. Returns 1; 0 after the last event; -1 if the segment ends before
 * its length or does not follow the previous one. */
int efg_sequence_next(struct efg_sequence_reader *reader, uint32_t *node, uint64_t *count);

/* Go on to event number TO, or to the end if there are fewer; never back. Takes time in
 * proportion to the blocks and runs on the way, each counted once per regime, not to the
 * events. Returns 0, or -1 as above or without memory. */
int efg_sequence_skip(struct efg_sequence_reader *reader, uint64_t to);

#endif
