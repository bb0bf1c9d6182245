/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of Python as each known version lays them out, made by hand: their names in UTF-8, and the lines
 * of their instructions in the three forms of tables.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "runtime/stack/pycode.h"

#define CODE_TYPE 0x1000
#define TEXT_TYPE 0x2000
#define BYTES_TYPE 0x3000

static alignas(8) unsigned char code[512], function[256], file[256], lines[256];
static const struct efg_pylayout *layout;

static void put(unsigned char *object, size_t offset, uint64_t value, size_t size)
{
    memcpy(object + offset, &value, size); /* little-endian, as everything here */
}

static void make_text(unsigned char *object, const void *characters, size_t count, unsigned width,
                      bool is_ascii)
{
    put(object, EFG_PY_TYPE, TEXT_TYPE, 8);
    put(object, EFG_PY_LENGTH, count, 8);
    put(object, EFG_PY_STATE, width << 2 | EFG_PY_COMPACT | (is_ascii ? EFG_PY_ASCII : 0), 4);
    memcpy(object + (is_ascii ? layout->ascii : layout->compact), characters, count * width);
}

/* A function of version 3.MINOR, which begins at line 10, with this table of lines. */
static uintptr_t make(int minor, const void *table, size_t size)
{
    const struct efg_pytypes types = {CODE_TYPE, TEXT_TYPE, BYTES_TYPE};

    layout = &efg_pylayouts[minor - EFG_PY_FIRST];
    efg_pycode_init(layout, &types);
    memset(code, 0, sizeof code);
    memset(lines, 0, sizeof lines);
    put(code, EFG_PY_TYPE, CODE_TYPE, 8);
    put(code, layout->name, (uintptr_t)function, 8);
    put(code, layout->file, (uintptr_t)file, 8);
    put(code, layout->lines, (uintptr_t)lines, 8);
    put(code, layout->first_line, 10, 4);
    put(lines, EFG_PY_TYPE, BYTES_TYPE, 8);
    put(lines, EFG_PY_LENGTH, size, 8);
    memcpy(lines + EFG_PY_BYTES, table, size);
    make_text(function, "step", 4, 1, true);
    make_text(file, "/a/halo.py", 10, 1, true);
    return (uintptr_t)code;
}

/* Where instruction number I is, as frames say it. */
static uintptr_t at(uintptr_t function_at, uint32_t i)
{
    return layout->is_index ? (layout == &efg_pylayouts[0] ? 2 * i : i)
                            : function_at + layout->instructions + 2 * i;
}

static void expect_lines(int minor, const void *table, size_t size, const uint32_t *expected, uint32_t count)
{
    uintptr_t one = make(minor, table, size);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(efg_pycode_line(one, at(one, i)), expected[i]);
}

static void test_lines(void **state)
{
    (void)state;
    const unsigned char changes[] = {0, 1, 4, 1, 2, 0xfe}; /* bytes, lines */
    expect_lines(9, changes, sizeof changes, (uint32_t[]){11, 11, 12, 10, 10}, 5);
    const unsigned char ranges[] = {4, 1, 2, 0x80, 2, 0xfe}; /* the second one has no line */
    expect_lines(10, ranges, sizeof ranges, (uint32_t[]){11, 11, 0, 9, 0}, 5);
    const unsigned char locations[] = {
        0x80 | 10 << 3 | 1, 1,    2,             /* two, the same line */
        0x80 | 11 << 3 | 0, 1,    2,             /* one, a line further */
        0x80 | 13 << 3 | 0, 0x48, 0x04,          /* 132 lines further: 264 in parts of six bits */
        0x80 | 15 << 3 | 0,                      /* no line */
        0x80 | 14 << 3 | 0, 0x43, 0x04, 0, 1, 1, /* 129 lines back */
        0x80 | 3 << 3 | 0,  0x12,                /* the same line */
    };
    for (int minor = 11; minor <= EFG_PY_LAST; minor++)
        expect_lines(minor, locations, sizeof locations, (uint32_t[]){10, 10, 11, 143, 0, 14, 14, 0}, 8);
}

static void test_names(void **state)
{
    (void)state;
    char name[256];
    for (int minor = EFG_PY_FIRST; minor <= EFG_PY_LAST; minor++) {
        uintptr_t one = make(minor, "", 0);
        assert_true(efg_pycode_is_code(one));
        assert_true(efg_pycode_is_sound(one));
        efg_pycode_name(one, name, sizeof name);
        assert_string_equal(name, "python:step:10:/a/halo.py");
        make_text(function, (uint16_t[]){'g', 'r', 0xf6, 0xdf, 'e', 0x20ac, 0xd800, '\n'}, 8, 2, false);
        make_text(file, (uint32_t[]){'/', 0x1f40d}, 2, 4, false);
        efg_pycode_name(one, name, sizeof name);
        assert_string_equal(name, "python:größe€??:10:/\xf0\x9f\x90\x8d");
    }
}

static void test_unsound(void **state)
{
    (void)state;
    uintptr_t one = make(11, "", 0);
    put(code, layout->lines, (uintptr_t)function, 8); /* not bytes */
    assert_false(efg_pycode_is_sound(one));
    one = make(12, "", 0);
    put(file, EFG_PY_LENGTH, UINT64_C(1) << 40, 8); /* longer than any name */
    assert_false(efg_pycode_is_sound(one));
    one = make(13, "", 0);
    put(code, layout->name, 16, 8); /* nothing is there */
    assert_false(efg_pycode_is_sound(one));
    put(code, EFG_PY_TYPE, TEXT_TYPE, 8);
    assert_false(efg_pycode_is_code(one));
    assert_false(efg_pycode_is_code(one + 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_unsound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
