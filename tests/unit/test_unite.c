/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unite.c: graphs of the parts of a sequence of events, united, are the graph of the whole
 * sequence, with or without reduction of the signatures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/graph/unite.h"
#include "some_events.h"
#include "some_graphs.h"

static void step(struct efg_graph *graph, struct efg_event event, unsigned dimensions, int is_poll)
{
    event.signature = efg_signature_reduce(event.signature, dimensions);
    if (is_poll)
        efg_graph_poll(graph, &event);
    else
        efg_graph_step(graph, &event);
}

/* ---- tests ---- */

/* The first event of each part comes through no edge, in the part as in the whole: there the
 * event before it is taken to be none. */
static void run_in_parts(void)
{
    struct efg_graph whole, united;
    unsigned from = random_dimensions(ALL_DIMENSIONS), to = random_dimensions(from);
    unsigned parts = 1 + (unsigned)events_below(4);
    uint32_t sites = 1 + (uint32_t)events_below(100);
    uint64_t clock = 0;

    assert_int_equal(efg_graph_init(&whole, NULL, 0), 0);
    assert_int_equal(efg_graph_init(&united, NULL, 0), 0);
    for (unsigned p = 0; p < parts; p++) {
        struct efg_graph part;
        assert_int_equal(efg_graph_init(&part, NULL, clock), 0);
        whole.current = whole.edge = whole.polled = EFG_NONE;
        whole.last_leave = clock;
        whole.poll_time = whole.poll_leave = whole.poll_bound = 0;
        for (uint64_t n = events_below(1000); n > 0; n--) {
            struct efg_event event = random_event(&clock, sites);
            int is_poll = !events_below(6);
            step(&part, event, from, is_poll);
            step(&whole, event, to, is_poll);
        }
        assert_int_equal(efg_graph_unite(&united, &part, from, to, NULL, NULL), 0);
        efg_graph_fini(&part);
    }
    expect_same_graphs(&united, &whole);
    efg_graph_fini(&whole);
    efg_graph_fini(&united);
}

static void test_parts(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++)
        run_in_parts();
}

/* What the nodes and edges of a part have become. */
static void test_new_ids(void **state)
{
    (void)state;
    struct efg_graph graph, part;
    uint32_t nodes[3], edges[3];
    uint64_t clock = 0;
    static const uint32_t order[] = {7, 8, 9, 7}, turned[] = {9, 8, 7, 9};

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    for (unsigned p = 0; p < 2; p++) {
        assert_int_equal(efg_graph_init(&part, NULL, 0), 0);
        for (unsigned i = 0; i < 4; i++) {
            struct efg_event event = random_event(&clock, 1);
            event.signature = (struct efg_signature){.call = (p ? turned : order)[i]};
            step(&part, event, 0, 0);
        }
        assert_int_equal(efg_graph_unite(&graph, &part, 0, 0, nodes, edges), 0);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(nodes[i], p ? 2 - i : i);
            assert_int_equal(edges[i], p ? 3 + i : i);
        }
        efg_graph_fini(&part);
    }
    efg_graph_fini(&graph);
}

/* Overflow nodes are one, and are no node with the same bytes that is none. */
static void test_overflow(void **state)
{
    (void)state;
    struct efg_budget tight = {.limit = 500000};
    struct efg_graph graph, part;
    uint64_t clock = 0;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    assert_int_equal(efg_graph_init(&part, &tight, 0), 0);
    for (unsigned i = 0; i < 1000; i++) {
        struct efg_event event = random_event(&clock, 1);
        event.signature = (struct efg_signature){.call = 1 + (uint32_t)events_below(500)};
        step(&part, event, 0, 0);
    }
    assert_int_not_equal(part.overflow, EFG_NONE);
    assert_true(part.lost_edges > 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(efg_graph_unite(&graph, &part, 0, 0, NULL, NULL), 0);
    assert_int_equal(graph.node_count, part.node_count);
    assert_int_equal(graph.nodes[graph.overflow].time.count, 2 * part.nodes[part.overflow].time.count);
    assert_int_equal(graph.lost_edges, 2 * part.lost_edges);
    efg_graph_fini(&graph);
    efg_graph_fini(&part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_new_ids),
        cmocka_unit_test(test_overflow),
    };
    return cmocka_run_group_tests_name("unite", tests, NULL, NULL);
}
