/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places of the nodes of small flow graphs, drawn by hand. Each is a list of edges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/flow/place.h"

#define MOST 16

struct edge {
    uint32_t from, to;
};

/* EDGES are sorted by where they begin. */
static void find_positions(uint32_t nodes, const struct edge *edges, uint32_t count,
                           struct efg_position *position)
{
    uint32_t first[MOST + 1] = {0}, targets[2 * MOST];

    for (uint32_t i = 0; i < count; i++) {
        targets[i] = edges[i].to;
        for (uint32_t v = edges[i].from + 1; v <= nodes; v++)
            first[v]++;
    }
    assert_int_equal(efg_place_find(&(struct efg_digraph){nodes, first, targets}, position, NULL), 0);
}

static void find(uint32_t nodes, const struct edge *edges, uint32_t count, efg_place *place)
{
    struct efg_position position[MOST];

    find_positions(nodes, edges, count, position);
    for (uint32_t v = 0; v < nodes; v++)
        place[v] = position[v].place;
}

#define FIND(nodes, edges, place) find(nodes, edges, sizeof(edges) / sizeof *(edges), place)

static void assert_place(efg_place place, uint32_t loop, uint32_t last)
{
    assert_int_equal(efg_place_loop(place), loop);
    assert_int_equal(place >> 16, last);
}

static void no_loop(void **state)
{
    const struct edge edges[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    efg_place place[MOST];

    (void)state;
    FIND(4, edges, place);
    for (int i = 0; i < 4; i++)
        assert_place(place[i], EFG_PLACE_NO_LOOP, 1);
}

/* for { for { 2 } if { 4 } 5 } 6 */
static void nested_loop_and_branch(void **state)
{
    const struct edge edges[] = {{0, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 5}, {5, 1}, {5, 6}};
    efg_place place[MOST];

    (void)state;
    FIND(7, edges, place);
    assert_place(place[0], 1, 3);
    assert_place(place[1], 2, 3);
    assert_place(place[2], 3, 3);
    assert_place(place[4], 2, 3); /* in the loop, though it may be left out */
    assert_place(place[5], 2, 3);
    assert_place(place[6], 1, 3);
    assert_true(efg_place_is_in(place[2], place[4]));
    assert_false(efg_place_is_in(place[4], place[2]));
    assert_true(efg_place_is_in(place[4], place[6]));
}

/* for { 1 } for { 2 } */
static void one_after_the_other(void **state)
{
    const struct edge edges[] = {{0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 3}};
    efg_place place[MOST];

    (void)state;
    FIND(4, edges, place);
    assert_false(efg_place_is_in(place[1], place[2]));
    assert_false(efg_place_is_in(place[2], place[1]));
    assert_true(efg_place_is_in(place[1], place[0]));
    assert_true(efg_place_is_in(place[2], place[3]));
}

/* Bytes between two functions, or that align a loop, are no other way into it. */
static void never_reached(void **state)
{
    const struct edge edges[] = {{0, 1}, {1, 2}, {2, 1}, {2, 4}, {3, 2}};
    efg_place place[MOST];

    (void)state;
    FIND(5, edges, place);
    assert_int_equal(place[3], EFG_PLACE_UNKNOWN);
    assert_place(place[2], 2, 2);
}

/* while { if { 2; continue } 3 } */
static void two_ways_back(void **state)
{
    const struct edge edges[] = {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 1}, {3, 4}};
    efg_place place[MOST];

    (void)state;
    FIND(5, edges, place);
    for (int i = 1; i < 4; i++)
        assert_place(place[i], 2, 2);
    assert_place(place[0], 1, 2);
    assert_place(place[4], 1, 2);
}

/* A loop with several entries is one, but nobody knows what is in each iteration. Around it and in it: */
static void two_ways_in(void **state)
{
    const struct edge edges[] = {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}, {3, 0}, {3, 4}};
    efg_place place[MOST];

    (void)state;
    FIND(5, edges, place);
    assert_place(place[0], 2, 3);
    assert_place(place[1], 3, 3);
    assert_place(place[2], 3, 3);
    assert_place(place[3], 2, 3);
    assert_place(place[4], 1, 3);
    assert_int_equal(place[2] & EFG_PLACE_ALWAYS, 0);
}

static int is_always(efg_place place)
{
    return (place & EFG_PLACE_ALWAYS) != 0;
}

/* while { 1; if { 2; continue } 3 } 4 */
static void left_out_by_continue(void **state)
{
    const struct edge edges[] = {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 1}, {3, 4}};
    efg_place place[MOST];

    (void)state;
    FIND(5, edges, place);
    assert_true(is_always(place[1]));
    assert_false(is_always(place[2]));
    assert_false(is_always(place[3]));
    assert_true(is_always(place[0]));
    assert_true(is_always(place[4]));
}

