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

#include "core/unite.h"

#define ALL_DIMENSIONS \
    (EFG_DIM_PATH | EFG_DIM_SIZE | EFG_DIM_PARTNER | EFG_DIM_COMM | EFG_DIM_REGION)

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t n)
{
    random_state = efg_hash_mix(random_state, 7);
    return random_state % n;
}

static struct efg_event random_event(uint64_t *clock, uint32_t sites)
{
    uint64_t site = random_below(sites), enter = *clock + random_below(100);
    struct efg_event event = {
        .signature = {.call = 1 + (uint32_t)site % 3,
                      .path = 1 + (uint32_t)site,
                      .region = (uint32_t)(site / 5 % 2),
                      .comm = (uint32_t)(site / 7 % 2),
                      .partner = (int32_t)random_below(3) - 1,
                      .size = random_below(3) ? random_below(20) : 0},
        .path_hash = site,
        .enter = enter,
        .leave = enter + random_below(1000),
        .bytes = random_below(50),
        .flags = (uint32_t)random_below(4),
    };

    *clock = event.leave;
    return event;
}

static void step(struct efg_graph *graph, struct efg_event event, unsigned dimensions,
                 int is_poll)
{
    event.signature = efg_signature_reduce(event.signature, dimensions);
    if (is_poll)
        efg_graph_poll(graph, &event);
    else
        efg_graph_step(graph, &event);
}

/* ---- the comparison ---- */

static void check_stat(const struct efg_stat *a, const struct efg_stat *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->sum, b->sum);
    assert_int_equal(a->max, b->max);
    assert_memory_equal(a->bin, b->bin, sizeof a->bin);
    if (a->count)
        assert_int_equal(a->min, b->min);
}

static void check_node(const struct efg_node *a, const struct efg_node *b)
{
    assert_true(efg_signature_is_equal(&a->signature, &b->signature));
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->polls, b->polls);
    assert_int_equal(a->poll_time, b->poll_time);
    assert_int_equal(a->rhythm.visits, b->rhythm.visits);
    assert_int_equal(a->rhythm.time, b->rhythm.time);
    assert_int_equal(a->first_edge, b->first_edge);
    check_stat(&a->time, &b->time);
}

static void check_edge(const struct efg_edge *a, const struct efg_edge *b)
{
    assert_int_equal(a->from, b->from);
    assert_int_equal(a->to, b->to);
    assert_int_equal(a->next, b->next);
    assert_int_equal(a->rhythm.visits, b->rhythm.visits);
    assert_int_equal(a->rhythm.time, b->rhythm.time);
    check_stat(&a->time, &b->time);
}

static void check_same(const struct efg_graph *a, const struct efg_graph *b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->edge_count, b->edge_count);
    for (uint32_t i = 0; i < a->node_count; i++)
        check_node(&a->nodes[i], &b->nodes[i]);
    for (uint32_t i = 0; i < a->edge_count; i++)
        check_edge(&a->edges[i], &b->edges[i]);
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->node_time, b->node_time);
}

/* ---- tests ---- */

static unsigned random_dimensions(unsigned among)
{
    unsigned dimensions = (unsigned)random_below(EFG_DIM_REGION << 1) & among;

    return dimensions & EFG_DIM_SIZE ? dimensions & ~(unsigned)EFG_DIM_SIZE_CLASS : dimensions;
}

/* The first event of each part comes through no edge, in the part as in the whole: there the
 * event before it is taken to be none. */
static void run_in_parts(void)
{
    struct efg_graph whole, united;
    unsigned from = random_dimensions(ALL_DIMENSIONS), to = random_dimensions(from);
    unsigned parts = 1 + (unsigned)random_below(4);
    uint32_t sites = 1 + (uint32_t)random_below(100);
    uint64_t clock = 0;

    assert_int_equal(efg_graph_init(&whole, NULL, 0), 0);
    assert_int_equal(efg_graph_init(&united, NULL, 0), 0);
    for (unsigned p = 0; p < parts; p++) {
        struct efg_graph part;
        assert_int_equal(efg_graph_init(&part, NULL, clock), 0);
        whole.current = whole.edge = whole.polled = EFG_NONE;
        whole.last_leave = clock;
        whole.poll_time = 0;
        for (uint64_t n = random_below(1000); n > 0; n--) {
            struct efg_event event = random_event(&clock, sites);
            int is_poll = !random_below(6);
            step(&part, event, from, is_poll);
            step(&whole, event, to, is_poll);
        }
        assert_int_equal(efg_graph_unite(&united, &part, from, to, NULL, NULL), 0);
        efg_graph_fini(&part);
    }
    check_same(&united, &whole);
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
        event.signature = (struct efg_signature){.call = 1 + (uint32_t)random_below(500)};
        step(&part, event, 0, 0);
    }
    assert_int_not_equal(part.overflow, EFG_NONE);
    assert_true(part.lost_edges > 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(efg_graph_unite(&graph, &part, 0, 0, NULL, NULL), 0);
    assert_int_equal(graph.node_count, part.node_count);
    assert_int_equal(graph.nodes[graph.overflow].time.count,
                     2 * part.nodes[part.overflow].time.count);
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
