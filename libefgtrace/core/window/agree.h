/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement: one loop, one pivot, the same numbers of iterations and the same windows on all
 * ranks, without ever blocking any of them.
 *
 * A ROUND combines the VOTES of all ranks (ballot.h). Rounds follow one another; a rank votes
 * in the next round only after it knows the result of the last one, each when it gets there.
 * The kind of a round follows from the results before it, so all ranks always agree on it.
 *
 *   PROPOSE    the resting state, for the whole run: the loop that most ranks have is elected,
 *              once all have one or have given up. If ranks disagree, that may be a matter of
 *              timing: then some more rounds first
 *   PIVOT      ranks that have that loop OWN the window and say which pivots they could
 *              take; the best one that all could take wins. The others FOLLOW (masters, ranks
 *              that make no calls in the loop). None in common: each takes its own
 *   CALIBRATE  owners have marked the pivot. They look for a world collective w that all have
 *              passed since (tally.h). If there is none, they count from the start of the run
 *   COMPARE    owners that count from the start say how many visits they have made since the first two
 *              rounds of CALIBRATE. Of ranks that wait for one another, each has made as many since the
 *              first one as any other had since the second one when it voted in the round before, but
 *              for a few, whatever the load. If not, they are OUT OF STEP: the same number is another
 *              time on each, and messages of it belong to other iterations. Then iterations are numbered
 *              anew, from the moment of this result on. The same where one has left its window before
 *              another one begins it, which tells more, if they have no pivot in common or others follow:
 *              that window is thrown away. If that comes again and again, or there is to be more than
 *              one window, the slowest rank owns it, and the others follow
 *   PLACE      iterations get numbers: B + visits since w, B being the most visits that some
 *              owner had counted at w. These are the same on all ranks, also where some have
 *              visited the pivot more often in their start-up. The window begins at
 *              C = maximum of (own number + margin), or in the past, if all owners have
 *              recorded provisionally. From here on followers record too, provisionally
 *   CONFIRM    if a rank had passed C when it voted, the window does not hold: it is moved and
 *              the margin doubles; else it holds. A rank that reaches C before it knows starts
 *              to record anyway, and may have to throw the record away
 *   CHECK      while the window lies ahead or is recorded. All are done with it: it ends with
 *              the last iteration that all owners have; then the next one (CONFIRM), if
 *              several are wanted, or PROPOSE. Or some have lost the pivot, or another loop is
 *              elected before the window has begun: PROPOSE
 *
 *     PROPOSE -> PIVOT -> CALIBRATE -> COMPARE -> PLACE -> CONFIRM -> CHECK
 *
 *     back to PIVOT      the pivot is refused: it drifts, or is not the same one everywhere. Before there are
 *                        numbers: more ranks have the loop by now, which would follow
 *             CALIBRATE  somebody no longer knows w
 *             CONFIRM    the window is moved; the next window
 *             PROPOSE    the window is done, or lost; PIVOT: the loop is over on some rank, or another one
 *                        has more votes, since the round before
 *
 * DRIFT: from CONFIRM on owners compare their numbers at world collectives. If they differ, the
 * pivot misses visits on some rank: it is refused, its window is thrown away, and another
 * pivot is elected. Numbers from the start of the run are calibrated again instead. Windows
 * that were done before it was seen stay; `drifted` tells. Drift after the last collective is
 * not seen.
 *
 * MPI_Finalize: a rank that enters it votes LEAVING. A rank that sees this in a result posts no
 * more until it is in MPI_Finalize itself. There the rounds go on, and are waited for, until
 * nothing is under way and numbers were compared at the last collective: all ranks get there,
 * so these rounds complete in the end. They settle windows that were open, and place those
 * of runs that were over before they were agreed on.
 *
 * PAUSE: a rank that would pause (limit.h) no longer counts iterations, so it votes RESTS before it does.
 * The windows of the present loop that are under way are finished, or the first one that lies ahead; then
 * all is OVER, and whoever likes may pause.
 *
 * ASKED: the program may ask for iterations (efgtrace_record). Ranks count how often, and the highest count
 * that is new makes a window, between others: as soon as iterations are numbered, before the next window
 * of a part. It is answered when that window is done. SHUT: as long as some rank may not record, no window
 * is placed, and one that lies ahead is given up until it may.
 *
 * ROUGH: what is spread does not stand for the loop yet. Then there are more windows; and where these follow
 * one another as closely as rounds allow, they become longer, until nearly all iterations are in them.
 *
 * This is only the protocol: no MPI, no clock. tests/unit/test_agree.c runs it on thousands of
 * simulated schedules. All memory is the caller's; nothing allocates.
 */
