/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/process/job.h"
#include "runtime/watch/cost.h"

struct efg_job efg_job; /* calibration would need it */

/* Those that are measured stand for the others. */
static void test_calls(void **state)
{
    struct efg_cost cost = {0};
    (void)state;
    for (uint64_t ns = 100; ns <= 300; ns += 100)
        efg_cost_sample(&cost, ns);
    assert_int_equal(cost.countdown, EFG_COST_EVERY);
    assert_int_equal(efg_cost_of(&cost, 1000), 200 * 1000);
    assert_int_equal(efg_cost_so_far(&cost), 200 * 3 * EFG_COST_EVERY);
}

/* What a call did rarely counts once, not for those that the call stands for. */
static void test_rare_work_in_a_call(void **state)
{
    struct efg_cost cost = {.inside = 50};
    (void)state;
    efg_cost_rare(&cost, 7000, 0);
    efg_cost_sample(&cost, 7050);
    assert_int_equal(efg_cost_of(&cost, 10), 7000 + 10 * 100);
}

/* Other processes had the processor for a second: that is not the cost of this one. */
static void test_waiting_for_a_processor(void **state)
{
    struct efg_cost cost = {0};
    (void)state;
    efg_cost_sample(&cost, 100);
    efg_cost_sample(&cost, 1000000000);
    assert_in_range(efg_cost_of(&cost, 2), 200, 200 + EFG_COST_MOST);
    uint64_t before = cost.rare;
    efg_cost_rare(&cost, 1005000000, 1000000000);
    assert_int_equal(cost.rare - before, 5000000);
    efg_cost_rare(&cost, 1000, 2000); /* clocks differ */
    assert_int_equal(cost.rare - before, 5000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_rare_work_in_a_call),
        cmocka_unit_test(test_waiting_for_a_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
