/* SPDX-License-Identifier: BSD-3-Clause */
#include "programs.h"

/* Call sites. */
enum {
    INIT = 1,
    BCAST,
    RECV,
    SEND,
    WAIT,
    SUM,
    IO,
    IO2,
    P,
    Q,
    C,
    DRIVER,
    DRIVER2,
    HELPER,
    START = 100,
    SITES = 200
};

static void start_up(struct replay *r)
{
    replay_event(r, INIT, 1 * MS, 200 * US, 0);
    for (int i = 0; i < 6; i++)
        replay_event(r, BCAST + 50 + (uint32_t)i % 3, 100 * US, 20 * US, REPLAY_WORLD);
}

/* A step of 1 ms and three calls. */
static void step(struct replay *r)
{
    replay_iteration(r);
    replay_event(r, RECV, 400 * US, 2 * US, 0);
    replay_event(r, SEND, 100 * US, 5 * US, 0);
    replay_event(r, WAIT, 400 * US, 50 * US, 0);
}

void program_plain(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        step(r);
        replay_event(r, SUM, 20 * US, 20 * US, REPLAY_WORLD);
    }
}

void program_io_at_end(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        step(r);
        if (i % 100 == 99)
            replay_event(r, IO, 200 * US, 500 * US, 0);
    }
}

void program_io_at_start(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        if (i % 100 == 0)
            replay_event(r, IO, 200 * US, 500 * US, 0);
        step(r);
    }
}

/* I/O is a third of the time, so "everything rarer costs little" holds for the I/O only. */
void program_costly_io(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        for (int k = 0; k < 20; k++) {
            replay_event(r, RECV, 400 * US, 2 * US, 0);
            replay_event(r, WAIT, 400 * US, 50 * US, 0);
        }
        replay_event(r, IO, 1 * MS, 8 * MS, 0);
    }
}

/* Checkpoints cost a tenth of the time, but there are too few of them for iterations. */
void program_few_checkpoints(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        step(r);
        if (i % 150 == 149)
            replay_event(r, IO, 200 * US, 15 * MS, 0);
    }
}

void program_helper(struct replay *r, uint32_t steps)
{
    replay_event(r, HELPER, 1 * MS, 20 * US, REPLAY_WORLD);
    replay_event(r, START, 1 * MS, 20 * US, 0);
    replay_event(r, HELPER, 1 * MS, 20 * US, REPLAY_WORLD);
    replay_event(r, START + 1, 1 * MS, 20 * US, 0);
    replay_event(r, HELPER, 1 * MS, 20 * US, REPLAY_WORLD);
    for (uint32_t i = 0; i < steps; i++) {
        step(r);
        replay_event(r, HELPER, 20 * US, 20 * US, REPLAY_WORLD);
    }
}

static void alternate(struct replay *r, uint32_t steps, int randomly)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        replay_event(r, (randomly ? replay_below(r, 2) : i % 2) ? Q : P, 500 * US, 20 * US, 0);
        replay_event(r, C, 400 * US, 20 * US, 0);
    }
}

void program_alternate(struct replay *r, uint32_t steps)
{
    alternate(r, steps, 0);
}

void program_alternate_randomly(struct replay *r, uint32_t steps)
{
    alternate(r, steps, 1);
}

/* One step of two half steps that end in the same call; only the first one computes. */
void program_two_colours(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        replay_event(r, START, 500 * US, 20 * US, 0);
        replay_event(r, P, 100 * US, 20 * US, 0);
        replay_event(r, C, 50 * US, 20 * US, 0);
        replay_event(r, Q, 100 * US, 20 * US, 0);
        replay_event(r, C, 50 * US, 20 * US, 0);
    }
}

/* A driver runs the solver three times. */
void program_driver(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t run = 0; run < 3; run++) {
        replay_event(r, DRIVER, 1 * MS, 100 * US, 0);
        replay_event(r, DRIVER2, 1 * MS, 100 * US, 0);
        for (uint32_t i = 0; i < steps / 3; i++)
            step(r);
    }
}

/* A step, then six messages in whatever order. */
void program_shuffled(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t left[6] = {0, 1, 2, 3, 4, 5};
        replay_iteration(r);
        replay_event(r, P, 500 * US, 20 * US, 0);
        for (uint32_t n = 6; n > 0; n--) {
            uint32_t k = replay_below(r, n);
            replay_event(r, SITES + left[k], 50 * US, 20 * US, 0);
            left[k] = left[n - 1];
        }
    }
}

static void solve(struct replay *r, uint32_t iterations, uint64_t compute)
{
    for (uint32_t k = 0; k < iterations; k++) {
        replay_event(r, P, compute, 10 * US, 0);
        replay_event(r, Q, compute, 10 * US, 0);
        replay_event(r, SUM, compute / 4, 20 * US, REPLAY_WORLD);
    }
}

void program_inner_solver(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        step(r);
        solve(r, 5 + replay_below(r, 11), 40 * US);
    }
}

/* A step predicts in 1% of the time and corrects twice, each time with a solver of varying trip
 * count. */
