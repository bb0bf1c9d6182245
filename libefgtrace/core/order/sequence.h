/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequence: the whole order of a thread's events, kept in kilobytes while they happen. An event
 * is a number, here that of its node in the event flow graph.
 *
 * Three steps, each of which leaves a shorter sequence of symbols:
 *
 *     events    a b b c a b b c a b b c d a b b c ...
 *     runs      the same node COUNT times is one symbol:       A=a1 B=b2 C=c1 D=d1
 *     P         what the graph predicts is left out: a run is followed by what followed it the
 *               first time, until that is wrong for once. From then on what follows is written:
 *                   A -> B -> C -> A before event 11; D -> A                 A D A
 *     blocks    the rest is cut into blocks at places that depend on nothing but a few symbols
 *               around them, so that equal stretches are cut alike. A block with the same
 *               content as an earlier one is that one; blocks are the symbols of the next
 *               level, where the same is done again, level upon level:
 *
 *     level 2               X          x 40         a pair: a symbol, and how often it is
 *                       /       \                   repeated
 *     level 1         U x 3      V
 *                    /  \       / | \
 *     level 0       A x 2 D    A  D  A x 7          runs, each followed by what is predicted
 *
 * So nested loops become nested blocks with repetitions, of which each is stored once. All
 * blocks of all levels are in one list; a block refers to earlier ones only, and the last one
 * is the whole. Expanded, it is the sequence, event for event: nothing is guessed, a block is
 * found by its hash but compared by its content.
 *
 * The P rule as a reader has it: after a run that began as event number T (from 0) comes
 * its NEXT if T < BRANCH, else the next run of level 0. BRANCH is the number of the event at
 * which NEXT was wrong for the first time. As it is a position and not a count, what a symbol
 * stands for depends only on where it is, and readers can skip.
 *
 * Memory is bounded: when the blocks or the runs reach their limit, they are handed out as a
 * segment, and the next segment begins, with no blocks, but with the runs and what is
 * known of them. A segment can be read without the others.
 *
 * Cost: an event is put into a ring; 256 of them are processed at once, so that not every single
 * event has to touch the memory that this needs. A block has two pairs or more, so
 * at most half of the symbols go on to the next level: O(1) per event, amortised.
 *
 * Sources: Aguilar, Fürlinger, Laure, "MPI trace compression using event flow graphs" (2014),
 * for the order of events as paths through the graph; Mehlhorn, Sundar, Uhrig, "Maintaining
 * dynamic sequences under equality tests in polylogarithmic time" (1997), and Sahinalp,
 * Vishkin, "Efficient approximate and dynamic matching of patterns using a labeling paradigm"
 * (1996), for locally consistent parsing. Cutting at local minima of a hash is the randomised
 * kind of it.
 */
#ifndef EFG_SEQUENCE_H
#define EFG_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/none.h"

#define EFG_SEQUENCE_RING 256  /* events that are processed at once */
#define EFG_SEQUENCE_LEVELS 24 /* most levels of symbols; blocks are nested as deep */
#define EFG_SEQUENCE_BLOCK 16  /* most pairs of a block, but for the last one */
#define EFG_SEQUENCE_FOREVER UINT64_MAX
#define EFG_SEQUENCE_IS_BLOCK 0x80000000u /* symbol: a run's number, or this | a block's */

struct efg_sequence_run {
    uint32_t node, count; /* COUNT events of NODE, one after the other; > 0 */
    uint32_t next;        /* the run that follows, or EFG_NONE */
    uint64_t branch;      /* ... if this one began before that event; 0 without NEXT */
};

struct efg_sequence_pair {
    uint32_t symbol, count; /* so many times; > 0 */
};

/* A part of a sequence, from the event number START on. */
struct efg_sequence_segment {
    uint64_t start, length; /* events before it, events in it */
    uint32_t table;         /* what its nodes refer to, see efg_sequence_break */
    uint32_t run_count, block_count, pair_count;
    struct efg_sequence_run *runs;
    struct efg_sequence_pair *pairs;
    uint32_t *first; /* block B is the pairs from first[B] to first[B + 1] - 1 */
};

/* Receives a segment, which is only lent: valid until the function returns. Returns 0, or another
 * value if it could not be kept. */
typedef int efg_sequence_sink(void *context, const struct efg_sequence_segment *segment);

struct efg_sequence_level { /* symbols that are not yet in a block */
    struct efg_sequence_pair block[EFG_SEQUENCE_BLOCK];
    uint32_t size;                    /* pairs in BLOCK */
    uint32_t last_hash, hash_before;  /* of the last two symbols that went into blocks */
    struct efg_sequence_pair pending; /* comes after BLOCK; may still be repeated */
};

