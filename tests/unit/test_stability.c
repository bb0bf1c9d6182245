/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/graph/stability.h"

static void test_stable_after_equal_samples(void **state)
{
    (void)state;
    static struct efg_stability s;
    struct efg_graph graph = {.start = 1000, .node_count = 3, .edge_count = 2};

    efg_stability_init(&s, 3);
    assert_int_equal(efg_stability_sample(&s, &graph, 1100), 0);
    assert_int_equal(efg_stability_sample(&s, &graph, 1200), 0);
    assert_int_equal(efg_stability_sample(&s, &graph, 1300), 1);
    assert_int_equal(s.stable_since, 300);
    assert_int_equal(efg_stability_sample(&s, &graph, 1400), 1);
    assert_int_equal(s.stable_since, 300);
    graph.edge_count++;
    assert_int_equal(efg_stability_sample(&s, &graph, 1500), 0);
    assert_int_equal(s.stable_since, 0);
    assert_int_equal(s.last.edges, 3);
}

static void test_empty_graph_is_not_stable(void **state)
{
    (void)state;
    static struct efg_stability s;
    struct efg_graph graph = {.start = 0};

    efg_stability_init(&s, 0);
    for (uint64_t i = 1; i < 9; i++)
        assert_int_equal(efg_stability_sample(&s, &graph, i), 0);
    graph.node_count = 1;
    assert_int_equal(efg_stability_sample(&s, &graph, 9), 1);
}

/* However long the run, the curve spans it at even distances. */
static void test_curve_spans_the_run(void **state)
{
    (void)state;
    static struct efg_stability s;
    struct efg_graph graph = {.start = 0};

    efg_stability_init(&s, 3);
    for (uint64_t i = 0; i < 10000; i++) {
        graph.events = i;
        efg_stability_sample(&s, &graph, 7 * i);
        assert_true(s.count <= EFG_CURVE_ROOM);
        assert_true(i < EFG_CURVE_ROOM || s.count >= EFG_CURVE_ROOM / 2);
        for (uint32_t k = 0; k < s.count; k += 1 + k / 8) {
            assert_int_equal(s.curve[k].events, (uint64_t)k * s.stride);
            assert_int_equal(s.curve[k].time, 7 * (uint64_t)k * s.stride);
        }
        assert_in_range(i - s.curve[s.count - 1].events, 0, s.stride - 1);
        assert_int_equal(s.last.events, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stable_after_equal_samples),
        cmocka_unit_test(test_empty_graph_is_not_stable),
        cmocka_unit_test(test_curve_spans_the_run),
    };
    return cmocka_run_group_tests_name("stability", tests, NULL, NULL);
}
