/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ticks to the common time: what the two moments of a log's header make of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "files/log/clock.h"

#define S UINT64_C(1000000000)
#define HOUR (3600 * S)
#define START (UINT64_C(1700000000) * S) /* ns since 1970 */

/* A clock that shows TICKS at the start and goes PPB ns a second too fast, over LENGTH ns. */
static struct efg_log_clock clock_of(uint64_t ticks, int64_t ppb, uint64_t length)
{
    struct efg_log_header h = {.ticks_per_second = S, .sync[0] = {ticks, START}};
    int64_t drift = (int64_t)((__int128)length * ppb / (int64_t)S);
    h.sync[1] = (struct efg_sync){ticks + length + (uint64_t)drift, START + length};
    return efg_log_clock(&h);
}

static void assert_near(uint64_t a, uint64_t b, uint64_t most)
{
    if ((a > b ? a - b : b - a) > most)
        fail_msg("%llu and %llu are not within %llu", (unsigned long long)a, (unsigned long long)b,
                 (unsigned long long)most);
}

static void the_ends_are_exact(void **state)
{
    static const int64_t drifts[] = {0, 1, -1, 20000, -20000, 100000000, -100000000};
    (void)state;
    for (size_t i = 0; i < sizeof drifts / sizeof *drifts; i++) {
        uint64_t length = 100 * HOUR, ticks = 17 * S;
        struct efg_log_clock c = clock_of(ticks, drifts[i], length);
        assert_int_equal(efg_log_ns(&c, ticks), START);
        assert_int_equal(efg_log_ns(&c, ticks + c.denominator), START + length);
    }
}

/* Two nodes, hundreds of hours apart since their boot, one 20 us a second fast, the other slow:
 * what happens at one moment has one time, whenever in a run of ten hours it was. */
static void drift_is_taken_out(void **state)
{
    struct efg_log_clock fast = clock_of(900 * HOUR, 20000, 10 * HOUR);
    struct efg_log_clock slow = clock_of(3 * S, -20000, 10 * HOUR);
    (void)state;
    for (uint64_t t = 0; t <= 10 * HOUR; t += HOUR / 7) {
        assert_near(efg_log_ns(&fast, 900 * HOUR + t + t / 50000), START + t, 2);
        assert_near(efg_log_ns(&slow, 3 * S + t - t / 50000), START + t, 2);
    }
}

/* A message that takes 1 us is received later than it was sent, on both ways. */
static void order_is_kept(void **state)
{
    struct efg_log_clock a = clock_of(HOUR, 50000, 6 * S), b = clock_of(7, -50000, 6 * S);
    (void)state;
    for (uint64_t t = 0; t < 6 * S; t += S / 13) {
        uint64_t on_a = HOUR + t + t / 20000, on_b = 7 + t - t / 20000;
        assert_true(efg_log_ns(&a, on_a) < efg_log_ns(&b, on_b + 1000));
        assert_true(efg_log_ns(&b, on_b) < efg_log_ns(&a, on_a + 1000));
    }
}

static void time_never_goes_back(void **state)
{
    struct efg_log_clock c = clock_of(5 * S, -99999, S);
    uint64_t last = 0;
    (void)state;
    for (uint64_t t = 4 * S; t < 4 * S + 100000; t++) {
        uint64_t now = efg_log_ns(&c, t + 999950000);
        assert_true(now >= last);
        last = now;
    }
}

/* A job that was killed; and a second moment that cannot be. */
static void without_an_end_the_clock_is_nominal(void **state)
{
    struct efg_log_header h = {.ticks_per_second = 2 * S, .sync[0] = {100, START}};
    struct efg_sync ends[] = {
        {0, 0}, {100, START + 1}, {50, START + 5}, {200, START - 5}, {200, START + 5000}};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        h.sync[1] = ends[i];
        struct efg_log_clock c = efg_log_clock(&h);
        assert_int_equal(efg_log_ns(&c, 100 + 2 * S), START + S);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ends_are_exact),
        cmocka_unit_test(drift_is_taken_out),
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(time_never_goes_back),
        cmocka_unit_test(without_an_end_the_clock_is_nominal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