/* for { for { 2 } if { 4 } 5 } 6: what is nested has a loop of its own. */
static void always_in_its_own_loop(void **state)
{
    const struct edge edges[] = {{0, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 5}, {5, 1}, {5, 6}};
    efg_place place[MOST];

    (void)state;
    FIND(7, edges, place);
    for (int i = 0; i < 7; i++)
        assert_int_equal(is_always(place[i]), i != 4);
}

/* if { 1; return } while { 2; if { 3; return } 4 }: no way through the function gets to its
 * end, or to the loop; the one through the loop that ends in 3 is its last. */
static void left_by_return(void **state)
{
    const struct edge edges[] = {{0, 1}, {0, 2}, {2, 3}, {2, 4}, {4, 2}, {4, 5}};
    efg_place place[MOST];

    (void)state;
    FIND(6, edges, place);
    assert_true(is_always(place[0]));
    assert_false(is_always(place[1]));
    assert_false(is_always(place[3]));
    assert_false(is_always(place[5]));
    assert_true(is_always(place[2]));
    assert_true(is_always(place[4]));
}

/* 0; for (;;) { 1; 2 } */
static void without_an_end(void **state)
{
    const struct edge edges[] = {{0, 1}, {1, 2}, {2, 1}};
    efg_place place[MOST];

    (void)state;
    FIND(3, edges, place);
    assert_false(is_always(place[0]));
    assert_true(is_always(place[1]));
    assert_true(is_always(place[2]));
}

/* What FROM leads to, itself included, on ways that are not through WITHOUT. */
static void reach(uint32_t nodes, const struct edge *edges, uint32_t count, uint32_t from, uint32_t without,
                  int *is_reached)
{
    for (uint32_t v = 0; v < nodes; v++)
        is_reached[v] = v == from && v != without;
    for (uint32_t time = 0; time < nodes; time++)
        for (uint32_t i = 0; i < count; i++)
            is_reached[edges[i].to] |= is_reached[edges[i].from] && edges[i].to != without;
}

/* Whether node 0 leads to a node that leads nowhere, and not through WITHOUT. */
static int has_end_without(uint32_t nodes, const struct edge *edges, uint32_t count, uint32_t without)
{
    int is_reached[MOST], leads[MOST] = {0};

    reach(nodes, edges, count, 0, without, is_reached);
    for (uint32_t i = 0; i < count; i++)
        leads[edges[i].from] = 1;
    for (uint32_t v = 0; v < nodes; v++)
        if (is_reached[v] && !leads[v])
            return 1;
    return 0;
}

static void random_edges(uint32_t nodes, struct edge *edges, uint32_t *count)
{
    *count = 0;
    for (uint32_t v = 0; v < nodes; v++) {
        if (v + 1 < nodes && rand() % 4)
            edges[(*count)++] = (struct edge){v, v + 1};
        if (rand() % 3)
            edges[(*count)++] = (struct edge){v, (uint32_t)rand() % nodes};
    }
}

/* The same as what they are by definition, in graphs of any kind: without the node, there is no
 * way from the entry of its loop to an end of it. */
static void as_defined(void **state)
{
    struct edge edges[2 * MOST];
    efg_place place[MOST];

    (void)state;
    srand(11);
    for (int run = 0; run < 2000; run++) {
        uint32_t nodes = 2 + (uint32_t)rand() % 9, count;
        random_edges(nodes, edges, &count);
        find(nodes, edges, count, place);
        for (uint32_t x = 0; x < nodes; x++)
            if (place[x] && efg_place_loop(place[x]) == EFG_PLACE_NO_LOOP)
                assert_int_equal(is_always(place[x]), has_end_without(nodes, edges, count, nodes) &&
                                                          !has_end_without(nodes, edges, count, x));
    }
}

/* for { 1 } for { for { 2 } 3 } 4 */
static void order_of_loops(void **state)
{
    const struct edge edges[] = {{0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 2}, {3, 4}};
    struct efg_position position[MOST];

    (void)state;
    find_positions(5, edges, sizeof edges / sizeof *edges, position);
    assert_int_equal(position[0].order, 0);
    assert_true(position[1].order > 0);
    assert_true(position[1].order < position[2].order);
    assert_int_equal(position[2].order, position[3].order);
    assert_int_equal(position[4].order, 0);
    assert_true(efg_order_is_before(position[1].order, position[2].order));
    assert_false(efg_order_is_before(position[2].order, position[3].order));
    assert_false(efg_order_is_before(position[0].order, position[1].order)); /* in no loop */
    assert_false(efg_order_is_before(position[1].order, 1 << EFG_ORDER_BITS | position[2].order));
}