#ifndef EFG_AGREE_H
#define EFG_AGREE_H

#include <stdbool.h>

#include "ballot.h"
#include "slow.h"
#include "spread.h"
#include "tally.h"
#include "trigger.h"

#define EFG_AGREE_LOOPS 16   /* that keep their windows: those with the most time */
#define EFG_AGREE_TURNS 64   /* of loops, in a run */
#define EFG_AGREE_PARTS 2    /* one after the other, if the first one is a single window */
#define EFG_AGREE_LENGTH_BITS 24 /* of how many iterations the program asks for */
#define EFG_AGREE_LONGEST 10000  /* iterations that windows grow to */
#define EFG_AGREE_REFUSALS 3 /* pivots of a loop, then each owner takes its own */

enum efg_round {
    EFG_ROUND_PROPOSE,
    EFG_ROUND_PIVOT,
    EFG_ROUND_CALIBRATE,
    EFG_ROUND_COMPARE,
    EFG_ROUND_PLACE,
    EFG_ROUND_CONFIRM,
    EFG_ROUND_CHECK,
    EFG_ROUND_OVER
};

enum efg_role {
    EFG_FOLLOWER, /* other ranks own the window, or none is under way */
    EFG_OWNER,    /* counts its iterations */
    EFG_ALONE     /* a window of its own: it votes for nothing any more, and the others decide without it */
};

/* What a rank knows of itself when it votes. Give all of it in every round. */
struct efg_standing {
    bool leaving;                     /* in MPI_Finalize */
    uint32_t dropped;                 /* set of enum efg_drop */
    uint64_t loop;                    /* its favourite; 0: none */
    uint64_t iterations;              /* of it so far */
    uint16_t mark;                    /* of the phase, if the function has several; 0: none */
    uint64_t time;                    /* ns since the start of the run */
    efg_place place;                  /* which loop of its function it is, by the code */
    bool has_given_up;                /* has none and does not hold up the others any longer */
    const struct efg_choice *choices; /* in PIVOT: pivots of agree->loop, its favourite first */
    uint32_t choice_count;            /* 0: does not have that loop */
    uint64_t period;                  /* ns between visits of its favourite */
    uint64_t hash;                    /* of the pivot that is marked */
    const struct efg_tally *tally;    /* counts its visits; never NULL */
    uint64_t whole; /* visits when the first whole iteration of the provisional record began;
                       UINT64_MAX: none */
    enum efg_state state; /* of the trigger */
    bool is_lost;         /* the pivot is silent */
    bool would_pause;     /* if no window was to follow */
    bool is_shut;         /* may not record now */
    bool is_rough;        /* DONE: what is spread does not stand for the loop yet */
    uint32_t step;        /* of how many blocks of iterations the ring is to have one (slow.h); 0: none */
    bool has_ring;        /* can keep iterations after the fact, if it counts them */
    uint64_t end; /* DONE: number after the last whole iteration, first + length at most */
    uint64_t begun, ended; /* DONE: when it was opened and closed, in ns; 0: not recorded */
    uint64_t slow_begun, slow_ended; /* as efg_slow_state has them */
};

/* What follows from a result. In brackets: the input to the trigger, on owners. */
enum efg_verdict {
    EFG_VERDICT_NONE,    /* vote again; [OVER, in CHECK, if the present number has reached
                            agree->least_end: what this rank records from there on is not kept] */
    EFG_VERDICT_ELECTED, /* agree->loop is the loop: vote in PIVOT with choices of it */
    EFG_VERDICT_PIVOT,   /* [PIVOT] owners adopt and mark efg_agree_choice. Others forget an own
                            pivot and follow */
    EFG_VERDICT_PLACED,  /* [PLACED, if the present number is below agree->first; PAST, if
                            agree->is_past]; followers begin to record, or keep what they have */
    EFG_VERDICT_MOVED,   /* [LATE, then as for PLACED] the window did not hold, it begins at
                            agree->first; followers go on */
    EFG_VERDICT_HOLDS,   /* the window holds; one in the past holds from PLACED on */
    EFG_VERDICT_DONE, /* [NEXT] all are done with the window: keep [its first, agree->end), trim
                         followers to [agree->begun, agree->ended] ns, drop windows of this
                         loop that efg_spread_has(&agree->spread, ..) does not know */
    EFG_VERDICT_NEXT, /* the same, [then as for PLACED] */
    EFG_VERDICT_DRIFT, /* [LATE] the window is thrown away, by followers too; then another
                          pivot, or, if agree->round is CALIBRATE, other numbers */
    EFG_VERDICT_LOST,  /* [LOST] the same, and this rank has no pivot any more */
    EFG_VERDICT_HELD,  /* [LATE] the same, and the numbers and pivots stay: it is placed later */
    EFG_VERDICT_FAILED /* [LATE] the same; there will be no other window: go on alone, or
                          without one */
};

