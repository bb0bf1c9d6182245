/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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
    assert_ptr_equal(efg_phases_numbered(&job.agree, 1, 1000), &list[0]); /* not the longer one */
    list[0].number = 0;
    assert_ptr_equal(efg_phases_numbered(&job.agree, 1, 1000), &list[1]);
    assert_null(efg_phases_numbered(&job.agree, 3, 1000));
    assert_ptr_equal(efg_phases_numbered(&job.agree, 0, 1000),
                     &list[3]); /* no loop of its function has one */
}

/* Two loops of one function, which is asked for: the one that all ranks have chosen, or else the longer one,
 * which may be the present one. */
static void test_asked(void **state)
{
    struct efg_wish wish = {EFG_LEVEL_AUTO, job.one}, finer = {EFG_LEVEL_FINER, job.one};
    struct efg_phase list[] = {phase(job.one, 1, 8), phase(job.one, 2, 0), phase(job.two, 3, 500)};
    (void)state;
    efg_phases.list = list;
    efg_phases.count = 3;
    list[1].resumed = 900;
    assert_ptr_equal(efg_phases_asked(wish, NULL, 1000), &list[1]);
    assert_ptr_equal(efg_phases_asked(wish, NULL, 905), &list[0]);
    assert_ptr_equal(efg_phases_asked(wish, &list[0], 1000), &list[0]);
    assert_ptr_equal(efg_phases_asked(wish, &list[2], 1000), &list[1]); /* of another function */
    assert_null(efg_phases_asked(finer, &list[0], 1000));
    list[1].number = 1;
    assert_ptr_equal(efg_phases_numbered(&job.agree, 1, 1000), &list[1]);
    assert_ptr_equal(efg_phases_numbered(&job.agree, 1, 905), &list[0]);
}

/* A phase goes on behind its last sample. In a short run, of which few are taken, 93 iterations of the main
 * loop were told of 1119. */
static void test_behind_the_last_sample(void **state)
{
    uint32_t function = efg_calltree_find(&job.tree, job.one), key = job.tree.sites[function].first_child;
    struct efg_mainloop loop = {.function = job.one, .key = key};
    (void)state;
    job.flow.flow = calloc(job.flow.sites, sizeof *job.flow.flow);
    for (uint64_t each = 1; each <= 3; each++) {
        efg_phases = (struct efg_phases){.present = EFG_NONE, .counted = EFG_NONE};
        loop.iterations = 22;
        job.flow.flow[key].entries = 22 * each + 1;
        efg_phases_open(&loop, 100, NULL, false);
        efg_phases_update(&loop, &job.flow, 150);
        efg_phases_close(300);
        job.flow.flow[key].entries = 1119 * each;
        assert_int_equal(efg_phases_loop(&job.flow, &efg_phases.list[0]).iterations, 1119);
        job.flow.flow[key].entries = 10;
        assert_int_equal(efg_phases_loop(&job.flow, &efg_phases.list[0]).iterations, 22);
        free(efg_phases.list);
    }
    free(job.flow.flow);
}

/* --- iterations --- */

static void open_phase(uint64_t function, uint64_t begin)
{
    struct efg_mainloop loop = {.function = function, .key = EFG_NONE};

    efg_phases_open(&loop, begin, NULL, false);
}

/* Another pivot is marked, after so many iterations of 10 ns each of the one before. */
static void mark_after(struct efg_thread *thread, uint64_t iterations)
{
    thread->iterations.all = (struct efg_stat){.count = iterations, .sum = 10 * iterations};
    efg_phases_keep(thread, &(struct efg_pivot){.kind = EFG_PIVOT_SITE});
    thread->iterations = (struct efg_run_iterations){0};
    efg_phases_adopt();
}

/* Other ranks found the second loop first, and its pivot was marked while this rank was in the first one, as
 * far as it knew. Seen with LAMMPS: 400 iterations of the minimiser were those of the time steps. */
static void test_a_pivot_of_others(void **state)
{
    struct efg_thread thread = {0};

    (void)state;
    efg_phases = (struct efg_phases){.present = EFG_NONE, .counted = EFG_NONE};
    open_phase(job.one, 100);
    efg_phases_adopt();
    mark_after(&thread, 2500);
    efg_phases_disown();
    efg_phases_close(300);
    assert_true(efg_phases.counted == EFG_NONE && efg_phases.list[0].longest.all.count == 2500);
    open_phase(job.two, 310);
    efg_phases_claim();
    assert_int_equal(efg_phases.counted, 1);
    mark_after(&thread, 400);
    assert_int_equal(efg_phases.list[0].longest.all.count, 2500);
    assert_int_equal(efg_phases.list[1].longest.all.count, 400);
    free(efg_phases.list);
}

/* The one that is marked when the first phase is over, and no other is known yet. */
static void test_a_pivot_between(void **state)
{
    struct efg_thread thread = {0};

    (void)state;
    efg_phases = (struct efg_phases){.present = EFG_NONE, .counted = EFG_NONE};
    open_phase(job.one, 100);
    efg_phases_adopt();
    efg_phases_close(300);
    mark_after(&thread, 2500);
    assert_int_equal(efg_phases.counted, EFG_NONE);
    open_phase(job.two, 310);
    efg_phases_claim();
    assert_int_equal(efg_phases.counted, 1);
    efg_phases_lend(); /* to a loop that may be none */
    efg_phases_claim();
    assert_int_equal(efg_phases.counted, EFG_NONE);
    efg_phases_adopt();
    assert_int_equal(efg_phases.counted, 1);
    free(efg_phases.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_was_never_elected, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_asked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_behind_the_last_sample, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_pivot_of_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_pivot_between, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