static int leads_to(uint32_t nodes, const struct edge *edges, uint32_t count, uint32_t from, uint32_t to)
{
    int is_reached[MOST];

    reach(nodes, edges, count, from, nodes, is_reached);
    return is_reached[to];
}

/* for { 1; if { return } 2; for { if { return } } 3; 4 } 5, where the one in the middle is left from 6. */
static void legs_and_exits(void **state)
{
    const struct edge edges[] = {{0, 1}, {1, 2}, {1, 5}, {2, 6}, {3, 4},
                                 {4, 1}, {6, 5}, {6, 7}, {7, 3}, {7, 6}};
    struct efg_position position[MOST];

    (void)state;
    find_positions(8, edges, sizeof edges / sizeof *edges, position);
    for (int i = 1; i < 4; i++) {
        assert_true(position[i].leg > 0 && position[i].leg < position[i + 1].leg);
        assert_int_equal(efg_leg_exits_before(position[i].leg) < efg_leg_exits_before(position[i + 1].leg),
                         i < 3);
    }
    assert_int_equal(efg_leg_exits_before(position[1].leg), 0);
    assert_int_equal(efg_leg_exits_behind(position[1].leg), 2);
    assert_int_equal(efg_leg_exits_behind(position[4].leg), 0);
    assert_int_equal(position[0].leg, 0);
    assert_int_equal(position[5].leg, 0);
    assert_int_equal(position[6].leg, 0); /* in a loop of its own */
}

/* Nothing leads to a lower order; what has the same one is in one loop. */
static void order_as_defined(void **state)
{
    struct edge edges[2 * MOST];
    struct efg_position position[MOST];
    uint32_t count;

    (void)state;
    srand(12);
    for (int run = 0; run < 2000; run++) {
        uint32_t nodes = 2 + (uint32_t)rand() % 9;
        random_edges(nodes, edges, &count);
        find_positions(nodes, edges, count, position);
        for (uint32_t x = 0; x < nodes; x++)
            for (uint32_t y = 0; y < nodes; y++) {
                if (!position[x].order || !position[y].order)
                    continue;
                int leads = leads_to(nodes, edges, count, x, y), back = leads_to(nodes, edges, count, y, x);
                assert_int_equal(position[x].order == position[y].order, leads && back);
                assert_false(position[y].order < position[x].order && leads);
            }
    }
}

/* Whether a way leads from FROM to where none leads back, and not through WITHOUT. */
static int is_left_without(uint32_t nodes, const struct edge *edges, uint32_t count, uint32_t from,
                           uint32_t without)
{
    int is_reached[MOST];

    reach(nodes, edges, count, from, without, is_reached);
    for (uint32_t v = 0; v < nodes; v++)
        if (is_reached[v] && !leads_to(nodes, edges, count, v, from))
            return 1;
    return 0;
}

/* Those of one loop come in the order of their legs in each round; between them, it may be left or not. */
static void leg_as_defined(void **state)
{
    struct edge edges[2 * MOST];
    struct efg_position position[MOST];
    uint32_t count, seen = 0;

    (void)state;
    srand(13);
    for (int run = 0; run < 5000; run++) {
        uint32_t nodes = 2 + (uint32_t)rand() % 9;
        random_edges(nodes, edges, &count);
        find_positions(nodes, edges, count, position);
        for (uint32_t x = 0; x < nodes; x++)
            for (uint32_t y = 0; y < nodes; y++) {
                if (!position[x].leg || position[x].leg >= position[y].leg ||
                    position[x].order != position[y].order)
                    continue;
                assert_int_equal(efg_leg_exits_before(position[x].leg) <
                                     efg_leg_exits_before(position[y].leg),
                                 is_left_without(nodes, edges, count, x, y));
                seen++;
            }
    }
    assert_true(seen > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_loop),
        cmocka_unit_test(nested_loop_and_branch),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(never_reached),
        cmocka_unit_test(two_ways_back),
        cmocka_unit_test(two_ways_in),
        cmocka_unit_test(left_out_by_continue),
        cmocka_unit_test(always_in_its_own_loop),
        cmocka_unit_test(left_by_return),
        cmocka_unit_test(without_an_end),
        cmocka_unit_test(as_defined),
        cmocka_unit_test(order_of_loops),
        cmocka_unit_test(order_as_defined),
        cmocka_unit_test(legs_and_exits),
        cmocka_unit_test(leg_as_defined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