/* Windows of a loop that are alike: so many, each of LENGTH iterations. */
struct efg_part {
    uint64_t windows, length;
};

/* A loop that was elected. */
struct efg_agree_loop {
    uint64_t loop;
    uint16_t least_mark, most_mark; /* as ranks had them; 0: some do not know */
    efg_place place; /* EFG_PLACE_UNKNOWN if ranks differ */
    efg_place level; /* that its windows are of: the outermost one that ranks meant */
    uint32_t phase; /* the number that its windows have, from 1 */
    uint64_t time;  /* ns for which most ranks voted for it */
    bool is_made;   /* it has windows */
    bool is_brief;  /* it took next to nothing of the run: these windows are not kept */
    bool drifted;   /* as below, while another one is present */
};

struct efg_agree {
    /* Changed by results only, so the same on all ranks. */
    enum efg_round round;            /* the one to vote in, or voted in */
    bool is_last;                    /* no further window: some rank would pause */
    bool is_leaving;                 /* rounds are posted in MPI_Finalize only */
    uint64_t loop;                   /* elected */
    struct efg_agree_loop loops[EFG_AGREE_LOOPS]; /* that were elected so far */
    uint32_t loop_count, present;    /* present: which of them is LOOP */
    uint32_t phases, turns;          /* numbers given, elections */
    uint64_t time;                   /* the latest that a rank has said */
    uint64_t dropped; /* frames and paths, when it was elected, and so named */
    uint32_t owners;  /* most ranks that had the loop when its pivot was chosen */
    int32_t pivot;    /* its bit; -1: each owner has its own */
    uint32_t refused[EFG_AGREE_REFUSALS], refusals;
    uint64_t put_off;       /* a loop that ranks saw at different levels, ... */
    uint64_t put_off_until; /* ... when it may be elected again, in ns since the start, ... */
    uint32_t put_offs;      /* ... and how often that was put off */
    bool is_from_start;  /* numbers count from the start, for lack of a world collective */
    bool is_recalibrated; /* they did, and a collective told that they were wrong */
    bool drifted;        /* numbers differed when nothing else was left, or in a finished window */
    uint64_t marked;     /* CALIBRATE: a collective after this one is needed */
    uint64_t foremost;   /* COMPARE: the most steps of an owner in the round before */
    uint32_t moments;    /* owners are out of step: numbers count from this moment on, the first or a later
                            one, or the slowest one owns the window; 0: they are not */
    uint64_t anchor;     /* the collective from which iterations are numbered */
    uint64_t watched;    /* the one at which numbers are compared; 0: none */
    uint64_t base;       /* number of the iteration in which the anchor was */
    uint64_t first;      /* of the present window, by number */
    bool is_past;        /* it began before it was placed */
    uint64_t margin;     /* iterations between placing a window and opening it */
    uint64_t least_end;  /* CHECK: of the present window, by the owners that are done with it; 0: none is */
    uint64_t end;        /* of the last window that was done: number after its last iteration */
    uint64_t begun, ended; /* and its span on the common time line, ns */
    uint32_t tries;        /* rounds that ranks disagreed in, or waited in for a collective */
    uint32_t failures;     /* windows that did not hold, in a row */
    uint32_t empty;        /* windows without a whole iteration, in a row */
    uint32_t last_rounds;  /* in MPI_Finalize */
    struct efg_part parts[EFG_AGREE_PARTS]; /* as given */
    uint64_t length, windows;               /* of the present part */
    uint64_t usual;                         /* length of the windows that the program does not ask for */
    uint64_t skip;                          /* as given */
    uint32_t part;            /* of the present loop; each begins when the one before is done */
    bool is_numbered;         /* iterations have numbers, since PLACE */
    bool is_owed;             /* another window of the present part is to be placed */
    uint64_t answered;        /* how often the program had asked when what it asked for was done; */
    uint64_t asking;          /* when the present window was placed for it; 0: it is of a part */
    uint32_t made;            /* windows of the present loop that were done, of all parts */
    struct efg_spread spread; /* windows of the present part */
    struct efg_slow slow;     /* on from the first window of a loop on, until it is lost */
    /* Of this rank. */
    int pending;    /* 1: voted, no result yet */
    enum efg_role role; /* ALONE is for the caller to set */
    bool has_lost;      /* owned the loop, which is over here */
    int64_t period; /* PIVOT: code of its favourite's */
    uint64_t asked; /* for the caller to set: efg_agree_ask */
    int knows_anchor;
    uint64_t at_anchor; /* visits at the anchor */
    uint64_t voted_at;  /* visits when the round was voted in */
    uint64_t took;      /* visits in the last round of CALIBRATE */
    uint32_t marked_votes; /* since the pivot was marked ... */
    uint64_t from, after;  /* ... visits at the first two: steps count from these */
    uint64_t voted_begun;  /* CHECK: when its window was opened, ns */
};

