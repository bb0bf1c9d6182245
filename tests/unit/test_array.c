/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow: what is in them stays, and so does an array that cannot grow. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "counted_memory.h"

static void test_one_by_one(void **state)
{
    uint32_t *numbers = NULL;
    (void)state;

    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(efg_array_grow(&numbers, i, 1, sizeof *numbers), 0);
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], i);
    free(numbers);
}

static void test_doubles(void **state)
{
    uint64_t *numbers = NULL, moves = 0;
    (void)state;

    for (uint32_t i = 0; i < 1 << 16; i++) {
        memory_left = UINT32_MAX;
        assert_int_equal(efg_array_grow(&numbers, i, 1, sizeof *numbers), 0);
        moves += UINT32_MAX - memory_left;
    }
    memory_left = UINT64_MAX;
    assert_int_equal(moves, 1 + 16);
    free(numbers);
}

static void test_several_at_once(void **state)
{
    uint16_t *numbers = NULL;
    (void)state;

    assert_int_equal(efg_array_grow(&numbers, 0, 0, sizeof *numbers), 0);
    assert_null(numbers);
    assert_int_equal(efg_array_grow(&numbers, 0, 100, sizeof *numbers), 0);
    assert_true(malloc_usable_size(numbers) >= 128 * sizeof *numbers);
    assert_int_equal(efg_array_grow(&numbers, 100, 29, sizeof *numbers), 0);
    assert_true(malloc_usable_size(numbers) >= 256 * sizeof *numbers);
    free(numbers);
}

static void test_after_some_were_taken(void **state)
{
    uint32_t *numbers = NULL;
    (void)state;

    assert_int_equal(efg_array_grow(&numbers, 0, 64, sizeof *numbers), 0);
    numbers[0] = 7;
    assert_int_equal(efg_array_grow(&numbers, 1, 1, sizeof *numbers), 0);
    numbers[1] = 8;
    assert_int_equal(numbers[0], 7);
    free(numbers);
}

static void test_without_memory(void **state)
{
    uint32_t *numbers = NULL, *before;
    (void)state;

    memory_left = 0;
    assert_int_equal(efg_array_grow(&numbers, 0, 1, sizeof *numbers), -ENOMEM);
    assert_null(numbers);
    memory_left = 1;
    assert_int_equal(efg_array_grow(&numbers, 0, 1, sizeof *numbers), 0);
    numbers[0] = 7;
    before = numbers;
    assert_int_equal(efg_array_grow(&numbers, 1, 1, sizeof *numbers), -ENOMEM);
    memory_left = UINT64_MAX;
    assert_ptr_equal(numbers, before);
    assert_int_equal(numbers[0], 7);
    free(numbers);
}

static void test_too_many(void **state)
{
    uint32_t *numbers = NULL;
    (void)state;

    assert_int_equal(efg_array_grow(&numbers, 0, UINT64_MAX, 1), -ENOMEM);
    assert_int_equal(efg_array_grow(&numbers, 0, UINT64_MAX / 4, 4), -ENOMEM);
    assert_int_equal(efg_array_grow(&numbers, 0, 1, SIZE_MAX), -ENOMEM);
    assert_int_equal(efg_array_grow(&numbers, 0, UINT64_C(1) << 61, 8), -ENOMEM);
    assert_null(numbers);
    assert_int_equal(efg_array_grow(&numbers, 0, 1, sizeof *numbers), 0);
    assert_int_equal(efg_array_grow(&numbers, 1, UINT64_MAX, 1), -ENOMEM);
    assert_int_equal(efg_array_grow(&numbers, UINT64_MAX, 1, 1), -ENOMEM);
    free(numbers);
}

static void test_find(void **state)
{
    struct {
        uint64_t begin;
        uint32_t rest;
    } rows[] = {{10, 0}, {20, 0}, {20, 1}, {UINT64_MAX, 0}};
    const struct {
        uint32_t count;
        uint64_t key;
        uint32_t wanted;
    } cases[] = {{0, 5, 0},          {1, 5, 0},         {1, 15, 0}, {4, 0, 0},
                 {4, 10, 0},         {4, 19, 0},        {4, 20, 2}, {4, UINT64_MAX - 1, 2},
                 {4, UINT64_MAX, 3}, {2, UINT64_MAX, 1}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(efg_array_find(rows, cases[i].count, sizeof *rows, cases[i].key), cases[i].wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_by_one),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_several_at_once),
        cmocka_unit_test(test_after_some_were_taken),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
