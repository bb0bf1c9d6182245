/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often a function was called that is called four times in a row, by way of a wrapper, before
 * something else comes:
 *
 *     run: 50 x (4 x (wrapper -> step: first, second), physics)
 *
 * or has the first call only. And what is left of a loop when there is no memory for all of its sites.
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/graph/graph.h"
#include "core/loop/callflow.h"
#include "core/loop/judge.h"

#define ROUNDS 50
#define CALLS 4
#define FUNCTION (1u << 16 | EFG_PLACE_NO_LOOP)
#define LOOP (2u << 16 | 2) /* the only one of its function */
#define OUTER (3u << 16 | 2)
#define INNER (3u << 16 | 3)

enum { FIRST = 1, SECOND, PHYSICS, OUTPUT }; /* call paths */
enum { IN_RUN, IN_WRAPPER, IN_STEP, FRAMES };

static efg_place places[FRAMES]; /* of the calls on the way to FIRST and SECOND */
static efg_place place_of_physics = LOOP;

static uint32_t keys_of(uint32_t path, uint64_t *keys)
{
    keys[IN_RUN] = path == PHYSICS ? 101 : path == OUTPUT ? 104 : 100;
    keys[IN_WRAPPER] = 102;
    keys[IN_STEP] = 103 + path;
    return path >= PHYSICS ? 1 : FRAMES;
}

static struct efg_position position_of(uint32_t path, uint32_t frame)
{
    efg_place place = frame >= FRAMES   ? EFG_PLACE_UNKNOWN
                      : path == PHYSICS ? place_of_physics
                                        : places[frame];

    return (struct efg_position){.place = place};
}

static void visit(struct efg_graph *graph, uint32_t path)
{
    struct efg_event event = {.signature = {.call = 1, .path = path}, .path_hash = path};

    event.enter = 20 * graph->events + 10;
    event.leave = event.enter + 10;
    efg_graph_step(graph, &event);
}

/* PHYSICS and OUTPUT in turn, CALLS in all, then FIRST if there is an END: the rounds by those of WHICH. */
static uint64_t whole_of(uint32_t which, uint32_t calls, bool end)
{
    struct efg_graph graph;
    struct efg_history history;
    struct efg_callflow flow = {0};

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&graph, keys_of, NULL), 0);
    assert_int_equal(efg_history_init(&history, &graph, 0), 0);
    for (uint32_t i = 0; i < calls; i++)
        visit(&graph, i % 2 ? OUTPUT : PHYSICS);
    if (end)
        visit(&graph, FIRST);
    assert_int_equal(efg_callflow_fill(&flow, &history, 20 * graph.events + 20), 0);
    uint32_t leaf = graph.nodes[which == OUTPUT].leaf;
    uint32_t rounds = which == PHYSICS ? (calls + 1) / 2 : calls / 2;
    uint64_t whole = efg_callflow_whole(&flow, EFG_CALLTREE_ROOT, leaf, rounds);
    efg_callflow_fini(&flow);
    efg_history_fini(&history);
    efg_graph_fini(&graph);
    return whole;
}

static void a_question_comes_once_more(void **state)
{
    (void)state;
    assert_int_equal(whole_of(PHYSICS, 2 * ROUNDS, false), ROUNDS);
    assert_int_equal(whole_of(PHYSICS, 2 * ROUNDS, true), ROUNDS);
    assert_int_equal(whole_of(PHYSICS, 2 * ROUNDS + 1, false), ROUNDS); /* it was asked once more */
    assert_int_equal(whole_of(PHYSICS, 2 * ROUNDS + 1, true), ROUNDS);
    assert_int_equal(whole_of(OUTPUT, 2 * ROUNDS + 1, true), ROUNDS);
    assert_int_equal(whole_of(PHYSICS, 1, true), 1);
}

static void assert_turns_of(uint32_t calls, efg_place in_run, efg_place in_wrapper, efg_place in_step,
                            uint64_t turns)
{
    struct efg_graph graph;
    struct efg_history history;
    struct efg_callflow flow = {0};

    places[IN_RUN] = in_run;
    places[IN_WRAPPER] = in_wrapper;
    places[IN_STEP] = in_step;
    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&graph, keys_of, position_of), 0);
    assert_int_equal(efg_history_init(&history, &graph, 0), 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        for (uint32_t k = 0; k < CALLS; k++) {
            visit(&graph, FIRST);
            if (calls > 1)
                visit(&graph, SECOND);
        }
        visit(&graph, PHYSICS);
    }
    assert_int_equal(efg_callflow_fill(&flow, &history, 20 * graph.events + 20), 0);
    uint32_t step = efg_calltree_child(graph.tree, EFG_CALLTREE_ROOT, graph.nodes[0].leaf);
    assert_int_equal(efg_callflow_turns(&flow, step), turns);
    efg_callflow_fini(&flow);
    efg_history_fini(&history);
    efg_graph_fini(&graph);
}

