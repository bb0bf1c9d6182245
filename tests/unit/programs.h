/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The difficult programs of LOOPS.md, each as the events that one rank would see, with times.
 * STEPS are the true iterations; what they are is said at each.
 */
#ifndef EFG_TESTS_PROGRAMS_H
#define EFG_TESTS_PROGRAMS_H

#include "replay.h"

struct program {
    const char *name;
    void (*run)(struct replay *replay, uint32_t steps);
    uint32_t steps;
    double least, most; /* pivot visits per true iteration */
    enum efg_level level;
};

void program_plain(struct replay *r, uint32_t steps);
void program_io_at_end(struct replay *r, uint32_t steps);
void program_io_at_start(struct replay *r, uint32_t steps);
void program_costly_io(struct replay *r, uint32_t steps);
void program_few_checkpoints(struct replay *r, uint32_t steps);
void program_helper(struct replay *r, uint32_t steps);
void program_alternate(struct replay *r, uint32_t steps);
void program_alternate_randomly(struct replay *r, uint32_t steps);
void program_two_colours(struct replay *r, uint32_t steps);
void program_driver(struct replay *r, uint32_t steps);
void program_shuffled(struct replay *r, uint32_t steps);
void program_inner_solver(struct replay *r, uint32_t steps);
void program_correctors(struct replay *r, uint32_t steps);
void program_stages(struct replay *r, uint32_t steps);
void program_slow_steps(struct replay *r, uint32_t steps);
void program_master(struct replay *r, uint32_t steps);
void program_worker(struct replay *r, uint32_t steps);
void program_silent(struct replay *r, uint32_t steps);
void program_polling(struct replay *r, uint32_t steps);
void program_communicators(struct replay *r, uint32_t steps);
void program_phases(struct replay *r, uint32_t steps);
void program_adaptive_mesh(struct replay *r, uint32_t steps);
void program_recursion(struct replay *r, uint32_t steps);
void program_late_start(struct replay *r, uint32_t steps);
void program_checkpoint(struct replay *r, uint32_t steps);
void program_fast(struct replay *r, uint32_t steps);
void program_few(struct replay *r, uint32_t steps);
void program_norm(struct replay *r, uint32_t steps);
void program_lammps(struct replay *r, uint32_t steps);       /* a rebuild costs much */
void program_lammps_cheap(struct replay *r, uint32_t steps); /* ... little */
void program_lammps_blocks(struct replay *r,
                           uint32_t steps); /* ... much; iterations are rebuilds */

/* Paths of the last call on the way out, and of the first one on the way back. */
#define EMPTY_SWAPS_OUT 202
#define EMPTY_SWAPS_BACK 210
void program_empty_swaps(struct replay *r, uint32_t steps);

#endif
