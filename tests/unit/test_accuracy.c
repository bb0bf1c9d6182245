/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far shares of the time in some iterations are from those in all: made-up loops, of which all is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/window/accuracy.h"

static double uniform(void)
{
    return (double)rand() / RAND_MAX;
}

/* An iteration: part 0 takes SHARE of it, more or less, and what is left is in no function. */
static struct efg_accuracy_sample iteration(uint64_t number, double share, double noise)
{
    double time = 1000 * (0.5 + uniform());

    return (struct efg_accuracy_sample){.first = number,
                                        .iterations = 1,
                                        .time = time,
                                        .part[0] = time * (share + noise * (uniform() - 0.5))};
}

static void add_to(struct efg_accuracy_sample *all, const struct efg_accuracy_sample *one)
{
    all->iterations += one->iterations;
    all->time += one->time;
    all->part[0] += one->part[0];
}

/* Of 1000 iterations each STEP-th; *OFF: how far the share in them is from that in all. */
static double error_of_each(uint64_t step, double noise, double *off)
{
    struct efg_accuracy accuracy = {0};
    struct efg_accuracy_sample all = {0}, kept = {0};

    for (uint64_t i = 0; i < 1000; i++) {
        struct efg_accuracy_sample one = iteration(i, 0.3, noise);
        add_to(&all, &one);
        if (i % step)
            continue;
        add_to(&kept, &one);
        assert_int_equal(efg_accuracy_add(&accuracy, &one), 0);
    }
    double error = efg_accuracy_error(&accuracy, &all, 1);
    assert_true(efg_accuracy_error(&accuracy, &all, 0.5) > error);
    *off = fabs(kept.part[0] / kept.time - all.part[0] / all.time);
    efg_accuracy_fini(&accuracy);
    return error;
}

/* It is never less than what it bounds; more samples make it less; all are exact. */
static void test_error(void **state)
{
    double off, before = 1;
    (void)state;
    for (uint64_t step = 100; step >= 1; step /= 10) {
        double sum = 0;
        for (int run = 0; run < 100; run++) {
            double error = error_of_each(step, 0.4, &off);
            assert_true(error >= off);
            sum += error / 100;
        }
        assert_true(sum < before / 2);
        before = sum;
    }
    assert_true(before < 1e-9);
}

/* Iterations of the beginning do not stand for a loop that changes, however alike they are. */
static void test_drift(void **state)
{
    struct efg_accuracy accuracy = {0};
    struct efg_accuracy_sample all = {0};
    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        struct efg_accuracy_sample one = iteration(i, 0.3 + 0.0003 * (double)i, 0.01);
        add_to(&all, &one);
        if (i < 100)
            efg_accuracy_add(&accuracy, &one);
    }
    assert_true(efg_accuracy_error(&accuracy, &all, 1) > 0.1);
    efg_accuracy_fini(&accuracy);
}

static bool is_even(const void *context, uint64_t first)
{
    (void)context;
    return first % 2 == 0;
}

static void test_few(void **state)
{
    struct efg_accuracy accuracy = {0};
    struct efg_accuracy_sample all = {0};
    (void)state;
    for (uint64_t i = 0; i < 2 * EFG_ACCURACY_LEAST; i++) {
        struct efg_accuracy_sample one = iteration(i, 0.3, 0);
        add_to(&all, &one);
        assert_true(efg_accuracy_error(&accuracy, &all, 1) < 0.01 || accuracy.count < EFG_ACCURACY_LEAST);
        efg_accuracy_add(&accuracy, &one);
    }
    efg_accuracy_keep(&accuracy, is_even, NULL);
    assert_int_equal(accuracy.count, EFG_ACCURACY_LEAST);
    assert_int_equal(accuracy.samples[1].first, 2);
    assert_true(efg_accuracy_error(&accuracy, &all, 1) < 0.01);
    accuracy.count--;
    assert_true(efg_accuracy_error(&accuracy, &all, 1) == 1);
    efg_accuracy_fini(&accuracy);
    assert_true(efg_accuracy_error(&accuracy, &all, 1) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