void program_correctors(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        replay_event(r, HELPER, 10 * US, 5 * US, REPLAY_WORLD);
        for (int k = 0; k < 2; k++) {
            solve(r, 5 + replay_below(r, 11), 40 * US);
            replay_event(r, C, 20 * US, 10 * US, REPLAY_WORLD);
        }
    }
}

/* Four stages in a step, each an exchange with neighbours; the time step is agreed on at its
 * end. */
void program_stages(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        for (int k = 0; k < 4; k++) {
            replay_event(r, RECV, 200 * US, 2 * US, 0);
            replay_event(r, SEND, 10 * US, 5 * US, 0);
            replay_event(r, WAIT, 10 * US, 20 * US, 0);
        }
        replay_event(r, P, 5 * US, 5 * US, 0);
    }
}

/* Steps of 2 s with some 2000 inner iterations: what is seen first is inside the first step. */
void program_slow_steps(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        replay_event(r, RECV, 300 * MS, 2 * MS, 0);
        replay_event(r, SEND, 1 * MS, 2 * MS, 0);
        solve(r, 1500 + replay_below(r, 1000), 300 * US);
    }
}

/* The master hands out work to whoever asks; an iteration is one piece of work. */
void program_master(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        replay_event(r, RECV, 5 * US, replay_below(r, 2 * MS), REPLAY_UNORDERED);
        replay_event(r, SEND, 5 * US, 2 * US, 0);
    }
}

/* A piece of work takes 1 to 20 ms. */
void program_worker(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        replay_event(r, SEND, (1 + replay_below(r, 20)) * MS, 2 * US, 0);
        replay_event(r, RECV, 5 * US, 300 * US, 0);
    }
}

/* No call in the main loop; a few events at both ends. */
void program_silent(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < 8; i++)
        replay_event(r, START + i, 1 * MS, 20 * US, 0);
    replay_event(r, SUM, (uint64_t)steps * MS, 20 * US, REPLAY_WORLD);
    replay_event(r, SUM, 1 * MS, 20 * US, REPLAY_WORLD);
}

/* Each step spins in MPI_Test, from nought to 300 times. */
void program_polling(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        replay_event(r, RECV, 400 * US, 2 * US, 0);
        replay_event(r, SEND, 100 * US, 5 * US, 0);
        for (uint32_t k = replay_below(r, 300); k > 0; k--)
            replay_event(r, WAIT, 1 * US, 1 * US, REPLAY_POLL | REPLAY_UNORDERED);
        replay_event(r, WAIT, 1 * US, 1 * US, REPLAY_UNORDERED);
    }
}

/* A communicator is made and freed in each step. */
void program_communicators(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        replay_event(r, P, 400 * US, 100 * US, REPLAY_WORLD);
        for (uint32_t k = 0; k < 3; k++)
            replay_event(r, C, 100 * US, 20 * US, 0);
        replay_event(r, Q, 5 * US, 5 * US, 0);
    }
}

/* Two phases with a main loop each, half of the steps in each. */
void program_phases(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps / 2; i++)
        step(r);
    replay_event(r, DRIVER, 50 * MS, 20 * US, REPLAY_WORLD);
    for (uint32_t i = 0; i < steps / 2; i++) {
        replay_iteration(r);
        replay_event(r, P, 1 * MS, 20 * US, 0);
        replay_event(r, Q, 300 * US, 20 * US, 0);
        replay_event(r, SUM, 20 * US, 20 * US, REPLAY_WORLD);
    }
}

/* The number of messages changes from step to step, and all is regridded now and then. */
void program_adaptive_mesh(struct replay *r, uint32_t steps)
{
    uint32_t neighbours = 8;

    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        if (i % 50 == 49) {
            for (uint32_t k = 4 + replay_below(r, 8); k > 0; k--)
                replay_event(r, IO + replay_below(r, 2), 30 * US, 20 * US, 0);
            neighbours = 5 + replay_below(r, 10);
        }
        replay_iteration(r);
        for (uint32_t k = neighbours + replay_below(r, 3); k > 0; k--) {
            replay_event(r, RECV, 5 * US, 2 * US, 0);
            replay_event(r, SEND, 20 * US, 5 * US, 0);
        }
        replay_event(r, WAIT, 500 * US, 50 * US, 0);
        replay_event(r, SUM, 10 * US, 20 * US, REPLAY_WORLD);
    }
}

static void cycle(struct replay *r, uint32_t level)
{
    replay_event(r, SITES + 4 * level, (200 * US) >> level, 10 * US, 0);
    if (level < 6) {
        cycle(r, level + 1);
        replay_event(r, SITES + 4 * level + 1, (200 * US) >> level, 10 * US, 0);
        if (level % 2)
            cycle(r, level + 1); /* a W-cycle */
    }
    replay_event(r, SITES + 4 * level + 2, (200 * US) >> level, 10 * US, 0);
}

/* A multigrid cycle that calls itself; the call path differs by level. */
void program_recursion(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        cycle(r, 0);
    }
}

