/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C function stands for a function of the program. The first thing it is told is the call
 * site that it is called from: that is its frame of the call path. Numbers of call sites
 * need to differ only within a function.
 *
 * What is to differ between ranks, as times do, is drawn from a generator of the rank; what is
 * to be the same on all, as trip counts are, from one of the program.
 */
#include "loop_programs.h"
#include "loop_random.h"

#include "base/buffer.h"

#include <stdio.h>
#include <string.h>

#define MAIN 1 /* the frame around all others */
#define MOST_FRAMES 8

/* Any numbers would do: the rule compares them, and knows none. */
enum call {
    RECV = 1,
    ISEND = 5,
    SEND = 13,
    IRECV = 14,
    BCAST = 21,
    ALLTOALL = 28,
    ALLTOALLV = 31,
    ALLREDUCE = 32,
    TESTSOME = 129,
    WAIT = 130,
    WAITSOME = 133,
    FILE_OPEN = 150,
    FILE_WRITE = 151,
};

struct loop_run {
    struct loop_random own, common; /* of the rank; of all ranks */
    uint32_t rank;
    uint32_t depth;
    uint64_t frames[MOST_FRAMES];
    loop_event_take *take;
    void *to;
};

static void enter(struct loop_run *t, uint64_t site)
{
    t->frames[t->depth++] = site;
}

static void leave(struct loop_run *t)
{
    t->depth--;
}

/* A call from SITE, about COMPUTE us after the last one, that takes about INSIDE us. */
static void event(struct loop_run *t, uint64_t site, enum call call, double compute, double inside,
                  enum loop_event_flag flags)
{
    enter(t, site);
    struct loop_event e = {
        .call = (uint16_t)call, .flags = (uint8_t)flags, .depth = t->depth, .frames = t->frames};
    e.compute = (uint64_t)(compute * 1000 * loop_random_lognormal(&t->own, 0.3));
    e.inside = (uint64_t)(inside * 1000 * loop_random_lognormal(&t->own, 0.5));
    t->take(t->to, &e);
    leave(t);
}

static void local(struct loop_run *t, uint64_t site, enum call call, double compute)
{
    event(t, site, call, compute, 20, 0);
}

static void world(struct loop_run *t, uint64_t site, enum call call, double compute)
{
    event(t, site, call, compute, 20, LOOP_EVENT_WORLD);
}

/* An exchange with neighbours. BASE says which function it is. */
static void halo(struct loop_run *t, uint64_t site, uint64_t base, double compute)
{
    enter(t, site);
    local(t, base + 1, IRECV, 5);
    local(t, base + 2, ISEND, compute);
    event(t, base + 3, WAIT, 5, 40, 0);
    leave(t);
}

static void start_up(struct loop_run *t)
{
    for (uint32_t i = 0; i < 5; i++)
        world(t, 1000 + i, BCAST, 2000);
}

/* ITERATIONS of a solver, in whatever function they are. */
static void iterate(struct loop_run *t, uint32_t iterations, double compute)
{
    for (uint32_t i = 0; i < iterations; i++) {
        halo(t, 301, 400, 100);
        world(t, 302, ALLREDUCE, compute);
    }
}

/* A solver that computes a norm first. */
static void solve(struct loop_run *t, uint64_t site, uint32_t iterations, double compute)
{
    enter(t, site);
    world(t, 300, ALLREDUCE, 50);
    iterate(t, iterations, compute);
    leave(t);
}

/* The same without. */
static void jacobi(struct loop_run *t, uint64_t site, uint32_t iterations)
{
    enter(t, site);
    iterate(t, iterations, 20);
    leave(t);
}

/* ---- the programs ---- */

/* A solver of 5 to 30 iterations in a function of its own; 20% of the time is outside. */
static void step_solver(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 200; s++) {
        halo(t, 10, 500, 400);
        enter(t, 11);
        world(t, 300, ALLREDUCE, 50);
        iterate(t, loop_random_between(&t->common, 5, 30), 20);
        leave(t);
        world(t, 12, ALLREDUCE, 50);
    }
}

