/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slow: which iterations all ranks keep after the fact, because they took long on one of them.
 *
 * Each rank records all iterations into a ring, which holds the last ones, and gives each a SCORE: how much
 * longer it took than the median of those of its phase before it. In every round (agree.h) it votes for its
 * best one; the highest score wins, and is ASKED for. Then each rank says
 *
 *     AHEAD    it is not whole yet here: ask again
 *     LACKS    it has left the ring, or was not recorded: nobody keeps it
 *     neither  it is here, and stays: if that is so on all ranks, all keep it
 *
 * With each go AROUND iterations before and behind it. As many as are wanted are kept; for another
 * one the one with the lowest score goes. Of several close together only the slowest is kept: what makes one
 * rank wait in an iteration makes others wait in the next ones.
 *
 * Where the ring costs too much, it has blocks of EFG_SLOW_BLOCK iterations, one of every STEP of them, by
 * number; the highest step that a rank asks for holds for all. What lies between is slow for nobody. Ranks
 * hear of a step at different iterations, so some have what others LACK.
 *
 * A rank that FOLLOWS has no iterations: its ring has SLICES of time. If there is one, what is asked for is
 * first PLACED: the others say from when to when it was on the common time line. In one round more this one
 * says whether it has that time.
 *
 * What is kept follows from results only, so it is the same on all ranks at the same result; what has been
 * asked for must not be given up before the answer. Rounds are never waited for: a ring has to span some.
 *
 * The struct is the caller's. Nothing allocates.
 */
#ifndef EFG_SLOW_H
#define EFG_SLOW_H

#include <stdbool.h>

#include "ballot.h"

#define EFG_SLOW_MOST 100  /* that may be wanted */
#define EFG_SLOW_AROUND 1  /* iterations that are kept before it, and behind it */
#define EFG_SLOW_APART 4   /* two that are kept are at least so many apart: one in between is not kept */
#define EFG_SLOW_BEST 8    /* that a rank remembers, to vote for */
#define EFG_SLOW_RECENT 15 /* iterations whose median counts */
#define EFG_SLOW_RING 8192 /* iterations that the ring has at most */
#define EFG_SLOW_BLOCK 8

struct efg_slow_one {
    uint64_t number; /* of the iteration, as agreed on */
    int64_t score;   /* 64 for each doubling of its time; 0: there is none */
    /* When it was on some rank, with those around it: ns on the common time line; 0: not placed. And when it
     * was on all of them; if there is no such time, the same. */
    uint64_t begun, ended;
    uint64_t all_begun, all_ended;
};

struct efg_slow {
    /* Changed by results only, so the same on all ranks. */
    uint32_t wanted; /* as given: 0 to EFG_SLOW_MOST */
    bool is_conditional; /* efg_slow_choose */
    int order;           /* enum efg_slow_order */
    int64_t least;       /* score that it takes */
    uint32_t around, apart; /* EFG_SLOW_AROUND, EFG_SLOW_APART */
    bool is_on;      /* numbers are agreed on */
    bool is_dear;    /* it has cost too much, and is off */
    uint32_t step;   /* a power of two */
    bool is_barred;  /* ... but some rank does not count iterations, and cannot keep any */
    uint32_t count;
    struct efg_slow_one kept[EFG_SLOW_MOST];
    struct efg_slow_one asked;
    bool is_sliced;      /* some rank has slices */
    uint64_t least_span; /* ns that each ring holds, as far as that is known; 0: of none */
    /* Of this rank. */
    uint64_t oldest, newest; /* iterations [oldest, newest) are in the ring, and whole */
    bool is_recording;       /* the next one, too */
    bool follows;            /* it has slices */
    bool lacks;              /* what is asked for */
    struct efg_slow_one best[EFG_SLOW_BEST];
    uint64_t span;                    /* ns that the ring holds at least; 0: not known yet */
    uint64_t recent[EFG_SLOW_RECENT]; /* ns */
    uint32_t recent_count;            /* so far */
    uint32_t phase;                   /* that these are of; 0: not known */
    uint64_t skipped[2 * EFG_SLOW_RING / 64]; /* iterations in the ring that are empty: bits, by number */
};

void efg_slow_init(struct efg_slow *slow, uint32_t wanted);

/* In what order iterations are chosen for which a condition holds on some rank. */
enum efg_slow_order { EFG_SLOW_SLOWEST, EFG_SLOW_FIRST, EFG_SLOW_EVENLY };

/* Keep only such iterations, and nothing around them: those that are chosen (efg_slow_add) and took at
 * least TIMES the median, in 1/1000; 0: however long. */
void efg_slow_choose(struct efg_slow *slow, enum efg_slow_order order, uint32_t times);

/* --- the ring of this rank --- */

/* It is empty, and iteration NUMBER of PHASE begins, 0: not known; that iteration took NS, and is whole. */
void efg_slow_begin(struct efg_slow *slow, uint64_t number, uint32_t phase);
void efg_slow_add(struct efg_slow *slow, uint64_t ns, bool is_chosen);

/* Whether the iteration that begins now is to be recorded. */
bool efg_slow_records(const struct efg_slow *slow);

/* Iterations below NUMBER leave it, but for those that EFG_SLOW_HAS; no further ones are recorded. */
void efg_slow_drop(struct efg_slow *slow, uint64_t number);
void efg_slow_end(struct efg_slow *slow);

/* 1 if iteration NUMBER is kept, or asked for and not missing here: it must stay. */
bool efg_slow_has(const struct efg_slow *slow, uint64_t number);

/* How many times the median iteration NUMBER took on the rank where it was slow, in 1/1000, if it is kept for
 * that; else 0. */
uint32_t efg_slow_times(const struct efg_slow *slow, uint64_t number);

/* 1 if what was from FROM to TO on the common time line belongs to what is kept, or asked for and placed. */
bool efg_slow_has_time(const struct efg_slow *slow, uint64_t from, uint64_t to);

/* --- rounds: agree.c only --- */

/* Numbers are agreed on, with nothing kept yet; this rank may follow. They hold no longer, and what is kept
 * stays as it is. */
void efg_slow_start(struct efg_slow *slow, bool follows);
void efg_slow_stop(struct efg_slow *slow);

struct efg_slow_state { /* of this rank */
    bool is_able;       /* it counts iterations, or has slices */
    uint32_t step;      /* that it asks for; 0: it wants none recorded */
    /* ns on the common time line: of what is asked for, if that is whole and it counts; of its slices, if it
     * follows; UINT64_MAX, 0: it has none. */
    uint64_t begun, ended;
};

/* What this rank says. */
void efg_slow_vote(const struct efg_slow *slow, struct efg_vote *vote, const struct efg_slow_state *state);

/* Returns whether there is more to be said. */
bool efg_slow_result(struct efg_slow *slow, const struct efg_vote *result);

#endif
