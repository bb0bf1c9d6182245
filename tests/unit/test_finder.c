/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rule for the main loop on programs that are hard for such rules, each rank of them
 * several times with other noise in its times: the answer is the right one, and always the
 * same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "feed.h"
#include "loop_programs.h"

#define SEEDS 4
#define INTERVAL 10000000 /* ns */

static struct noise_factors factors;

static uint64_t answer(const struct recording *recording, uint64_t seed, uint64_t *function)
{
    static const struct noise_options options = {.sigma = 1, .stalls = 10};
    struct noise noise;

    noise_init(&noise, &options, &factors, seed);
    struct feed_answer found = feed(recording, &noise, INTERVAL);
    *function = found.function;
    return found.iterations;
}

/* A constant number of sweeps in a function that does nothing else cannot be told from a step
 * function that is called so often between two outputs: the rule takes it for that. */
static uint64_t expected(const struct loop_program *program)
{
    return strncmp(program->name, "s10_", 4) == 0 ? 20 * (uint64_t)program->right : program->right;
}

static void test_program(void **state)
{
    const struct loop_program *program = *state;
    uint64_t first = 0;

    for (uint32_t rank = 0; rank < LOOP_PROGRAM_RANKS; rank++) {
        struct recording recording = {0};
        recording_make(&recording, program, rank);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            uint64_t function, n = answer(&recording, 100 * rank + seed, &function);
            if (n + 1 < expected(program) || n > expected(program) + 1)
                fail_msg("rank %u, seed %u: %u iterations, not %u", rank, (unsigned)seed, (unsigned)n,
                         (unsigned)expected(program));
            first = first ? first : function;
            assert_int_equal(function, first);
        }
        recording_fini(&recording);
    }
}

int main(void)
{
    struct CMUnitTest *tests = calloc(LOOP_PROGRAM_COUNT, sizeof *tests);

    if (!tests)
        return 1;
    noise_factors_init(&factors, 1);
    for (uint32_t i = 0; i < LOOP_PROGRAM_COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = LOOP_PROGRAMS[i].name,
                                       .test_func = test_program,
                                       .initial_state = (void *)&LOOP_PROGRAMS[i]};
    int failed = _cmocka_run_group_tests("finder", tests, LOOP_PROGRAM_COUNT, NULL, NULL);
    free(tests);
    return failed;
}