struct efg_sequence_hand {
    uint32_t node, count; /* the present run; no events yet: 0 times */
    uint32_t last;        /* the run before it, or EFG_NONE: none in this segment */
    uint64_t at;          /* number of the first event of the present run */
};

struct efg_sequence {
    uint32_t waiting, ring[EFG_SEQUENCE_RING];
    struct efg_sequence_hand hand;

    struct efg_sequence_segment segment; /* that is being made */
    uint32_t *followed;                  /* the run that followed each one last time */
    uint32_t *run_slots, *block_slots;   /* open addressing, number + 1; at most half full */
    uint32_t run_mask, block_mask;       /* slots - 1 */
    uint32_t run_room, pair_room;        /* allocated */
    uint32_t run_limit, pair_limit;
    uint32_t depth; /* levels in use */
    struct efg_sequence_level levels[EFG_SEQUENCE_LEVELS];

    efg_sequence_sink *sink;
    void *context;
    uint64_t segments; /* handed out */
    uint64_t early;    /* of them because memory was out, not because the limit was reached */
    uint64_t kept;     /* events in the segments that were handed out */
    bool failed;       /* the sink failed: the sequence ends after KEPT events */
};

/* A sequence that takes at most MEMORY bytes and 32 KB more, the structure included, and a
 * few KB at first. Without memory to grow, segments are handed out earlier. A quarter is for
 * runs; 64k pairs of blocks, beyond which little is gained, need 1.6 MB. Returns 0, or
 * -ENOMEM. */
int efg_sequence_init(struct efg_sequence *sequence, size_t memory, efg_sequence_sink *sink,
                      void *context);
void efg_sequence_fini(struct efg_sequence *sequence);

/* Make COPY the same as SEQUENCE, for another SINK: COPY hands out what SEQUENCE would hand out from
 * here on, without affecting SEQUENCE. Returns 0, or -ENOMEM. */
int efg_sequence_copy(struct efg_sequence *copy, const struct efg_sequence *sequence,
                      efg_sequence_sink *sink, void *context);

/* Bytes that SEQUENCE holds, itself included. */
size_t efg_sequence_memory(const struct efg_sequence *sequence);

/* Process the events in the ring. */
void efg_sequence_flush(struct efg_sequence *sequence);

/* The next event. NODE: any number but EFG_NONE. Never fails: see `failed`. */
static inline void efg_sequence_add(struct efg_sequence *sequence, uint32_t node)
{
    sequence->ring[sequence->waiting++] = node;
    if (sequence->waiting == EFG_SEQUENCE_RING)
        efg_sequence_flush(sequence);
}

/* The same for several: where up to *COUNT of them may be put, at least one; COUNT were put there. */
static inline uint32_t *efg_sequence_room(struct efg_sequence *sequence, uint32_t *count)
{
    *count = EFG_SEQUENCE_RING - sequence->waiting;
    return sequence->ring + sequence->waiting;
}

static inline void efg_sequence_advance(struct efg_sequence *sequence, uint32_t count)
{
    sequence->waiting += count;
    if (sequence->waiting == EFG_SEQUENCE_RING)
        efg_sequence_flush(sequence);
}

/* Hand out everything so far. More may follow. Returns 0, or -ECANCELED if `failed`. */
int efg_sequence_close(struct efg_sequence *sequence);

/* From here on node numbers mean another table, number TABLE (0 before the first break): the
 * graph has merged nodes, or started again. Hands out everything so far, and forgets the runs. */
void efg_sequence_break(struct efg_sequence *sequence, uint32_t table);

/* Make COPY a copy of SEGMENT that owns its arrays and has only what is needed: the runs
 * that occur in it, with predictions that occur in it, and the blocks in the order in
 * which their first use ends, from the first event to the last. Returns 0, -ENOMEM,
 * or -EBADMSG if SEGMENT does not pass the check below. */
int efg_sequence_segment_copy(struct efg_sequence_segment *copy,
                              const struct efg_sequence_segment *segment);

/* Free what SEGMENT owns; not for one that was lent to a sink. */
void efg_sequence_segment_fini(struct efg_sequence_segment *segment);

/* 0 if SEGMENT can be read whatever it holds: all numbers are in range, blocks refer to earlier
 * ones and are nested at most EFG_SEQUENCE_LEVELS deep. -EBADMSG if not, or -ENOMEM (it
 * takes a byte per block). */
int efg_sequence_segment_check(const struct efg_sequence_segment *segment);

#endif
