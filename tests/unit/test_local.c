/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where files of a job are on its nodes, and moving them, in an empty folder.
 */
#include <errno.h>
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
#include "files/disk/local.h"

static char area[] = "/tmp/efgtrace-local.XXXXXX";

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *path, const char *text)
{
    char got[4096] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(got, text);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(area + strlen(area) - 6, "XXXXXX");
    return !mkdtemp(area) || chdir(area) || mkdir("dir", 0755) || mkdir("node", 0700);
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", area);
    return system(command);
}

static void write_local(const char *host, const char *folder)
{
    struct efg_buffer text = {0};
    efg_local_put_head(&text);
    efg_local_put(&text, host, folder);
    efg_local_put(&text, "else where", folder); /* no line of ours: no host has a blank */
    efg_local_put(&text, "another", "relative");
    char *all = efg_buffer_text(&text);
    write_file("dir/local", all);
    free(all);
}

static void name_node(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", area, name);
}

static void test_none(void **state)
{
    struct efg_local local;
    (void)state;
    assert_int_equal(efg_local_read(&local, "dir"), 0);
    assert_int_equal(local.count, 0);
    assert_string_equal(efg_local_folder(&local, 0), "dir");
    assert_null(efg_local_folder(&local, 1));
    efg_local_fini(&local);
    write_file("dir/local", "something else\nhost /tmp\n");
    assert_int_equal(efg_local_read(&local, "dir"), 0);
    assert_int_equal(local.count, 0);
    efg_local_fini(&local);
}

static void test_seen(void **state)
{
    struct efg_local local;
    char node[128];
    (void)state;
    name_node(node, "node");
    write_local("another", node);
    assert_int_equal(efg_local_read(&local, "dir"), 0);
    assert_int_equal(local.count, 1);
    assert_string_equal(local.nodes[0].host, "another");
    assert_true(local.nodes[0].is_seen);
    assert_false(local.nodes[0].is_away);
    assert_string_equal(efg_local_folder(&local, 1), node);
    efg_local_fini(&local);
}

static void test_away(void **state)
{
    struct efg_local local;
    char node[128], here[256] = "";
    (void)state;
    name_node(node, "nowhere");
    write_local("another", node);
    assert_int_equal(efg_local_read(&local, "dir"), 0);
    assert_true(!local.nodes[0].is_seen && local.nodes[0].is_away);
    assert_null(efg_local_folder(&local, 1));
    efg_local_fini(&local);
    gethostname(here, sizeof here - 1);
    write_local(here, node); /* here, but gone: all has been moved */
    assert_int_equal(efg_local_read(&local, "dir"), 0);
    assert_true(!local.nodes[0].is_seen && !local.nodes[0].is_away);
    efg_local_fini(&local);
}

/* Neither a link, nor a folder of somebody else, nor a file. */
static void test_planted(void **state)
{
    struct efg_local local;
    char node[128];
    (void)state;
    name_node(node, "link");
    assert_int_equal(symlink("node", "link"), 0);
    write_local("another", node);
    assert_int_equal(efg_local_read(&local, "dir"), 0);
    assert_false(local.nodes[0].is_seen);
    efg_local_fini(&local);
    if (chown("node", 12345, 12345) == 0) { /* by root */
        name_node(node, "node");
        write_local("another", node);
        assert_int_equal(efg_local_read(&local, "dir"), 0);
        assert_false(local.nodes[0].is_seen);
        efg_local_fini(&local);
    }
    assert_int_equal(rename("dir/local", "elsewhere"), 0);
    assert_int_equal(symlink("../elsewhere", "dir/local"), 0);
    assert_int_equal(efg_local_read(&local, "dir"), 0);
    assert_int_equal(local.count, 0);
    efg_local_fini(&local);
}

static void test_move(void **state)
{
    (void)state;
    write_file("node/file", "ours");
    assert_int_equal(efg_local_move("node/file", 2, "dir/file", 2), 0);
    assert_holds("dir/file", "ours");
    assert_false(efg_below_is_there("node/file", 2));
    assert_int_equal(efg_local_move("node/file", 2, "dir/file", 2), -ENOENT);
    assert_holds("dir/file", "ours");
    assert_int_equal(efg_local_move("dir/file", 2, "none/file", 2), -ENOENT);
    assert_holds("dir/file", "ours");
}

/* To another file system, if there is one. */
static void test_copy(void **state)
{
    char other[] = "/dev/shm/efgtrace-local.XXXXXX", from[64], to[64];
    char *text = malloc(200000);
    struct stat here, there;
    (void)state;
    memset(text, 'x', 200000);
    text[199999] = '\0';
    if (!mkdtemp(other) || stat(other, &there) || stat(area, &here) || here.st_dev == there.st_dev) {
        rmdir(other);
        free(text);
        skip();
    }
    snprintf(from, sizeof from, "%s/file", other);
    write_file(from, text);
    assert_int_equal(efg_local_move(from, 2, "none/file", 2), -ENOENT);
    assert_int_equal(symlink("../node/victim", "dir/file.new"), 0); /* is not followed */
    assert_int_equal(efg_local_move(from, 2, "dir/file", 2), 0);
    assert_false(efg_below_is_there(from, 2));
    assert_false(efg_below_is_there("dir/file.new", 2));
    assert_false(efg_below_is_there("node/victim", 2));
    assert_int_equal(efg_below_size("dir/file", 2), 199999);
    snprintf(to, sizeof to, "%s/full", other);
    assert_int_equal(efg_local_move("dir/file", 2, to, 2), 0); /* and back */
    assert_int_equal(efg_below_remove(to, 2), 0);
    rmdir(other);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_away, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_planted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_move, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copy, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