/* The same, all in main. */
static void solver_in_main(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 200; s++) {
        halo(t, 10, 500, 400);
        world(t, 9, ALLREDUCE, 50);
        iterate(t, loop_random_between(&t->common, 5, 30), 20);
        world(t, 12, ALLREDUCE, 50);
    }
}

/* A solver is called for reference first, then from another place in earnest. */
static void reference_then_main(struct loop_run *t)
{
    start_up(t);
    solve(t, 10, 90, 200);
    world(t, 11, BCAST, 100);
    solve(t, 12, 800, 200);
}

/* Both from one call site, in a loop of two rounds. */
static void reference_same_site(struct loop_run *t)
{
    start_up(t);
    solve(t, 10, 90, 200);
    world(t, 11, BCAST, 100);
    solve(t, 10, 800, 200);
    world(t, 11, BCAST, 100);
}

/* The order of receives, sends and waits differs between ranks. */
static void sweep_interleaved(struct loop_run *t)
{
    static const enum call calls[] = {IRECV, ISEND, WAIT};

    start_up(t);
    for (uint32_t s = 0; s < 400; s++) {
        uint32_t order[12] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
        loop_random_shuffle(&t->own, order, 12);
        enter(t, 10);
        for (uint32_t i = 0; i < 12; i++)
            local(t, 401 + order[i], calls[order[i]], 30);
        leave(t);
        halo(t, 11, 600, 5);
    }
}

/* An exchange in each step, output in each 50th. */
static void halo_output(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 3000; s++) {
        halo(t, 10, 400, 100);
        if (s % 50 == 49)
            world(t, 11, ALLREDUCE, 100);
    }
}

static void command_run(struct loop_run *t, uint64_t site, uint32_t steps)
{
    enter(t, site);
    world(t, 200, ALLREDUCE, 100);
    for (uint32_t s = 0; s < steps; s++) {
        halo(t, 201, 400, 100);
        world(t, 202, ALLREDUCE, 20);
    }
    leave(t);
}

static void command_other(struct loop_run *t, uint64_t site, uint32_t number)
{
    enter(t, site);
    for (uint32_t k = 0; k < 3; k++)
        world(t, 100 + 3 * number + k, BCAST, 500);
    leave(t);
}

/* 20 commands through one call site, one of which is the whole run. */
static void commands(struct loop_run *t)
{
    enter(t, 5);
    for (uint32_t i = 0; i < 20; i++) {
        world(t, 7, BCAST, 5);
        enter(t, 8);
        if (i == 17)
            command_run(t, 30 + i, 1500);
        else
            command_other(t, 30 + i, i);
        leave(t);
    }
    leave(t);
}

/* A driver runs the solver three times. */
static void driver(struct loop_run *t)
{
    start_up(t);
    for (uint32_t i = 0; i < 3; i++) {
        command_run(t, 10, 1000);
        world(t, 11, BCAST, 500);
    }
}

/* A solver without calls outside of its loop. */
static void jacobi_varying(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 200; s++) {
        jacobi(t, 10, loop_random_between(&t->common, 10, 40));
        world(t, 12, ALLREDUCE, 50);
    }
}

/* The same, with 20 iterations each time. */
static void jacobi_constant(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 200; s++) {
        jacobi(t, 10, 20);
        world(t, 12, ALLREDUCE, 50);
    }
}

/* One of two exchanges, then a norm. */
static void step_of_kind(struct loop_run *t, uint32_t kind)
{
    halo(t, 10 + kind, 400 + 10 * kind, 100);
    world(t, 12, ALLREDUCE, 50);
}

static void alternate(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 1000; s++)
        step_of_kind(t, s % 2);
}

static void alternate_randomly(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 1000; s++)
        step_of_kind(t, loop_random_between(&t->common, 0, 1));
}

/* Four stages of a step, at four call sites. */
static void stages_at_sites(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 500; s++)
        for (uint32_t k = 0; k < 4; k++)
            halo(t, 10 + k, 400, 100);
}

