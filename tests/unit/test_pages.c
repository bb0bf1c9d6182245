/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that are read from pages: made-up pages, of processors that are not here; and what the kernel
 * shows here, beside what it answers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/perf/page.h"
#include "files/perf/perf.h"

#define TOLERANCE 50000 /* ns: five times what a reading may be wrong by */

static struct perf_event_mmap_page page;
static uint64_t counter;    /* of the processor */
static uint32_t index_read; /* which one was asked for */
static int changes;         /* times that the kernel writes the page while it is read */

/* As the kernel does, when the thread comes to a processor again. */
static void write_page(void)
{
    page.lock += 2;
    page.offset += 1000;
    page.time_running += 1000;
}

static uint64_t read_counter(uint32_t index)
{
    index_read = index;
    if (changes > 0) {
        changes--;
        write_page();
    }
    return counter;
}

static uint64_t read_time(void)
{
    return read_counter(0);
}

static const struct efg_page_processor processor = {read_counter, read_time}, none = {NULL, NULL};

static int begin(void **state)
{
    (void)state;
    page = (struct perf_event_mmap_page){.lock = 6, .index = 3, .offset = 70000, .pmc_width = 48};
    page.cap_user_rdpmc = 1;
    counter = 5;
    index_read = UINT32_MAX;
    changes = 0;
    return 0;
}

static void test_count(void **state)
{
    uint64_t value;
    (void)state;

    assert_true(efg_page_count(&page, &processor, &value));
    assert_int_equal(value, 70005);
    assert_int_equal(index_read, 2);
}

/* Counters begin below 0, so that they overflow in time; and they have more or fewer bits. */
static void test_width(void **state)
{
    static const unsigned widths[] = {32, 40, 48, 63, 64};
    uint64_t value;
    (void)state;

    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        uint64_t all = UINT64_MAX >> (64 - widths[i]);
        page.pmc_width = (uint16_t)widths[i];
        counter = (uint64_t)-300 & all;
        assert_true(efg_page_count(&page, &processor, &value));
        assert_int_equal(value, 70000 - 300);
        counter = all >> 1;
        assert_true(efg_page_count(&page, &processor, &value));
        assert_int_equal(value, 70000 + (all >> 1));
    }
    page.pmc_width = 48;
    page.offset = -100; /* so does what is added to them */
    counter = 130;
    assert_true(efg_page_count(&page, &processor, &value));
    assert_int_equal(value, 30);
    counter = UINT64_C(0xabcd) << 48 | 130; /* bits that are none of it */
    assert_true(efg_page_count(&page, &processor, &value));
    assert_int_equal(value, 30);
}

static void test_no_count(void **state)
{
    uint64_t value;
    (void)state;

    assert_false(efg_page_count(&page, &none, &value));
    page.index = 0; /* it does not count now */
    assert_false(efg_page_count(&page, &processor, &value));
    page.index = 3;
    page.cap_user_rdpmc = 0; /* it counts, but must not be read */
    assert_false(efg_page_count(&page, &processor, &value));
    assert_int_equal(index_read, UINT32_MAX);
}

/* What was read while the page was written is not believed. */
static void test_change(void **state)
{
    uint64_t value, ns;
    (void)state;

    changes = 2;
    assert_true(efg_page_count(&page, &processor, &value));
    assert_int_equal(value, 72005);
    page.cap_user_time = 1;
    changes = 2;
    assert_true(efg_page_time(&page, &processor, &ns));
    assert_int_equal(ns, 4000);
    changes = 1000000; /* it never ends: this does */
    assert_false(efg_page_count(&page, &processor, &value));
    assert_false(efg_page_time(&page, &processor, &ns));
    assert_true(changes > 999000);
}

/* A processor of 2.5 GHz, which has been on for a day when the page is written. */
static void test_time(void **state)
{
    uint64_t day = UINT64_C(86400) * 2500000000, ns;
    (void)state;

    page.cap_user_time = 1;
    page.time_shift = 30;
    page.time_mult = (uint32_t)(0.4 * (1 << 30));
    page.time_running = 123456;
    counter = day;
    assert_true(efg_page_time(&page, &processor, &ns));
    page.time_offset = 123456 - ns; /* 0 ns after it was written */
    assert_true(efg_page_time(&page, &processor, &ns));
    assert_int_equal(ns, 123456);
    counter = day + 2500;
    assert_true(efg_page_time(&page, &processor, &ns));
    assert_in_range(ns, 123456 + 999, 123456 + 1001);
    counter = day + UINT64_C(2500000000) * 100;
    assert_true(efg_page_time(&page, &processor, &ns));
    assert_in_range(ns, 123456 + UINT64_C(99999999000), 123456 + UINT64_C(100000001000));
    page.cap_user_time = 0;
    assert_false(efg_page_time(&page, &processor, &ns));
    page.cap_user_time = 1;
    assert_false(efg_page_time(&page, &none, &ns));
}

