/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of two nested loops is the main one: a function with a loop of its own is called in each cycle, and
 * there is one call beside it; or both are in one function, and the code is known. And how often a loop goes
 * round that asks for something now and then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/loop/judge.h"
#include "core/loop/pivot.h"

#define CYCLES 50
#define ROUNDS 12 /* in each cycle */
#define WORLD EFG_NODE_WORLD
#define GROUP EFG_NODE_GROUP

#define PARTS 20 /* calls in a round of the solver, from SOLVER on */
#define OUTER (3u << 16 | 2)
#define INNER (3u << 16 | 3)
#define STRAIGHT (1u << 16 | EFG_PLACE_NO_LOOP)

enum path { APPLY = 1, SOLVE, MIX, SUM, ASK, SEND, SOLVER };

/* main calls the function, which calls APPLY and SOLVE; then MIX. Or it makes the other calls. */
static uint32_t keys_of(uint32_t path, uint64_t *keys)
{
    keys[0] = path >= MIX ? 10 + path : 10;
    keys[1] = 20 + path;
    return path >= MIX ? 1 : 2;
}

static struct efg_position position_of(uint32_t path, uint32_t frame)
{
    return (struct efg_position){.place = frame ? EFG_PLACE_UNKNOWN : path >= SOLVER ? INNER : OUTER};
}

/* A loop calls a function, which calls APPLY, sometimes MIX, and ends with a jump to another one: that calls
 * SOLVE and ends with a jump to SUM. So all are called at one place in the loop. */
static uint32_t keys_of_jumps(uint32_t path, uint64_t *keys)
{
    keys[0] = 10;
    keys[1] = 20 + path;
    return path == SUM ? 1 : 2;
}

static struct efg_position position_of_jumps(uint32_t path, uint32_t frame)
{
    return (struct efg_position){.place = frame ? STRAIGHT : OUTER,
                                 .order = (path == SOLVE ? 2u : 1u) << EFG_ORDER_BITS};
}

/* A loop calls a function, which calls APPLY, and sometimes SOLVE; and sometimes MIX. */
static uint32_t keys_of_step(uint32_t path, uint64_t *keys)
{
    keys[0] = path == MIX ? 11 : 10;
    keys[1] = 20 + path;
    return path == MIX ? 1 : 2;
}

static struct efg_position position_of_step(uint32_t path, uint32_t frame)
{
    (void)path;
    return (struct efg_position){.place = frame ? STRAIGHT : OUTER};
}

static void add(struct efg_graph *graph, uint32_t path, uint32_t flags)
{
    uint64_t enter = 20 * graph->events + 10;

    efg_graph_step(graph, &(struct efg_event){.signature = {.call = path, .path = path},
                                              .path_hash = path,
                                              .enter = enter,
                                              .leave = enter + 10,
                                              .flags = flags});
}

static void run(struct efg_graph *graph, uint32_t apply, uint32_t solve, uint32_t mix)
{
    for (int i = 0; i < CYCLES; i++) {
        for (int k = 0; k < ROUNDS; k++) {
            add(graph, APPLY, apply);
            add(graph, SOLVE, solve);
        }
        add(graph, MIX, mix);
    }
}

static struct efg_history begin(struct efg_graph *graph, efg_path_keys *keys, efg_path_position *position)
{
    struct efg_history history;