/* Long reading of input, with many calls, from sites that the steps use as well. */
void program_late_start(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (int i = 0; i < 200; i++) {
        replay_event(r, START + 1, 5 * MS, 2 * MS, REPLAY_WORLD);
        if (i % 40 == 0)
            replay_event(r, WAIT, 5 * MS, 1 * MS, 0);
    }
    for (uint32_t i = 0; i < steps; i++)
        step(r);
}

/* Every 1000 steps of 1 ms, half a second of silence. */
void program_checkpoint(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        step(r);
        replay_event(r, SUM, 20 * US, 20 * US, REPLAY_WORLD);
        if (i % 10000 == 9999)
            replay_event(r, IO, 10 * MS, 500 * MS, 0);
    }
}

/* Ten thousand iterations per sample. */
void program_fast(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        replay_event(r, P, 5 * US, 2 * US, 0);
        replay_event(r, Q, 1 * US, 2 * US, 0);
        if (i % 1000 == 0)
            replay_event(r, IO, 1 * US, 10 * US, 0);
    }
}

/* A few dozen steps of a second each. */
void program_few(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        replay_iteration(r);
        for (uint32_t k = 0; k < 4; k++) {
            replay_event(r, RECV, 1 * MS, 1 * MS, 0);
            replay_event(r, SEND, 200 * MS, 1 * MS, 0);
        }
        replay_event(r, SUM, 200 * MS, 20 * MS, REPLAY_WORLD);
    }
}

/* A norm every ten steps that costs little. */
void program_norm(struct replay *r, uint32_t steps)
{
    start_up(r);
    for (uint32_t i = 0; i < steps; i++) {
        step(r);
        if (i % 10 == 0)
            replay_event(r, C, 20 * US, 10 * US, 0);
    }
}

/* ---- LAMMPS, melt: as read from its source, 4 ranks ---- */

static void swaps(struct replay *r, uint32_t site, uint64_t compute)
{
    for (uint32_t k = 0; k < 4; k++) {
        replay_event(r, site, k ? 3 * US : compute, 2 * US, 0);
        replay_event(r, site + 1, 5 * US, 5 * US, 0);
        replay_event(r, site + 2, 3 * US, 20 * US, 0);
    }
}

static void rebuild(struct replay *r, uint64_t cost)
{
    for (uint32_t k = 0; k < 8; k++)
        replay_event(r, SITES + 20 + k % 4, cost / 8, 2 * US, 0);
    for (uint32_t k = 0; k < 16; k++)
        replay_event(r, SITES + 30 + k % 4, cost / 16, 2 * US, 0);
}

static void lammps(struct replay *r, uint32_t steps, uint64_t cost, int blocks)
{
    start_up(r);
    rebuild(r, cost);
    swaps(r, SITES + 10, 500 * US);
    for (uint32_t i = 1; i <= steps; i++) {
        if (!blocks || i % 20 == 1)
            replay_iteration(r);
        if (i % 20 == 0)
            rebuild(r, cost);
        else
            swaps(r, SITES, 50 * US);
        swaps(r, SITES + 10, 500 * US);
        if (i % 50 == 0) {
            for (uint32_t k = 0; k < 6; k++)
                replay_event(r, SITES + 40 + k / 2, 5 * US, 10 * US, REPLAY_WORLD);
        }
    }
}

void program_lammps(struct replay *r, uint32_t steps)
{
    lammps(r, steps, 1 * MS, 0);
}

void program_lammps_cheap(struct replay *r, uint32_t steps)
{
    lammps(r, steps, 50 * US, 0);
}

void program_lammps_blocks(struct replay *r, uint32_t steps)
{
    lammps(r, steps, 1 * MS, 1);
}

/* A swap with nothing to receive leaves out two calls of three, one with nothing to send the
 * third. */
static void swap_some(struct replay *r, uint32_t site, uint64_t compute, int receives,
                      int sends)
{
    if (receives)
        replay_event(r, site, compute, 1 * US, 0);
    if (sends)
        replay_event(r, site + 1, 5 * US, 5 * US, 0);
    if (receives)
        replay_event(r, site + 2, 5 * US, 20 * US, 0);
}

/* Eight swaps each way. For 20 steps at a time one of them may be empty, the first one or any
 * other, so that the first receive back comes behind this call or that, and others behind
 * the same. */
void program_empty_swaps(struct replay *r, uint32_t steps)
{
    uint32_t empty = 8, unsent = 8;

    start_up(r);
    for (uint32_t i = 1; i <= steps; i++) {
        replay_iteration(r);
        if (i % 20 == 0) {
            rebuild(r, 50 * US);
            empty = replay_below(r, 3) ? 8 : replay_below(r, 8);
            unsent = replay_below(r, 3) ? 8 : replay_below(r, 8);
        }
        for (uint32_t k = 0; i % 20 && k < 8; k++)
            swap_some(r, SITES, 20 * US, k != 7 - empty, k != 7 - unsent);
        for (uint32_t k = 0; k < 8; k++)
            swap_some(r, SITES + 10, k ? 5 * US : 500 * US, k != unsent, k != empty);
    }
}