static void assert_turns(efg_place in_run, efg_place in_wrapper, efg_place in_step, uint64_t turns)
{
    assert_turns_of(1, in_run, in_wrapper, in_step, turns);
    assert_turns_of(2, in_run, in_wrapper, in_step, turns);
}

static void called_again_with_nothing_between(void **state)
{
    (void)state;
    assert_turns(LOOP, FUNCTION, FUNCTION, CALLS * ROUNDS);
}

/* What comes four times in a row may be a loop in the step, or one in the wrapper. */
static void a_loop_further_in(void **state)
{
    (void)state;
    assert_turns(LOOP, FUNCTION, LOOP, ROUNDS);
    assert_turns(LOOP, LOOP, FUNCTION, ROUNDS);
}

/* Four of the same call are one turn of the loop around theirs; four of a function of two are seen. */
static void in_an_inner_loop(void **state)
{
    (void)state;
    place_of_physics = OUTER;
    assert_turns_of(1, INNER, FUNCTION, FUNCTION, ROUNDS);
    assert_turns_of(2, INNER, FUNCTION, FUNCTION, CALLS * ROUNDS);
    place_of_physics = LOOP;
}

static void code_is_not_known(void **state)
{
    (void)state;
    assert_turns(0, 0, 0, ROUNDS);
    assert_turns(LOOP, 0, FUNCTION, ROUNDS);
}

static uint32_t one_frame(uint32_t path, uint64_t *keys)
{
    keys[0] = path;
    return 1;
}

/* Calls that have no leaf are at the root: no step leads there, and the others are a loop all the same. */
static void without_memory_for_all_sites(void **state)
{
    struct efg_budget none = {0};
    struct efg_graph graph;
    struct efg_history history;
    struct efg_callflow flow = {0};
    struct efg_judge judge = {0};

    (void)state;
    mallopt(M_PERTURB, 0xa5); /* what is read without having been written is no index */
    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&graph, one_frame, NULL), 0);
    assert_int_equal(efg_history_init(&history, &graph, 0), 0);
    graph.tree->budget = &none;
    for (uint32_t i = 0; i < ROUNDS; i++)
        for (uint32_t path = 1; path <= 100; path++)
            visit(&graph, path);
    assert_int_equal(graph.nodes[99].leaf, EFG_CALLTREE_ROOT);
    assert_int_equal(efg_callflow_fill(&flow, &history, 20 * graph.events + 20), 0);
    for (uint32_t i = 0; i < flow.first_step[flow.sites]; i++)
        assert_true(flow.steps[i].from != EFG_CALLTREE_ROOT && flow.steps[i].to != EFG_CALLTREE_ROOT);
    assert_int_equal(efg_judge_look(&judge, &flow), 0);
    flow.flow[graph.nodes[3].leaf].entries = 0; /* as if the edge to it were lost */
    assert_int_equal(efg_judge_look(&judge, &flow), 0);
    efg_judge_fini(&judge);
    efg_callflow_fini(&flow);
    efg_history_fini(&history);
    graph.tree->budget = NULL;
    efg_graph_fini(&graph);
    mallopt(M_PERTURB, 0);
}

/* Two loops one after the other: each is a cycle, and only the first one leads to the second. */
static void one_loop_after_the_other(void **state)
{
    struct efg_graph graph;
    struct efg_history history;
    struct efg_callflow flow = {0};
    (void)state;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&graph, keys_of, position_of), 0);
    assert_int_equal(efg_history_init(&history, &graph, 0), 0);
    for (uint32_t i = 0; i < 4 * ROUNDS; i++)
        visit(&graph, i < 2 * ROUNDS ? 1 + i % 2 : PHYSICS + i % 2); /* FIRST SECOND .. PHYSICS OUTPUT .. */
    assert_int_equal(efg_callflow_fill(&flow, &history, 20 * graph.events + 20), 0);
    uint32_t site[5];
    for (uint32_t i = 0; i < graph.node_count; i++)
        site[graph.nodes[i].signature.path] =
            efg_calltree_child(graph.tree, EFG_CALLTREE_ROOT, graph.nodes[i].leaf);
    assert_int_equal(site[FIRST], site[SECOND]);
    assert_true(efg_callflow_is_cycle(&flow, EFG_CALLTREE_ROOT, site[PHYSICS], site[OUTPUT]));
    assert_false(efg_callflow_is_cycle(&flow, EFG_CALLTREE_ROOT, site[FIRST], site[PHYSICS]));
    assert_false(efg_callflow_is_cycle(&flow, EFG_CALLTREE_ROOT, site[OUTPUT], site[FIRST]));
    efg_callflow_fini(&flow);
    efg_history_fini(&history);
    efg_graph_fini(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(called_again_with_nothing_between),
        cmocka_unit_test(a_loop_further_in),
        cmocka_unit_test(in_an_inner_loop),
        cmocka_unit_test(code_is_not_known),
        cmocka_unit_test(without_memory_for_all_sites),
        cmocka_unit_test(one_loop_after_the_other),
        cmocka_unit_test(a_question_comes_once_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