/* Three stages in a loop of a function; a norm in each step. */
static void stages_in_loop(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 500; s++) {
        enter(t, 10);
        for (uint32_t k = 0; k < 3; k++) {
            halo(t, 20, 400, 100);
            halo(t, 21, 500, 100);
        }
        leave(t);
        world(t, 12, ALLREDUCE, 50);
    }
}

/* Six long iterations. */
static void few(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 6; s++) {
        world(t, 10, ALLTOALL, 1e6);
        world(t, 11, ALLTOALLV, 5e5);
    }
}

static void collect(struct loop_run *t)
{
    for (uint32_t k = 0; k < 3; k++)
        local(t, 20, RECV, 300);
}

static void deliver(struct loop_run *t)
{
    enter(t, 13);
    local(t, 21, SEND, 900);
    leave(t);
}

/* Rank 0 collects what the others have worked out. */
static void master(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 300; s++) {
        world(t, 10, BCAST, 100);
        if (t->rank == 0)
            collect(t);
        else
            deliver(t);
        world(t, 11, ALLREDUCE, 10);
    }
}

/* Every 8 to 14 steps a rebuild instead of the exchange. */
static void rebuild(struct loop_run *t)
{
    uint32_t left = 10;

    start_up(t);
    for (uint32_t s = 0; s < 2000; s++) {
        if (--left == 0) {
            halo(t, 13, 700, 300);
            halo(t, 14, 800, 300);
            left = loop_random_between(&t->common, 8, 14);
        } else {
            halo(t, 10, 400, 100);
        }
        halo(t, 11, 500, 100);
    }
}

/* Each 5th step a regrid besides: 30% of the events. */
static void regrid(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 600; s++) {
        halo(t, 10, 400, 100);
        halo(t, 11, 500, 100);
        world(t, 12, ALLREDUCE, 20);
        if (s % 5 != 4)
            continue;
        halo(t, 13, 700, 100);
        halo(t, 14, 800, 100);
        halo(t, 15, 900, 100);
        halo(t, 16, 950, 100);
    }
}

/* Output begins each 100th step, the very first one too: 10% of the time. */
static void output_first(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 1000; s++) {
        if (s % 100 == 0) {
            world(t, 9, FILE_OPEN, 10000);
            world(t, 8, FILE_WRITE, 10000);
        }
        halo(t, 10, 400, 100);
        world(t, 12, ALLREDUCE, 20);
    }
}

/* One call in each step. */
static void one_call(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 3000; s++)
        world(t, 12, ALLREDUCE, 300);
}

static void phase(struct loop_run *t, uint64_t site, uint32_t steps)
{
    enter(t, site);
    for (uint32_t s = 0; s < steps; s++) {
        halo(t, 10 * site, 300 + 100 * site, 100);
        world(t, 10 * site + 2, ALLREDUCE, 20);
    }
    leave(t);
}

/* 400 steps of one kind, then 4000 of another. */
static void two_phases(struct loop_run *t)
{
    start_up(t);
    phase(t, 1, 400);
    phase(t, 2, 4000);
}

static void krylov(struct loop_run *t, uint64_t site)
{
    enter(t, site);
    world(t, 500, ALLREDUCE, 10);
    for (uint32_t i = loop_random_between(&t->common, 10, 40); i > 0; i--) {
        halo(t, 501, 600, 50);
        world(t, 502, ALLREDUCE, 10);
    }
    world(t, 503, ALLREDUCE, 10);
    leave(t);
}

static void newton(struct loop_run *t, uint64_t site)
{
    enter(t, site);
    world(t, 400, ALLREDUCE, 10);
    for (uint32_t i = loop_random_between(&t->common, 2, 5); i > 0; i--) {
        halo(t, 401, 700, 100);
        krylov(t, 402);
        world(t, 403, ALLREDUCE, 10);
    }
    leave(t);
}

