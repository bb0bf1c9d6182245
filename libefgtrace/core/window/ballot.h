/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ballot: the vote of a rank, and the combined vote of all ranks. Votes are combined word by word:
 * most (a maximum), or, sums that end at a bound, and a table of loops, in which equal ones are added. This
 * is commutative, associative and exact, so all ranks see the same result, whatever the order.
 * A minimum is the maximum of negatives.
 *
 * Plain memory without pointers, of one size, to be sent as bytes.
 */
#ifndef EFG_BALLOT_H
#define EFG_BALLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/graph/graph.h"

#define EFG_BALLOT_NONE INT64_MIN /* of a rank that has nothing to say */
#define EFG_BALLOT_LOOPS 10
#define EFG_BALLOT_BITS 256 /* a pivot is the bit hash % EFG_BALLOT_BITS of its class */
#define EFG_BALLOT_PERIODS 32 /* counters of ranks, by their period in quarters of an octave, of 8 octaves */

/* A pivot that a rank could take. */
struct efg_choice {
    uint64_t hash; /* agrees between ranks */
    enum efg_pivot_class class;
};

/* A loop that ranks would like to be the main loop. */
struct efg_candidate {
    uint64_t loop;        /* hash of the call path of its function; 0: this row is empty */
    uint64_t least, most; /* iterations so far */
    uint32_t ranks;
    efg_place place;                /* which loop of its function it is, by the code; 0 if ranks differ */
    uint16_t least_mark, most_mark; /* of the phase: which of several of one function */
    efg_place level;                /* of the winner: the outermost of those that ranks mean */
};

enum efg_vote_flag {
    EFG_VOTE_LEAVING = 1 << 0, /* in MPI_Finalize */
    EFG_VOTE_LACKING = 1 << 1, /* has no loop, and looks for one */
    EFG_VOTE_RECORDS = 1 << 2, /* records provisionally */
    EFG_VOTE_OWNS = 1 << 3,    /* owns the window */
    EFG_VOTE_WAITING = 1 << 4, /* CALIBRATE: a world collective may still come */
    EFG_VOTE_UNKNOWN = 1 << 5, /* PLACE: no longer knows its visits at the agreed collective */
    EFG_VOTE_UNWHOLE = 1 << 6, /* PLACE: has no whole iteration in its record, or follows without a record */
    EFG_VOTE_LATE = 1 << 7,    /* CONFIRM: passed the first iteration, or will never make it */
    EFG_VOTE_OPENED = 1 << 8,  /* CHECK: has begun to record the window */
    EFG_VOTE_UNDONE = 1 << 9,  /* CHECK: not yet done with the window */
    EFG_VOTE_AHEAD = 1 << 10,  /* slow.h: what is asked for is not whole yet */
    EFG_VOTE_LACKS = 1 << 11,  /* is not here */
    EFG_VOTE_BARS = 1 << 12,   /* this rank cannot keep any */
    EFG_VOTE_RESTS = 1 << 13,  /* would pause, if no window was to follow */
    EFG_VOTE_DEAR = 1 << 14,   /* slow.h: the ring costs too much, however few iterations it has */
    EFG_VOTE_SHUT = 1 << 15,   /* this rank may not record now */
    EFG_VOTE_ROUGH = 1 << 16,  /* CHECK: what is spread is not accurate yet */
    EFG_VOTE_SLICES = 1 << 17, /* slow.h: this rank has slices, and no iterations */
    EFG_VOTE_FOLLOWS = 1 << 18 /* CHECK: this rank records while others do */
};

