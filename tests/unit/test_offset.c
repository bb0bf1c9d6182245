/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Offsets of simulated clocks: over links with delays that are mostly small, sometimes large,
 * and never the same both ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "runtime/node/offset.h"

#define NODES 1000

struct node {
    uint64_t ahead; /* ns, of the true time */
    uint64_t mine, common, error;
    int is_known;
};

static uint64_t now; /* the true time */

/* 10 to 12 us; one in four is late by up to 5 ms. */
static uint64_t delay(void)
{
    return 10000 + (uint64_t)(rand() % 2000) + (rand() % 4 ? 0 : (uint64_t)(rand() % 5000000));
}

static uint32_t compare(struct node *child, const struct node *parent)
{
    struct efg_offset offset = {0};
    uint64_t error;
    int enough = 0;
    while (!enough) {
        uint64_t sent = now + child->ahead;
        now += delay();
        uint64_t theirs = now + parent->ahead;
        now += delay();
        enough = efg_offset_add(&offset, sent, theirs, now + child->ahead);
    }
    child->mine = now + child->ahead;
    child->common = parent->common + (efg_offset_theirs(&offset, child->mine, &error) - parent->mine);
    child->error = parent->error + error;
    child->is_known = 1;
    return offset.exchanges;
}

static void test_exchanges_are_bounded(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct node parent = {.ahead = (uint64_t)rand()}, child = {.ahead = (uint64_t)rand()};
        uint64_t before = now;
        uint32_t exchanges = compare(&child, &parent);
        assert_true(exchanges > EFG_OFFSET_LEAST && exchanges <= EFG_OFFSET_MOST + 1);
        if (exchanges > EFG_OFFSET_LEAST + 1) /* the last one and the first are not counted */
            assert_true(now - before < EFG_OFFSET_BUDGET + 25000000);
    }
}

/* The way to of one exchange, the way back of another. */
static void test_closest_bounds_count(void **state)
{
    struct efg_offset o = {0};
    uint64_t error;
    (void)state;
    efg_offset_add(&o, 1000, 11900, 2000);
    efg_offset_add(&o, 3000, 13040, 3900); /* 40 there, */
    efg_offset_add(&o, 5000, 15800, 5860); /* 60 back: 9940 to 10040 */
    assert_int_equal(efg_offset_theirs(&o, 6000, &error), 15990);
    assert_int_equal(error, 50);
}

static void test_offset_below_zero(void **state)
{
    struct efg_offset o = {0};
    uint64_t error;
    (void)state;
    efg_offset_add(&o, 900000, 110, 900020);
    assert_int_equal(efg_offset_theirs(&o, 900100, &error), 200);
    assert_int_equal(error, 10);
}

static void test_tree(void **state)
{
    static struct node nodes[NODES];
    uint32_t rounds = 0, round;
    uint64_t worst = 0;
    (void)state;
    for (uint32_t i = 0; i < NODES; i++)
        nodes[i] = (struct node){.ahead = (uint64_t)rand() << 20};
    nodes[0].mine = now + nodes[0].ahead;
    nodes[0].common = now;
    nodes[0].is_known = 1;
    for (uint32_t i = 1; i < NODES; i++) {
        struct node *parent = &nodes[efg_offset_parent(i, &round)];
        assert_true(parent->is_known);
        rounds = round + 1 > rounds ? round + 1 : rounds;
        compare(&nodes[i], parent);
        uint64_t truth = nodes[i].mine - nodes[i].ahead;
        uint64_t wrong = truth > nodes[i].common ? truth - nodes[i].common : nodes[i].common - truth;
        assert_true(wrong <= nodes[i].error);
        worst = wrong > worst ? wrong : worst;
    }
    assert_int_equal(rounds, 10); /* log2 of 1000 */
    assert_true(worst < 5000);    /* links are uneven by up to 2 us, ten of them in turn */
}

/* In each round a number takes part in one comparison at most. */
static void test_rounds_are_disjoint(void **state)
{
    static int busy[NODES];
    uint32_t round, last = 0;
    (void)state;
    for (uint32_t i = 1; i < NODES; i++) {
        uint32_t parent = efg_offset_parent(i, &round);
        assert_true(parent < i && round >= last);
        if (round > last)
            for (uint32_t k = 0; k < NODES; k++)
                busy[k] = 0;
        last = round;
        assert_true(!busy[i]++ && !busy[parent]++);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchanges_are_bounded), cmocka_unit_test(test_closest_bounds_count),
        cmocka_unit_test(test_offset_below_zero),     cmocka_unit_test(test_tree),
        cmocka_unit_test(test_rounds_are_disjoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
