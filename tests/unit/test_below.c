/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names in the output folder, with links at each place of them:
 *
 *     area/way -> area          the user's link, which may be followed
 *     area/dir/file, sub/file   ours
 *     area/dir/link -> victim/file, to -> victim, none -> nothing
 *     area/victim/file          somebody else's
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

#include "files/disk/below.h"

static char area[] = "/tmp/efgtrace-below.XXXXXX";

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(area + strlen(area) - 6, "XXXXXX");
    if (!mkdtemp(area) || chdir(area))
        return -1;
    mkdir("dir", 0755);
    mkdir("dir/sub", 0755);
    mkdir("victim", 0755);
    write_file("dir/file", "ours");
    write_file("dir/sub/file", "ours");
    write_file("victim/file", "theirs");
    return symlink(area, "way") || symlink("../victim/file", "dir/link") || symlink("../victim", "dir/to") ||
           symlink("nothing", "dir/none");
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", area);
    return system(command);
}

static void assert_holds(const char *path, const char *text)
{
    char found[16] = "";
    int file = open(path, O_RDONLY);
    assert_true(file >= 0 && read(file, found, sizeof found - 1) >= 0);
    close(file);
    assert_string_equal(found, text);
}

/* Opens, and closes again. Returns 0 or -errno. */
static int try(const char *path, unsigned below, int flags)
{
    int file = efg_below_open(path, below, flags);
    return file < 0 ? file : close(file);
}

static void test_ways(void **state)
{
    char path[256];
    (void)state;
    assert_int_equal(try("dir/file", 1, O_RDONLY), 0);
    assert_int_equal(try("dir/sub/file", 2, O_RDWR), 0);
    assert_int_equal(try("dir/sub/file", 9, O_RDWR), 0); /* there are fewer */
    assert_int_equal(try("way/dir/sub/file", 3, O_RDONLY), 0);
    assert_int_equal(try("way/dir/sub/file", 4, O_RDONLY), -ELOOP);
    assert_int_equal(try("way//dir//file", 1, O_RDONLY), 0);
    snprintf(path, sizeof path, "%s/dir/sub/file", area);
    assert_int_equal(try(path, 3, O_RDONLY), 0);
    assert_int_equal(try(path, 9, O_RDONLY), 0);
    assert_int_equal(efg_below_make_folder("/tmp", 3), -EEXIST);
    assert_int_equal(try("dir/missing", 1, O_RDONLY), -ENOENT);
    assert_int_equal(try("missing/file", 1, O_RDONLY), -ENOENT);
    assert_int_equal(try("dir/file/file", 2, O_RDONLY), -ENOTDIR);
    assert_int_equal(try("", 1, O_RDONLY), -ENOENT);
}

static void test_links_are_not_followed(void **state)
{
    (void)state;
    assert_int_equal(try("dir/link", 0, O_RDONLY), 0); /* the user has named it */
    assert_int_equal(try("dir/link", 1, O_RDONLY), -ELOOP);
    assert_int_equal(try("dir/link", 1, O_WRONLY | O_TRUNC | O_CREAT), -ELOOP);
    assert_int_equal(try("dir/none", 1, O_WRONLY | O_CREAT), -ELOOP);
    assert_int_equal(try("dir/none", 1, O_WRONLY | O_CREAT | O_EXCL), -EEXIST);
    assert_int_equal(try("dir/to/file", 1, O_RDONLY), 0);
    assert_int_equal(try("dir/to/file", 2, O_RDONLY), -ELOOP);
    assert_int_equal(try("dir/to/new", 2, O_WRONLY | O_CREAT), -ELOOP);
    assert_int_equal(efg_below_hold("dir/to", 1), -ELOOP);
    assert_null(efg_below_list("dir/to", 1));
    assert_int_equal(errno, ELOOP);
    assert_int_equal(efg_below_make_folder("dir/to/new", 2), -ELOOP);
    assert_int_equal(efg_below_make_folder("dir/none", 1), -EEXIST);
    assert_int_equal(efg_below_remove("dir/to/file", 2), -ELOOP);
    assert_int_equal(efg_below_rename("dir/file", 1, "dir/to/file", 2), -ELOOP);
    assert_int_equal(efg_below_rename("dir/to/file", 2, "dir/new", 1), -ELOOP);
    assert_int_equal(efg_below_size("dir/link", 1), 0);
    assert_int_equal(efg_below_size("dir/file", 1), 4);
    assert_true(efg_below_is_there("dir/none", 1) && efg_below_is_there("dir/sub", 1));
    assert_false(efg_below_is_there("dir/missing", 1));
    assert_non_null(strstr(efg_below_explain(-ELOOP), "link"));
    assert_int_equal(access("victim/new", F_OK), -1);
    assert_int_equal(access("dir/nothing", F_OK), -1);
    assert_holds("victim/file", "theirs");
}

static void test_links_are_removed_themselves(void **state)
{
    (void)state;
    assert_int_equal(efg_below_remove("dir/link", 1), 0);
    assert_int_equal(efg_below_remove_all("dir/to", 1), 0);
    assert_int_equal(efg_below_remove_all("dir/to", 1), 0);
    assert_int_equal(symlink("../../victim", "dir/sub/to"), 0);
    assert_int_equal(symlink("../../victim/file", "dir/sub/.link"), 0);
    assert_int_equal(efg_below_remove_all("dir/sub", 1), 0);
    assert_int_equal(access("dir/sub", F_OK), -1);
    assert_int_equal(efg_below_rename("dir/file", 1, "dir/none", 1), 0);
    assert_holds("dir/none", "ours");
    assert_holds("victim/file", "theirs");
}

/* What is made is writable for its owner only. */
static void test_rights(void **state)
{
    static const mode_t masks[] = {0, 0002, 0022, 0077};
    mode_t before = umask(0);
    struct stat facts;
    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        umask(masks[i]);
        assert_int_equal(efg_below_make_folder("dir/made", 1), 0);
        assert_int_equal(try("dir/made/file", 2, O_WRONLY | O_CREAT | O_EXCL), 0);
        assert_int_equal(stat("dir/made", &facts), 0);
        assert_int_equal(facts.st_mode & 0777, 0755 & ~masks[i]);
        assert_int_equal(stat("dir/made/file", &facts), 0);
        assert_int_equal(facts.st_mode & 0777, 0644 & ~masks[i]);
        assert_int_equal(efg_below_remove_folder("dir/made", 1), -ENOTEMPTY);
        assert_int_equal(efg_below_remove_all("dir/made", 1), 0);
    }
    umask(before);
}

/* Nothing stays open. */
static void test_descriptors(void **state)
{
    (void)state;
    int before = dup(0), after;
    close(before);
    test_links_are_not_followed(state);
    DIR *list = efg_below_list("dir/sub", 1);
    assert_non_null(list);
    closedir(list);
    test_links_are_removed_themselves(state);
    after = dup(0);
    close(after);
    assert_int_equal(after, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links_are_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links_are_removed_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rights, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_descriptors, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
