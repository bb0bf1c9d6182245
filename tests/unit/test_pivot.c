/* SPDX-License-Identifier: BSD-3-Clause */
/* The difficult programs, each with what a reader of it would call an iteration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "programs.h"

#define EXACT 0.995, 1.005

static const struct program PROGRAMS[] = {
    {"plain", program_plain, 3000, EXACT, EFG_LEVEL_AUTO},
    {"io at end", program_io_at_end, 3000, EXACT, EFG_LEVEL_AUTO},
    {"io at start", program_io_at_start, 3000, EXACT, EFG_LEVEL_AUTO},
    {"costly io", program_costly_io, 300, EXACT, EFG_LEVEL_AUTO},
    {"costly io, finer", program_costly_io, 300, 19.9, 20.1, EFG_LEVEL_FINER},
    {"few checkpoints, finer", program_few_checkpoints, 1500, EXACT, EFG_LEVEL_FINER},
    {"helper", program_helper, 3000, EXACT, EFG_LEVEL_AUTO},
    {"alternate", program_alternate, 3000, EXACT, EFG_LEVEL_AUTO},
    {"alternate randomly", program_alternate_randomly, 3000, EXACT, EFG_LEVEL_AUTO},
    {"two colours", program_two_colours, 3000, EXACT, EFG_LEVEL_AUTO},
    {"driver", program_driver, 3000, EXACT, EFG_LEVEL_AUTO},
    {"shuffled", program_shuffled, 3000, EXACT, EFG_LEVEL_AUTO},
    {"inner solver", program_inner_solver, 2000, EXACT, EFG_LEVEL_AUTO},
    {"correctors", program_correctors, 2000, EXACT, EFG_LEVEL_AUTO},
    {"correctors, finer", program_correctors, 2000, 1.99, 2.01, EFG_LEVEL_FINER},
    {"stages", program_stages, 3000, EXACT, EFG_LEVEL_AUTO},
    {"stages, finer", program_stages, 3000, 3.98, 4.02, EFG_LEVEL_FINER},
    {"slow steps", program_slow_steps, 60, EXACT, EFG_LEVEL_AUTO},
    {"master", program_master, 3000, EXACT, EFG_LEVEL_AUTO},
    {"worker", program_worker, 1000, EXACT, EFG_LEVEL_AUTO},
    {"polling", program_polling, 3000, EXACT, EFG_LEVEL_AUTO},
    {"communicators", program_communicators, 3000, EXACT, EFG_LEVEL_AUTO},
    {"adaptive mesh", program_adaptive_mesh, 3000, EXACT, EFG_LEVEL_AUTO},
    {"recursion", program_recursion, 2000, EXACT, EFG_LEVEL_AUTO},
    {"late start", program_late_start, 5000, EXACT, EFG_LEVEL_AUTO},
    {"fast", program_fast, 1000000, EXACT, EFG_LEVEL_AUTO},
    {"few", program_few, 40, EXACT, EFG_LEVEL_AUTO},
    {"norm", program_norm, 3000, EXACT, EFG_LEVEL_AUTO},
    {"norm, coarser", program_norm, 3000, 0.099, 0.101, EFG_LEVEL_COARSER},
    {"lammps, cheap", program_lammps_cheap, 5000, EXACT, EFG_LEVEL_AUTO},
    {"lammps, finer", program_lammps, 5000, EXACT, EFG_LEVEL_FINER},
    {"lammps", program_lammps_blocks, 5000, 0.98, 1.02, EFG_LEVEL_AUTO},
    {"lammps, coarser", program_lammps_cheap, 5000, 0.0495, 0.0505, EFG_LEVEL_COARSER},
};

static void describe(const struct program *program, const struct replay *r)
{
    print_message("%-20s rate %.4f, %s %u of tier %u, cv %.2f lv %.2f, after %u of %u "
                  "iterations, %.2f of %.2f s; %u accepted, %u restarts\n",
                  program->name, replay_rate(r),
                  r->pivot.kind == EFG_PIVOT_EDGE ? "edge" : "node", r->pivot.id, r->pivot.tier,
                  r->pivot.cv, r->pivot.lv, (unsigned)r->accepted_at, (unsigned)r->iterations,
                  (double)r->accepted_time / SECOND, (double)r->now / SECOND, r->accepted,
                  r->restarts);
}

/* Returns 1 if the pivot counts what it should. */
static int check_program(const struct program *program, uint64_t seed)
{
    struct replay replay;

    replay_init(&replay, program->level);
    replay.random = seed;
    replay.next_sample -= seed % 5 * 15 * MS;
    program->run(&replay, program->steps);
    double rate = replay_rate(&replay);
    /* The present iteration may be counted already, or not yet. */
    double slack = 1.5 / (double)(replay.iterations - replay.accepted_at + 1);
    int right = rate > 0 && rate >= program->least - slack && rate <= program->most + slack;
    if (!right || getenv("EFG_TEST_VERBOSE"))
        describe(program, &replay);
    replay_fini(&replay);
    return right;
}

