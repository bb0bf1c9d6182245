/* SPDX-License-Identifier: BSD-3-Clause */
/* The map against a plain array, with keys that collide and much removing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/map.h"

#define KEYS 2000

static void test_agrees_with_an_array(void **state)
{
    static uint64_t value[KEYS];
    static int is_in[KEYS];
    struct efg_map map = {0};
    (void)state;

    srand(1);
    for (int i = 0; i < 400000; i++) {
        int k = rand() % KEYS;
        uint64_t key = (uint64_t)k << (k % 3 * 16); /* like handles: differ in few bits */
        uint64_t *found = efg_map_find(&map, key);
        assert_int_equal(found != NULL, is_in[k]);
        if (found)
            assert_int_equal(*found, value[k]);
        if (rand() % 2) {
            uint64_t *slot = efg_map_put(&map, key);
            assert_non_null(slot);
            *slot = value[k] = (uint64_t)rand();
            is_in[k] = 1;
        } else {
            efg_map_remove(&map, key);
            is_in[k] = 0;
        }
    }
    uint64_t count = 0;
    for (int k = 0; k < KEYS; k++)
        count += (uint64_t)is_in[k];
    assert_int_equal(map.count, count);
    efg_map_fini(&map);
    assert_null(efg_map_find(&map, 1));
}

static void test_number(void **state)
{
    struct efg_map map = {0};

    (void)state;
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 100; i++)
            assert_int_equal(efg_map_number(&map, 1000 - 7 * i), i);
    assert_int_equal(map.count, 100);
    efg_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_an_array),
                                       cmocka_unit_test(test_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
