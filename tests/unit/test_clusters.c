/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clusters of ranks that are made up: equal ones, groups, outliers, and ranks that only scatter.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "model/clusters.h"

#define NODES 5
#define TIME 1000 /* of a rank in each node, and before it */

static uint64_t state;

/* -1 to 1, the same ones in each run. */
static double scatter(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int32_t)(state >> 32) / 2147483648.0;
}

/* Ranks whose times scatter by a share of NOISE, with as many calls each. */
static struct efg_behaviour alike(uint32_t ranks, double noise)
{
    struct efg_behaviour b;
    state = 1;
    assert_int_equal(efg_behaviour_init(&b, ranks, NODES), 0);
    for (uint32_t r = 0; r < ranks; r++) {
        for (uint32_t i = 0; i < NODES; i++) {
            efg_behaviour_of(&b, r, EFG_INSIDE)[i] = (float)(TIME * (1 + noise * scatter()));
            efg_behaviour_of(&b, r, EFG_BEFORE)[i] = (float)(TIME * (1 + noise * scatter()));
            efg_behaviour_of(&b, r, EFG_CALLS)[i] = 100;
        }
    }
    return b;
}

/* RANK computes SHARE of its time more before node 2, and waits so much less in node 3. */
static void shift(struct efg_behaviour *b, uint32_t rank, double share)
{
    float by = (float)(share * TIME * 2 * NODES);
    efg_behaviour_of(b, rank, EFG_BEFORE)[2] += by;
    efg_behaviour_of(b, rank, EFG_INSIDE)[3] -= by;
}

static struct efg_clusters clusters_of(struct efg_behaviour b, uint32_t count)
{
    struct efg_clusters c;
    assert_int_equal(efg_clusters_find(&c, &b), 0);
    assert_int_equal(c.count, count);
    return c;
}

static void test_equal(void **unused)
{
    (void)unused;
    for (uint32_t ranks = 1; ranks < 40; ranks++) {
        struct efg_clusters c = clusters_of(alike(ranks, 0), 1);
        assert_int_equal(c.items[0].count, ranks);
        assert_int_equal(c.items[0].representative, 0);
        assert_false(c.items[0].is_outlier);
        assert_true(fabs(c.range) < 1e-9);
        efg_clusters_fini(&c);
    }
}

static void test_none(void **unused)
{
    (void)unused;
    struct efg_clusters c = clusters_of(alike(0, 0), 0);
    efg_clusters_fini(&c);
    struct efg_behaviour b;
    assert_int_equal(efg_behaviour_init(&b, 4, 0), 0); /* without a call */
    c = clusters_of(b, 1);
    assert_int_equal(c.items[0].count, 4);
    efg_clusters_fini(&c);
}

/* However much they scatter, in 3 to 200 ranks, none is another kind. */
static void test_noise(void **unused)
{
    (void)unused;
    const double noise[] = {0.01, 0.05, 0.2, 0.5};
    for (uint32_t n = 0; n < 4; n++) {
        for (uint32_t ranks = 3; ranks <= 200; ranks += ranks < 16 ? 1 : 23) {
            struct efg_clusters c = clusters_of(alike(ranks, noise[n]), 1);
            efg_clusters_fini(&c);
        }
    }
}

static void test_two_groups(void **unused)
{
    (void)unused;
    for (uint32_t ranks = 6; ranks <= 300; ranks *= 2) {
        struct efg_behaviour b = alike(ranks, 0.02);
        for (uint32_t r = 1; r < ranks; r += 2)
            shift(&b, r, 0.15);
        struct efg_clusters c = clusters_of(b, 2);
        for (uint32_t r = 0; r < ranks; r++)
            assert_int_equal(c.of_rank[r], r % 2);
        assert_false(c.items[0].is_outlier || c.items[1].is_outlier);
        assert_true(fabs(c.items[1].apart - 0.15) < 0.02);
        efg_clusters_fini(&c);
    }
}

