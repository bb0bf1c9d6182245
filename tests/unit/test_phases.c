/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/process/job.h"
#include "runtime/process/processor.h"
#include "runtime/watch/phases.h"

struct efg_job efg_job;

struct efg_run_processor efg_processor_now(void)
{
    return (struct efg_run_processor){0};
}

struct efg_run_processor efg_processor_since(const struct efg_run_processor *begin)
{
    return *begin;
}

/* --- main calls two functions, 1 and 2 --- */

static uint32_t keys_of(uint32_t path, uint64_t *keys)
{
    keys[0] = 100;
    keys[1] = path;
    return 2;
}

static struct {
    struct efg_budget budget;
    struct efg_calltree tree;
    struct efg_callflow flow;
    uint64_t one, two; /* the functions */
    struct efg_agree agree;
} job;

static uint64_t function_of(uint32_t path)
{
    uint32_t leaf = efg_calltree_add(&job.tree, path, path, path);

    return job.tree.sites[job.tree.sites[leaf].parent].hash;
}

static int set_up(void **state)
{
    (void)state;
    job.budget.limit = 1 << 20;
    assert_int_equal(efg_calltree_init(&job.tree, keys_of, &job.budget), 0);
    job.one = function_of(1);
    job.two = function_of(2);
    job.flow = (struct efg_callflow){.tree = &job.tree, .sites = job.tree.count};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    efg_calltree_fini(&job.tree);
    return 0;
}

/* --- phases --- */

/* Loops are elected as phases 1, 2, .. */
static void elect(uint64_t loop)
{
    job.agree.loops[job.agree.loop_count++] =
        (struct efg_agree_loop){.loop = loop, .phase = ++job.agree.phases, .is_made = true};
}

static struct efg_phase phase(uint64_t function, uint32_t number, uint64_t time)
{
    return (struct efg_phase){
        .loop = {.function = function, .key = EFG_NONE, .iterations = time}, .number = number, .time = time};
}

/* What was never elected counts with what was, of its function. In HPCC two thirds of the time of one
 * function counted for nothing, on ranks that waited in another loop of it. */
static void test_what_was_never_elected(void **state)
{
    uint64_t time[EFG_AGREE_TURNS + 1] = {0}, whole[EFG_AGREE_TURNS + 1] = {0};
    uint64_t lasted[EFG_AGREE_TURNS] = {0}, busy[EFG_AGREE_TURNS] = {0};
    (void)state;
    elect(job.one);
    elect(job.two);
    struct efg_phase list[] = {phase(job.one, 1, 8), phase(job.one, 0, 33), phase(job.two, 2, 25),
                               phase(77, 0, 50)};
    efg_phases.list = list;
    efg_phases.count = 4;
    efg_phases_weigh(&job.agree, &job.flow, &list[2].loop, whole, time, 1000);
    assert_true(time[0] == 41 && whole[0] == 41);
    efg_phases_last(&job.agree, &job.flow, &list[2].loop, 1000, lasted, busy);
    assert_true(lasted[0] == 41 && busy[0] == 41 && lasted[1] == 25);
    assert_ptr_equal(efg_phases_numbered(&job.agree, 1), &list[0]); /* not the longer one */
    list[0].number = 0;
    assert_ptr_equal(efg_phases_numbered(&job.agree, 1), &list[1]);
    assert_null(efg_phases_numbered(&job.agree, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_was_never_elected, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