/* The processor's time has 32 bits, and began anew since the page was written. */
static void test_short_time(void **state)
{
    uint64_t ns;
    (void)state;

    page.cap_user_time = page.cap_user_time_short = 1;
    page.time_shift = 1;
    page.time_mult = 2; /* 1 ns each */
    page.time_mask = UINT32_MAX;
    page.time_cycles = UINT64_C(0x5fffffff0);
    page.time_offset = -page.time_cycles;
    page.time_running = 50;
    counter = 0x10;
    assert_true(efg_page_time(&page, &processor, &ns));
    assert_int_equal(ns, 50 + 0x20);
}

/* --- the kernel here --- */

/* NAMES of this thread; skips the test where they cannot be counted, or not without system calls. */
static struct efg_perf open_with_pages(const char *names)
{
    struct efg_counter_list list;
    struct efg_perf_refused refused;
    struct efg_perf perf;

    assert_null(efg_counters_parse(names, &list));
    efg_perf_open(&perf, &list, &refused);
    if (!refused.count && perf.pages.count)
        return perf;
    print_message("%s: %s\n", names, refused.count ? refused.why[0] : "not without system calls here");
    efg_perf_close(&perf);
    skip();
    return perf;
}

static struct efg_perf_reading read_perf(struct efg_perf *perf)
{
    struct efg_perf_reading reading;

    assert_int_equal(efg_perf_read(perf, &reading), 0);
    return reading;
}

/* By a system call: it does not know of pages. */
static struct efg_perf_reading ask(const struct efg_perf *perf)
{
    struct efg_perf other = *perf;

    other.pages = (struct efg_pages){0};
    return read_perf(&other);
}

static void spend(uint64_t turns)
{
    for (volatile uint64_t i = 0; i < turns; i++)
        ;
}

/* As long as many switches may take: each reading is what system calls around it say. */
static void test_here(void **state)
{
    struct efg_perf perf = open_with_pages("task-clock, context-switches, cpu-migrations");
    uint64_t last = 0, from_pages = 0;
    (void)state;

    for (int i = 0; i < 3000; i++) {
        struct efg_perf_reading before = ask(&perf), reading = read_perf(&perf), after = ask(&perf);
        assert_in_range(reading.value[0] + TOLERANCE, before.value[0], after.value[0] + 2 * TOLERANCE);
        assert_true(reading.value[0] >= last);
        for (int k = 1; k < 3; k++)
            assert_in_range(reading.value[k], before.value[k], after.value[k]);
        last = reading.value[0];
        from_pages += !reading.is_by_call;
        if (i % 100 == 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
        spend((uint64_t)i % 300 * 10);
    }
    print_message("%d of 3000 readings without a system call\n", (int)from_pages);
    efg_perf_close(&perf);
}

/* Whoever sleeps has a switch more, and hardly any time. */
static void test_sleep(void **state)
{
    struct efg_perf perf = open_with_pages("context-switches, task-clock");
    struct efg_perf_reading before = read_perf(&perf);
    (void)state;

    for (uint64_t i = 1; i <= 20; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        assert_true(read_perf(&perf).value[0] >= before.value[0] + i);
    }
    efg_perf_leave_pages(&perf);
    assert_true(read_perf(&perf).is_by_call);
    efg_perf_close(&perf);
}

/* The kernel does not give the pages to a child. */
static void test_child(void **state)
{
    struct efg_perf perf = open_with_pages("task-clock");
    int status;
    (void)state;

    read_perf(&perf);
    pid_t child = fork();
    if (child == 0) {
        struct efg_perf_reading reading;
        int error = efg_perf_read(&perf, &reading);
        efg_perf_close(&perf);
        _exit(error != 0 || !reading.is_by_call);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    efg_perf_close(&perf);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_count, begin),
        cmocka_unit_test_setup(test_width, begin),
        cmocka_unit_test_setup(test_no_count, begin),
        cmocka_unit_test_setup(test_change, begin),
        cmocka_unit_test_setup(test_time, begin),
        cmocka_unit_test_setup(test_short_time, begin),
        cmocka_unit_test(test_here),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_child),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
