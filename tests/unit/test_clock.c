/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/base/clock.h"

#define SLACK 1000 /* ns: some times what a moment may be wrong by */

static uint64_t monotonic(void)
{
    return efg_clock_read(CLOCK_MONOTONIC);
}

static void wait_until(uint64_t ns)
{
    while (monotonic() < ns)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void test_the_systems_clock_is_the_default(void **state)
{
    (void)state;
    efg_clock = (struct efg_clock){0};
    uint64_t before = monotonic(), ticks = efg_clock_ticks(), after = monotonic();
    assert_in_range(ticks, before, after);
}

/* A tick lies between the readings of the system's clock around it, but for the error of the
 * rate. */
static void test_counter_follows_the_system(void **state)
{
    (void)state;
    if (efg_clock_begin())
        skip();
    efg_clock = efg_clock_measure();
    assert_true(efg_clock.rate > 0);
    uint64_t start = monotonic();
    for (int i = 0; i <= 20; i++) {
        wait_until(start + (uint64_t)i * 10000000);
        uint64_t before = monotonic(), ticks = efg_clock_ticks(), after = monotonic();
        uint64_t slack = SLACK + (after - start) / 10000;
        assert_in_range(ticks, before - slack, after + slack);
    }
    efg_clock = (struct efg_clock){0};
}

static void test_the_rate_takes_time_to_measure(void **state)
{
    (void)state;
    if (efg_clock_begin())
        skip();
    uint64_t start = monotonic();
    efg_clock_measure();
    assert_true(monotonic() - start >= EFG_CLOCK_BASELINE - SLACK);
}

static void test_conversion(void **state)
{
    uint64_t count = EFG_CLOCK_COUNTER(), years = UINT64_C(1) << 62;
    (void)state;
    if (efg_clock_begin())
        skip();
    efg_clock = (struct efg_clock){(UINT64_C(1) << 32) / 3, 1000000000 - count / 3};
    uint64_t before = EFG_CLOCK_COUNTER(), ticks = efg_clock_ticks(), after = EFG_CLOCK_COUNTER(),
             slack = 2 + count / 1000000000;
    assert_in_range(ticks, 1000000000 + (before - count) / 3 - slack,
                    1000000000 + (after - count) / 3 + slack);
    assert_true(efg_clock_convert(count - 1000000) < 1000000000); /* a core that is behind */
    ticks = efg_clock_convert(years);
    assert_true(ticks > years / 4 && ticks < years / 2);
    efg_clock = (struct efg_clock){0};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_systems_clock_is_the_default),
        cmocka_unit_test(test_counter_follows_the_system),
        cmocka_unit_test(test_the_rate_takes_time_to_measure),
        cmocka_unit_test(test_conversion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