/* Begin an agreement on WINDOWS windows of LENGTH iterations for each loop, the first one not
 * before SKIP more iterations. 0 windows: over at once. */
void efg_agree_init(struct efg_agree *agree, uint64_t windows, uint64_t length, uint64_t skip);

/* When the one window of the first part is done, WINDOWS of LENGTH iterations follow, spread over what
 * is left of the run. */
void efg_agree_continue(struct efg_agree *agree, uint64_t windows, uint64_t length);

/* For the TIMESth time so far, the program asks for the next LENGTH iterations: what agree->asked is then. */
static inline uint64_t efg_agree_ask(uint64_t times, uint64_t length)
{
    return times << EFG_AGREE_LENGTH_BITS | length;
}

/* Whether the program has asked for iterations that it has not got yet. */
static inline bool efg_agree_is_asked(const struct efg_agree *agree)
{
    return agree->asked >> EFG_AGREE_LENGTH_BITS > agree->answered;
}

/* Whether a window could be placed, in PROPOSE, if no rank was shut. */
static inline bool efg_agree_is_pressing(const struct efg_agree *agree)
{
    return agree->round == EFG_ROUND_PROPOSE && agree->is_numbered && agree->role == EFG_OWNER &&
           (agree->is_owed || efg_agree_is_asked(agree));
}

/* 1 if this rank should vote now: no round is pending, over, or left to MPI_Finalize,
 * and either SAMPLE is 1 (a sample was taken) or the round is urgent. Never wait for
 * this. */
bool efg_agree_is_due(const struct efg_agree *agree, const struct efg_standing *standing,
                     int sample);

/* 1 if there is nothing to do between samples: no result is expected, and no round is
 * urgent. */
static inline int efg_agree_is_resting(const struct efg_agree *agree)
{
    return !agree->pending && ((agree->round == EFG_ROUND_PROPOSE && !efg_agree_is_pressing(agree)) ||
                               agree->round == EFG_ROUND_OVER || agree->is_leaving);
}

/* The rank's vote in agree->round, which is then pending. In MPI_Finalize, vote with
 * standing->leaving and wait for the result, again and again until the round is OVER; before
 * each vote an owner that is recording the window ends it (EFG_IN_OVER). */
struct efg_vote efg_agree_vote(struct efg_agree *agree, const struct efg_standing *standing);

/* The pending round has this RESULT. */
enum efg_verdict efg_agree_result(struct efg_agree *agree, const struct efg_vote *result,
                                  const struct efg_tally *tally);

/* Which of COUNT choices, those in the vote, an owner must adopt. */
uint32_t efg_agree_choice(const struct efg_agree *agree, const struct efg_choice *choices,
                          uint32_t count);

/* The agreed number of this rank's present iteration: what efg_trigger_visit is to be given.
 * Valid from PLACED on. */
static inline uint64_t efg_agree_number(const struct efg_agree *agree,
                                        const struct efg_tally *tally)
{
    return tally->visits - agree->at_anchor + agree->base;
}

/* An owner owns no longer: it follows. */
void efg_agree_follow(struct efg_agree *agree);

/* The number of the present phase; 0: no loop was elected yet. */
static inline uint32_t efg_agree_phase(const struct efg_agree *agree)
{
    return agree->loop_count ? agree->loops[agree->present].phase : 0;
}

/* Of WANTED things, so many are for the phase of LOOP: in proportion to its time, one at least. */
uint64_t efg_agree_part_of(const struct efg_agree *agree, const struct efg_agree_loop *loop, uint64_t wanted);
/* Whether ranks counted the iterations of a loop differently whose windows are kept. */
bool efg_agree_has_drifted(const struct efg_agree *agree);

/* Whether LOOP would get windows if it were elected now ... */
bool efg_agree_lacks(const struct efg_agree *agree, uint64_t loop);
/* ... and none is placed: where its iterations are few and long, record provisionally. */
bool efg_agree_wants(const struct efg_agree *agree, uint64_t loop);

/* 1 if all ranks tell signatures apart in the same way. If not, hashes mean nothing; each drops
 * what any has dropped (result->dropped), and they vote again. */
static inline bool efg_agree_is_same_detail(const struct efg_vote *result)
{
    return !(result->dropped & result->kept);
}

#endif