static void test_programs(void **state)
{
    (void)state;
    int wrong = 0;

    for (uint64_t seed = 1; seed <= 5; seed++) {
        for (unsigned i = 0; i < sizeof PROGRAMS / sizeof *PROGRAMS; i++)
            wrong += !check_program(&PROGRAMS[i], seed);
    }
    assert_int_equal(wrong, 0);
}

/* Of the whole program: how often a pivot is accepted, none of them falls silent; and where FINER is
 * set, the next finer level is there for who asks for it. */
static const struct {
    void (*run)(struct replay *replay, uint32_t steps);
    uint32_t steps, accepted;
    int finer;
} ACCEPTED[] = {
    /* A rank whose main loop has no call has nothing to count. */
    {program_silent, 3000, 0, 0},
    /* The loop around the steps takes 2% and more, and has not shown itself yet. */
    {program_few_checkpoints, 1500, 0, 1},
    /* A checkpoint is no end. */
    {program_checkpoint, 45000, 1, 0},
};

static void test_accepted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof ACCEPTED / sizeof *ACCEPTED; i++) {
        struct replay replay;
        replay_init(&replay, EFG_LEVEL_AUTO);
        ACCEPTED[i].run(&replay, ACCEPTED[i].steps);
        assert_int_equal(replay.accepted, ACCEPTED[i].accepted);
        assert_int_equal(replay.restarts, 0);
        if (ACCEPTED[i].finer)
            assert_int_not_equal(efg_pivot_levels(replay.finder)->finer.kind, EFG_PIVOT_NONE);
        replay_fini(&replay);
    }
}

static void test_phase_ends(void **state)
{
    (void)state;
    struct replay replay;

    replay_init(&replay, EFG_LEVEL_AUTO);
    program_phases(&replay, 6000);
    assert_int_equal(replay.restarts, 1);
    assert_int_equal(replay.accepted, 2);
    assert_true(replay_rate(&replay) > 0.99 && replay_rate(&replay) < 1.01);
    assert_in_range(replay.accepted_at, 3000, 4200);
    replay_fini(&replay);
}

/* After a restart, nothing of the time before counts: not its gaps, not its largest pause. */
static void test_restart(void **state)
{
    (void)state;
    struct replay replay;
    struct efg_pivot pivot;

    replay_init(&replay, EFG_LEVEL_AUTO);
    program_plain(&replay, 1000);
    replay_event(&replay, 90, 20ull * SECOND, 1 * MS, 0);
    uint64_t zero = replay.now;
    efg_pivot_restart(replay.finder, zero);
    assert_int_equal(efg_pivot_sample(replay.finder, zero + 1, &pivot), 0);
    replay.next_sample = UINT64_MAX;
    for (int k = 1; k <= 3; k++) {
        for (uint32_t i = 0; i < 60; i++)
            replay_event(&replay, 10 + i % 3, 300 * US, 10 * US, 0);
        int found = efg_pivot_sample(replay.finder, replay.now, &pivot);
        assert_int_equal(found, k == 3);
    }
    assert_false(efg_pivot_is_silent(replay.finder, replay.now + 2 * MS));
    assert_true(efg_pivot_is_silent(replay.finder, replay.now + 200 * MS));
    replay_fini(&replay);
}

static void test_pause(void **state)
{
    (void)state;
    assert_int_equal(efg_pivot_pause(0, 100), 100);
    assert_int_equal(efg_pivot_pause(5000, 100), 100);
    assert_int_equal(efg_pivot_pause(50000, 100), 1000);
}

