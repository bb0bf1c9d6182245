/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A function is called again, with nothing in between, and the code says so:
 *
 *     outer: driver: 20 x sweep      sweep: 22 x (A, B), then 22 x (C, D)
 *
 * From D to A no path leads in the sweep. So that step is one of the driver, from the sweep to itself; and if
 * the sweep is in no loop of the driver, it is one of what calls that. Or its loop is left in the middle:
 *
 *     sweep: for (;;) { A; B; if (it has converged) return; C; D }
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/loop/judge.h"
#include "core/loop/looptree.h"
#include "core/loop/pivot.h"

#define SWEEPS 20
#define PAIRS 22
#define FUNCTION (3u << 16 | EFG_PLACE_NO_LOOP)
#define LOOP(number)                                                                       \
    (struct efg_position)                                                                  \
    {                                                                                      \
        .place = (uint32_t)(number) << 16 | EFG_PLACE_ALWAYS | (number), .order = (number) \
    }
#define MOST 8

enum { A = 1, B, C, D, E };            /* call paths; E comes instead of D at first */
enum { OUTER, DRIVER, SWEEP, FRAMES }; /* whose calls they are */

static bool is_known, is_one_loop; /* the code; A to D are in one loop of it */
static bool is_always;             /* A and B are in each round */
static uint32_t exits;             /* in each round, before C */
static uint32_t more_exits;        /* behind D */
static struct efg_position in_outer, in_driver;
static uint32_t second; /* function of the code that C and D are in, as the sweep ends in a call of it */

static uint32_t keys_of(uint32_t path, uint64_t *keys)
{
    keys[OUTER] = 10;
    keys[DRIVER] = 11;
    keys[SWEEP] = 20 + path;
    return FRAMES;
}

static struct efg_position position_of(uint32_t path, uint32_t frame)
{
    if (!is_known)
        return (struct efg_position){0};
    if (frame != SWEEP)
        return frame == OUTER ? in_outer : in_driver;
    struct efg_position position = LOOP(path < C || is_one_loop ? 2 : 3);
    position.order |= path < C ? 0 : second << EFG_ORDER_BITS;
    position.leg = (path < C ? 0 : exits << (32 - EFG_LEG_EXIT_BITS)) | path << EFG_LEG_EXIT_BITS |
                   (more_exits + (path < C ? exits : 0));
    position.place &= is_always ? UINT32_MAX : ~EFG_PLACE_ALWAYS;
    return position;
}

static void visit(struct efg_graph *graph, uint32_t path)
{
    uint64_t enter = 20 * graph->events + 10;

    efg_graph_step(graph, &(struct efg_event){.signature = {.call = path, .path = path},
                                              .path_hash = path,
                                              .enter = enter,
                                              .leave = enter + 10});
}

static void sweep(struct efg_graph *graph, uint32_t first, uint32_t last)
{
    for (int pair = 0; pair < PAIRS; pair++) {
        visit(graph, A);
        visit(graph, B);
    }
    for (int pair = 0; pair < PAIRS; pair++) {
        visit(graph, C);
        visit(graph, pair < 3 ? first : pair + 1 < PAIRS ? D : last);
    }
}

struct seen {
    struct efg_graph graph;
    struct efg_history history;
    struct efg_callflow flow;
    struct efg_judge judge;
};

static void sample(struct seen *s)
{
    uint64_t now = 20 * s->graph.events + 20;

    assert_int_equal(efg_callflow_fill(&s->flow, &s->history, now), 0);
    efg_history_sample(&s->history, now);
}

/* A sample after each of the sweeps. */
static void begin(struct seen *s)
{
    *s = (struct seen){0};
    assert_int_equal(efg_graph_init(&s->graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&s->graph, keys_of, position_of), 0);
    assert_int_equal(efg_history_init(&s->history, &s->graph, 0), 0);
    for (int i = 0; i < SWEEPS; i++) {
        sweep(&s->graph, i ? D : E, D);
        sample(s);
    }
    assert_int_equal(efg_judge_look(&s->judge, &s->flow), 0);
}

static void end(struct seen *s)
{
    efg_judge_fini(&s->judge);
    efg_callflow_fini(&s->flow);
    efg_history_fini(&s->history);
    efg_graph_fini(&s->graph);
}

/* The call site in the function number FRAME on the way to A. */
static uint32_t site_in(const struct seen *s, uint32_t frame)
{
    uint32_t site = s->graph.nodes[0].leaf;

    while (s->graph.tree->sites[site].depth > frame + 1)
        site = s->graph.tree->sites[site].parent;
    return site;
}

static void assert_main_loop(const struct seen *s, uint32_t function, uint64_t iterations)
{
    const struct efg_loop_found *found = &s->judge.chain[s->judge.chosen];

    assert_int_not_equal(s->judge.chosen, EFG_NONE);
    assert_int_equal(found->loop.iterations, iterations);
    assert_int_equal(found->site, s->graph.tree->sites[site_in(s, function)].parent);
}

static void the_driver_goes_round(void **state)
{
    struct seen s;
    struct efg_pivot pivots[MOST];

    (void)state;
    begin(&s);
    assert_main_loop(&s, DRIVER, SWEEPS);
    assert_int_equal(efg_pivot_list(&s.judge, &s.judge.chain[s.judge.chosen], pivots, MOST), 1);
    assert_int_equal(pivots[0].kind, EFG_PIVOT_SITE);
    assert_int_equal(pivots[0].id, site_in(&s, DRIVER));
    assert_int_equal(pivots[0].visits, SWEEPS);
    end(&s);
}

