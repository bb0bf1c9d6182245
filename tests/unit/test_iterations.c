/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "runtime/process/job.h"
#include "runtime/watch/iterations.h"

struct efg_job efg_job = {.start = 1000};

static struct efg_thread thread;

/* Until NOW, when the last call ended, MPI has taken so many ns. */
static void visit(uint64_t number, uint64_t now, uint64_t mpi)
{
    thread.graph.last_leave = now;
    thread.graph.node_time = mpi;
    efg_iterations_count(&thread, number, now);
}

/* The call that delimits iterations may end after one did: the rest is time of the next one. */
static void test_a_call_under_way(void **state)
{
    struct efg_graph graph = {.last_leave = 70, .node_time = 50};
    (void)state;
    assert_int_equal(efg_iterations_mpi(&graph, 60), 40);
    assert_int_equal(efg_iterations_mpi(&graph, 80), 50);
}

/* A poll of 300 ns stands for 61: these seem to have taken longer than the iteration. */
static void test_no_longer_than_it_takes(void **state)
{
    (void)state;
    assert_int_equal(efg_iterations_mpi_of(10000, 500, 2500), 2000);
    assert_int_equal(efg_iterations_mpi_of(10000, 500, 500 + 61 * 300), 10000);
    assert_int_equal(efg_iterations_mpi_of(0, 500, 600), 0);
}

static void test_sums_and_series(void **state)
{
    (void)state;
    efg_iterations_restart(&thread);
    visit(7, 2000, 500);
    visit(8, 12000, 2500);
    visit(9, 22000, 2500 + 61 * 300);
    assert_int_equal(thread.iterations.all.count, 2);
    assert_int_equal(thread.iterations.all.sum, 20000);
    assert_int_equal(thread.iterations.all_mpi, 12000);
    assert_int_equal(thread.series->first, 7);
    assert_int_equal(thread.series->start, 1000);
    assert_int_equal(thread.series->slot[0].mpi, 2000);
    assert_int_equal(thread.series->slot[1].mpi, 10000);
    free(thread.series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_call_under_way),
        cmocka_unit_test(test_no_longer_than_it_takes),
        cmocka_unit_test(test_sums_and_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
