/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In a program that floating-point exceptions end, those of ours do not; afterwards the program's own do
 * again, and its flags are what they were.
 */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/base/signals.h"

static volatile double zero, result;

static void raise_all(void)
{
    result = zero / zero;
    result = 1 / zero;
    result = 1e300 * (1e300 + zero);
}

static void check(void (*hold)(struct efg_signals *), void (*release)(const struct efg_signals *))
{
    struct efg_signals signals;
    int wanted = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;

    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_INEXACT);
    feenableexcept(wanted);
    hold(&signals);
    raise_all();
    release(&signals);
    assert_int_equal(fegetexcept(), wanted);
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), FE_INEXACT);
    fedisableexcept(FE_ALL_EXCEPT);
}

static void test_floats(void **state)
{
    (void)state;
    check(efg_signals_hold, efg_signals_release);
    check(efg_signals_defer, efg_signals_resume);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
