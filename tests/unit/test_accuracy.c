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
    struct efg_accuracy_sample all = {0};

    for (uint64_t i = 0; i < 1000; i++) {
        struct efg_accuracy_sample one = iteration(i, 0.3, noise);
        add_to(&all, &one);
        if (i % step)
            continue;
        assert_int_equal(efg_accuracy_add(&accuracy, &one), 0);
    }
    double error = efg_accuracy_error(&accuracy, &all, 1);
    assert_true(efg_accuracy_error(&accuracy, &all, 0.5) > error);
    *off = fabs(efg_accuracy_share(&accuracy, &all, 0, 1).share - all.part[0] / all.time);
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

/* Iterations become 1 + GROWTH times as long, and the share of part 0 grows by a fifth of GROWTH, from 20%.
 * The second half of 2000 is recorded more densely, as where more was wanted. Neighbours differ at random. */
static struct efg_accuracy_share share_of_growing(double growth, double *truth)
{
    struct efg_accuracy accuracy = {0};
    struct efg_accuracy_sample all = {0};

    for (uint64_t i = 0, next = 0; i < 2000; i++) {
        double grown = growth * (double)i / 2000;
        struct efg_accuracy_sample one = iteration(i, 0.2 + grown / 5, 0.2);
        one.part[0] *= 1 + grown;
        one.time *= 1 + grown;
        add_to(&all, &one);
        if (i < next)
            continue;
        efg_accuracy_add(&accuracy, &one);
        uint64_t slot = i < 1000 ? 100 : 20;
        next = (i / slot + 1) * slot + (uint64_t)rand() % slot;
    }
    struct efg_accuracy_share share = efg_accuracy_share(&accuracy, &all, 0, 1);
    *truth = all.part[0] / all.time;
    efg_accuracy_fini(&accuracy);
    return share;
}

/* Of 1000 such runs, the truth is inside of the interval in so many. In the mean, the share is right. */
static int count_covered(double growth)
{
    int covered = 0;
    double off = 0, truth;

    for (int run = 0; run < 1000; run++) {
        struct efg_accuracy_share share = share_of_growing(growth, &truth);
        covered += fabs(share.share - truth) <= share.half;
        off += (share.share - truth) / 1000;
    }
    print_message("growth %.1f: %d of 1000 inside, off by %.5f\n", growth, covered, off);
    assert_true(fabs(off) < 0.002);
    return covered;
}

/* 950 are right, 20 more or less by chance. The interval of what grows evenly is too large, not too small. */
static void test_coverage(void **state)
{
    (void)state;
    assert_in_range(count_covered(0), 930, 970);
    assert_in_range(count_covered(1), 930, 1000);
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
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