static void test_outlier(void **unused)
{
    (void)unused;
    for (uint32_t ranks = 4; ranks <= 1024; ranks *= 2) {
        struct efg_behaviour b = alike(ranks, 0.02);
        shift(&b, ranks - 2, 0.1);
        struct efg_clusters c = clusters_of(b, 2);
        struct efg_cluster_difference d[4];
        assert_int_equal(c.items[1].count, 1);
        assert_int_equal(c.items[1].representative, ranks - 2);
        assert_int_equal(c.of_rank[ranks - 2], 1);
        assert_int_equal(c.far, ranks - 2);
        assert_true(c.items[1].is_outlier && !c.items[0].is_outlier);
        assert_int_equal(efg_clusters_differences(&c, 1, d, 4), 2);
        assert_true(d[0].node + d[1].node == 5 && d[0].part + d[1].part == EFG_INSIDE + EFG_BEFORE);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(d[i].part, d[i].node == 2 ? EFG_BEFORE : EFG_INSIDE);
            assert_true(fabs(d[i].by - (d[i].node == 2 ? 1000 : -1000)) < 60);
            assert_true(fabs(d[i].share - 0.1) < 0.01);
        }
        efg_clusters_fini(&c);
    }
}

/* Three kinds, one of them a single rank, and one that only calls something more often. */
static void test_kinds(void **unused)
{
    (void)unused;
    struct efg_behaviour b = alike(40, 0.01);
    for (uint32_t r = 0; r < 12; r++)
        shift(&b, r, 0.3);
    shift(&b, 39, -0.09);
    efg_behaviour_of(&b, 20, EFG_CALLS)[4] += 200;
    struct efg_clusters c = clusters_of(b, 4);
    struct efg_cluster_difference d[3];
    assert_int_equal(c.items[0].count, 26);
    assert_int_equal(c.items[1].count, 12);
    assert_int_equal(c.of_rank[20], 2); /* of as many, the one with the lowest rank comes first */
    assert_int_equal(c.of_rank[39], 3);
    assert_false(c.items[1].is_outlier);
    assert_true(c.items[2].is_outlier && c.items[3].is_outlier);
    assert_int_equal(efg_clusters_differences(&c, 2, d, 1), 1);
    assert_int_equal(d[0].part, EFG_CALLS);
    assert_int_equal(d[0].node, 4);
    efg_clusters_fini(&c);
}

/* From one end to the other nothing is a border. */
static void test_slope(void **unused)
{
    (void)unused;
    struct efg_behaviour b = alike(64, 0.01);
    for (uint32_t r = 0; r < 64; r++)
        shift(&b, r, 0.4 * r / 64);
    struct efg_clusters c = clusters_of(b, 1);
    assert_true(c.range > 0.15);
    efg_clusters_fini(&c);
}

/* Less than 5% is no kind of its own. */
static void test_little(void **unused)
{
    (void)unused;
    struct efg_behaviour b = alike(16, 0);
    shift(&b, 3, 0.04);
    struct efg_clusters c = clusters_of(b, 1);
    assert_int_equal(c.far, 3);
    assert_true(fabs(c.range - 0.04) < 0.001);
    efg_clusters_fini(&c);
}

/* More kinds than can be told apart: it ends, and says nothing that is not so. */
static void test_many(void **unused)
{
    (void)unused;
    struct efg_behaviour b = alike(200, 0);
    for (uint32_t r = 0; r < 200; r++)
        efg_behaviour_of(&b, r, EFG_INSIDE)[0] += (float)(r / 4) * TIME * 10;
    struct efg_clusters c;
    assert_int_equal(efg_clusters_find(&c, &b), 0);
    uint32_t count = 0;
    for (uint32_t k = 0; k < c.count; k++)
        count += c.items[k].count;
    assert_int_equal(count, 200);
    efg_clusters_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),      cmocka_unit_test(test_none),    cmocka_unit_test(test_noise),
        cmocka_unit_test(test_two_groups), cmocka_unit_test(test_outlier), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_slope),      cmocka_unit_test(test_little),  cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
