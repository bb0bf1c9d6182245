/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bypass ends when its time is over, without anybody's help, or when it is told to; it can be made again.
 * There is none in a child, nor in a process that has no other thread, nor where nothing can be set.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "runtime/watch/bypass.h"

#define MS UINT64_C(1000000)

struct efg_job efg_job;

static bool works = true, is_set;
static int sets, resets;

static bool change(bool on)
{
    __atomic_fetch_add(on ? &sets : &resets, 1, __ATOMIC_RELAXED);
    is_set = on && works;
    return on ? works : true;
}

static void *do_nothing(void *nothing)
{
    pause();
    return nothing;
}

static void have_threads(void)
{
    pthread_t other;

    assert_int_equal(pthread_create(&other, NULL, do_nothing, NULL), 0);
    efg_job.bypass = change;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* TEST in a process of its own, since what does not work is not tried again. */
static void apart(int (*test)(void))
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        alarm(60);
        _exit(test());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define CHECK(condition)            \
    do                              \
        if (!(condition))           \
            return __LINE__ & 0x7f; \
    while (0)

static int end_by_itself(void)
{
    uint64_t cost, begin = efg_clock_ticks(), end;

    have_threads();
    CHECK(efg_bypass_begin(begin + 30 * MS));
    CHECK(!efg_bypass_begin(begin + 30 * MS)); /* one at a time */
    for (int i = 0; i < 1000 && efg_bypass_is_on(); i++)
        pause_ms(10);
    CHECK(!efg_bypass_is_on() && !is_set);
    end = efg_bypass_end(&cost);
    CHECK(end >= begin + 30 * MS && end <= efg_clock_ticks() && cost > 0);
    return sets == 1 && resets == 1 ? 0 : 1;
}

static int end_when_told(void)
{
    uint64_t cost;

    have_threads();
    for (int i = 0; i < 20; i++) {
        CHECK(efg_bypass_begin(efg_clock_ticks() + 3600000 * MS) && is_set);
        CHECK(efg_bypass_end(&cost) <= efg_clock_ticks());
        CHECK(!efg_bypass_is_on() && !is_set);
    }
    return sets == 20 && resets == 20 ? 0 : 1;
}

static int end_none(void)
{
    uint64_t cost, now = efg_clock_ticks();

    have_threads();
    CHECK(efg_bypass_end(&cost) >= now && cost == 0);
    return sets || resets;
}

static int do_without_threads(void)
{
    efg_job.bypass = change;
    CHECK(!efg_bypass_begin(efg_clock_ticks() + 1000 * MS));
    have_threads();
    CHECK(!efg_bypass_begin(efg_clock_ticks() + 1000 * MS)); /* it was found not to work */
    return sets || resets;
}

static int set_nothing(void)
{
    have_threads();
    works = false;
    CHECK(!efg_bypass_begin(efg_clock_ticks() + 1000 * MS));
    CHECK(!efg_bypass_begin(efg_clock_ticks() + 1000 * MS));
    return sets == 1 ? 0 : 1;
}

static int fork_meanwhile(void)
{
    uint64_t cost;
    int status;

    have_threads();
    CHECK(efg_bypass_begin(efg_clock_ticks() + 3600000 * MS));
    pid_t child = fork();
    if (child == 0)
        _exit(efg_bypass_is_on() || efg_bypass_begin(efg_clock_ticks() + MS) || efg_bypass_end(&cost) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(efg_bypass_is_on());
    efg_bypass_end(&cost);
    return efg_bypass_is_on();
}

static void test_ends_by_itself(void **state)
{
    (void)state;
    apart(end_by_itself);
}

static void test_ends_when_told(void **state)
{
    (void)state;
    apart(end_when_told);
}

static void test_none(void **state)
{
    (void)state;
    apart(end_none);
}

static void test_without_threads(void **state)
{
    (void)state;
    apart(do_without_threads);
}

static void test_nothing_set(void **state)
{
    (void)state;
    apart(set_nothing);
}

static void test_fork(void **state)
{
    (void)state;
    apart(fork_meanwhile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_by_itself), cmocka_unit_test(test_ends_when_told),
        cmocka_unit_test(test_none),           cmocka_unit_test(test_without_threads),
        cmocka_unit_test(test_nothing_set),    cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
