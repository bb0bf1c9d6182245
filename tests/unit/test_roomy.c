/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work that needs more stack than a thread has: done elsewhere, by the same thread; in place where there is
 * enough, or no memory.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "runtime/base/roomy.h"

#define SMALL ((size_t)64 << 10)
#define LARGE ((size_t)512 << 10)
#define NEEDED ((size_t)200 << 10)

/* What is found by a thread. */
struct found {
    uintptr_t caller;
    uint64_t distance; /* of the work from who wants it */
    bool is_same_thread;
    int error;        /* errno behind it */
    unsigned depth;   /* how often the work has called itself by efg_roomy */
    uint64_t deepest; /* how far the last one is from the first one */
};

static uint64_t distance(uintptr_t a, uintptr_t b)
{
    return a > b ? a - b : b - a;
}

static __thread struct found *mine;

static void look(void *context)
{
    struct found *f = context;

    f->distance = distance(f->caller, (uintptr_t)__builtin_frame_address(0));
    f->is_same_thread = mine == f;
}

static void *small_work(void *found)
{
    struct found *f = mine = found;

    f->caller = (uintptr_t)__builtin_frame_address(0);
    errno = EDOM;
    efg_roomy(look, f);
    f->error = errno;
    return NULL;
}

static void use_much(void *context)
{
    volatile char much[NEEDED];

    for (size_t i = 0; i < sizeof much; i += 512)
        much[i] = 1;
    look(context);
}

static void *much_work(void *found)
{
    struct found *f = mine = found;

    for (int i = 0; i < 100; i++)
        efg_roomy(use_much, f);
    return NULL;
}

static void go_deeper(void *context)
{
    struct found *f = context;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (!f->depth)
        f->caller = here;
    f->deepest = distance(f->caller, here);
    if (f->depth++ < 3)
        efg_roomy(go_deeper, f);
}

static void *deep_work(void *found)
{
    efg_roomy(go_deeper, found);
    return NULL;
}

static struct found in_thread(size_t size, void *(*work)(void *))
{
    static struct found found;
    pthread_attr_t attributes;
    pthread_t thread;

    memset(&found, 0, sizeof found);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, size), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work, &found), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    return found;
}

static void test_small(void **state)
{
    struct found f = in_thread(SMALL, small_work);

    (void)state;
    assert_true(f.distance > SMALL);
    assert_true(f.is_same_thread);
    assert_int_equal(f.error, EDOM);
    assert_true(in_thread(SMALL, much_work).is_same_thread);
}

static void test_large(void **state)
{
    struct found f = in_thread(LARGE, small_work);

    (void)state;
    assert_true(f.distance < SMALL);
    assert_int_equal(f.error, EDOM);
}

/* Who is there needs no other one. */
static void test_within(void **state)
{
    struct found f = in_thread(SMALL, deep_work);

    (void)state;
    assert_int_equal(f.depth, 4);
    assert_true(f.deepest < SMALL);
}

static void *without_memory(void *found)
{
    struct rlimit before, none;

    getrlimit(RLIMIT_AS, &before);
    none = before;
    none.rlim_cur = 4096;
    setrlimit(RLIMIT_AS, &none);
    small_work(found);
    setrlimit(RLIMIT_AS, &before);
    return NULL;
}

static void test_no_memory(void **state)
{
    struct found f = in_thread(SMALL, without_memory);

    (void)state;
    assert_true(f.distance < SMALL);
    assert_int_equal(f.error, EDOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