/* The edge that is taken most often of those between two call paths. */
static uint32_t find_edge(const struct efg_graph *graph, uint32_t from, uint32_t to)
{
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->nodes[graph->edges[e].from].signature.path == from &&
            graph->nodes[graph->edges[e].to].signature.path == to)
            return e;
    return EFG_NONE;
}

/* The step's way back begins behind its way out, mostly; whatever swaps are empty, each step
 * counts once, before the edge is the pivot and after. */
static void test_empty_swaps(void **state)
{
    (void)state;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct replay replay;
        replay_init(&replay, EFG_LEVEL_AUTO);
        replay.random = seed;
        replay.next_sample = UINT64_MAX;
        program_empty_swaps(&replay, 1000);
        uint32_t edge = find_edge(&replay.graph, EMPTY_SWAPS_OUT, EMPTY_SWAPS_BACK);
        assert_int_not_equal(edge, EFG_NONE);
        assert_in_range(efg_graph_count_edge(&replay.graph, edge), 999, 1001);
        efg_graph_mark_pivot(&replay.graph, EFG_PIVOT_EDGE, edge);
        program_empty_swaps(&replay, 1000);
        assert_in_range(replay.visits, 999, 1001);
        replay_fini(&replay);
    }
}

static void test_names(void **state)
{
    (void)state;
    struct replay replay;
    struct efg_pivot pivot = {.kind = EFG_PIVOT_NONE};

    replay_init(&replay, EFG_LEVEL_AUTO);
    program_lammps(&replay, 3000);
    for (uint32_t e = 0; e < replay.graph.edge_count; e++) {
        uint64_t hash = efg_pivot_hash(&replay.graph, EFG_PIVOT_EDGE, e);
        assert_int_equal(efg_pivot_find(&replay.graph, hash & 0xffffffffffu, &pivot), 1);
        assert_int_equal(pivot.kind, EFG_PIVOT_EDGE);
        assert_int_equal(pivot.id, e);
    }
    assert_int_equal(efg_pivot_find(&replay.graph, 12345678, &pivot), 0);
    replay_fini(&replay);
}

/* Recorded sequences give what the program that made them gives. */
static void test_recorded(void **state)
{
    (void)state;
    const char *names[] = {"alternate.txt", "io_at_start.txt", "master.txt"};

    for (unsigned i = 0; i < 3; i++) {
        struct replay replay;
        replay_init(&replay, EFG_LEVEL_AUTO);
        assert_int_equal(replay_file(&replay, names[i]), 0);
        assert_true(replay_rate(&replay) > 0.98 && replay_rate(&replay) < 1.02);
        replay_fini(&replay);
    }
}

/* Recordings of real applications (tests/record.py): the pivot's visits over all of it, as a
 * multiple of the iterations that the file says there were. */
static const struct recording {
    const char *name;
    enum efg_level level;
    uint64_t times;
} RECORDINGS[] = {
    {"lammps.txt", EFG_LEVEL_AUTO, 1},
    {"icofoam.txt", EFG_LEVEL_AUTO, 1},
    {"icofoam.txt", EFG_LEVEL_FINER, 2}, /* pressure corrections */
    {"ringtest.txt", EFG_LEVEL_AUTO, 1},
};

static void test_applications(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof RECORDINGS / sizeof *RECORDINGS; i++) {
        const struct recording *recording = &RECORDINGS[i];
        struct replay replay;
        replay_init(&replay, recording->level);
        assert_int_equal(replay_file(&replay, recording->name), 0);
        uint64_t visits = replay_visits(&replay), expected = replay.expected * recording->times;
        if (visits + 2 < expected || visits > expected + 2 || getenv("EFG_TEST_VERBOSE"))
            print_message(
                "%s, level %u: %llu visits of %llu, accepted %u times, last after %.2f "
                "of %.2f s\n",
                recording->name, recording->level, (unsigned long long)visits,
                (unsigned long long)expected, replay.accepted,
                (double)replay.accepted_time / SECOND, (double)replay.now / SECOND);
        assert_in_range(visits, expected - 2, expected + 2);
        replay_fini(&replay);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_phase_ends),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_applications),
        cmocka_unit_test(test_empty_swaps),
    };
    return cmocka_run_group_tests_name("pivot", tests, NULL, NULL);
}
