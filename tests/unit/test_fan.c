/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of many ranks, spread over folders, in an empty folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/none.h"
#include "files/disk/below.h"
#include "files/disk/fan.h"

static char area[] = "/tmp/efgtrace-fan.XXXXXX";

static int set_up(void **state)
{
    (void)state;
    unsetenv("EFG_TEST_FAN");
    efg_fan_begin();
    strcpy(area + strlen(area) - 6, "XXXXXX");
    return !mkdtemp(area) || chdir(area);
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", area);
    return system(command);
}

static void name(char path[64], uint32_t rank, uint32_t ranks)
{
    efg_fan_path(path, 64, "logs", efg_fan_folder(rank, ranks), rank, 2, "log");
}

static void assert_named(const char *expected, unsigned below, uint32_t rank, uint32_t ranks)
{
    char path[64];
    name(path, rank, ranks);
    assert_string_equal(path, expected);
    assert_int_equal(efg_fan_below(path), below);
}

static void test_names(void **state)
{
    (void)state;
    assert_named("logs/0.2.log", 2, 0, 1);
    assert_named("logs/499.2.log", 2, 499, 500);
    assert_named("logs/0/0.2.log", 3, 0, 501);
    assert_named("logs/0/255.2.log", 3, 255, 501);
    assert_named("logs/256/256.2.log", 3, 256, 501);
    assert_named("logs/999936/999999.2.log", 3, 999999, 1000000);
    assert_named("logs/4294967040/4294967294.2.log", 3, UINT32_MAX - 1, UINT32_MAX);
    assert_int_equal(efg_fan_below("0.0.log"), 2);
    assert_int_equal(efg_fan_below("/0.0.log"), 2);
    assert_int_equal(efg_fan_below("a/12b/0.0.log"), 2);
    assert_int_equal(efg_fan_below("12/0.0.log"), 3);
}

static void test_tested(void **state)
{
    (void)state;
    setenv("EFG_TEST_FAN", "2", 1);
    assert_named("logs/1.2.log", 2, 1, 4);
    efg_fan_begin();
    assert_named("logs/1.2.log", 2, 1, 2);
    assert_named("logs/2/3.2.log", 3, 3, 4);
}

static void test_endings(void **state)
{
    uint32_t rank = 0, thread = 0;
    (void)state;
    assert_true(efg_fan_ends("12.3.log", "log", &rank, &thread));
    assert_int_equal(rank, 12);
    assert_int_equal(thread, 3);
    assert_false(efg_fan_ends("12.3.efg", "log", &rank, &thread));
    assert_false(efg_fan_ends("12.3.log.new", "log", &rank, &thread));
    assert_false(efg_fan_ends("12.log", "log", &rank, &thread));
    assert_false(efg_fan_ends("a.3.log", "log", &rank, &thread));
    assert_false(efg_fan_ends("12.3.", "log", &rank, &thread));
    assert_false(efg_fan_ends("", "log", &rank, &thread));
}

static void make_file(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    assert_true(file >= 0);
    close(file);
}

struct seen {
    uint32_t count, ranks;
};

static int see(void *context, uint32_t folder, const char *file)
{
    struct seen *seen = context;
    uint32_t rank, thread;
    assert_true(efg_fan_ends(file, "log", &rank, &thread));
    assert_int_equal(folder, efg_fan_folder(rank, seen->ranks));
    return ++seen->count == 700 ? 42 : 0;
}

static int count_in_one(void *context, uint32_t folder, const char *file)
{
    (void)file;
    ((uint32_t *)context)[folder == EFG_NONE ? 3 : folder / EFG_FAN_RANKS]++;
    return 0;
}

static void make_files(uint32_t ranks)
{
    char path[64];
    assert_int_equal(efg_fan_make("logs", 1, ranks), 0);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        name(path, rank, ranks);
        make_file(path);
    }
}

/* Each rank's file is found where it was made; the last of them stops it. */
static void test_list(void **state)
{
    struct seen seen = {0, 700}, few = {0, 3};
    uint32_t in[4] = {0};
    (void)state;
    make_files(700);
    assert_int_equal(efg_fan_list("logs", 1, see, &seen), 42);
    assert_int_equal(efg_fan_list("logs", 1, count_in_one, in), 0);
    assert_int_equal(in[0], 256);
    assert_int_equal(in[1], 256);
    assert_int_equal(in[2], 700 - 512);
    assert_int_equal(in[3], 0);
    assert_int_equal(rename("logs", "others"), 0);
    make_files(3);
    assert_int_equal(efg_fan_list("logs", 1, see, &few), 0);
    assert_int_equal(few.count, 3);
    assert_int_equal(efg_fan_list("nowhere", 1, see, &few), -ENOENT);
}

/* A link is not followed, and neither is what looks like a folder. */
static void test_planted(void **state)
{
    struct seen seen = {0, 1};
    (void)state;
    make_files(1);
    mkdir("victim", 0755);
    make_file("victim/7.0.log");
    assert_int_equal(symlink("../victim", "logs/0"), 0);
    make_file("logs/256");
    assert_int_equal(efg_fan_list("logs", 1, see, &seen), 0);
    assert_int_equal(seen.count, 1);
    assert_int_equal(symlink("victim", "link"), 0);
    assert_int_equal(efg_fan_list("link", 1, see, &seen), -ELOOP);
}

/* What is not empty stays. */
static void test_remove(void **state)
{
    char path[64];
    (void)state;
    make_files(600);
    assert_int_equal(efg_fan_make("logs", 1, 600), -EEXIST);
    for (uint32_t rank = 0; rank < 599; rank++) {
        name(path, rank, 600);
        assert_int_equal(efg_below_remove(path, efg_fan_below(path)), 0);
    }
    efg_fan_remove("logs", 1, 600);
    assert_false(efg_below_is_there("logs/0", 2));
    assert_true(efg_below_is_there("logs/512/599.2.log", 3));
    assert_int_equal(efg_below_remove("logs/512/599.2.log", 3), 0);
    efg_fan_remove("logs", 1, 600);
    assert_false(efg_below_is_there("logs", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tested, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_endings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_planted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_remove, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
