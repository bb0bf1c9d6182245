/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phases: the main loops that this rank had, one after the other, from when to when, and how long their
 * iterations took. Only the leader calls this; times are ticks.
 */
#ifndef EFG_PHASES_H
#define EFG_PHASES_H

#include "core/loop/judge.h"
#include "core/loop/pivot.h"
#include "core/window/agree.h"
#include "threads.h"

#define EFG_PHASES 64 /* that are known; of more, those with the least time are forgotten */

struct efg_phase {
    struct efg_mainloop loop;
    uint16_t mark;         /* of the first loop that was found in it */
    uint32_t number;       /* that its windows have (efg_agree_phase); 0: it was never elected */
    uint64_t begin, end;   /* of it all */
    uint64_t resumed;      /* since then it lasts; 0: it is over */
    uint64_t measured;     /* when it was last seen to go round, by a sample */
    uint64_t of_each;      /* iteration its key was entered so often, as that sample saw it; 0: not known */
    uint64_t time;         /* ns that it has lasted, without the present stretch */
    uint64_t used, waited; /* processor time in it, and ns of waiting for a processor; likewise */
    /* Of pivots that are no longer marked, the one whose iterations take most time. */
    struct efg_pivot pivot;
    uint32_t pivots; /* its number, as threads.h has it */
    uint64_t visits;
    struct efg_run_iterations longest;
    struct efg_counts_iterations counted; /* by counters, in these */
    struct efg_series *series;
};

struct efg_phases {
    struct efg_phase *list;
    uint32_t count, present; /* present: EFG_NONE before the first one */
    uint32_t counted;        /* whose pivot is marked; EFG_NONE: it is that of none, or nobody knows whose */
    bool is_lent;            /* it is that of none, until it is adopted */
};

extern struct efg_phases efg_phases;

/* LOOP is now that of this rank, since BEGIN. SEES: the finder that began then; NULL for none. If it REPLACES
 * the one before, it is that of the same phase, or else a new one begins; a loop that was there before goes
 * on. */
void efg_phases_open(const struct efg_mainloop *loop, uint64_t begin, const struct efg_finder *sees,
                     bool replaces);
/* Sites have other numbers: the key of LOOP is that of NOW, if this is a loop; others are not known. */
void efg_phases_forget_sites(const struct efg_mainloop *loop, const struct efg_mainloop *now);

/* When the present stretch of it began; without one, the start of the run. */
uint64_t efg_phases_since(void);

/* The present one was over at END. It was not: what has happened since was part of it. */
void efg_phases_close(uint64_t end);
void efg_phases_resume(void);
/* Until when the present one has lasted at least, as samples tell; before the first one, the start. */
uint64_t efg_phases_bound(void);

/* The present one has what is said of it, as it is NOW, in FLOW (NULL: not known). If its loop is that which
 * was elected, it has that number. */
void efg_phases_update(const struct efg_mainloop *loop, const struct efg_callflow *flow, uint64_t now);
void efg_phases_name(const struct efg_agree *agree);

/* In these, a phase that was never elected has the number of a loop of its function that was.
 *
 * Adds to LASTED how many ns phases number 1 to EFG_AGREE_TURNS lasted until NOW, and to BUSY how many it
 * would have been if there had always been a processor: what else the machine does changes from run to run.
 * Those that are part of LOOP were taken for it too early; they have none. */
void efg_phases_last(const struct efg_agree *agree, const struct efg_callflow *flow,
                     const struct efg_mainloop *loop, uint64_t now, uint64_t *lasted, uint64_t *busy);
/* The same, to LASTED and TIME. Phases inside LOOP, or around it, count as the one that LOOP is; if that has
 * no number, it is number EFG_AGREE_TURNS + 1. */
void efg_phases_weigh(const struct efg_agree *agree, const struct efg_callflow *flow,
                      const struct efg_mainloop *loop, uint64_t *lasted, uint64_t *time, uint64_t now);
/* What a phase is counted as: if it was never elected, a loop of its function may have been. Ranks that are
 * in one function may be in several loops of it: some work, others wait for them. 0: no such loop was. */
uint32_t efg_phases_number(const struct efg_agree *agree, const struct efg_phase *phase);
/* The longest phase with that number of its own, or else with that number (0: none), or NULL. */
const struct efg_phase *efg_phases_numbered(const struct efg_agree *agree, uint32_t number, uint64_t now);
/* One with a loop of the function that WISH asks for: MAIN (NULL: none), which all ranks have chosen, or else
 * the longest one; NULL if there is none, or another level of it is asked for. */
const struct efg_phase *efg_phases_asked(struct efg_wish wish, const struct efg_phase *main, uint64_t now);
/* Its loop as it is now: it has gone round since the last sample of PHASE. */
struct efg_mainloop efg_phases_loop(const struct efg_callflow *flow, const struct efg_phase *phase);

/* THREAD counts the iterations of another pivot than PIVOT from now on: those of the present phase, unless it
 * is over. */
void efg_phases_keep(struct efg_thread *thread, const struct efg_pivot *pivot);
void efg_phases_adopt(void);
/* They are not: they are those of a loop that other ranks have found, and this one has not. Now it has: they
 * are those of the present phase, if they were nobody's. */
void efg_phases_disown(void);
void efg_phases_claim(void);
/* The pivot may turn out to be that of no phase: until it is adopted, its iterations are of none. */
void efg_phases_lend(void);

/* That of the present one; 0: none. */
uint16_t efg_phases_mark(void);

/* The phase with this LOOP, or NULL. */
const struct efg_phase *efg_phases_find(const struct efg_mainloop *loop);

/* ns that PHASE has lasted until NOW. */
uint64_t efg_phases_time(const struct efg_phase *phase, uint64_t now);

#endif
