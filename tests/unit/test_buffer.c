/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes written are bytes read; a reader never leaves its bytes and allocates no
 * more than they can hold.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

static const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX >> 1, UINT64_MAX};
#define NUMBERS (sizeof numbers / sizeof *numbers)

static void write_all(struct efg_buffer *b)
{
    for (size_t i = 0; i < NUMBERS; i++) {
        efg_buffer_number(b, numbers[i]);
        efg_buffer_u64(b, numbers[i]);
        efg_buffer_u32(b, (uint32_t)numbers[i]);
    }
    efg_buffer_string(b, "solver.c");
    efg_buffer_string(b, NULL);
    efg_buffer_put(b, "end", 3);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct efg_buffer b = {0};
    write_all(&b);
    assert_false(b.failed);
    struct efg_reader r = efg_reader(b.data, b.size);
    for (size_t i = 0; i < NUMBERS; i++) {
        assert_int_equal(efg_reader_number(&r), numbers[i]);
        assert_int_equal(efg_reader_u64(&r), numbers[i]);
        assert_int_equal(efg_reader_u32(&r), (uint32_t)numbers[i]);
    }
    char *name = efg_reader_string(&r), *empty = efg_reader_string(&r);
    assert_string_equal(name, "solver.c");
    assert_string_equal(empty, "");
    assert_memory_equal(efg_reader_take(&r, 3), "end", 3);
    assert_false(r.failed);
    assert_int_equal(r.at, r.size);
    free(name);
    free(empty);
    efg_buffer_fini(&b);
    assert_null(b.data);
}

static void test_layout(void **state)
{
    (void)state;
    struct efg_buffer b = {0};
    efg_buffer_u32(&b, 0x04030201);
    efg_buffer_number(&b, 300);
    assert_int_equal(b.size, 6);
    assert_memory_equal(b.data, "\x01\x02\x03\x04\xac\x02", 6);
    efg_buffer_fini(&b);
}

/* Every byte is copied to the heap, so that a sanitizer sees a read past the end. */
static void test_every_truncation(void **state)
{
    (void)state;
    struct efg_buffer b = {0};
    write_all(&b);
    for (size_t size = 0; size < b.size; size++) {
        unsigned char *copy = malloc(size ? size : 1);
        memcpy(copy, b.data, size);
        struct efg_reader r = efg_reader(copy, size);
        for (size_t i = 0; i < NUMBERS; i++) {
            efg_reader_number(&r);
            efg_reader_u64(&r);
            efg_reader_u32(&r);
        }
        free(efg_reader_string(&r));
        free(efg_reader_string(&r));
        assert_true(!efg_reader_take(&r, 3) && r.failed);
        free(copy);
    }
    efg_buffer_fini(&b);
}

static void test_errors_stick(void **state)
{
    (void)state;
    struct efg_reader r = efg_reader("\x05", 1);
    assert_int_equal(efg_reader_u32(&r), 0);
    assert_true(r.failed);
    assert_int_equal(efg_reader_number(&r), 0);
    assert_null(efg_reader_take(&r, 0));
    char *string = efg_reader_string(&r);
    assert_string_equal(string, "");
    free(string);
}

static void test_wrong_numbers(void **state)
{
    (void)state;
    static const unsigned char long_one[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                             0xff, 0xff, 0xff, 0x02, 0x00};
    struct efg_reader r = efg_reader(long_one, sizeof long_one);
    assert_int_equal(efg_reader_number(&r), 0);
    assert_true(r.failed);
    r = efg_reader("\x03 abcdef", 8); /* 3 things of 3 bytes in 7 */
    assert_int_equal(efg_reader_count(&r, 3), 0);
    assert_true(r.failed);
    r = efg_reader("\x03 abcdefgh", 10);
    assert_int_equal(efg_reader_count(&r, 3), 3);
    assert_false(r.failed);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct efg_buffer b = {0};
    volatile size_t all = SIZE_MAX - 8; /* a compiler that knows it warns of it */
    efg_buffer_put(&b, "x", all);       /* refused before it is read */
    assert_true(b.failed);
    efg_buffer_u32(&b, 1);
    assert_int_equal(b.size, 0);
    efg_buffer_fini(&b);
}

static void test_print(void **state)
{
    (void)state;
    struct efg_buffer b = {0};
    for (int i = 0; i < 1000; i++)
        efg_buffer_print(&b, "%03d|%s\n", i, "");
    assert_int_equal(b.size, 5000);
    assert_memory_equal(b.data + 4990, "998|\n999|\n", 10);
    efg_buffer_fini(&b);
}

static void test_crc(void **state)
{
    (void)state;
    assert_int_equal(efg_crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(efg_crc32(efg_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
    assert_int_equal(efg_crc32(0, "", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_errors_stick),
        cmocka_unit_test(test_wrong_numbers),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_crc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
