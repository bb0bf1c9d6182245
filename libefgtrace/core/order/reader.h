/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of a sequence: its events from the first to the last, from any event on, or as loops.
 * It takes 2 KB; to skip or to walk, about 32 bytes more for each run and block of
 * the segment that it is in.
 *
 * The segments must have passed efg_sequence_segment_check, follow one another, and stay where
 * they are. Whatever else they hold, no more events are read than their lengths say.
 */
#ifndef EFG_SEQUENCE_READER_H
#define EFG_SEQUENCE_READER_H

#include "sequence.h"

enum efg_sequence_kind {
    EFG_SEQUENCE_RUN,    /* COUNT events of NODE */
    EFG_SEQUENCE_REPEAT, /* what comes up to its END happens COUNT times, EVENTS events each
                            time */
    EFG_SEQUENCE_END,
};

struct efg_sequence_item {
    enum efg_sequence_kind kind;
    uint32_t node;
    uint64_t count, events;
};

struct efg_sequence_frame { /* pairs that are still to be read: of a block, or of no block */
    uint32_t pair, end;
    uint32_t used;         /* of PAIR's count */
    uint64_t events;       /* of a REPEAT, else 0 */
    uint64_t count, start; /* of a REPEAT: how often, and its first event */
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
    struct efg_sequence_frame frames[2 * EFG_SEQUENCE_LEVELS + 2]; /* blocks, and REPEATs */
    uint64_t circle_at, circle; /* predictions go round from there on, CIRCLE events a round */
    uint64_t searched;          /* the end of the regime for which this has been found out */
    struct efg_sequence_lengths lengths; /* of the segment; all zero until asked for */
};

/* A reader at the first event of COUNT segments. */
void efg_sequence_reader_init(struct efg_sequence_reader *reader,
                              const struct efg_sequence_segment *segments, size_t count);
void efg_sequence_reader_fini(struct efg_sequence_reader *reader);

/* Number of the first event after the last one. */
uint64_t efg_sequence_end(const struct efg_sequence_reader *reader);

/* The next COUNT events are of NODE, in the table reader->segments[reader->index].table: as
 * many as there are in a run. Returns 1; 0 after the last event; -1 if the segment ends before
 * its length or does not follow the previous one. */
int efg_sequence_next(struct efg_sequence_reader *reader, uint32_t *node, uint64_t *count);

/* Go on to event number TO, or to the end if there are fewer; never back. Takes time in
 * proportion to the blocks and runs on the way, each counted once per regime, not to the
 * events. Returns 0, or -1 as above or without memory. */
int efg_sequence_skip(struct efg_sequence_reader *reader, uint64_t to);

/* The same events as loops: as efg_sequence_next, but what is repeated comes once, between
 * REPEAT and END, which are nested. The same loop may come in several parts, and as
 * rounds beside a REPEAT that begin elsewhere in it. After an error as above, -1. Not to be
 * mixed with the other two between a REPEAT and its END. */
int efg_sequence_walk(struct efg_sequence_reader *reader, struct efg_sequence_item *item);

#endif