struct efg_vote {
    /* Or. */
    uint64_t flags;         /* set of enum efg_vote_flag */
    uint64_t dropped, kept; /* what signatures have dropped (detail.h), and what they keep */
    uint64_t absent[EFG_PIVOT_CLASSES][EFG_BALLOT_BITS / 64]; /* PIVOT: 0 = one it could take */
    /* Most. EFG_BALLOT_NONE if a rank has nothing to say. */
    int64_t period, longest;       /* PIVOT: - code of the period of its favourite, and the code itself */
    int64_t least_hash, most_hash; /* CALIBRATE: of the pivot that was adopted */
    int64_t marked;                /* CALIBRATE: world collectives passed when it was marked */
    int64_t worlds;                /* world collectives: the most that were passed */
    int64_t passed;                /* and the least */
    int64_t base;                  /* PLACE: visits at the agreed collective */
    int64_t soonest;               /* PLACE: visits since then, when this rank can begin */
    int64_t whole;                 /* PLACE: of the first one that is recorded provisionally */
    int64_t margin;                /* PLACE: iterations that a round takes */
    int64_t number;                /* from CONFIRM on: of the present iteration; COMPARE: of steps */
    int64_t least_number;          /* COMPARE: of steps */
    int64_t least_count, most_count; /* number at the collective that is watched */
    int64_t end;                     /* CHECK: least number after the last whole iteration */
    int64_t begun; /* CHECK: least time of opening, ns on the common time line */
    int64_t ended; /* CHECK: time of closing */
    int64_t last_begun, first_ended; /* CHECK: the latest opening, the earliest closing */
    int64_t slow;  /* the slowest iteration, as slow.c puts it */
    int64_t span;  /* - least ns that a ring holds */
    int64_t slow_begun, slow_ended; /* of what is asked for: - least time, time on the common time line */
    int64_t slow_last_begun, slow_first_ended; /* the latest beginning, - the earliest end */
    int64_t asked; /* for iterations, by the program: efg_agree_ask */
    int64_t step;  /* of how many blocks of iterations a ring is to have one */
    int64_t time;  /* ns since the start */
    /* Sums, up to UINT16_MAX. */
    uint16_t periods[EFG_BALLOT_PERIODS]; /* PIVOT: of ranks whose favourite has such a period */
    /* By ascending hash, then place; if there are more, the first ones of these. */
    struct efg_candidate loops[EFG_BALLOT_LOOPS];
};

/* The vote of a rank that has nothing to say. */
void efg_ballot_init(struct efg_vote *vote);

/* Combine ONE into ALL. In any order; each vote once. */
void efg_ballot_combine(struct efg_vote *all, const struct efg_vote *one);

/* The loop that most ranks have; then one with less than half of the iterations; then the lowest hash: of two
 * coupled halves of a job, which count about alike, it is always the same one. Loops of one function are one
 * loop, unless their places are apart. Its loop is 0 if there is none; its place is EFG_PLACE_UNKNOWN if
 * ranks do not know it, or mean different ones. */
struct efg_candidate efg_ballot_winner(const struct efg_vote *result);

/* 1 if ranks have different loops, or different levels of one. */
bool efg_ballot_is_split(const struct efg_vote *result);

/* Say in VOTE that this rank could take COUNT pivots, and no others. */
void efg_ballot_choose(struct efg_vote *vote, const struct efg_choice *choices, uint32_t count);

/* The bit of a pivot, counted class by class: the lowest one is the best. */
uint32_t efg_ballot_bit(const struct efg_choice *choice);

/* 1 if a vote for CHOICE is one for BIT: it is of that class, or a call of a better one. Ranks see
 * different things of one call, and then it has the worst of its classes. */
bool efg_ballot_is_for(const struct efg_choice *choice, uint32_t bit);

/* 1 if all that said something could take the pivot BIT. */
bool efg_ballot_is_common(const struct efg_vote *result, uint32_t bit);

/* Say in VOTE that this rank's favourite has the period CODE. */
void efg_ballot_time(struct efg_vote *vote, int64_t code);

/* Whether the period CODE is about that of most ranks, which differ by 68% at most; of as many it is the
 * shorter one. */
bool efg_ballot_is_usual(const struct efg_vote *result, int64_t code);

/* log2 of NS in 64ths, from 1: equal to within 1.1%, without floating point. */
int64_t efg_ballot_period(uint64_t ns);

#endif
