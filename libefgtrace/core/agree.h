/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement: one window for all ranks, without ever blocking one of them.
 *
 * A ROUND combines the VOTES of all ranks. Rounds follow one
 * another; a rank votes in the next round only after it knows the result of the
 * last one, each when it gets there. The kind of a round follows from the results
 * before it, so all ranks always agree on it.
 *
 *   PROPOSE  until all ranks have a pivot, or have given up: a collective of the world wins,
 *            then the pivot with the shortest period, but for one that all ranks could take as
 *            well as theirs, if the winner is not such a one; while there is none, some more
 *            rounds. Who has it, or has one with the
 *            same period, takes part: these ranks OWN the window. The others FOLLOW (masters,
 *            other halves of coupled codes, ranks that make no calls in the loop)
 *   PLACE    C = maximum of (own visits + margin): the window's first iteration. From here on
 *            the followers record too, provisionally
 *   CONFIRM  somebody had passed C when he voted: the window does not hold, the margin
 *            doubles, back to PLACE; else it holds. A rank that reaches C before it knows
 *            starts to record all the same, and may have to throw it away
 *   CHECK    while the window lies ahead or is recorded: all are done with it (then, by the
 *            plan, PLACE for the next one, or the end), or all have lost the pivot (back to
 *            PROPOSE). The result has the span of the owners' windows, to which the followers
 *            trim their records
 *
 * A rank that enters MPI_Finalize votes LEAVING, in one last round; whoever sees it in a
 * result votes no more. All ranks come to MPI_Finalize, so that round is complete in the end.
 *
 * Here is the protocol only: no MPI, no clock. tests/unit/test_agree.c runs it on
 * thousands of simulated schedules.
 */
#ifndef EFG_AGREE_H
#define EFG_AGREE_H

#include <stdint.h>

enum efg_round {
    EFG_ROUND_PROPOSE,
    EFG_ROUND_PLACE,
    EFG_ROUND_CONFIRM,
    EFG_ROUND_CHECK,
    EFG_ROUND_OVER
};

#define EFG_AGREE_BITS 1024 /* a pivot is the bit hash % EFG_AGREE_BITS of a set */

/* Combined by maximum, word by word, and the sets by or. */
struct efg_vote {
    int64_t leaving; /* 1: in MPI_Finalize */
    int64_t lacking; /* PROPOSE: 1 = has no pivot, and looks for one */
    int64_t best;    /* PROPOSE: score << 40 | low 40 bits of the pivot's hash; 0: none */
    int64_t place;   /* PLACE: earliest iteration that this rank can make */
    int64_t late;    /* CONFIRM: 1 = has passed the window's first iteration */
    int64_t undone;  /* CHECK: 1 = not yet done with the window */
    int64_t here;    /* CHECK: 1 = the pivot is still being visited, or the window is open */
    int64_t begun; /* CHECK: - time when the window was opened, in ns on the common time line */
    int64_t ended; /* CHECK: time when it was closed */
    /* PROPOSE: what the rank's signatures have dropped (detail.h), and what they have not. */
    uint64_t dropped, kept;
    /* PROPOSE: 0 = pivots that this rank could take; all, if it has none itself. */
    uint64_t absent[EFG_AGREE_BITS / 64];
};

/* What a rank knows of itself when it votes. */
struct efg_standing {
    int has_pivot;
    int has_given_up;      /* has none and does not hold up the others any longer */
    uint32_t dropped;      /* set of enum efg_drop */
    int world;             /* the pivot is a collective of the world */
    uint64_t period;       /* ns between its visits */
    uint64_t hash;         /* of its pivot */
    const uint64_t *peers; /* hashes of those that it could take as well */
    uint32_t peer_count;
    uint64_t visits;       /* of its pivot, so far */
    int is_open;           /* the window: it is being recorded */
    int is_done;           /* with the window */
    uint64_t begun, ended; /* when the window was opened and closed, in ns; 0: not yet */
    int is_lost;           /* the pivot is silent */
    int leaving;
};

enum efg_verdict {
    EFG_VERDICT_NONE,  /* vote again */
    EFG_VERDICT_PIVOT, /* the pivot is agreed: adopt what was voted with and is the common one, or
                          agree->pivot, and own the window, or keep an own one that is
                          comparable and own it too, or follow */
    EFG_VERDICT_PLACED, /* the window begins at agree->first */
    EFG_VERDICT_LATE,   /* the window does not hold */
    EFG_VERDICT_HOLDS,  /* the window holds */
    EFG_VERDICT_NEXT,   /* all are done; another window is to be placed */
    EFG_VERDICT_LOST,   /* all have lost the pivot */
    EFG_VERDICT_DONE,   /* all are done, and there is no other window */
    EFG_VERDICT_OVER,   /* no more rounds: somebody leaves */
};

struct efg_agree {
    enum efg_round round; /* the one to vote in, or voted in */
    int pending;          /* 1: voted, no result yet */
    int is_owner;         /* 1: this rank owns the window; set it on EFG_VERDICT_PIVOT */
    int holds;            /* 1: the window is confirmed */
    int64_t pivot;        /* low 40 bits of the winner's hash */
    int32_t common;       /* its bit, or that of another one that all could take; -1: none */
    uint64_t first;       /* of the window */
    uint64_t voted_at;    /* visits when the round was voted in */
    uint64_t margin;      /* iterations */
    uint64_t skip;        /* iterations to let pass before the first window */
    uint64_t windows;     /* still to be placed, the present one included */
    uint32_t failures;    /* windows that did not hold, in a row */
    uint32_t tries;       /* rounds that found no pivot that all could take */
};

#define EFG_AGREE_HASH(hash) ((int64_t)((hash)&0xffffffffffull))

/* Begin an agreement on WINDOWS windows, one after the other, the first one not before SKIP
 * more iterations. */
void efg_agree_init(struct efg_agree *agree, uint64_t windows, uint64_t skip);

/* 1 if this rank should vote now: no round is pending or over, and either SAMPLE is 1 (a sample
 * was taken) or the round is one to be hurried: PLACE, CONFIRM, and CHECK for a rank that
 * IS_DONE with the window, or follows. */
int efg_agree_is_due(const struct efg_agree *agree, int sample, int is_done);

/* The rank's vote in agree->round, which is then pending. */
struct efg_vote efg_agree_vote(struct efg_agree *agree, const struct efg_standing *standing);

/* Combine ONE into ALL, of which the first one is a copy. In any order. */
void efg_agree_combine(struct efg_vote *all, const struct efg_vote *one);

/* 1 if the pivot with this HASH is the common one. */
int efg_agree_is_common(const struct efg_agree *agree, uint64_t hash);

/* 1 if all ranks told signatures apart in the same way when they voted. If not, hashes mean
 * nothing; each drops what any has dropped, and they vote again. */
int efg_agree_is_same_detail(const struct efg_vote *result);

/* 1 if the winner of RESULT is a collective of the world. */
int efg_agree_is_world(const struct efg_vote *result);

/* 1 if PERIOD ns is that of the winner of RESULT, so that both count the same iterations:
 * within 41% for pivots that have nothing else in common, within 2.4 times if it is the
 * SAME_PIVOT, measured at another time. */
int efg_agree_is_comparable(uint64_t period, const struct efg_vote *result, int same_pivot);

/* The pending round came to RESULT; VISITS so far of the pivot that was voted with. */
enum efg_verdict efg_agree_result(struct efg_agree *agree, const struct efg_vote *result,
                                  uint64_t visits);

#endif