static void the_one_that_calls_it_goes_round(void **state)
{
    struct seen s;

    (void)state;
    in_driver.place = FUNCTION;
    in_driver.order = 0;
    begin(&s);
    assert_main_loop(&s, OUTER, SWEEPS);
    end(&s);
}

/* Nothing is known, or a loop around all leads back, or orders are of several functions; or the sweep may
 * begin with something else. */
static void it_may_be_a_loop_around(void **state)
{
    struct seen s;

    (void)state;
    is_known = false;
    begin(&s);
    assert_main_loop(&s, SWEEP, SWEEPS * PAIRS);
    end(&s);
    is_known = is_one_loop = true;
    begin(&s);
    assert_main_loop(&s, SWEEP, SWEEPS * PAIRS);
    end(&s);
    is_one_loop = false;
    second = 1;
    begin(&s);
    assert_main_loop(&s, SWEEP, SWEEPS * PAIRS);
    end(&s);
    second = 0;
    is_always = false;
    begin(&s);
    assert_main_loop(&s, SWEEP, SWEEPS * PAIRS);
    end(&s);
}

/* Two to four rounds, the last of which ends behind B; but for the first SILENT ones, where C and D make no
 * calls. */
static void solve(struct efg_graph *graph, int rounds, int silent)
{
    for (int round = 0; round < rounds; round++) {
        visit(graph, A);
        visit(graph, B);
        if (round + 1 < rounds && round >= silent) {
            visit(graph, C);
            visit(graph, D);
        }
    }
}

static void begin_to_solve(struct seen *s, int rounds, int silent)
{
    is_one_loop = true;
    *s = (struct seen){0};
    assert_int_equal(efg_graph_init(&s->graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&s->graph, keys_of, position_of), 0);
    assert_int_equal(efg_history_init(&s->history, &s->graph, 0), 0);
    for (int i = 0; i < SWEEPS; i++) {
        solve(&s->graph, rounds + i % 3, silent);
        sample(s);
    }
    assert_int_equal(efg_judge_look(&s->judge, &s->flow), 0);
}

static void left_in_the_middle(void **state)
{
    struct seen s;

    (void)state;
    exits = 1;
    begin_to_solve(&s, 2, 0);
    assert_main_loop(&s, DRIVER, SWEEPS);
    end(&s);
}

/* It cannot be left there; or it is called once, by what is called once; or it may be left behind D, too;
 * or C and D make no calls in most rounds. */
static void not_left_in_the_middle(void **state)
{
    struct seen s;

    (void)state;
    exits = 0;
    begin_to_solve(&s, 2, 0);
    assert_main_loop(&s, SWEEP, SWEEPS * 3 - 1);
    end(&s);
    exits = 1;
    in_driver = in_outer = (struct efg_position){.place = FUNCTION};
    begin_to_solve(&s, 2, 0);
    assert_main_loop(&s, SWEEP, SWEEPS * 3 - 1);
    end(&s);
    in_driver = in_outer = LOOP(2);
    more_exits = 1;
    begin_to_solve(&s, 2, 0);
    assert_main_loop(&s, SWEEP, SWEEPS * 3 - 1);
    end(&s);
    more_exits = 0;
    begin_to_solve(&s, 10, 8);
    assert_main_loop(&s, SWEEP, SWEEPS * 11 - 1);
    end(&s);
}

/* Visits of the pivot are counted as they come, also where the sweep ends with a step that was never seen. */
static void a_new_step_is_lifted_at_once(void **state)
{
    struct seen s;

    (void)state;
    begin(&s);
    sweep(&s.graph, D, E);
    efg_graph_mark_pivot(&s.graph, EFG_PIVOT_SITE, site_in(&s, DRIVER));
    sweep(&s.graph, D, D);
    assert_int_equal(s.graph.edges[s.graph.edge_count - 1].mark, 1); /* from E to A */
    assert_int_equal(efg_graph_visits(&s.graph, EFG_PIVOT_SITE, site_in(&s, DRIVER)), SWEEPS + 2);
    end(&s);
}

/* A file does not have the code, only which loop was the main one. */
static void in_the_tree_of_loops(void **state)
{
    struct seen s;
    struct efg_looptree tree;
    struct efg_loop_known main = {0, DRIVER, SWEEPS};

    (void)state;
    begin(&s);
    struct efg_graph saved = s.graph;
    saved.tree = NULL;
    assert_int_equal(efg_looptree_build(&tree, &saved, keys_of, NULL, &main), 0);
    assert_int_not_equal(tree.main, EFG_NONE);
    assert_int_equal(tree.loops[tree.main].function, s.graph.tree->sites[site_in(&s, OUTER)].hash);
    assert_int_equal(tree.loops[tree.main].repetitions, SWEEPS);
    assert_int_equal(tree.loops[tree.loops[tree.main].first_child].repetitions, SWEEPS * PAIRS);
    efg_looptree_fini(&tree);
    end(&s);
}

static int code_is_known(void **state)
{
    (void)state;
    is_known = is_always = true;
    is_one_loop = false;
    in_outer = in_driver = LOOP(2);
    second = exits = more_exits = 0;
    return 0;
}

#define TEST(function) cmocka_unit_test_setup(function, code_is_known)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(left_in_the_middle),      TEST(not_left_in_the_middle),
        TEST(the_driver_goes_round),   TEST(the_one_that_calls_it_goes_round),
        TEST(it_may_be_a_loop_around), TEST(a_new_step_is_lifted_at_once),
        TEST(in_the_tree_of_loops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
