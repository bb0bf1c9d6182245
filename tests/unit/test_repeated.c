/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call again and again is the main loop until something else comes between:
 *
 *     main: 1000 x (exchange), and after each EVERY-th of them: sum
 *
 * What is around it then goes round as often: the iterations are the same, and so is the loop. If the code
 * says that the exchange is in a loop further in, it goes round less often, and is another. The same is true
 * where the exchange is a function of two calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/graph/graph.h"
#include "core/loop/finder.h"

#define STEPS 1000
#define EVERY 100
#define STEP 1000000u /* ns */
#define OUTER (3u << 16 | 2)
#define INNER (3u << 16 | 3)

#define FUNCTION (1u << 16 | EFG_PLACE_NO_LOOP)

enum { EXCHANGE = 1, SUM, SECOND };

static efg_place place_of_exchange;
static bool is_function; /* the exchange is one */

static uint32_t keys_of(uint32_t path, uint64_t *keys)
{
    keys[0] = 50; /* the call of main */
    keys[1] = 100 + (path == SUM ? SUM : EXCHANGE);
    keys[2] = 200 + path;
    return path != SUM && is_function ? 3 : 2;
}

static struct efg_position position_of(uint32_t path, uint32_t frame)
{
    return (struct efg_position){.place = frame != 1 ? FUNCTION : path == SUM ? OUTER : place_of_exchange};
}

static void visit(struct efg_graph *graph, uint32_t path, uint64_t now)
{
    struct efg_event event = {.signature = {.call = 1, .path = path}, .path_hash = path};

    event.enter = now;
    event.leave = now + STEP / 4;
    efg_graph_step(graph, &event);
}

/* Samples after each fifth step. Returns how often another loop was found; LOOP is the last one, and it is
 * best described by the function of both calls if IS_IN_MAIN. */
static uint32_t run(struct efg_mainloop *loop, bool *is_in_main)
{
    struct efg_graph graph;
    uint32_t found = 0;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&graph, keys_of, position_of), 0);
    struct efg_finder *finder = efg_finder_new(&graph, (struct efg_wish){EFG_LEVEL_AUTO, 0});
    assert_non_null(finder);
    for (uint32_t i = 1; i <= STEPS; i++) {
        uint64_t now = (uint64_t)i * STEP;
        visit(&graph, EXCHANGE, now);
        if (is_function)
            visit(&graph, SECOND, now + STEP / 4);
        if (i % EVERY == 0)
            visit(&graph, SUM, now + STEP / 2);
        if (i % 5 == 0)
            found += efg_finder_sample(finder, now + STEP - 1, loop);
    }
    uint32_t call = graph.tree->sites[graph.nodes[0].leaf].parent; /* the leaf is the function of MPI */
    if (is_function)
        call = graph.tree->sites[call].parent;
    *is_in_main = efg_finder_site(finder) == graph.tree->sites[call].parent;
    efg_finder_free(finder);
    efg_graph_fini(&graph);
    return found;
}

static void test_same_loop(void **state)
{
    struct efg_mainloop loop;
    bool is_in_main;

    (void)state;
    place_of_exchange = OUTER;
    for (int turn = 0; turn < 2; turn++) {
        is_function = turn;
        assert_int_equal(run(&loop, &is_in_main), 1);
        assert_in_range(loop.iterations, STEPS - 1, STEPS);
        assert_true(is_in_main);
    }
}

static void test_loop_around(void **state)
{
    struct efg_mainloop loop;
    bool is_in_main;

    (void)state;
    place_of_exchange = INNER;
    is_function = false;
    assert_int_equal(run(&loop, &is_in_main), 2);
    assert_in_range(loop.iterations, STEPS / EVERY - 1, STEPS / EVERY);
    assert_true(is_in_main);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_loop),
        cmocka_unit_test(test_loop_around),
    };

    return cmocka_run_group_tests_name("repeated", tests, NULL, NULL);
}
