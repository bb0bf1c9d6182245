/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks of a made-up program, that agree by the real core (control, agree, trigger, tally) and otherwise
 * do what the runtime does: they count, vote and learn results at their own pace, never wait
 * for one another outside MPI_Finalize, record and throw away.
 *
 * The program has PHASES one after the other, each a loop. All pivots of a loop are visited
 * once in each of its iterations; in some iterations there are world collectives.
 */
#ifndef SIMULATED_RANKS_H
#define SIMULATED_RANKS_H

#include <stdint.h>

#include "core/window/control.h"

#define SIM_RANKS 8
#define SIM_PHASES 8
#define SIM_PIVOTS 3 /* of a loop */
#define SIM_WINDOWS 64
#define SIM_KEPT 1000

struct sim_plan {
    int ranks, phases;
    uint64_t iterations[SIM_PHASES];
    uint64_t every;      /* world collectives come in each so manieth iteration; 0: never */
    int worlds;          /* then, so many */
    uint64_t last_world; /* and in none after this one */
    int is_synchronous;  /* they make ranks wait */
    uint64_t lead;       /* iterations that a rank may be ahead of the slowest */
    int polls;           /* ticks of an iteration besides its calls */
    uint32_t sample;     /* one in so many ticks is a sample */
    uint32_t slow;       /* one in so many looks at a result finds it */
    uint64_t windows, length, skip;
    int is_rough;  /* what is spread never stands for the loop, as the last rank has it */
    uint64_t more; /* further windows of one iteration, when the only one is done */
    uint32_t slow_wanted, ring; /* iterations: that are kept after the fact; that a ring holds, at most */
    uint32_t fills;             /* one in so many iterations fills the log for good; 0: none */
    uint32_t steps;   /* one in so many votes would have no ring, the others some blocks; 0: a whole one */
    uint64_t asks; /* in each so manieth iteration the program asks for 1 to 4, on most ranks; 0: never */
    uint64_t shuts;   /* of so many iterations in turn, it shuts the second half; 0: never */
    int pauses;       /* some ranks would pause, and do when there is no further window */
    uint32_t aheads;  /* at one in so many looks, a rank prefers a loop that is not elected yet; 0: never */
    uint64_t is_long; /* record provisionally from this iteration on; 0: never */
    uint64_t drift;   /* one in so many visits of the pivots that drift is missed or double */
    int drifting, drifts; /* so many pivots, the first ones; on this rank */
    int collides;         /* pivots 0 and 2 of a loop are the same bit of a set */
    struct {
        uint64_t period;   /* ns, of its favourite pivot */
        uint32_t late;     /* in so many rounds for a pivot, it seems three times as long */
        uint32_t halts;    /* of a hundred ticks, so many in which it does nothing */
        uint64_t start_up; /* visits of pivots before the first loop */
        uint64_t found; /* iterations of a loop, after which it is known; UINT64_MAX: never */
        uint64_t blind; /* iterations of a loop in which it knows no pivot of it, nor the loop */
        uint64_t gives_up; /* iterations after which it is not looked for */
        int lacks;         /* set of pivots that it does not have */
        int loop;          /* 0, or 1: it takes another function for that of the loop */
        uint64_t pauses;   /* iterations after which it would pause */
        uint32_t drops;    /* detail that it drops on its own */
    } rank[SIM_RANKS];
};

struct sim_window {
    uint64_t first, end;   /* numbers */
    uint64_t from, to;     /* the iterations that they are in truth, phases in a row */
    uint64_t begun, ended; /* ticks of the world */
    uint64_t loop;
    uint32_t part;
    int is_owner, is_settled, is_asked;
};

#define SIM_RING 1024

#define SIM_UNKNOWN UINT64_MAX /* of a rank that has slices of time */

struct sim_kept { /* an iteration that is in the log */
    uint64_t number, truth;
    int is_final;
    uint64_t begun, ended; /* ticks of the world */
};

struct sim_rank {
    struct sim_world *world;
    struct efg_control control;
    struct efg_tally tally;
    uint64_t round; /* voted in, from 1 */
    uint64_t asked, asked_in; /* how often; the iteration in which it did the last time */
    /* The program. */
    int phase, slot, is_done;
    uint64_t iteration; /* of the phase, from 0 */
    uint64_t visits[SIM_PHASES][SIM_PIVOTS];
    uint64_t ticks, ahead_until;
    /* What the runtime has. */
    struct efg_choice choices[SIM_PIVOTS];
    uint32_t choice_count;
    int marked;                                   /* pivot, phases in a row; -1: none */
    uint64_t visited_at, visited_in;              /* tick and iteration of its last visit */
    uint64_t opened_with[SIM_PHASES][SIM_PIVOTS]; /* visits when recording began */
    uint32_t dropped;
    struct sim_window windows[SIM_WINDOWS]; /* settled ones, and the present one */
    int window_count, is_recording;
    uint64_t began[SIM_RING]; /* ticks of the world, when iterations of the ring began, by number */
    int was_on;               /* at the last result */
    int has_slices;           /* since SLICED; SECURED: the number of what it has of what was asked for */
    uint64_t sliced, secured;
    struct sim_kept kept[SIM_KEPT];
    int kept_count, is_full, is_leaving;
    uint8_t is_recorded[SIM_RING]; /* iterations of the ring, by number */
};

struct sim_world {
    struct sim_plan plan;
    struct sim_rank rank[SIM_RANKS];
    struct efg_vote result[2]; /* of the last two rounds */
    enum efg_round kind[2];
    int votes[2];
    uint64_t now;
    uint64_t total[SIM_RANKS];            /* iterations of each rank, of all phases */
    uint64_t slowest;                     /* the least of them */
    int done;                             /* ranks that have come to their end */
    int verdicts[EFG_VERDICT_FAILED + 1]; /* how many of each rank 0 has seen */
    int opened_provisionally;
};

/* A number below BELOW; the same ones after each sim_seed. */
uint32_t sim_roll(uint32_t below);
void sim_seed(uint32_t seed);

/* EFG_TEST_SCHEDULES=N: N times as many schedules as the FEW of `make check`. */
uint32_t sim_schedules(uint32_t few);

/* SOME are at least so many PERCENT of those that FEW schedules make. */
void sim_assert_part(int some, uint32_t percent, uint32_t few);

/* The windows, which are so many iterations APART, are the same ones in truth, or numbers that had to
 * count from the start have been found wrong. */
void sim_assert_right(const struct sim_world *world, uint64_t apart);

/* A plan for WORLD of some ranks, one loop, and everything else at random, the same for each
 * RUN. */
struct sim_plan *sim_plan_any(struct sim_world *world, uint32_t run);

/* Run the plan, which comes to its end and leaves the same windows on all ranks; returns how
 * many. *APART, if not NULL, is by how many iterations they differ on owners in truth. */
int sim_windows(struct sim_world *world, uint64_t *apart);

/* What all ranks have kept after the fact: the same iterations, by number; returns how many. *APART as
 * above. */
int sim_kept(const struct sim_world *world, uint64_t *apart);

/* Of a rank: it visits a pivot of its present phase; it looks at the rounds after a call; it is
 * in MPI_Finalize. */
void sim_visit(struct sim_world *world, struct sim_rank *rank, int pivot);
void sim_steer(struct sim_world *world, struct sim_rank *rank);
void sim_finalize(struct sim_world *world, struct sim_rank *rank);

/* What ranks call the loop of a phase, and the other one that some take for it. */
uint64_t sim_loop(int phase, int other, uint32_t dropped);

#endif