/* Steps of 2 to 5 Newton iterations, each of them of 10 to 40 Krylov iterations. */
static void newton_krylov(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 60; s++) {
        newton(t, 10);
        world(t, 12, ALLREDUCE, 20);
    }
}

/* The first step has 300 solver iterations, the others 10. */
static void first_step_long(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 150; s++) {
        halo(t, 10, 500, 400);
        solve(t, 11, s == 0 ? 300 : 10, 20);
        world(t, 12, ALLREDUCE, 50);
    }
}

/* How often Waitsome is called is a matter of timing. */
static void waitsome(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 1000; s++) {
        enter(t, 10);
        for (uint32_t i = 0; i < 4; i++)
            local(t, 400, IRECV, 5);
        for (uint32_t i = 0; i < 4; i++)
            local(t, 401, ISEND, 10);
        for (uint32_t i = loop_random_between(&t->own, 1, 4); i > 0; i--)
            event(t, 402, WAITSOME, 20, 20, LOOP_EVENT_UNORDERED);
        leave(t);
        halo(t, 11, 500, 100);
    }
}

/* Up to 30 polls find nothing before one does. */
static void polls(struct loop_run *t)
{
    start_up(t);
    for (uint32_t s = 0; s < 1000; s++) {
        enter(t, 10);
        local(t, 400, IRECV, 5);
        local(t, 401, ISEND, 10);
        for (uint32_t i = loop_random_between(&t->own, 0, 30); i > 0; i--)
            event(t, 403, TESTSOME, 1, 1, LOOP_EVENT_POLL);
        event(t, 403, TESTSOME, 1, 1, LOOP_EVENT_UNORDERED);
        leave(t);
        world(t, 12, ALLREDUCE, 30);
    }
}

/* The seeds of the generators are made of the names. */
const struct loop_program LOOP_PROGRAMS[] = {
    {"s01_step_solver_5_30", step_solver, 200, 0},
    {"s02_solver_in_same_function", solver_in_main, 200, 0},
    {"s03_reference_then_main", reference_then_main, 800, 0},
    {"s04_reference_same_site", reference_same_site, 890, 0},
    {"s05_sweep_interleaved", sweep_interleaved, 400, 0},
    {"s06_halo_output_50", halo_output, 3000, 60},
    {"s07_commands", commands, 1500, 0},
    {"s08_driver_3", driver, 3000, 3},
    {"s09_jacobi_no_prologue", jacobi_varying, 200, 0},
    {"s10_jacobi_constant", jacobi_constant, 200, 0},
    {"s11_alternate", alternate, 1000, 500},
    {"s12_random_pq", alternate_randomly, 1000, 0},
    {"s13_rk4_sites", stages_at_sites, 500, 0},
    {"s14_rk3_loop", stages_in_loop, 500, 0},
    {"s15_few6", few, 6, 0},
    {"s16_master", master, 300, 0},
    {"s17_rebuild_alternative", rebuild, 2000, 178},
    {"s18_regrid5", regrid, 600, 120},
    {"s19_io_start", output_first, 1000, 10},
    {"s20_one_call", one_call, 3000, 0},
    {"s21_two_phases", two_phases, 4000, 0},
    {"s22_newton_krylov", newton_krylov, 60, 0},
    {"s23_first_step_long", first_step_long, 150, 0},
    {"s24_waitsome", waitsome, 1000, 0},
    {"s25_polls", polls, 1000, 0},
};

const uint32_t LOOP_PROGRAM_COUNT = sizeof LOOP_PROGRAMS / sizeof *LOOP_PROGRAMS;

void loop_program_run(const struct loop_program *program, uint32_t rank, loop_event_take *take, void *to)
{
    struct loop_run run = {.rank = rank, .take = take, .to = to};
    char name[64];

    snprintf(name, sizeof name, "%s%u", program->name, rank);
    loop_random_init(&run.own, efg_crc32(0, name, strlen(name)));
    loop_random_init(&run.common, efg_crc32(0, program->name, strlen(program->name)));
    enter(&run, MAIN);
    program->run(&run);
}
