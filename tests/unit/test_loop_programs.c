/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs for the rule of the main loop are what they were: what was measured with them
 * can be compared. Checksums are of their first version, which was in another language. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/buffer.h"
#include "loop_programs.h"
#include "loop_random.h"

static const struct {
    const char *name;
    uint32_t checksum; /* of all events of all ranks */
} EXPECTED[] = {
    {"s01_step_solver_5_30", 0xb0e85294},
    {"s02_solver_in_same_function", 0x1373c013},
    {"s03_reference_then_main", 0x031f980d},
    {"s04_reference_same_site", 0x33bfc039},
    {"s05_sweep_interleaved", 0xc9157e03},
    {"s06_halo_output_50", 0xb57ef53e},
    {"s07_commands", 0x9e581ca3},
    {"s08_driver_3", 0xec7b3fc7},
    {"s09_jacobi_no_prologue", 0xde64b708},
    {"s10_jacobi_constant", 0xb934eccf},
    {"s11_alternate", 0x6d9a1b54},
    {"s12_random_pq", 0x25cfda67},
    {"s13_rk4_sites", 0xf3b0f402},
    {"s14_rk3_loop", 0x19ab07ef},
    {"s15_few6", 0x2c5e2270},
    {"s16_master", 0x825e5af2},
    {"s17_rebuild_alternative", 0x0abf8839},
    {"s18_regrid5", 0x4582b7f2},
    {"s19_io_start", 0x1e8dc781},
    {"s20_one_call", 0x98f55598},
    {"s21_two_phases", 0xfb5d0f66},
    {"s22_newton_krylov", 0xddcdc84a},
    {"s23_first_step_long", 0xf3d54f73},
    {"s24_waitsome", 0x2929cadb},
    {"s25_polls", 0x73b6f1b2},
};

static void add(void *to, const struct loop_event *event)
{
    uint64_t fields[] = {event->call, event->flags, event->compute, event->inside};
    uint32_t *checksum = to;

    *checksum = efg_crc32(*checksum, fields, sizeof fields);
    *checksum = efg_crc32(*checksum, event->frames, event->depth * sizeof *event->frames);
}

static void test_events(void **state)
{
    (void)state;
    assert_int_equal(LOOP_PROGRAM_COUNT, sizeof EXPECTED / sizeof *EXPECTED);
    for (uint32_t i = 0; i < LOOP_PROGRAM_COUNT; i++) {
        uint32_t checksum = 0;
        assert_string_equal(LOOP_PROGRAMS[i].name, EXPECTED[i].name);
        for (uint32_t rank = 0; rank < LOOP_PROGRAM_RANKS; rank++)
            loop_program_run(&LOOP_PROGRAMS[i], rank, add, &checksum);
        assert_int_equal(checksum, EXPECTED[i].checksum);
    }
}

/* random.Random(1), as Python 3 has it. */
static void test_random(void **state)
{
    (void)state;
    struct loop_random random;
    uint32_t items[] = {0, 1, 2, 3, 4, 5, 6, 7}, shuffled[] = {1, 2, 0, 4, 5, 3, 6, 7};

    loop_random_init(&random, 1);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(loop_random_between(&random, 1, 1000),
                         ((uint32_t[]){138, 583, 868, 822, 783, 65, 262, 121})[i]);
    loop_random_shuffle(&random, items, 8);
    assert_memory_equal(items, shuffled, sizeof items);
    assert_float_equal(loop_random_lognormal(&random, 0.5), 0.9069787779173277, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
