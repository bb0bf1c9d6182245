/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of events of many shapes, for tests of sequences, and the segments that became of them.
 */
#ifndef EFG_SOME_EVENTS_H
#define EFG_SOME_EVENTS_H

#include "core/order/reader.h"

struct events {
    uint32_t *node;
    size_t count, room;
};

struct kept { /* what a sink was given */
    struct efg_sequence_segment *segments;
    size_t count, room;
    size_t most; /* fail when there are so many; 0: never */
};

/* How many random sequences a test is to go through: FEW, or EFG_TEST_SEQUENCES of the
 * environment. What it has gone through is said at the end, in the latter case. */
struct fuzzed {
    unsigned long sequences;
    uint64_t events, bounded; /* BOUNDED: sequences that took several segments */
};
unsigned long fuzz_count(unsigned long few);
void fuzz_add(struct fuzzed *fuzzed, const struct events *events, const struct kept *kept);
void fuzz_tell(const struct fuzzed *fuzzed);

void events_seed(uint64_t seed);
uint32_t events_below(uint32_t n);

void events_add(struct events *events, uint32_t node);
void events_free(struct events *events);

/* A shape of at most MOST events (some more, where a shape wants it): random, loops in loops
 * with changes, runs of changing lengths, polls, Fibonacci and Thue-Morse words, de Bruijn
 * sequences, alternating, and nodes in the order of the hashes by which blocks are cut. */
#define EVENT_SHAPES 9
void events_make(struct events *events, unsigned shape, size_t most);

/* A sink: keeps copies in a struct kept. */
int events_keep(void *kept, const struct efg_sequence_segment *segment);
void kept_free(struct kept *kept);

/* All events through a sequence of so much memory. */
void events_compress(const struct events *events, size_t memory, struct kept *kept);

/* The segments are the events: one after the other, and from random places on. */
void expect_expands(const struct kept *kept, const struct events *events);
void expect_skips(const struct kept *kept, const struct events *events);

#endif