    assert_int_equal(efg_graph_init(graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(graph, keys, position), 0);
    assert_int_equal(efg_history_init(&history, graph, 0), 0);
    return history;
}

/* The main loop has so many ITERATIONS, and they can be counted. */
static void end(struct efg_graph *graph, struct efg_history *history, uint64_t iterations)
{
    struct efg_callflow flow = {0};
    struct efg_judge judge = {0};
    struct efg_pivot pivot;

    assert_int_equal(efg_callflow_fill(&flow, history, 20 * graph->events + 20), 0);
    assert_int_equal(efg_judge_look(&judge, &flow), 0);
    assert_int_not_equal(judge.chosen, EFG_NONE);
    assert_int_equal(judge.chain[judge.chosen].loop.iterations, iterations);
    assert_int_equal(efg_pivot_list(&judge, &judge.chain[judge.chosen], &pivot, 1), 1);
    assert_int_equal(pivot.visits, iterations);
    efg_judge_fini(&judge);
    efg_callflow_fini(&flow);
    efg_history_fini(history);
    efg_graph_fini(graph);
}

/* The same of calls with these flags. */
static void assert_iterations(uint32_t apply, uint32_t solve, uint32_t mix, uint64_t iterations)
{
    struct efg_graph graph;
    struct efg_history history = begin(&graph, keys_of, NULL);

    run(&graph, apply, solve, mix);
    end(&graph, &history, iterations);
}

/* A constant number of rounds with nothing before or behind: steps, with something in each 12th. */
static void rounds_of_all(void **state)
{
    (void)state;
    assert_iterations(0, 0, WORLD, CYCLES * ROUNDS);
    assert_iterations(0, WORLD, 0, CYCLES * ROUNDS);
}

/* Where the function's frame is the last one that is left, what its calls do is not asked. */
static void rounds_cut_off(void **state)
{
    (void)state;
    struct efg_graph graph;
    struct efg_history history = begin(&graph, keys_of, NULL);

    run(&graph, 0, 0, WORLD);
    graph.tree->cut = 1;
    end(&graph, &history, CYCLES);
}

/* All calls in a round are of some of the ranks: others may have more or fewer. All have the cycle. */
static void rounds_of_some(void **state)
{
    (void)state;
    assert_iterations(GROUP, GROUP, WORLD, CYCLES);
}

/* No collective of all ranks in each cycle, or some call that is no collective. */
static void all_do_not_meet(void **state)
{
    (void)state;
    assert_iterations(GROUP, GROUP, GROUP, CYCLES * ROUNDS);
    assert_iterations(GROUP, 0, WORLD, CYCLES * ROUNDS);
}

/* It sends as soon as it has asked often enough, and sometimes goes on asking. */
static void something_between_questions(void **state)
{
    struct efg_graph graph;
    struct efg_history history = begin(&graph, keys_of, NULL);

    (void)state;
    for (int i = 0; i < CYCLES; i++) {
        add(&graph, SUM, WORLD);
        add(&graph, ASK, EFG_NODE_UNORDERED);
        add(&graph, ASK, EFG_NODE_UNORDERED);
        add(&graph, SEND, 0);
        if (i % ROUNDS == 0)
            add(&graph, ASK, EFG_NODE_UNORDERED);
    }
    end(&graph, &history, CYCLES);
}

/* Each of STEPS begins with a sum; then a solver of so many PARTS goes round, LEAST times or up to 9 more. */
static void assert_steps(uint32_t steps, uint32_t parts, uint32_t least, uint64_t iterations)
{
    struct efg_graph graph;
    struct efg_history history = begin(&graph, keys_of, position_of);

    for (uint32_t i = 0; i < steps; i++) {
        add(&graph, SUM, WORLD);
        for (uint32_t k = 0; k < least + i % 10; k++)
            for (uint32_t part = 0; part < parts; part++)
                add(&graph, SOLVER + part, 0);
    }
    end(&graph, &history, iterations);
}

static void a_solver_in_a_step(void **state)
{
    (void)state;
    assert_steps(CYCLES, PARTS, 2, CYCLES);
    assert_steps(CYCLES, PARTS, 3, CYCLES);
    assert_steps(CYCLES, PARTS, 12,
                 CYCLES * 165 / 10);  /* many rounds, and little beside them: these are steps */
    assert_steps(3, 2, 2, 2 + 3 + 4); /* there are not enough steps yet */
}

/* The loop in it goes round not at all, once or twice, and once more in all. */
static void a_loop_as_often_as_the_step(void **state)
{
    struct efg_graph graph;
    struct efg_history history = begin(&graph, keys_of, position_of);
    uint32_t rounds = 0;

    (void)state;
    for (uint32_t i = 0; i < CYCLES; i++) {
        uint32_t until = i + 1 + (i % 3 != 2);
        for (; rounds < until; rounds++)
            for (uint32_t part = 0; part < 2; part++)
                add(&graph, SOLVER + part, 0);
        add(&graph, SUM, WORLD);
    }
    assert_int_equal(rounds, CYCLES + 1);
    end(&graph, &history, CYCLES);
}

/* What comes in each 2nd round only is no loop of its own, as no function that is called there has one. */
static void functions_that_end_in_jumps(void **state)
{
    struct efg_graph graph;
    struct efg_history history;

    (void)state;
    for (int rare = 2; rare <= 3; rare++) {
        history = begin(&graph, keys_of_jumps, position_of_jumps);
        for (int i = 0; i < CYCLES; i++) {
            add(&graph, APPLY, 0);
            if (i % rare)
                add(&graph, MIX, 0);
            add(&graph, SOLVE, 0);
            add(&graph, SUM, WORLD);
        }
        end(&graph, &history, CYCLES);
    }
}

/* With nothing between, the call in it comes right after itself; and most steps are like that. */
static void a_step_that_is_one_call_mostly(void **state)
{
    struct efg_graph graph;
    struct efg_history history = begin(&graph, keys_of_step, position_of_step);

    (void)state;
    for (int i = 0; i < CYCLES; i++) {
        add(&graph, APPLY, 0);
        if (i % 5 == 0)
            add(&graph, SOLVE, 0);
        if (i % 4 == 0)
            add(&graph, MIX, WORLD);
    }
    end(&graph, &history, CYCLES);
}

/* Batches of 3 rounds, with a sum at the end of each but for the first IDLE ones. */
static void assert_batches(uint32_t idle, uint64_t iterations)
{
    struct efg_graph graph;
    struct efg_history history = begin(&graph, keys_of, position_of);

    for (uint32_t i = 0; i < CYCLES; i++) {
        for (uint32_t call = 0; call < 3 * PARTS; call++)
            add(&graph, SOLVER + call % PARTS, 0);
        if (i >= idle)
            add(&graph, SUM, WORLD);
    }
    end(&graph, &history, iterations);
}

/* A main loop has nearly all of what is in it. */
static void sums_that_come_later(void **state)
{
    (void)state;
    assert_batches(0, CYCLES);
    assert_batches(CYCLES / 25, CYCLES - CYCLES / 25);
    assert_batches(CYCLES / 5, 3 * CYCLES);
    assert_batches(CYCLES - 10, 3 * CYCLES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_of_all),
        cmocka_unit_test(rounds_of_some),
        cmocka_unit_test(rounds_cut_off),
        cmocka_unit_test(all_do_not_meet),
        cmocka_unit_test(something_between_questions),
        cmocka_unit_test(a_solver_in_a_step),
        cmocka_unit_test(a_loop_as_often_as_the_step),
        cmocka_unit_test(functions_that_end_in_jumps),
        cmocka_unit_test(a_step_that_is_one_call_mostly),
        cmocka_unit_test(sums_that_come_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
