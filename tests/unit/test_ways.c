/* SPDX-License-Identifier: BSD-3-Clause */
/* What the window says is what the graph says, where the window is the whole run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/ways.h"

static uint64_t random_state = 1;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

struct run {
    struct efg_graph graph;
    struct efg_history history;
    uint64_t now;
};

static void begin(struct run *run)
{
    run->now = 1000;
    assert_int_equal(efg_graph_init(&run->graph, NULL, run->now), 0);
    assert_int_equal(efg_history_init(&run->history, &run->graph, run->now), 0);
}

static void end(struct run *run)
{
    efg_history_fini(&run->history);
    efg_graph_fini(&run->graph);
}

static void call(struct run *run, uint32_t site)
{
    struct efg_event event = {.signature = {.call = 1 + site}, .path_hash = site};
    event.enter = run->now + 10;
    event.leave = run->now += 30;
    efg_graph_step(&run->graph, &event);
}

/* Of all edges; returns how many count first visits only. */
static uint32_t compare(struct run *run)
{
    uint32_t edges = run->graph.edge_count, firsts = 0;
    uint32_t *order = calloc(edges + 1, sizeof *order);
    uint64_t *counted = calloc(edges + 1, sizeof *counted);

    assert_int_equal(efg_history_sample(&run->history, run->now + 1), 0);
    efg_ways_count(&run->history, order, counted);
    for (uint32_t i = 0; i < edges; i++) {
        assert_int_equal(counted[i], efg_graph_count_edge(&run->graph, i));
        firsts += run->graph.edges[i].rhythm.firsts > 1;
    }
    free(order);
    free(counted);
    return firsts;
}

/* A step sends 3 times; every tenth leaves out what comes before the sends. */
static void test_steps_that_leave_out_a_call(void **state)
{
    struct run run;
    (void)state;
    begin(&run);
    for (int step = 0; step < 1000; step++) {
        if (step % 10)
            call(&run, 0);
        for (int i = 0; i < 3; i++) {
            call(&run, 1);
            call(&run, 2);
        }
        for (uint32_t other = 3; other < 20; other++)
            call(&run, other);
    }
    assert_true(compare(&run) > 0);
    end(&run);
}

static void test_random_runs(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct run run;
        uint32_t sites = 2 + below(12), jumps = 2 + below(20), site = 0;
        begin(&run);
        for (uint32_t n = below(3000); n; n--) {
            site = below(jumps) ? (site + 1) % sites : below(sites);
            call(&run, site);
        }
        compare(&run);
        end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_that_leave_out_a_call),
        cmocka_unit_test(test_random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
