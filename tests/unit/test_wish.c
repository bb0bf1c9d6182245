/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop that is asked for is taken soon after it begins, whatever share of the time it has, and stays;
 * until then, and where it never comes, it is the loop of the rule. That one is counted to the end, whatever
 * takes long beside it.
 *
 *     main: 1000 x first (SEND, SUM), then 100 x second (SEND, SUM), then 1000 x first
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/graph/graph.h"
#include "core/loop/finder.h"

#define LONG 1000 /* rounds */
#define SHORT 100
#define SAMPLE 5     /* rounds between samples */
#define STEP 500000u /* ns */

enum path { SEND_IN_FIRST = 1, SUM_IN_FIRST, SEND_IN_SECOND, SUM_IN_SECOND };

struct job {
    struct efg_graph graph;
    struct efg_finder *finder;
    struct efg_mainloop loop;
    uint64_t now;
};

static uint32_t keys_of(uint32_t path, uint64_t *keys)
{
    keys[0] = path <= SUM_IN_FIRST ? 11 : 12;
    keys[1] = 20 + path;
    return 2;
}

static void begin(struct job *j, struct efg_wish wish)
{
    *j = (struct job){.now = STEP};
    assert_int_equal(efg_graph_init(&j->graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&j->graph, keys_of, NULL), 0);
    j->finder = efg_finder_new(&j->graph, wish);
    assert_non_null(j->finder);
}

static void end(struct job *j)
{
    efg_finder_free(j->finder);
    efg_graph_fini(&j->graph);
}

static void visit_for(struct job *j, enum path path, uint64_t wait)
{
    efg_graph_step(&j->graph, &(struct efg_event){.signature = {.call = 1, .path = path},
                                                  .path_hash = path,
                                                  .enter = j->now,
                                                  .leave = j->now + wait + STEP / 4});
    j->now += wait + STEP;
}

static void visit(struct job *j, enum path path)
{
    visit_for(j, path, 0);
}

/* So many ROUNDS of the loop with the calls SEND and SUM. Returns after how many of them the loop was last
 * another one; 0: it was the same all the time. */
static uint32_t go_round(struct job *j, enum path send, enum path sum, uint32_t rounds)
{
    uint32_t last = 0;

    for (uint32_t i = 1; i <= rounds; i++) {
        visit(j, send);
        visit(j, sum);
        if (i % SAMPLE == 0 && efg_finder_sample(j->finder, j->now - STEP / 2, &j->loop))
            last = i;
    }
    return last;
}

/* The function that makes the call at PATH. */
static uint64_t function_of(const struct job *j, enum path path)
{
    const struct efg_site *sites = j->graph.tree->sites;

    for (uint32_t i = 0; i < j->graph.node_count; i++)
        if (j->graph.nodes[i].signature.path == path)
            return sites[sites[sites[j->graph.nodes[i].leaf].parent].parent].hash;
    return 0;
}

/* The hash of the function second, which agrees between runs. */
static uint64_t second(void)
{
    struct job j;

    begin(&j, (struct efg_wish){0});
    visit(&j, SEND_IN_SECOND);
    uint64_t function = function_of(&j, SEND_IN_SECOND);
    assert_int_not_equal(function, 0);
    end(&j);
    return function;
}

static void test_short_one_between(void **state)
{
    struct job j;
    uint64_t wish = second();

    (void)state;
    begin(&j, (struct efg_wish){EFG_LEVEL_AUTO, wish & (((uint64_t)1 << EFG_WISH_BITS) - 1)});
    assert_in_range(go_round(&j, SEND_IN_FIRST, SUM_IN_FIRST, LONG), 1, LONG / 10);
    assert_int_equal(j.loop.function, function_of(&j, SEND_IN_FIRST));
    assert_in_range(go_round(&j, SEND_IN_SECOND, SUM_IN_SECOND, SHORT), 1, 5 * SAMPLE);
    assert_int_equal(j.loop.function, wish);
    assert_in_range(j.loop.iterations, SHORT - 1, SHORT);
    assert_int_equal(go_round(&j, SEND_IN_FIRST, SUM_IN_FIRST, LONG), 0);
    assert_int_equal(j.loop.function, wish);
    end(&j);
}

static void test_without_a_wish(void **state)
{
    struct job j;

    (void)state;
    begin(&j, (struct efg_wish){0});
    assert_in_range(go_round(&j, SEND_IN_FIRST, SUM_IN_FIRST, LONG), 1, LONG / 10);
    assert_int_equal(go_round(&j, SEND_IN_SECOND, SUM_IN_SECOND, SHORT), 0);
    assert_int_equal(go_round(&j, SEND_IN_FIRST, SUM_IN_FIRST, LONG), 0);
    assert_int_equal(j.loop.function, function_of(&j, SEND_IN_FIRST));
    end(&j);
}

static void test_something_long_beside(void **state)
{
    struct job j;

    (void)state;
    begin(&j, (struct efg_wish){0});
    assert_in_range(go_round(&j, SEND_IN_FIRST, SUM_IN_FIRST, LONG), 1, LONG / 10);
    visit(&j, SEND_IN_SECOND); /* the first time of a call is not of the loop */
    visit_for(&j, SEND_IN_SECOND, (uint64_t)LONG * STEP);
    for (uint32_t i = 0; i < SHORT; i++) {
        visit(&j, SEND_IN_FIRST);
        visit(&j, SUM_IN_FIRST);
    }
    assert_false(efg_finder_sample(j.finder, j.now, &j.loop));
    assert_int_equal(j.loop.function, function_of(&j, SEND_IN_FIRST));
    assert_in_range(j.loop.iterations, LONG + SHORT - 1, LONG + SHORT);
    end(&j);
}

/* A file of commands, the last of which takes all the time: the loop that reads it is around that of the last
 * one, and has gone round often, but nobody who asks for a coarser loop wants it. */
static void test_coarser_than_the_last_command(void **state)
{
    struct job j;

    (void)state;
    begin(&j, (struct efg_wish){.level = EFG_LEVEL_COARSER});
    for (uint32_t i = 0; i < SHORT / 2; i++) {
        visit(&j, SEND_IN_SECOND);
        visit(&j, SEND_IN_FIRST);
    }
    go_round(&j, SEND_IN_FIRST, SUM_IN_FIRST, 10 * LONG);
    assert_int_equal(j.loop.function, function_of(&j, SEND_IN_FIRST));
    assert_in_range(j.loop.iterations, 10 * LONG, 10 * LONG + SHORT);
    end(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_one_between),
        cmocka_unit_test(test_without_a_wish),
        cmocka_unit_test(test_something_long_beside),
        cmocka_unit_test(test_coarser_than_the_last_command),
    };

    return cmocka_run_group_tests_name("wish", tests, NULL, NULL);
}
