/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of other objects go where their slots say, and back: objects that are bound at the first call or when
 * they are loaded, that call by a table or not; what has not been called, of which the address may be known,
 * that somebody has changed, or whose object is gone, is left alone. Pages are protected as before.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/preload/slots.h"

/* What the objects call: exported by this program. */
__attribute__((visibility("default"))) int MPI_One(void);
__attribute__((visibility("default"))) int MPI_Two(void);

int MPI_One(void)
{
    return 1;
}

int MPI_Two(void)
{
    return 2;
}

static int other_one(void)
{
    return 10;
}

static int other_two(void)
{
    return 20;
}

static uintptr_t next(uintptr_t function)
{
    if (function == (uintptr_t)MPI_One)
        return (uintptr_t)other_one;
    return function == (uintptr_t)MPI_Two ? (uintptr_t)other_two : 0;
}

static uintptr_t none(uintptr_t function)
{
    (void)function;
    return 0;
}

typedef int call(void);

struct object {
    void *handle;
    call *one, *two;
    call *(*address)(void);
};

static struct object load(const char *kind, int mode)
{
    struct object o;
    char path[4096];

    snprintf(path, sizeof path, "%s/caller-%s.so", OBJECTS, kind);
    o.handle = dlopen(path, mode | RTLD_LOCAL);
    if (!o.handle)
        fail_msg("%s", dlerror());
    *(void **)&o.one = dlsym(o.handle, "call_one");
    *(void **)&o.two = dlsym(o.handle, "call_two");
    *(void **)&o.address = dlsym(o.handle, "address_of_two");
    return o;
}

/* What the memory of this program is mapped as, but for names and the heap. */
static char *protections(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    while (fgets(line, sizeof line, maps))
        if (strstr(line, "caller-"))
            fputs(line, out);
    fclose(maps);
    fclose(out);
    return text;
}

static void check(const char *kind, int mode, int two)
{
    struct object o = load(kind, mode);

    assert_int_equal(o.one(), 1);
    assert_int_equal(o.two(), 2);
    char *before = protections();
    for (int i = 0; i < 3; i++) {
        errno = 77;
        assert_true(efg_slots_set(next) > 0);
        assert_int_equal(errno, 77);
        assert_int_equal(o.one(), 10);
        assert_int_equal(o.two(), two);
        char *meanwhile = protections();
        assert_string_equal(before, meanwhile);
        free(meanwhile);
        assert_true(efg_slots_reset());
        assert_int_equal(errno, 77);
        assert_int_equal(o.one(), 1);
        assert_int_equal(o.two(), 2);
    }
    char *after = protections();
    assert_string_equal(before, after);
    free(before);
    free(after);
    dlclose(o.handle);
}

static void test_bound_at_first_call(void **state)
{
    (void)state;
    check("lazy", RTLD_LAZY, 2); /* its address is known */
}

static void test_read_only(void **state)
{
    (void)state;
    check("now", RTLD_LAZY, 2);
}

static void test_without_table(void **state)
{
    (void)state;
    check("noplt", RTLD_LAZY, 20);
}

/* What &MPI_Two is does not change in an object that calls by its table. */
static void test_address(void **state)
{
    struct object o = load("lazy", RTLD_NOW);

    (void)state;
    assert_true(efg_slots_set(next) > 0);
    assert_ptr_equal(o.address(), MPI_Two);
    assert_true(efg_slots_reset());
    dlclose(o.handle);
}

/* A slot that is not bound yet is bound as always, even meanwhile. */
static void test_unbound(void **state)
{
    struct object o = load("lazy", RTLD_LAZY);

    (void)state;
    efg_slots_set(next);
    assert_int_equal(o.one(), 1);
    assert_true(efg_slots_reset());
    assert_int_equal(o.one(), 1);
    dlclose(o.handle);
}

static void test_nothing_to_set(void **state)
{
    (void)state;
    assert_int_equal(efg_slots_set(none), 0);
    assert_true(efg_slots_reset());
}

/* Objects come and go while slots are set. */
static void test_gone(void **state)
{
    struct object lazy = load("lazy", RTLD_NOW), now = load("now", RTLD_NOW), later;

    (void)state;
    assert_true(efg_slots_set(next) >= 2);
    dlclose(now.handle);
    later = load("noplt", RTLD_NOW);
    assert_int_equal(lazy.one(), 10);
    assert_int_equal(later.one(), 1);
    assert_true(efg_slots_reset());
    assert_int_equal(lazy.one(), 1);
    assert_int_equal(later.one(), 1);
    dlclose(lazy.handle);
    dlclose(later.handle);
}

/* The slots of an object that has come instead, at the same place as a rule, are its own. */
static void test_another(void **state)
{
    struct object o = load("now", RTLD_NOW);

    (void)state;
    assert_true(efg_slots_set(next) > 0);
    dlclose(o.handle);
    o = load("now", RTLD_NOW);
    assert_int_equal(o.one(), 1);
    assert_true(efg_slots_reset());
    assert_int_equal(o.one(), 1);
    dlclose(o.handle);
}

static int calls_that_failed, is_over;

static void *call_again_and_again(void *data)
{
    const struct object *o = data;

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        int one = o->one();
        if (one != 1 && one != 10)
            __atomic_fetch_add(&calls_that_failed, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Another thread calls while slots change. */
static void test_threads(void **state)
{
    struct object o = load("now", RTLD_NOW);
    pthread_t caller;

    (void)state;
    assert_int_equal(pthread_create(&caller, NULL, call_again_and_again, &o), 0);
    for (int i = 0; i < 200; i++) {
        assert_true(efg_slots_set(next) > 0);
        assert_true(efg_slots_reset());
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    pthread_join(caller, NULL);
    assert_int_equal(calls_that_failed, 0);
    dlclose(o.handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound_at_first_call),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_without_table),
        cmocka_unit_test(test_address),
        cmocka_unit_test(test_unbound),
        cmocka_unit_test(test_nothing_to_set),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_another),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
